"""Standing rules of the user: found in what the user wrote, kept word for word, dropped when withdrawn.

A rule is a sentence of the user, no question, that forbids, demands, prefers or limits. The cues are the ordinary words
for that in the languages that are known here; a language without cues still keeps its requests, which are quoted whole.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import msgspec

from treering.facts.lexicon import content_words, sentences

MAX_RULES = 40
MAX_RULE_CHARS = 300

_RULE = re.compile(
    r"""
    \b(?:always|never(?!\s?mind)|don['’]?t|do\snot|must(?:n['’]t)?|should\s(?:not|never|always|be)|shouldn['’]t|can(?:no|['’])t\s(?:be|use|change)
      |prefers?|preferred|preference|(?:use|and|but|with|is|are|^|:\s)only(?=\s\w)|only\s(?:use|when|if|after|in|with|from|ever)|avoid|forbidden|not\sallowed|make\ssure|ensure|under\sno\scircumstances
      |at\sall\stimes|from\snow\son|every\stime|no\smatter|without\s(?:asking|approval|my|explicit)|(?:is|are|be)\srequired
      |requires?|needs?\s(?:approval|explicit)|stick\s(?:to|with)|leave\s.{1,40}\salone|^keep
      |(?:i|we|user)\s(?:want|wants|like|hate)|no\slonger\s(?:needs?|needed|ha(?:ve|s)|must|appl\w+|required?|requires|allowed|valid|wants?|hold\w*)|remember\s(?:to|that)|before\syou|wait\sfor
      |let['’]?s\snot|red\sline|off[- ]limits|not\s(?:ok|okay|acceptable|an\soption)|under\sany\scircumstances
      |wherever|whenever)\b
    |^(?:use|no|not|please|stop|skip)\b
    |\b(?:siempre|nunca|jamás|debes?|deben|prefiero|prefiere|preferimos|sol[oa]mente|sólo|evita|evite|evitar|prohibido
      |en\svez\sde|en\slugar\sde|a\spartir\sde\sahora|asegúrate|obligatorio|no\s(?:hagas|uses|toques|cambies|borres|escribas|subas
      |modifiques|olvides|pongas|instales|elimines|ejecutes|agregues|añadas)|hay\sque|tiene[ns]?\sque|quiero\sque)\b
    |हमेशा|कभी\s(?:भी\s)?(?:न|मत|नहीं)|\bमत\b|(?:न|नहीं)\s(?:करें|करो|करना|करे|बदलें|बदलो|छुओ|लिखो|डालो)|ज़?रूर|अनिवार्य|केवल|सिर्फ़?|चाहिए|बजाय|अब\sसे|ध्यान\sर[खह]
    |总是|始终|永远|一定要|不要|不能|不得|不许|请勿|别再?(?=[^的])|必须|务必|禁止|只用|只能|只需|仅|优先|尽量|以后|今后|从现在起|每次|改用|不应
    """,
    re.IGNORECASE | re.VERBOSE,
)
_WITHDRAWN = re.compile(
    r"""
    \b(?:forget|ignore|disregard|drop|scrap|scratch|undo|cancel|lift|withdraw)\b.{0,40}\b(?:rule|constraint|that|about|instruction|requirement|limit|what\si\ssaid|earlier)\b
    |\bno\slonger\s(?:needs?|needed|ha(?:ve|s)|must|appl\w+|required?|requires|allowed|valid|wants?|hold\w*)\b|\bnever\s?mind\b|\b(?:doesn['’]t|does\snot)\sapply\b|\bnot\s(?:needed|necessary|required)\sany\s?more\b
    |\b(?:you\s(?:can|may)\snow|it['’]?s\s(?:ok|okay|fine)\s(?:now\s)?to|is\s(?:ok|okay|fine|allowed)\s(?:now|again|after\sall))\b
    |\b(?:olvida|ignora|cancela|ya\sno)\b
    |भूल\sजा|रद्द|अब\s(?:ज़?रूरी|ज़?रूरत)\sनहीं|छोड़\sदो
    |忘掉|忽略|不再|取消|不用了|算了|作废
    """,
    re.IGNORECASE | re.VERBOSE,
)
_RETRACTS = re.compile(
    r"""
    \W*(?:(?:oh|no|wait|actually|hm+|sorry|ok|okay|and|but|so|well|please|pero|perdona|espera)\b[\s,.!—-]*)*
    (?:(?:scratch\s(?:that|this|it|all)|forget\s(?:that|it|about\s(?:it|that)|[A-Z])(?=\W*$|\W*[,.;:!—])
        |(?:ignore|disregard)\s(?:the|my|that)\s(?:earlier|previous|last)\s(?:message|request|instruction|one|part|plan|idea)s?
        |let\sme\srevise|on\ssecond\sthought|i(?:['’]ve)?\schanged\smy\smind|i\stake\sthat\sback)\b
      |olvida(?:lo|\seso)\b|cambié\sde\s(?:opinión|idea)\b|mejor\sno(?=\W*$|[,.;!])|pensándolo\smejor\b
      |(?:इसे\s|उसे\s|वह\s|यह\s)?भूल\sजा(?:ओ|इए|एँ)|(?:तो\s)?रहने\sदो|(?:मेरा|मैंने|हमने)?\s*विचार\sबदल
      |我改主意|还是别|我?收回)
    """,
    re.IGNORECASE | re.VERBOSE,
)
_NEVER_MIND = re.compile(
    r"\W*(?:(?:oh|no|wait|ok|okay|and|but|well)\b[\s,.!—-]*)*never\s?mind(?=\W*$|\W*[,.;:!—]|\s(?:that|it|what)\b)"
    r"|(?:还是)?算了(?=[，。！吧\s]|$)",
    re.IGNORECASE,
)
"""Said of a request, not of a rule that stands."""
_MOMENTARY = re.compile(
    r"\b(?:yet|for\snow|todavía|aún|por\sahora)\W*$|^(?:先别|暂时)|अभी\s(?:न|मत|नहीं)", re.IGNORECASE
)
"""What is so for the moment is no standing rule."""


_POINTS_BACK = re.compile(
    r"^(?:\W*(?:and|but|so|y|pero)\b)?\W*(?:it|that|this|they|eso|esto)\b|\b(?:it|them|ello|hacerlo|aquello)\b"
    r"|\b(?:that|this|those|these|eso|esto)\b(?!\s(?!time|again|way|one|any)\w)"
    r"|ऐसा|वैसा|उसे|इसे|उन्हें|这样|那样|这么|那么|它们?",
    re.IGNORECASE,
)
_TELLING_WORDS = 4

_STARTS_OVER = re.compile(
    r"\W*(?:(?:oh|no|wait|actually|sorry|ok|okay|and|but|so|well|please)\b[\s,.!—-]*)*"
    r"(?:(?:scratch|forget|ignore|disregard|drop)\s(?:all|everything)\s(?:of\s(?:this|that|it)\b|(?:that\s)?(?:we|i)\s"
    r"|(?:from\s)?(?:so\sfar|above|before|until\snow|up\sto\snow)(?=\W*$|\W*[,.;:!—]|\sand\b)|before\sthat\b)"
    r"|(?:olvida|ignora)\stodo\slo\s(?:anterior|dicho|que)|(?:अब\sतक|पहले)\s(?:का|की|की?\sबात)\sसब\s(?:कुछ\s)?भूल"
    r"|之前(?:说)?的(?:全部|都)?(?:作废|不算|忘掉|推翻))",
    re.IGNORECASE,
)
_ABOUT = re.compile(r"\b(?:said|told\syou|rule)\sabout\b|lo\s(?:de|que\sdije)\b|关于|के\sबारे", re.IGNORECASE)
_RULES_FOLLOW = re.compile(
    r"\b(?:rules?|conventions?|always|reglas?|normas?|regeln?)\b.{0,80}:\W*$|नियम.{0,60}[:：]\W*$|(?:规则|规矩|约定).{0,40}[:：]\W*$",
    re.IGNORECASE,
)
_BULLET = re.compile(r"\s*(?:[-*+•]|\d{1,2}[.)])\s+(.+)")


_DESCRIBES = re.compile(
    r"""
    (?<!need\s)(?<!have\s)(?<!want\s)(?<!like\s)(?<!sure\s)(?<!ought\s)(?<!try\s)(?<!remember\s)\bto\s(?:always|never|avoid)\b
    |\bwould\s.{1,80}\sand\savoid\b|\bwill\srequire\b
    |\b(?:i|we|they|you)\sdon['’]?t\s(?:have|think|know|see|get|understand|remember|seem|work)\b
    |\bshould\sbe\s(?:good|fine|ok|okay|able|some|ready)\b
    |^no,
    """,
    re.IGNORECASE | re.VERBOSE,
)
"""What has the word of a rule, but tells how something is, or answers."""


class Rule(msgspec.Struct, frozen=True, array_like=True):
    """A standing rule, word for word, and where it was said."""

    text: str
    entry: str
    at: int


def is_rule(sentence: str) -> bool:
    """Whether a sentence of the user is a standing rule."""
    if asks(sentence) or _MOMENTARY.search(sentence):
        return False
    return bool(_RULE.search(_DESCRIBES.sub(" ", sentence)))


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


def asks(sentence: str) -> bool:
    """Whether a sentence is a question."""
    return sentence.rstrip("\"'”)*_` ").endswith(("?", "？", "؟"))


def in_context(sentence: str, before: Sequence[str]) -> str:
    """The rule with the sentences before it that it speaks of: "let's not do that again" says nothing alone."""
    text = sentence
    for earlier in reversed(before):
        if not points_back(text) or len(earlier) + len(text) >= MAX_RULE_CHARS:
            break
        text = f"{earlier} {text}"
    return text


def points_back(text: str) -> bool:
    """Whether the first sentence of a text says little but that something is so of what was said before it."""
    lead = next(iter(sentences(text)), text)
    enough = _TELLING_WORDS * (1 if lead.isascii() else 1.5)
    return len(content_words(lead)) < enough and bool(_POINTS_BACK.search(lead))


def withdraws(sentence: str) -> bool:
    """Whether a sentence takes something back."""
    return bool(_WITHDRAWN.search(sentence))


def retracts(text: str) -> bool:
    """Whether a sentence takes back what was said just before, whatever that was."""
    return any(_RETRACTS.match(sentence) for sentence in sentences(text) if not asks(sentence))


def never_minds(text: str) -> bool:
    """Whether a sentence takes back what was asked just before; rules stand."""
    return any(map(_NEVER_MIND.match, sentences(text)))


def starts_over(sentence: str) -> bool:
    """Whether a sentence takes back all that was planned so far."""
    return any(map(_STARTS_OVER.match, sentences(sentence)))


def without_withdrawn(rules: list[Rule], sentence: str) -> list[Rule]:
    """The rules that stand after a sentence that takes one back: the one it shares most words with goes."""
    said = stems(sentence)
    needed = 1 if _ABOUT.search(sentence) else 2
    best, best_share = -1, 0.34
    for index, rule in enumerate(rules):
        own = stems(rule.text)
        shared = len(own & said)
        share = shared / len(own) if own else 0.0
        if shared >= needed and share >= best_share:
            best, best_share = index, share
    return [rule for index, rule in enumerate(rules) if index != best]


def stems(text: str) -> set[str]:
    """Content words cut to their first five letters, so that inflected forms meet."""
    return {word[:5] for word in content_words(text)}
