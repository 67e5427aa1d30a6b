"""Words by which a message tells what it is about: history, the present state, general knowledge, a correction.

Rows of patterns by language, matched without case; more languages are more rows. Patterns with an open end reach a few
words far, so that a cue and what it belongs to stand in one clause.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

Cues = Mapping[str, tuple[str, ...]]

# What people did together, and what one of them told the other.
_WE_DID = (
    "decided|agreed|chose|picked|discussed|talked|settled|concluded|used|tried|said|mentioned|"
    "suggested|proposed|"
    "planned|rejected|ruled|went|ended|fixed|solved|resolved|wrote|found|saw|hit|got|ran|had|set|"
    "named|called|implemented|"
    "built|made|did|worked|switched|moved|changed|dropped|removed|skipped|noted|covered|figured|"
    "debugged|investigated|"
    "benchmarked|measured|tested|reviewed|deployed|migrated|left|stopped|landed|opted|considered|"
    "explored|established|"
    "defined|designed|documented|recorded|encountered|faced|addressed|handled|adopted|"
    "standardi[sz]ed|committed|learned|"
    "learnt|came up|came across|came to|ran into|looked into|signed off"
)
_YOU_SAID = (
    "said|mentioned|told|suggested|recommended|proposed|explained|used|wrote|fixed|solved|resolved|"
    "chose|picked|found|gave|"
    "described|promised|noted|warned|advised|showed|applied|came up|figured|came across|ran into|"
    "concluded|identified|"
    "diagnosed|pointed"
)
_I_SAID = (
    "said|mentioned|told|asked|wanted|decided|described|explained|preferred|gave you|complained|reported"
)
_SAY = "say|mention|suggest|recommend|propose|tell|explain|use|choose|decide|pick|promise|agree|describe|conclude|note"
_DO = (
    f"{_SAY}|discuss|talk|settle|try|fix|solve|resolve|find|plan|reject|rule out|run into|see|hit|get|"
    f"land|end up|go with|"
    "name|call|set|configure|drop|switch|adopt|handle|work|put|store|define|design|document|do|cover|"
    "debug|deal|migrate|"
    "opt|come|leave|stop|implement|address|encounter|consider|learn|want|have|write|build|make|move|"
    "change|remove"
)
_DAYS = "monday|tuesday|wednesday|thursday|friday|saturday|sunday"
_SPANS = f"time|week|month|night|year|session|sprint|meeting|conversation|chat|discussion|thread|{_DAYS}"
_NUMBER = r"a|an|two|three|four|five|six|several|few|some|\d+|(?:a )?few|a couple of|couple of"
_ADVERBS = r"(?:\w+ly |already |ever |also |not |once |all |first |just |both |then )?"

# Asks for what was, so that only the archive can answer.
ASKED: Cues = {
    "en": (
        (
            rf"\b(?:why|how|when|where|what|which|who|whom|whose)\b[^.?!\n]{{0,60}}?\b(?:did|had)(?:n't)? "
            rf"(?:we|you|i)\b"
            rf" {_ADVERBS}(?:{_DO})?\b"
        ),
        (
            rf"\b(?:why|how|when|where|what|which)\b[^.?!\n]{{0,40}}?\bhave (?:we|you) "
            rf"{_ADVERBS}(?:{_WE_DID})\b"
        ),
        (
            rf"\b(?:why|how|when|where|what|which)(?: \w+){{0,3}} (?:we|i)(?:'ve|'d| have| had)? "
            rf"{_ADVERBS}(?:{_WE_DID})\b"
        ),
        (
            rf"\b(?:why|how|when|where|what|which)(?: \w+){{0,3}} you(?:'ve|'d| have| had)? "
            rf"{_ADVERBS}(?:{_YOU_SAID})\b"
        ),
        rf"\b(?:did|had|didn't|hadn't) (?:we|i) {_ADVERBS}(?:{_DO}|{_WE_DID})\b",
        rf"\b(?:did|had|didn't) you {_ADVERBS}(?:{_SAY})\b",
        (
            rf"\b(?:have|haven't|had) (?:we|you) (?:ever|already|previously|not|seen|before)\b(?: "
            rf"(?:{_WE_DID}))?"
        ),
        (
            r"\b(?:remind me|refresh my memory|jog my memory|remind us)\b(?: (?:what|why|how|of|about|"
            r"which|where))?"
        ),
        r"\b(?:do|can|could) you (?:still )?(?:remember|recall)\b",
        r"\b(?:remember|recall) (?:when|what|how|why|where|which|who|our)\b",
        r"\bremember (?:the|that)\b[^.?!\n]{0,80}\?",
        r"\b(?:what|which|who|where) (?:was|were) (?:the|our|that|it|those|your|my|we|i)\b",
        r"\bwhat happened (?:with|to|when|after|in|on|about|during)\b",
        (
            r"\b(?:continue|resume|carry on|start|begin|go on|pick(?:ing)?(?: \w+){0,2} up)(?: again)? "
            r"(?:from )?where\b"
        ),
        r"\bwhere (?:did|had|were) (?:we|i|you)\b(?: (?:leave|stop|get to|left|at))?",
        (
            r"\bwhere (?:we|i|you) (?:left off|left it|stopped|were|ended|got to)\b|\b(?:we|i|you) left "
            r"off\b|\bleft off\b"
        ),
        (
            r"\b(?:rationale|reasoning|reason|motivation|background|history) (?:for|behind|why) (?:\w+ "
            r"){0,2}(?:our|we|the)\b"
        ),
        (
            r"\b(?:search|check|look (?:in|into|through|up|at)|consult|go through) (?:the |our |your |my "
            r")?(?:\w+ )?"
            r"(?:archives?|memory|(?:past|previous|earlier|old|prior) (?:conversations?|sessions?|chats?|"
            r"discussions?|notes?))\b"
        ),
        (
            r"\bhow (?:was|were) (?:\w+ ){1,6}(?:fixed|solved|resolved|handled|implemented|decided|done|"
            r"set up)\b"
        ),
        (
            r"\bwhy (?:was|were|wasn't|weren't) (?:\w+ ){1,6}(?:chosen|picked|rejected|dropped|removed|"
            r"used|decided|selected|"
            r"changed|switched|added|preferred|ruled out)\b"
        ),
        (
            r"\b(?:which|what) (?:\w+ ){1,4}(?:was|were|got) (?:chosen|picked|selected|decided|agreed|"
            r"rejected|used)\b"
        ),
    ),
    "de": (
        (
            r"\b(?:warum|wie|wann|wo|was|welche[nrsm]?|wer|wofür|wogegen) (?:\w+ ){0,3}(?:haben|hatten) "
            r"(?:wir|sie)\b"
        ),
        r"\b(?:warum|wie|wann|wo|was|welche[nrsm]?) (?:\w+ ){0,3}(?:hast|hattest) du\b",
        (
            r"\bhaben wir (?:\w+ ){0,8}(?:entschieden|beschlossen|besprochen|vereinbart|gewählt|benutzt|"
            r"verwendet|festgelegt)\b"
        ),
        r"\berinner(?:e|st)? (?:mich|du|dich)\b|\bweißt du noch\b",
        r"\bwo (?:wir )?(?:waren wir|stehen ?geblieben|aufgehört)\b",
    ),
    "fr": (
        r"\b(?:pourquoi|comment|quand|où|que|quoi|quel(?:le)?s?) (?:\w+ ){0,3}(?:avons|avions)-nous\b",
        (
            r"\b(?:avons-nous|avait-on|a-t-on)\b|\brappelle[zs]?-(?:moi|nous)\b|\btu te (?:souviens|"
            r"rappelles)\b"
        ),
        r"\boù (?:nous en étions|on s'est arrêtés?)\b",
    ),
    "es": (
        (
            r"\b(?:por qué|cómo|cuándo|dónde|qué|cuál(?:es)?) (?:\w+ ){0,4}(?:decidimos|elegimos|"
            r"acordamos|usamos|dijimos|"
            r"hicimos|resolvimos|arreglamos)\b"
        ),
        r"\brecu[eé]rda(?:me|nos)\b|\bte acuerdas\b|\bdonde lo dejamos\b",
    ),
    "ru": (
        (
            r"\b(?:почему|как|когда|где|что|какой|какую|какие|зачем) (?:\w+ ){0,3}мы (?:\w+ "
            r"){0,2}(?:решили|выбрали|"
            r"договорились|обсуждали|использовали|сделали|исправили|починили|назвали|хотели)\b"
        ),
        r"\bнапомни(?:те)?\b|\bпомнишь\b|\bна ч[её]м (?:мы )?остановились\b",
    ),
    "zh": (
        "我们(?:上次|之前|当时|曾经|是)?(?:为什么|怎么|如何)(?:会)?(?:决定|选择|选|用|使用|解决|修复|放弃)?(?:了)?",
        "为什么(?:我们)?(?:当时|之前|上次)?(?:决定|选择|选了|放弃)(?:了)?",
        "(?:决定|讨论|商量|约定|选择|说|提到|选)(?:过|了|的)?(?:是)?(?:什么|哪个|哪些|怎么)",
        "提醒我(?:一下)?|还?记得|上次停在|从上次(?:停下的地方)?继续",
    ),
    "ja": (
        "(?:前回|以前|この前|先週|昨日)[^。?？]{0,30}(?:決め|話し|選ん|使っ|直し)",
        "覚えて(?:い)?ま?す?",
        "思い出させて",
    ),
}

# Mentions that something was, beside what is asked.
NAMED: Cues = {
    "en": (
        (
            rf"\b(?:(?:as|like|what|that|which|way|than|where|when|how) )?we(?:'ve|'d| have| had)? "
            rf"{_ADVERBS}(?:{_WE_DID})\b"
        ),
        (
            rf"\b(?:(?:as|like|what|that|which|way|than) )?you(?:'ve|'d| have| had)? "
            rf"{_ADVERBS}(?:{_YOU_SAID})\b(?: (?:me|us))?"
        ),
        (
            rf"\b(?:(?:as|like|what|that|which|way|than) )?i(?:'ve|'d| have| had)? "
            rf"{_ADVERBS}(?:{_I_SAID})\b(?: (?:you|to you))?"
        ),
        rf"\b(?:from |in |during |since |the )*(?:last|previous|prior|past) (?:{_SPANS})\b",
        r"\b(?:from |since )?yesterday(?:'s)?\b|\bthe other (?:day|week|night)\b|\blately\b|\bback then\b",
        (
            rf"\b(?:from |about |around )*(?:{_NUMBER}) (?:days?|weeks?|months?|hours?|sessions?) (?:ago|"
            rf"back)\b|\ba while (?:ago|back)\b"
        ),
        rf"\bon (?:{_DAYS})\b|\bon the (?:\d{{1,2}})(?:st|nd|rd|th)\b",
        (
            r"\bearlier (?:today|this (?:week|month|morning|year))\b|\bearlier\b(?=\s*[,.?!]|$)|"
            r"^\s*earlier\b|\bpreviously\b"
        ),
        (
            r"\bin the past\b|\b(?:in|from) (?:a|an|the|our|my|another|some|one of our) (?:previous|"
            r"earlier|prior|past|old|other) "
            r"(?:sessions?|conversations?|chats?|discussions?|threads?)\b"
        ),
        r"\b(?:as|like|same as|than|seen(?: this| that| it)?|had(?: this| that| it)?) before\b(?! \w+ing)",
        (
            r"\bour (?:\w+ )?(?:decision|agreement|discussion|conversation|rationale|reasoning|verdict|"
            r"conclusion)s?\b"
        ),
        (
            r"\bthe (?:fix|workaround|solution|approach|trick|command|script|snippet|query) (?:from|of) "
            r"(?:last|the other)\b"
        ),
    ),
    "de": (
        (
            r"\bwie (?:wir )?(?:besprochen|vereinbart|beschlossen|gesagt|letztes mal)\b|\bgestern\b|"
            r"\bneulich\b|\bdamals\b"
        ),
        (
            r"\b(?:letzte[snmr]?|vorige[snmr]?) (?:woche|mal|monat|sitzung|gespräch)\b|\bvor (?:\w+ "
            r")(?:tagen|wochen|monaten)\b"
        ),
    ),
    "fr": (
        (
            r"\bcomme (?:convenu|discuté|décidé|vu)\b|\bhier\b|\bl'autre jour\b|\bla (?:semaine|fois) "
            r"(?:dernière|passée)\b"
        ),
        (
            r"\bil y a (?:\w+ )(?:jours?|semaines?|mois)\b|\b(?:nous avons|on a|on avait) (?:décidé|"
            r"choisi|convenu|discuté)\b"
        ),
    ),
    "es": (
        r"\bcomo (?:acordamos|hablamos|dijimos|decidimos)\b|\bayer\b|\bel otro día\b",
        r"\bla (?:semana|vez|sesión) pasada\b|\bhace (?:\w+ )(?:días|semanas|meses)\b",
    ),
    "ru": (
        (
            r"\bкак (?:мы )?(?:договаривались|договорились|обсуждали|решили)\b|\bвчера\b|\bна днях\b|"
            r"\bраньше мы\b"
        ),
        (
            r"\b(?:на прошлой неделе|в прошл(?:ый|ом) (?:раз|месяце?)|прошлый раз)\b|\b\w+ (?:дня|дней|"
            r"недел[иь]) назад\b"
        ),
    ),
    "zh": ("上次|上周|上星期|上个月|昨天|前天|之前|以前|当时|前几天|那次|那时",),
    "ja": ("前回|先週|先月|昨日|以前|この前|先日|あの時",),
}

# Points at what stands in the live conversation.
VISIBLE: Cues = {
    "en": (
        r"\b(?:did|have|had|'ve) (?:we|you|i) just\b|\b(?:we|you|i)(?: have|'ve)? just (?:now )?\w+\b",
        r"\bjust now\b|\bso far\b|\ba (?:moment|minute|second|few (?:moments|minutes|seconds)) ago\b",
        r"\bin this (?:session|conversation|chat|thread|message)\b|\bthis (?:session|conversation|chat)\b",
        r"\b(?:visible|shown|pasted|quoted|printed) (?:above|below|here)\b|\b(?:already |still )visible\b",
        (
            r"\b(?:the|as|see|from|in|said|described|mentioned)(?: \w+){0,3} (?:above|below)\b|"
            r"\babove\s*[.?!]?$"
        ),
        (
            r"\byour (?:last|latest|previous|most recent) (?:change|edit|answer|message|reply|commit|"
            r"response|output)s?\b"
        ),
        r"\b(?:last|previous) (?:message|reply|answer|response|edit|command|step|paragraph|sentence)\b",
    ),
    "de": (r"\b(?:soeben|gerade eben|bisher|oben)\b",),
    "fr": (r"\b(?:ci-dessus|à l'instant|jusqu'ici)\b",),
    "es": (r"\b(?:arriba|hasta ahora|hace un momento)\b",),
    "ru": (r"\b(?:выше|только что|до сих пор)\b",),
    "zh": ("刚才|刚刚|上面|以上|到目前为止",),
    "ja": ("さっき|上の|ここまで",),
}

# Asks for what only a look at the present state can answer.
PRESENT: Cues = {
    "en": (
        (
            r"\b(?:right now|currently|at the moment|at present|as of (?:now|today)|at this (?:moment|"
            r"point)|today's)\b"
        ),
        r"\bnow\b\s*(?:[?.!]|$)|\b(?:is|are|does|do|has|have)\b[^.?!\n]{0,60} now\b",
        r"\b(?:working tree|working copy|uncommitted|unstaged|untracked|live state|live value)\b",
        r"\bgit (?:status|diff|log|branch|blame|show|stash|bisect)\b",
        (
            r"\bis (?:the|it|that|this|there|my|our)\b[^.?!\n]{0,60}\b(?:running|up|passing|failing|green|"
            r"red|open|closed)\b"
        ),
        (
            r"\bis (?:the|it|that|this|there|my|our)\b[^.?!\n]{0,60}\b(?:merged|deployed|installed|"
            r"enabled|disabled|broken)\b"
        ),
        (
            r"\bis (?:the|it|that|this|there|my|our)\b[^.?!\n]{0,60}\b(?:available|alive|listening|done|"
            r"finished|ready|down)\b"
        ),
        (
            r"\bis (?:the|it|that|this|there|my|our)\b[^.?!\n]{0,60}\b(?:working|empty|set|up to date|"
            r"clean|dirty|on)\b"
        ),
        (
            r"\bare (?:the|they|all|there|my|our|any)\b[^.?!\n]{0,60}\b(?:running|up|passing|failing|"
            r"green|merged|deployed)\b"
        ),
        (
            r"\bare (?:the|they|all|there|my|our|any)\b[^.?!\n]{0,60}\b(?:installed|enabled|done|ready|"
            r"working|broken|left|open)\b"
        ),
        (
            r"\b(?:do|does) (?:the|all|any|it|our|my)\b[^.?!\n]{0,40}\b(?:tests?|build|linter|ci|suite|"
            r"checks?|pass|fail|compile)\b"
        ),
        (
            r"\bwhat(?:'s| is| are|s) (?:\w+ )?(?:in|inside|on|at|under) (?:the|this|that|my|our|"
            r"[./\w]+[./]\w+)"
        ),
        (
            r"\bwhat(?:'s| is| are|s)? (?:the )?contents? of\b|\bwhat (?:does|do) (?:the |our "
            r")?[\w/-]+[./][\w./-]+ (?:\w+ )?"
            r"(?:contain|do|say|return|look like|print|show|have)\b"
        ),
        (
            r"\bwhat (?:does|do) (?:the |our )?(?:[\w./-]+ )?(?:file|function|script|config\w*|output|log|"
            r"method|class|module|test|"
            r"endpoint|code|readme|makefile) (?:\w+ )?(?:contain|do|say|return|look like|print|show|have)\b"
        ),
        (
            r"\b(?:how many|which|what)\b[^.?!\n]{0,30}\b(?:files?|lines?|tests?|branches|commits|"
            r"processes|containers|errors|"
            r"warnings|todos?|imports|packages|functions|ports?|tables|rows|jobs|"
            r"pods)\b[^.?!\n]{0,20}\b(?:are|is|do|does|have|has|"
            r"there|changed|fail\w*|exist|remain\w*)\b"
        ),
        (
            r"\b(?:latest|newest|most recent) (?:commit|build|logs?|version|release|output|run|tag|"
            r"deploy\w*|error|test|migration)"
        ),
        (
            r"\bwhere (?:is|are) [^.?!\n]{0,60}\b(?:defined|implemented|used|declared|located|called|"
            r"configured|set|stored)\b"
        ),
        (
            r"\bwho (?:calls|uses|owns|imports)\b|\bfind (?:all )?(?:the )?(?:usages?|references?|callers|"
            r"occurrences|uses)\b"
        ),
        r"\b(?:what is|what's|is) [^.?!\n]{0,50}\b(?:set|pointing|configured|bound|mapped|equal) to\b",
        (
            r"\bwhat changed\b|\bwhat has changed\b|\bwhat's (?:new|changed|left|wrong|failing|broken|"
            r"running)\b"
        ),
        r"\bcurrent (?:value|state|status|version|branch|head|directory|setting|contents?)\b",
    ),
    "de": (r"\b(?:gerade|momentan|aktuell\w*|derzeit|jetzt|im moment|augenblicklich)\b",),
    "fr": (r"\b(?:actuellement|en ce moment|maintenant|à présent|actuel(?:le)?s?)\b",),
    "es": (r"\b(?:actualmente|ahora mismo|ahora|en este momento|actual(?:es)?)\b",),
    "ru": (r"\b(?:сейчас|в данный момент|на данный момент|текущ\w+)\b",),
    "zh": ("现在|目前|当前|此刻|正在",),
    "ja": ("現在|今の|いま",),
}

# Points at something at hand, which may well have a history that is asked for beside it.
AT_HAND: Cues = {
    "en": (
        r"\bcurrent\b",
        (
            r"\bthis (?:file|output|error|diff|screenshot|snippet|function|line|stack ?trace|traceback|"
            r"log|code|test|page|branch|"
            r"commit|pr|change|directory|folder|class|method)\b"
        ),
    ),
    "de": (r"\bdiese[rsnm]? (?:datei|ausgabe|fehler|funktion|zeile|test)\b",),
    "zh": ("这个(?:文件|函数|错误)",),
    "ja": ("この(?:ファイル|関数|エラー)",),
}

# An order to do something now, at the beginning of a message. What is built or changed may well have a history.
ORDERED: Cues = {
    "en": (
        (
            r"^\W*(?:(?:please|now|ok(?:ay)?|then|also|just|first|next|great|good|thanks|cool|yes|alright|"
            r"right|so|and|can you|could "
            r"you|would you|will you|let's|let us|go ahead and|you can|i want you to|i need you to|try "
            r"to)\W+){0,4}"
            r"(?:run|re-?run|execute|launch|start|stop|restart|kill|open|show|list|print|cat|ls|cd|check|"
            r"read|view|display|grep|"
            r"find|commit|push|pull|merge|rebase|deploy|install|build|compile|lint|format|tail|ping|curl|"
            r"count|verify|inspect|"
            r"stage|stash|revert|undo|retry|reload|refresh|download|fetch|clone|checkout|restate|repeat|"
            r"quote|summari[sz]e|"
            r"translate|rephrase|explain this|describe this)\b"
        ),
    ),
    "de": (r"^\W*(?:bitte )?(?:führe|starte|zeige?|öffne|liste|lies|prüfe|baue?|committe?|pushe?)\b",),
    "fr": (r"^\W*(?:lance|exécute|montre|affiche|ouvre|liste|lis|vérifie)[zs]?\b",),
    "es": (r"^\W*(?:ejecuta|corre|muestra|abre|lista|lee|comprueba)\b",),
    "ru": (r"^\W*(?:запусти|покажи|открой|выведи|прочитай|проверь|собери|закоммить)(?:те)?\b",),
    "zh": ("^(?:请)?(?:运行|执行|打开|显示|列出|查看|检查|提交)",),
    "ja": ("(?:実行|表示|開いて|コミット)(?:して)",),
}

# Takes something back or settles it anew: what is archived must not talk against it.
CORRECTED: Cues = {
    "en": (
        (
            r"^\W*(?:correction|actually|wait|no[,.:;]|no that|no it|nope|not quite|that's (?:wrong|not|"
            r"incorrect)|that is (?:wrong|"
            r"not)|this is (?:wrong|not)|scratch that|never ?mind|forget (?:that|it|what)|i meant|"
            r"instead\b|wrong\b|change of plans?|"
            r"new (?:decision|plan|rule)|on second thoughts?|i changed my mind|update:|i was wrong|let me "
            r"correct)"
        ),
        (
            r"\b(?:from now on|going forward|from here on|as of today|change of plans?|i(?:'ve)? changed "
            r"my mind|"
            r"on second thoughts?|no longer|not any ?more|scratch that|disregard|ignore (?:that|what|my))\b"
        ),
    ),
    "de": (
        (
            r"^\W*(?:korrektur|eigentlich|nein|doch nicht|stattdessen|falsch)\b|\b(?:ab jetzt|ab sofort|"
            r"nicht mehr)\b"
        ),
    ),
    "fr": (r"^\W*(?:correction|en fait|non|plutôt)\b|\b(?:désormais|dorénavant)\b",),
    "es": (r"^\W*(?:corrección|en realidad|no,|mejor)\b|\b(?:a partir de ahora|de ahora en adelante)\b",),
    "ru": (r"^\W*(?:исправление|поправка|нет|на самом деле)\b|\b(?:отныне|с этого момента|больше не)\b",),
    "zh": ("^(?:更正|不对|不是|其实)|从现在(?:起|开始)|不再",),
    "ja": ("^(?:訂正|いや|違う|実は)|今後は|これからは",),
}

# Asks for what anybody knows.
GENERAL: Cues = {
    "en": (
        r"\bhow (?:do|can|should|would|could) (?:i|you|one|somebody|people)\b|\bhow to\b",
        r"\bis there (?:a|any) (?:\w+ )?(?:way|library|tool|package|command|function|method|difference)\b",
        (
            r"\bwhat (?:is|are|does|do)\b[^.?!\n]{0,80}\b(?:stand for|mean|called)\b|\b(?:meaning|"
            r"definition) of\b|\bdefine\b"
        ),
        (
            r"\bwhat(?:'s| is| are)(?: the)? (?:difference|syntax|best (?:way|practice)|(?:time "
            r")?complexity|big.?o|purpose of)\b"
        ),
        (
            r"\bwhat(?:'s| is| are)(?: the)? (?:advantages?|benefits?|pros and cons|point of|idea behind|"
            r"idiomatic)\b"
        ),
        (
            r"\bwhat(?:'s| is| are) (?:a|an)\b|\bhow (?:does|do|would) (?:a|an)\b|\bwhy (?:is|does|would) "
            r"(?:a|an)\b"
        ),
        r"\bwho (?:is|was|invented|wrote|created)\b|\bwhen (?:was|were) \w+ (?:invented|released)\b",
        r"\b(?:difference|differences) between\b|\bbest practices?\b|\bpros and cons\b|\bin general\b",
        (
            r"\bgive me (?:an|some) (?:examples?|overview|introduction)\b|\bteach me\b|\bcan (?:you|i|"
            r"one) use\b"
        ),
        (
            r"\b(?:write|generate|create|give|make|tell) (?:me )?an? (?:\w+ )?(?:poem|haiku|joke|story|"
            r"limerick|essay|one-?liner)\b"
        ),
        (
            r"\b(?:in|with|using) (?:python|rust|go|golang|java|javascript|typescript|c\+\+|c#|ruby|php|"
            r"bash|sql|kotlin|swift|"
            r"haskell|css|html|git|docker|linux|postgres\w*|react|vue|node(?:\.js)?|numpy|pandas|pytest|"
            r"django|flask)\s*\?"
        ),
    ),
    "de": (
        r"\bwas (?:ist|sind) (?:eine?|der unterschied)\b|\bwas (?:bedeutet|heißt)\b|\bwie (?:kann|macht) man\b",
    ),
    "fr": (r"\bqu'est-ce qu(?:'une?|e c'est)\b|\bcomment (?:faire|peut-on)\b|\bdifférence entre\b",),
    "es": (r"\bqué (?:es|significa|son) (?:una?|el)\b|\bcómo (?:se|puedo)\b|\bdiferencia entre\b",),
    "ru": (r"\bчто (?:такое|значит|означает)\b|\bкак (?:можно|сделать)\b|\bразница между\b",),
    "zh": ("什么是|是什么意思|怎么(?:用|写|做)|如何(?:在|用)|有什么区别",),
    "ja": ("とは(?:何|なん)|の(?:意味|違い)|どうやって",),
}

# Asks for an explanation: of something that anybody knows, or of something of this project.
ABOUT: Cues = {
    "en": (
        (
            r"\bhow (?:does|do|is|are)\b|\bwhat (?:is|are)\b|\bwhat's\b|\bwhy (?:is|are|does|do)\b|\bwhat "
            r"(?:does|do)\b"
        ),
        r"\b(?:explain|describe|tell me about|compare)\b|\bwhat happens (?:when|if)\b",
    ),
    "de": (r"\bwas (?:ist|sind)\b|\bwie (?:funktioniert|geht)\b|\berkläre?\b",),
    "fr": (r"\bqu'est-ce\b|\bexplique[zs]?\b|\bcomment (?:fonctionne|marche)\b",),
    "es": (r"\bqué (?:es|son)\b|\bexplica\b|\bcómo funciona\b",),
    "ru": (r"\bобъясни\b|\bкак (?:работает|устроен\w*)\b",),
    "zh": ("解释一下|介绍一下|是什么",),
    "ja": ("説明して|教えて",),
}

# Says that a question is about this project, whatever its form.
OWN: Cues = {
    "en": (
        r"\b(?:our|ours|my|us|this (?:project|repo\w*|codebase|app\w*|service))\b",
        r"\bthe (?:project|repo\w*|codebase)\b",
    ),
    "de": (r"\bunser\w*\b",),
    "fr": (r"\bn(?:otre|os)\b",),
    "es": (r"\bnuestr\w+\b",),
    "ru": (r"\bнаш\w*\b",),
    "zh": ("我们的",),
    "ja": ("私たちの|うちの",),
}

# Says that a text settles something, for who asks what was decided.
SETTLED: Cues = {
    "en": (
        (
            r"\b(?:decided|decision|we(?:'ll| will| shall) (?:use|go|keep|do|set|name|call|store|stay|"
            r"stick|switch|adopt|drop)|chose|"
            r"chosen|agreed|settled|selected|picked|let's (?:go|use|keep|stick)|go(?:ing)? with|opted|"
            r"because|since|reason|rejected|"
            r"ruled out|the plan is|conclusion|concluded|prefer|recommend)\b"
        ),
    ),
    "de": (r"\b(?:entschieden|entscheidung|beschlossen|weil|wir nehmen|wir verwenden)\b",),
    "fr": (r"\b(?:décidé|décision|choisi|parce que|nous utiliserons)\b",),
    "es": (r"\b(?:decidimos|decisión|elegimos|porque|usaremos)\b",),
    "ru": (r"\b(?:решили|решение|выбрали|потому что|будем использовать)\b",),
    "zh": ("决定|选择|因为|我们用|采用",),
    "ja": ("決め|決定|選|なぜなら|採用",),
}

# Says that a text tells how something was put right.
REPAIRED: Cues = {
    "en": (
        (
            r"\b(?:fix(?:ed|es)?|solved|resolved|root cause|workaround|the (?:cause|problem|culprit) "
            r"(?:was|is)|turned out)\b"
        ),
    ),
    "de": (r"\b(?:behoben|gelöst|ursache)\b",),
    "ru": (r"\b(?:исправ\w+|причина|решено)\b",),
    "zh": ("修复|解决|原因",),
}

# Asks to go on with what an earlier session worked on, without naming it.
RESUMED: Cues = {
    "en": (
        r"\b(?:left off|where (?:we|i|you) (?:stopped|were|left it|ended|got to)|where were we)\b",
        (
            r"\bwhat (?:were|was|have|had) (?:we|i|you) (?:been )?(?:working on|doing|up to|in the middle "
            r"of)\b"
        ),
        (
            r"\bwhat did (?:we|i|you) (?:do|work on|get done|accomplish|finish) (?:last|yesterday|before|"
            r"in the)\b"
        ),
        r"\b(?:catch me up|bring me up to speed|get me up to speed)\b",
        (
            r"\b(?:continue|resume|pick up) (?:with )?(?:the |our |my )?(?:last|previous|earlier|"
            r"yesterday's) (?:session|work|task|"
            r"conversation|chat)\b"
        ),
    ),
    "de": (r"\bwo (?:wir )?(?:waren wir|stehen ?geblieben|aufgehört)\b",),
    "fr": (r"\boù (?:nous en étions|on s'est arrêtés?)\b",),
    "es": (r"\bdonde lo dejamos\b",),
    "ru": (r"\bна ч[её]м (?:мы )?остановились\b",),
    "zh": ("上次停(?:在|下)|从上次(?:停下的地方)?继续|继续上次",),
    "ja": ("前回の続き",),
}

WANTS_REPAIR = re.compile(
    r"\b(?:fix(?:ed|es)?|solve[ds]?|resolved?|workaround|cause[ds]?|behoben|исправ\w*)\b|修复|解决",
    re.IGNORECASE,
)
WANTS_DECISION = re.compile(
    r"\b(?:decid\w*|decision|chose|choose|chosen|pick(?:ed)?|agree\w*|settle\w*|why|rationale|"
    r"reason\w*|select\w*|reject\w*|"
    r"warum|entsch\w*|pourquoi|por qué|почему|решили)\b|决定|为什么|选择",
    re.IGNORECASE,
)
WANTS_OUTPUT = re.compile(
    r"\b(?:errors?|exception|traceback|stack ?trace|output|printed|log|logs|failure|crash\w*|panic|"
    r"command|result|message)\b",
    re.IGNORECASE,
)


def compiled(cues: Cues) -> re.Pattern[str]:
    """Return one pattern for the cues of all languages."""
    return re.compile("|".join(f"(?:{cue})" for rows in cues.values() for cue in rows), re.IGNORECASE)
