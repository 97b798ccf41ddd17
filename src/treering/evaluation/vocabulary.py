"""Word lists of the scorer: endings of files, words without weight, words of command in several languages."""

from __future__ import annotations

import re


def _listed(text: str) -> frozenset[str]:
    return frozenset(text.split())


FILE_EXTENSIONS = _listed(
    """
    adoc astro awk bash bat bib bin bmp c cc cfg cjs clj cmake cnf conf cpp cs css csv cts cxx dart db diff dll
    doc docx el elm eml erl eslintrc ex exs fish fs gif go gql gradle graphql h hcl hh hpp hs htm html hxx ico
    ini ipynb jar java jpeg jpg js json json5 jsonc jsonl jsx kt kts less lock log lua m map markdown md mdx mjs
    ml mli mm mod mts nim nix odt out parquet patch pdf php pl plist png po pom proto ps1 py pyi pyc pyx qml r
    rb rs rst sass sbt scala scss sh so sol spec sql sqlite sqlite3 sum svelte svg swift tar tcl tex tf tfvars
    tgz toml tmpl tpl traj ts tsv tsx txt vb vim vue wasm webp whl xhtml xlsx xml xsd yaml yml zig zip zsh gz
    snap dcm
    """
)

STOPWORDS = _listed(
    """
    the and for that this with from are was were not but you your our its his her they them their there then
    than what when where which who how why all any can could would should will shall may might must have has had
    does did doing done been being into onto over under out off about also just like get got let lets let's some
    one two now here only very more most much many such each other same own too yes okay don't doesn't isn't
    it's i'm i'd i'll we're we'd that's there's can't won't que para por con los las una unos unas del como pero
    más sin sobre este esta esto ese esa eso son está están fue ser hay muy también cuando donde les des une est
    dans pour avec sur pas qui aux sont être cette ces mais plus não uma dos das como mas nos isso der die das
    und ist nicht mit den dem ein eine einen auf für von auch wie wir sie ich और का की के को में से है हैं था थे
    थी यह वह ये वो पर भी तो ही कि जो तक एक नहीं कर करना करो कीजिए हो गया गई अब लिए इस उस
    """
)
"""Words without weight: English, Spanish, French, Portuguese, German, Hindi."""

IMPERATIVES = _listed(
    """
    add address amend analyze apply ask assume change check clean commit compare continue convert copy create
    debug delete deploy describe do document drop enable examine explain extract fetch find finish fix focus
    format generate get give go handle implement improve include inline insert install investigate keep leave
    list log look make mark merge migrate mock move name note open pick point prepare print proceed pull push
    put re-run read rebase record refactor remove rename replace reply report rerun reset respond restore return
    review rewrite run save search see send set show simplify skip sort split squash stage start stop switch
    take tell test track try tweak turn undo unstage update upgrade use verify wait walk watch wire wrap write
    """
)
"""English verbs that begin an order. Other languages mark the verb, or the cues below find the sentence."""

CUES = re.compile(
    r"\b(?:always|never|must(?:n't)?|don'?t|do not|should(?:n't)?|shall|needs? to|have to|has to|make sure|ensure"
    r"|please|pls|instead|rather|prefer(?:red|ably)?|avoid|only|use|keep|stop|leave|let'?s|no longer|not allowed"
    r"|required?|want|i'?d like|would like|actually|no,|nope|wrong|revert|undo|ignore|remember|stick (?:to|with)"
    r"|follow|without"
    r"|siempre|nunca|no (?:uses|hagas|toques|cambies|pongas|borres|debes)|debe[ns]?|tienes? que|hay que|por favor"
    r"|usar?|utiliza|prefiero|en vez de|en lugar de|evita|solo|sólo|quiero|asegúrate|mejor|deja|recuerda"
    r"|toujours|jamais|ne .{1,20} pas|il faut|dois|doit|utilise[rz]?|plutôt|évite[rz]?|s'il (?:te|vous) pla[iî]t|veux"
    r"|immer|niemals|nie|nicht|muss|musst|sollst?|bitte|statt(?:dessen)?|lieber|vermeide|nur|verwende|nutze"
    r"|sempre|não|deve[ms]?|prefiro|evite|apenas|quero|em vez de"
    r"|всегда|никогда|не|нужно|надо|должен|должна|должно|пожалуйста|вместо|лучше|только|используй|хочу)\b"
    r"|हमेशा|कभी|मत|ज़रूर|जरूर|चाहिए|कृपया|बजाय|जगह|केवल|सिर्फ|सिर्फ़|करो|कीजिए|करना|रखो|रखना|रखें|करें|लिखो|लिखें|चलाओ|बदलो|हटाओ|नहीं"
    r"|必须|一定|不要|不能|不许|别|请|应该|应当|需要|只能|只用|改用|而不是|改成|优先|尽量|避免|始终|永远|总是|务必|禁止|不得|先|把|用"
    r"|必ず|絶対|しないで|してください|ください|代わりに|だけ|べき|항상|절대|하지 마|해야|대신|해\s?주세요|만 사용"
    r"|دائما|أبدا|لا |يجب|من فضلك|بدلا",
    re.IGNORECASE,
)
"""Words of command, prohibition, preference and correction in a dozen languages."""

DENIALS = re.compile(
    r"\b(?:not|no longer|instead|rather than|wrong|mistake|sorry|correction|actually|no|en vez|en lugar|perdón|perdona"
    r"|equivoqué|sino|pas|plutôt|désolé|nicht|sondern|statt|falsch|não|errado|desculpe|не|вместо)\b"
    r"|नहीं|जगह|बजाय|ग़लत|गलत|माफ़|माफ|不是|而不|代替|改成|说错|错了|抱歉|对不起|ではなく|間違|아니라|대신|بدلا|ليس",
    re.IGNORECASE,
)
"""Words by which a sentence takes back what was said before."""
