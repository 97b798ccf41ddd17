"""The frame of an extractive summary: headings in the user's language, and the order of what is chosen."""

from __future__ import annotations

import msgspec


class Headings(msgspec.Struct, frozen=True):
    """Headings and the few words between quotations, in one language."""

    goal: str
    constraints: str
    progress: str
    asked: str
    in_progress: str
    blocked: str
    decisions: str
    next_steps: str
    context: str
    commands: str
    test: str
    names: str
    left_out: str


HEADINGS = {
    "en": Headings(
        goal="Goal", constraints="Constraints & Preferences", progress="Progress", asked="Asked so far",
        in_progress="In Progress", blocked="Blocked", decisions="Key Decisions", next_steps="Next Steps",
        context="Critical Context", commands="Commands that were run", test="Last test result",
        names="Names by file",
        left_out="{count} more lines: `treering entry FILE ID`",
    ),
    "es": Headings(
        goal="Objetivo", constraints="Restricciones y preferencias", progress="Progreso", asked="Pedido hasta ahora",
        in_progress="En curso", blocked="Bloqueado", decisions="Decisiones clave", next_steps="Próximos pasos",
        context="Contexto crítico", commands="Comandos ejecutados", test="Último resultado de las pruebas",
        names="Nombres por archivo",
        left_out="{count} líneas más: `treering entry FILE ID`",
    ),
    "hi": Headings(
        goal="लक्ष्य", constraints="शर्तें और पसंद", progress="प्रगति", asked="अब तक कहा गया", in_progress="जारी",
        blocked="रुका हुआ", decisions="मुख्य निर्णय", next_steps="अगले कदम", context="ज़रूरी संदर्भ",
        commands="चलाए गए कमांड", test="पिछला परीक्षण परिणाम", names="फ़ाइल के अनुसार नाम",
        left_out="{count} और पंक्तियाँ: `treering entry FILE ID`",
    ),
    "zh": Headings(
        goal="目标", constraints="约束与偏好", progress="进展", asked="至今的要求", in_progress="进行中",
        blocked="受阻", decisions="关键决定", next_steps="下一步", context="关键背景", commands="运行过的命令",
        test="最近的测试结果", names="各文件中的名称",
        left_out="另有 {count} 行：`treering entry FILE ID`",
    ),
}  # fmt: skip


def headings_for(language: str) -> Headings:
    """The headings of a language; English if it is not known."""
    return HEADINGS.get(language, HEADINGS["en"])
