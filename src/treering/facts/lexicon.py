"""What a text is made of: lines, sentences, words, and the terms that can be looked for again.

A *term* is something with an exact spelling: a file (by its base name), a name of code (`camelCase`, `snake_case`,
`UPPER_CASE`), a number of three digits or more, a hash. Everything here is script-aware and free of state.
"""

from __future__ import annotations

import re
from collections.abc import Iterator


def listed(text: str) -> frozenset[str]:
    """The words of a text as a set."""
    return frozenset(text.split())


EXTENSIONS = listed(
    """
    adoc astro bat bib bzl c cc cfg cjs cl clj cljs cmake cmd conf cpp cs css csv cts cu cxx dart db diff ejs
    el ex exs env erl f90 fish fs go gql gradle graphql groovy h handlebars hbs hcl hpp hs htm html hxx ics
    iml ini ipynb java jl jpg jpeg gif js json json5 jsonc jsonl jsx kt kts less lib liquid lisp lock log lua
    m make map md mdx mjs mk ml mli mm mod mts nim nix org out output pas patch pdf pem php pl plist pm png po
    prisma properties proto ps1 pxd py pyi pyx r rb rego rs rst sass sbt scala scm scss sh sln snap sol sql
    sqlite srt strings styl sum svelte svg swift sv tcl tex tf tfvars thrift tmpl toml ts tsv tsx txt v vala
    vb vert vhd vim vue wasm webp xhtml xml xsd xsl yaml yml zig zip zsh csproj vcxproj gitignore dockerignore
    editorconfig
    """
)
_BLOB = re.compile(r"[A-Za-z0-9_./~@+-]{3,}")
_ESCAPE = re.compile(r"\\[nrt][\w./-]*")
_HUMP = re.compile(r"[a-z0-9][A-Z]|[A-Z][A-Z][a-z]")
_HEX = re.compile(r"[0-9a-f]{7,40}")
_LINE_NUMBER = re.compile(r"^\s*\d+(?:→|\t|[|:]\s|:(?=\s|$))")
_MARKER = re.compile(r"^\s*(?:[-*+•]\s+(?:\[[ xX]\]\s+)?|\d{1,3}[.)]\s+|#{1,6}\s+|>\s+)+")
_SENTENCE = re.compile(r"(?<=[.!?…])[\"')\]*`]*\s+(?=[\"'(\[*`]*[^\Wa-z\d_]|`|\d+\.\s)|(?<=[。！？；])|(?<=[।॥])\s*")
WORD = re.compile(r"[^\W\d_][^\W_]*(?:[\u0900-\u0dff]+[^\W_]*)*|[\u0900-\u097f]+")
_CJK = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")

FILE, NAME, NUMBER = "f", "n", "#"
Term = tuple[str, str]
"""Kind and spelling; a file's spelling is its base name."""


class Lexicon:
    """Finds terms; remembers what each piece of text was taken for, so that a long text costs one look-up a piece."""

    def __init__(self) -> None:
        self._known: dict[str, tuple[Term, ...]] = {}

    def terms(self, text: str) -> list[Term]:
        """The terms of a text in order of appearance, repeated as they are."""
        known = self._known
        found: list[Term] = []
        if "\\" in text:
            # `\\nName` in code or JSON is an escape and a word: neither `nName` nor, as it stands there, a name.
            text = _ESCAPE.sub(" ", text)
        for blob in _BLOB.findall(text):
            terms = known.get(blob)
            if terms is None:
                terms = known[blob] = tuple(terms_of(blob))
            if terms:
                found.extend(terms)
        return found


def terms_of(blob: str) -> Iterator[Term]:
    """The terms in one run of word characters, dots, dashes and slashes."""
    text = blob.strip("-+@~").rstrip("./")
    head, _, last = text.rpartition("/")
    stem, dot, extension = last.rpartition(".")
    if dot and stem and extension in EXTENSIONS and (extension != "v" or head):
        yield FILE, last
        pieces = [stem, *head.split("/")] if head else [stem]
    else:
        pieces = [text]
    for piece in pieces:
        for word in re.split(r"[^A-Za-z0-9_]+", piece):
            kind = _kind(word)
            if kind:
                yield kind, word


def is_file(path: str) -> bool:
    """Whether a path ends in the name of a file."""
    return any(kind == FILE for kind, _ in terms_of(path))


