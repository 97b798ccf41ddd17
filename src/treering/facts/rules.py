"""Standing rules of the user: found in what the user wrote, and kept word for word.

A rule is a sentence of the user, no question, that forbids, demands, prefers or limits. The cues are the ordinary words
for that in the languages that are known here; a language without cues still keeps its requests, which are quoted whole.
How a rule ends is in `withdrawals`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import msgspec

from treering.facts.lexicon import content_words, sentences

MAX_RULES = 40
MAX_RULE_CHARS = 300

NO_LONGER = r"\bno\slonger\s(?:needs?|needed|ha(?:ve|s)|must|appl\w+|required?|requires|allowed|valid|wants?|hold\w*)\b"
"""For a pattern: what ends a rule, and is one itself."""

_RULE = re.compile(
    rf"""
    \b(?:always|never(?!\s?mind)|don['’]?t|do\snot|must(?:n['’]t)?|should\s(?:not|never|always|be)|shouldn['’]t
      |can(?:no|['’])t\s(?:be|use|change)|prefers?|preferred|preference|(?:use|and|but|with|is|are|^|:\s)only(?=\s\w)
      |only\s(?:use|when|if|after|in|with|from|ever)|avoid|forbidden|not\sallowed|make\ssure|ensure
      |under\sno\scircumstances|at\sall\stimes|from\snow\son|every\stime|no\smatter
      |without\s(?:asking|approval|my|explicit)|(?:is|are|be)\srequired
      |requires?|needs?\s(?:approval|explicit)|stick\s(?:to|with)|leave\s.{{1,40}}\salone|^keep
      |(?:i|we|user)\s(?:want|wants|like(?!\sthat\s(?:you|it|we)\b)|hate)|remember\s(?:to|that)|before\syou|wait\sfor
      |let['’]?s\snot|red\sline|off[- ]limits|not\s(?:ok|okay|acceptable|an\soption)|under\sany\scircumstances
      |wherever|whenever)\b
    |{NO_LONGER}
    |^(?:please\s)?(?:use|no|not|stop(?!,)|skip)\b
    |\b(?:siempre|nunca|jamás|debes?|deben|prefiero|prefiere|preferimos|sol[oa]mente|sólo|evita|evite|evitar|prohibido
      |en\svez\sde|en\slugar\sde|a\spartir\sde\sahora|asegúrate|obligatorio|hay\sque|tiene[ns]?\sque|quiero\sque
      |no\s(?:hagas|uses|toques|cambies|borres|escribas|subas|modifiques|olvides|pongas|instales|elimines|ejecutes
        |agregues|añadas))\b
    |हमेशा|कभी\s(?:भी\s)?(?:न|मत|नहीं)|\bमत\b|(?:न|नहीं)\s(?:करें|करो|करना|करे|बदलें|बदलो|छुओ|लिखो|डालो)|ज़?रूर|अनिवार्य
    |केवल|सिर्फ़?|चाहिए|बजाय|अब\sसे|ध्यान\sर[खह]
    |总是|始终|永远|一定要|不要|不能|不得|不许|请勿|别再?(?=[^的])|必须|务必|禁止|只用|只能|只需|仅|优先|尽量|以后|今后|从现在起
    |每次|改用|不应
    """,
    re.IGNORECASE | re.VERBOSE,
)
"""The words of a rule."""
_ASIDE = re.compile(r"\([^()]*\)|（[^（）]*）")
"""What is said by the way gives no rule."""
_DESCRIBES = re.compile(
    r"""
    (?<!need\s)(?<!have\s)(?<!want\s)(?<!like\s)(?<!sure\s)(?<!ought\s)(?<!try\s)(?<!remember\s)
      \bto\s(?:always|never|avoid)\b
    |\bwould\s.{1,80}\sand\savoid\b|\bwill\srequire\b
    |\b(?:i|we|they|you)\sdon['’]?t\s(?:have|think|know|see|get|understand|remember|seem|work)\b
    |\bshould\sbe\s(?:good|fine|ok|okay|able|some|ready)\b
    |^no,
    """,
    re.IGNORECASE | re.VERBOSE,
)
"""What has the word of a rule, but tells how something is, or answers."""
_MOMENTARY = re.compile(
    r"\b(?:yet|for\snow|todavía|aún|por\sahora)\W*$|^(?:先别|暂时)|अभी\s(?:न|मत|नहीं)", re.IGNORECASE
)
"""What is so for the moment is no standing rule."""
_RULES_FOLLOW = re.compile(
    r"\b(?:rules?|conventions?|always|reglas?|normas?|regeln?)\b.{0,80}:\W*$"
    r"|नियम.{0,60}[:：]\W*$|(?:规则|规矩|约定).{0,40}[:：]\W*$",
    re.IGNORECASE,
)
"""The heading of a list of rules."""
_BULLET = re.compile(r"\s*(?:[-*+•]|\d{1,2}[.)])\s+(.+)")
"""An item of a list."""
_POINTS_BACK = re.compile(
    r"^(?:\W*(?:and|but|so|y|pero)\b)?\W*(?:it|that|this|they|eso|esto)\b|\b(?:it|them|ello|hacerlo|aquello)\b"
    r"|\b(?:that|this|those|these|eso|esto)\b(?!\s(?!time|again|way|one|any)\w)"
    r"|ऐसा|वैसा|उसे|इसे|उन्हें|这样|那样|这么|那么|它们?",
    re.IGNORECASE,
)
"""What stands for something that was said before."""
_SAYS_OF_IT = re.compile(
    r"\W*(?:and|but|so|y|pero)?\W*(?:this|that|it|these|those|they)\s"
    r"(?:should|must|is|are|has|have|had|can|cannot|will|may|needs?|do|does)(?:n['’]t)?\b",
    re.IGNORECASE,
)
"""However much it says: of what it says it, stands in the sentence before."""
_TELLING_WORDS = 4
"""With so many words that carry meaning a sentence says by itself what it is about."""


class Rule(msgspec.Struct, frozen=True, array_like=True):
    """A standing rule, word for word, and where it was said."""

    text: str
    entry: str
    at: int


def is_rule(sentence: str) -> bool:
    """Whether a sentence of the user is a standing rule."""
    if asks(sentence) or _MOMENTARY.search(sentence):
        return False
    return bool(_RULE.search(_DESCRIBES.sub(" ", _ASIDE.sub(" ", sentence))))


def asks(sentence: str) -> bool:
    """Whether a sentence is a question."""
    return sentence.rstrip("\"'”)*_` ").endswith(("?", "？", "؟"))


def listed_rules(text: str) -> list[str]:
    """The items of a list whose heading says that they are rules ("House rules, they hold for all we do:")."""
    found: list[str] = []
    follow = False
    for line in text.split("\n"):
        item = _BULLET.match(line)
        if item and follow:
            found.append(" ".join(item.group(1).split()))
        elif line.strip():
            follow = bool(_RULES_FOLLOW.search(line))
    return found


def in_context(sentence: str, before: Sequence[str]) -> str:
    """The rule with the sentences before it that it speaks of: "let's not do that again" says nothing alone."""
    text = sentence
    for earlier in reversed(before):
        if not (points_back(text) or _SAYS_OF_IT.match(text)) or len(earlier) + len(text) >= MAX_RULE_CHARS:
            break
        text = f"{earlier} {text}"
    return text


def points_back(text: str) -> bool:
    """Whether the first sentence of a text says little but that something is so of what was said before it."""
    lead = next(iter(sentences(text)), text)
    enough = _TELLING_WORDS * (1 if lead.isascii() else 1.5)
    return len(content_words(lead)) < enough and bool(_POINTS_BACK.search(lead))
