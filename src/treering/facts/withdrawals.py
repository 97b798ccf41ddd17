"""What the user takes back: a rule, what was said just before, or all plans so far."""

from __future__ import annotations

import re
from collections.abc import Sequence

from treering.facts.lexicon import content_words, sentences
from treering.facts.rules import NO_LONGER, Rule, asks

_WITHDRAWN = re.compile(
    rf"""
    \b(?:forget|ignore|disregard|drop|scrap|scratch|undo|cancel|lift|withdraw)\b.{{0,40}}
      \b(?:rule|constraint|that|about|instruction|requirement|limit|what\si\ssaid|earlier)\b
    |{NO_LONGER}|\bnever\s?mind\b
    |\b(?:doesn['’]t|does\snot)\sapply\b|\bnot\s(?:needed|necessary|required)\sany\s?more\b
    |\b(?:you\s(?:can|may)\snow|it['’]?s\s(?:ok|okay|fine)\s(?:now\s)?to
      |is\s(?:ok|okay|fine|allowed)\s(?:now|again|after\sall))\b
    |\b(?:olvida|ignora|cancela|ya\sno)\b
    |भूल\sजा|रद्द|अब\s(?:ज़?रूरी|ज़?रूरत)\sनहीं|छोड़\sदो
    |忘掉|忽略|不再|取消|不用了|算了|作废
    """,
    re.IGNORECASE | re.VERBOSE,
)
"""Said of a rule, which the sentence has to name: it takes back the one that it shares words with, or none."""
_ABOUT = re.compile(r"\b(?:said|told\syou|rule)\sabout\b|lo\s(?:de|que\sdije)\b|关于|के\sबारे", re.IGNORECASE)
"""Where a rule is spoken of as a rule, one word of it is enough."""

_LEAD_IN = r"\W*(?:(?:oh|no|wait|actually|hm+|sorry|ok|okay|and|but|so|well|please|pero|perdona|espera)\b[\s,.!—-]*)*"
"""What may come before the words by which a sentence takes something back. Other words may not: "the linter should
ignore the earlier request" is talk about the work."""
_RETRACTS = re.compile(
    rf"""{_LEAD_IN}
    (?:(?:scratch\s(?:that|this|it|all)|forget\s(?:that|it|about\s(?:it|that)|[A-Z])(?=\W*$|\W*[,.;:!—])
        |(?:ignore|disregard)\s(?:the|my|that)\s(?:earlier|previous|last)
          \s(?:message|request|instruction|one|part|plan|idea)s?
        |let\sme\srevise|on\ssecond\sthought|i(?:['’]ve)?\schanged\smy\smind|i\stake\sthat\sback)\b
      |olvida(?:lo|\seso)\b|cambié\sde\s(?:opinión|idea)\b|mejor\sno(?=\W*$|[,.;!])|pensándolo\smejor\b
      |(?:इसे\s|उसे\s|वह\s|यह\s)?भूल\sजा(?:ओ|इए|एँ)|(?:तो\s)?रहने\sदो|(?:मेरा|मैंने|हमने)?\s*विचार\sबदल
      |我改主意|还是别|我?收回)
    """,
    re.IGNORECASE | re.VERBOSE,
)
"""Said of what was said just before, be it a request or a rule."""
_NEVER_MIND = re.compile(
    rf"{_LEAD_IN}(?:never\s?mind(?=\W*$|\W*[,.;:!—]|\s(?:that|it|what)\b)|(?:还是)?算了(?=[，。！吧\s]|$))",
    re.IGNORECASE,
)
"""Said of a request, not of a rule that stands."""
_STARTS_OVER = re.compile(
    rf"""{_LEAD_IN}
    (?:(?:scratch|forget|ignore|disregard|drop)\s(?:all|everything)\s
        (?:of\s(?:this|that|it)\b|(?:that\s)?(?:we|i)\s|before\sthat\b
          |(?:from\s)?(?:so\sfar|above|before|until\snow|up\sto\snow)(?=\W*$|\W*[,.;:!—]|\sand\b))
      |(?:olvida|ignora)\stodo\slo\s(?:anterior|dicho|que)
      |(?:अब\sतक|पहले)\s(?:का|की|की?\sबात)\sसब\s(?:कुछ\s)?भूल
      |之前(?:说)?的(?:全部|都)?(?:作废|不算|忘掉|推翻))
    """,
    re.IGNORECASE | re.VERBOSE,
)
"""Said of all that was planned so far."""


def withdraws(sentence: str) -> bool:
    """Whether a sentence takes a rule back."""
    return bool(_WITHDRAWN.search(sentence))


def without_withdrawn(rules: Sequence[Rule], sentence: str) -> list[Rule]:
    """The rules that stand after a sentence that takes one back: the one it shares most words with goes."""
    said = _stems(sentence)
    needed = 1 if _ABOUT.search(sentence) else 2
    best, best_share = -1, 0.34
    for index, rule in enumerate(rules):
        own = _stems(rule.text)
        shared = len(own & said)
        share = shared / len(own) if own else 0.0
        if shared >= needed and share >= best_share:
            best, best_share = index, share
    return [rule for index, rule in enumerate(rules) if index != best]


def retracts(text: str) -> bool:
    """Whether a sentence takes back what was said just before, whatever that was."""
    return any(_RETRACTS.match(sentence) for sentence in sentences(text) if not asks(sentence))


def never_minds(text: str) -> bool:
    """Whether a sentence takes back what was asked just before; rules stand."""
    return any(map(_NEVER_MIND.match, sentences(text)))


def starts_over(text: str) -> bool:
    """Whether a sentence takes back all that was planned so far."""
    return any(map(_STARTS_OVER.match, sentences(text)))


def _stems(text: str) -> set[str]:
    """Content words cut to their first five letters, so that inflected forms meet."""
    return {word[:5] for word in content_words(text)}