def _kind(word: str) -> str:
    if len(word) < 3:
        return ""
    if word.isdigit():
        return NUMBER
    if len(word) >= 7 and _HEX.fullmatch(word) and any(c.isdigit() for c in word):
        return NUMBER
    if len(word) < 6 or word[0].isdigit() or sum(c.isalpha() for c in word) < 6:
        return ""
    if len(word) >= 16 and _is_made_up(word):
        return ""
    return NAME if "_" in word.strip("_") or _HUMP.search(word) else ""


def _is_made_up(word: str) -> bool:
    """Whether a long word looks like an id that a machine made."""
    digits = sum(c.isdigit() for c in word)
    return digits >= 4 or (digits > 0 and digits + sum(c.isupper() for c in word) > 0.45 * len(word))


def clean_line(line: str) -> str:
    """The line without a listing's line number, a list marker, and space at its ends."""
    return _MARKER.sub("", _LINE_NUMBER.sub("", line)).strip()


def strip_line_number(line: str) -> str:
    """The line without the line number that a file listing puts before it."""
    return _LINE_NUMBER.sub("", line)


def sentences(line: str) -> list[str]:
    """The sentences of one line, in any script that ends them with `.`, `?`, `!`, `。` or `।`."""
    return [part.strip() for part in _SENTENCE.split(line) if part and part.strip()]


def words(text: str) -> list[str]:
    """Words in lower case; for scripts without spaces, pairs of neighbouring characters."""
    found: list[str] = []
    for word in WORD.findall(text):
        if _CJK.search(word):
            found.extend(word[i : i + 2] for i in range(max(1, len(word) - 1)))
        else:
            found.append(word.lower())
    return found


def content_words(text: str) -> set[str]:
    """Words that carry meaning: three letters or more and no function word; pairs of characters as they are."""
    return {word for word in words(text) if (len(word) >= 3 or not word.isascii()) and word not in FUNCTION_WORDS}


def is_prose(line: str) -> bool:
    """Whether people would read the line as language: not code, not a log line, not a table."""
    text = line.strip()
    if not text or text[0] in "{}<>|$=+@#/\\;%" or text.startswith(("---", "```", "//", "- [", "[{", '{"')):
        return False
    if _CJK.search(text):
        return len(_CJK.findall(text)) >= 3
    plain = [word for word in text.split() if word.strip("\"'`“”().,:;!?*-—").isalpha() or _INDIC.search(word)]
    return len(plain) >= 2 and 2 * len(plain) >= len(text.split())


_NARRATION = re.compile(
    r"^(?:(?:now|ok|okay|good|great|perfect|alright|right|so|also|next|first|then|hmm|wait|clean|excellent)\b[,.:!—\s-]*)*"
    r"(?:let['’]?s\b|let me|i['’]ll|i will|i need to|i should|i want to|i can see|i see|i have|now i|we need to"
    r"|the user (?:wants|is|asked|says)|looking at)"
    r"|^(?:now|next|first|then),? (?:add|check|fix|look|move|remove|run|update|verify|write)\b|^while .{1,40}, let me\b"
    r"|^(?:good|great|nice|perfect),? (?:that['’]s|it['’]s) "
    r"|^(?:(?:ahora|bien|perfecto|primero|luego)\b[,.\s]*)*(?:voy a|vamos a|déjame|necesito|tengo que|el usuario)"
    r"|^(?:(?:现在|好的|接下来|首先|然后)[，,]?)*(?:让我|我来|我将|我需要|我先|用户)"
    r"|^(?:अब|ठीक है,?|पहले)?\s*(?:मैं|मुझे|चलिए|उपयोगकर्ता)",
    re.IGNORECASE,
)


def is_narration(sentence: str) -> bool:
    """Whether a sentence only says what the assistant is about to do, or leads over to something."""
    return sentence.rstrip("*`_ ").endswith((":", "：")) or bool(_NARRATION.match(sentence))


_INDIC = re.compile(r"[\u0900-\u0dff]")

FUNCTION_WORDS = listed(
    """
    the and for that this with from have are was you can not but they will would should could what when which
    there here also just then than into our your its let has had does did how why who all any some more been
    only same now one use get out yes about them these those were their his her she him each such very too
    being over under again own los las una uno del que por para con como más pero sus este esta estos estas
    eso esa hay muy sin son fue ser der die das und ist nicht ein eine den dem mit auf für von les des une est
    pas dans pour que qui sur avec है हैं का की के को में से पर और यह वह ने भी तो ही कि जो था थे थी हो कर
    """
)
