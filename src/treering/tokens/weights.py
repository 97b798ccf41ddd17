"""Weights of the token estimator, made by `benchmarks/fit_estimator.py`. Do not edit."""

from __future__ import annotations

UNIT = 100
"""Weights of pairs are in this part of a token."""

PAIRS = bytes(
    (
        0, 3, 114, 3, 250, 3, 56, 3, 3, 3, 3, 97, 167, 3, 30, 8,
        0, 3, 53, 4, 102, 3, 15, 3, 6, 46, 112, 75, 53, 52, 3, 4,
        23, 59, 3, 19, 3, 22, 3, 3, 11, 116, 127, 40, 3, 3, 37, 40,
        3, 3, 210, 16, 46, 9, 7, 3, 3, 3, 3, 71, 3, 15, 47, 250,
        3, 117, 88, 71, 33, 78, 45, 250, 76, 130, 72, 174, 42, 3, 120, 132,
        3, 3, 113, 3, 104, 22, 8, 8, 38, 57, 81, 3, 81, 197, 79, 246,
        3, 39, 190, 7, 132, 8, 10, 14, 8, 26, 57, 86, 136, 88, 99, 145,
        3, 24, 101, 7, 187, 8, 29, 8, 8, 18, 80, 38, 15, 3, 31, 41,
        3, 28, 184, 5, 42, 66, 8, 8, 54, 50, 50, 28, 75, 82, 46, 162,
        3, 46, 73, 5, 91, 174, 21, 8, 33, 31, 88, 49, 27, 72, 20, 43,
        7, 5, 250, 3, 250, 222, 22, 41, 32, 8, 25, 103, 80, 51, 45, 64,
        80, 3, 3, 3, 6, 39, 88, 11, 51, 77, 3, 3, 95, 3, 32, 3,
        250, 47, 3, 130, 175, 62, 3, 3, 6, 24, 250, 51, 10, 80, 180, 27,
        3, 33, 3, 3, 27, 22, 3, 22, 29, 107, 93, 3, 72, 85, 3, 51,
        129, 52, 41, 3, 41, 3, 79, 17, 21, 8, 3, 3, 36, 47, 22, 13,
        250, 21, 115, 250, 58, 41, 3, 71, 13, 6, 153, 10, 73, 98, 3, 65,
    )
)  # fmt: skip
"""Weight of a pair: a row for each class of the left character, a column for each of the right."""

CHARACTERS = {
    "arabic": 0.291,
    "arabic extended": 0.325,
    "arabic mark": 0.793,
    "armenian": 0.150,
    "astral": 4.000,
    "bengali": 0.227,
    "box": 0.234,
    "cjk punctuation": 0.669,
    "combining": 1.604,
    "control": 0.500,
    "cyrillic": 0.150,
    "cyrillic extended": 1.154,
    "devanagari": 0.376,
    "emoji": 2.180,
    "ethiopic": 2.012,
    "fullwidth": 1.102,
    "georgian": 0.150,
    "greek": 0.358,
    "gujarati": 0.384,
    "gurmukhi": 0.615,
    "han": 0.725,
    "han rare": 0.678,
    "han traditional": 1.315,
    "hangul": 0.618,
    "hebrew": 0.377,
    "hiragana": 0.799,
    "kannada": 0.395,
    "katakana": 0.392,
    "khmer": 0.630,
    "lao": 1.893,
    "latin": 0.150,
    "latin extended": 0.947,
    "latin sign": 0.491,
    "malayalam": 0.267,
    "myanmar": 0.552,
    "phonetic": 0.725,
    "punctuation": 0.416,
    "rare": 3.000,
    "rare indic": 0.312,
    "sinhala": 0.569,
    "symbol": 2.387,
    "tamil": 0.238,
    "telugu": 0.480,
    "thai": 0.408,
    "vietnamese": 0.150,
    "virama": 0.150,
}
"""Tokens a character, by script."""

WORDS = {
    "arabic": 0.294,
    "armenian": 1.165,
    "bengali": 0.916,
    "cyrillic": 0.766,
    "devanagari": 0.000,
    "ethiopic": 0.055,
    "georgian": 1.243,
    "greek": 0.269,
    "gujarati": 0.000,
    "gurmukhi": 0.007,
    "hangul": 0.280,
    "hebrew": 0.335,
    "kannada": 0.318,
    "malayalam": 1.047,
    "sinhala": 0.359,
    "tamil": 1.258,
    "telugu": 0.201,
}
"""Tokens a word on top of its characters, by script."""
