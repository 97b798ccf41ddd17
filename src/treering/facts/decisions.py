"""Decisions: sentences that say what was chosen, found or established, and why."""

from __future__ import annotations

import re

MAX_DECISIONS = 24
_DECISION = re.compile(
    r"""
    \b(?:decided|decision|we(?:['’]ll|\swill|\sshould)\s(?:use|go|keep)|i(?:['’]d|['’]ll|\swould|\swill)\s(?:go\swith|keep|use|prefer)
      |let['’]?s\s(?:go|use|keep|do)|going\swith|go\swith|opt(?:ed|ing)?\sfor|chose|chosen|instead\sof|rather\sthan|root\scause
      |the\s(?:real\s)?(?:issue|problem|bug|cause|fix|solution|approach|reason|convention|key\sinsight|trade-?off)\s(?:is|was|here)
      |because|so\sthat|turns\sout|this\smeans|agreed|the\splan\sis|no\sneed\sto|by\sdesign|on\spurpose|backwards?\scompat)\b
    |\b(?:decidimos|decidido|decisión|en\svez\sde|en\slugar\sde|la\scausa|el\sproblema\ses|la\ssolución|porque|optamos|elegimos|vamos\scon|usaremos)\b
    |फ़?ैसला|निर्णय|तय\s(?:किया|हुआ)|क्योंकि|इसलिए|के\sबजाय|की\sजगह|कारण|समस्या\sयह
    |决定|选择|采用|因为|所以|原因是|根本原因|问题是|方案|改用|而不是|结论
    """,
    re.IGNORECASE | re.VERBOSE,
)
_UNSURE = re.compile(
    r"\b(?:likely|probably|maybe|might|perhaps|seems?|appears?|could|would|i\sthink|suggests?|becoming|let\sme|wait)\b"
    r"|\bfix\sis\s(?:complete|in\splace|working|correct|straightforward|done)\b"
    r"|\b(?:quizás?|probablemente|parece|podría)\b|शायद|लगता\sहै|可能|也许|大概|似乎",
    re.IGNORECASE,
)
"""A guess, or a remark on the way, is no decision."""
_PLAN = re.compile(
    r"\b(?:let['’]?s|we(?:['’]ll|\swill|(?:['’]re|\sare)\sgoing\sto)|(?:plan|decision|answer)\sis|vamos\sa|usaremos)\b"
    r"|\b(?:plan|decision|decisión|answer):\s|(?:योजना|फ़ैसला):|(?:方案|计划|决定)[：:]|我们就",
    re.IGNORECASE,
)


def is_plan(sentence: str) -> bool:
    """Whether a sentence of the user says what is going to be done."""
    return bool(_PLAN.search(sentence))


def is_decision(sentence: str) -> bool:
    """Whether a sentence says what was decided or found out. Questions do not."""
    return (
        len(sentence) * (1 if sentence.isascii() else 2) >= 20
        and len(sentence) <= 260
        and not sentence.rstrip("\"'*`)").endswith(("?", "？", ":", "："))
        and bool(_DECISION.search(sentence))
        and not _UNSURE.search(sentence)
    )
