"""The language that the user writes in, as far as headings need it, and names."""

from __future__ import annotations

import re

_DEVANAGARI = re.compile(r"[\u0900-\u097f]")
_KANA = re.compile(r"[\u3040-\u30ff]")
_HAN = re.compile(r"[\u3400-\u9fff]")
_SPANISH = re.compile(
    r"[¿¡ñ]|\b(?:el|la|los|las|que|una|por|para|está|como|pero|esto|hay|puedes?|quiero|ahora|también|archivo|en|de|del|con|y)\b",
    re.IGNORECASE,
)
_ENGLISH = re.compile(
    r"\b(?:the|is|are|and|to|of|this|that|can|you|we|it|for|with|please|what|why|how|let|in|on)\b", re.IGNORECASE
)
_GERMAN = re.compile(
    r"\b(?:der|die|das|den|dem|des|k?eine?[rnms]?|und|oder|ist|sind|war|wird|werden|nicht|für|mit|auf|bei|von|zum|zur"
    r"|im|am|vom|beim|wir|ich|bitte|jetzt|auch|nur|noch|aber|soll|sollen|muss|kann|haben|hat|nach|über)\b",
    re.IGNORECASE,
)


def guess_language(text: str) -> str:
    """`en`, `es`, `hi`, `zh`, or empty if the text is too little or in none of them."""
    letters = sum(1 for char in text if char.isalpha())
    if letters < 4:
        return ""
    if len(_DEVANAGARI.findall(text)) * 4 > letters:
        return "hi"
    if len(_HAN.findall(text)) * 4 > letters and not _KANA.search(text):
        return "zh"
    spanish, english = len(_SPANISH.findall(text)), len(_ENGLISH.findall(text))
    if spanish >= 2 and spanish > english:
        return "es"
    return "en" if english >= 2 else ""


def capitalises_nouns(text: str) -> bool:
    """Whether a text is in German, where a capital letter makes no name of a noun."""
    german = {word.lower() for word in _GERMAN.findall(text)}
    return len(german) >= 2 and len(german) > max(len(_ENGLISH.findall(text)), len(_SPANISH.findall(text)))
