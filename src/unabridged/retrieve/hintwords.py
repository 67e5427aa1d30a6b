"""Which words of a message say what it is about.

Words that carry talk (`decide`, `yesterday`, `please`) say nothing of the matter and are not looked for. Words that any
program's talk is full of (`file`, `error`, `test`) are looked for but prove nothing alone. All others are telling.
"""

from __future__ import annotations

_TALK_WORDS = (
    "decide decision choose chose chosen choice pick agree agreement settle discuss discussion talk say said "
    "tell told mention suggest suggestion recommend recommendation propose proposal explain remember recall "
    "remind forget forgot conclude conclusion ask question answer reply respond think thought know knew "
    "believe guess wonder hear heard want need like love hope wish prefer try tried help assist please thank "
    "thanks okay ok yes yeah yep sure nope hi hello hey sorry great good nice cool perfect awesome fine bad "
    "better best well really actually basically simply probably maybe perhaps quite rather still yet already "
    "even also too ago back last past previous previously earlier later next recent recently latest yesterday "
    "today tomorrow tonight week month year day hour minute second moment time times morning evening night "
    "monday tuesday wednesday thursday friday saturday sunday january february march april june july august "
    "september october november december conversation chat thing things stuff way ways lot bit kind sort one "
    "ones two three first third reason reasons rationale reasoning idea plan plans goal approach left leave "
    "off stop stopped continue resume proceed keep kept begin start started finish finished done end ended "
    "let lets go goes going went gone come came take took bring brought put look looked looking see saw seen "
    "find found show shown give gave given got gotten happen happened seem seems appear mean means meant "
    "matter sense use used using useful usage work worked working works able possible possibly again around "
    "away across along among another anyone anything everything everyone somebody something someone somewhere "
    "nothing instead ever never always often sometimes usually currently current now right new old same "
    "different similar exact exactly original originally final finally initial initially quick quickly brief "
    "briefly summarize info information regarding concerning related relate involve involving based specific "
    "specifically particular certain whole entire full every each several few many much more most less least "
    "some any all both either neither other others else such own very just only hence thus therefore however "
    "although though because since unless until while whether upon within without during before after above "
    "below between per via etc ie eg vs gonna wanna gotta dont doesnt didnt isnt arent wasnt werent cant "
    "couldnt wont wouldnt shouldnt havent hasnt hadnt im ive id ill youre youve weve were theyre thats whats "
    "heres theres don doesn didn isn aren wasn weren couldn wouldn shouldn haven hasn hadn mustn needn us "
    "them hit land landed run ran running figure figured refresh jog ahead behind follow followed stand "
    "versus accomplish bother according accordingly forbid forbade forbidden ban banned avoid avoided allow "
    "allowed permit long forever rid stick stuck deal care wind mind"
)
# German, French, Spanish, Russian.
_FOREIGN_TALK_WORDS = (
    "wir uns haben hatten hast habe hat hatte wurde wurden war waren das der die den dem des ein eine einen "
    "einem einer und oder aber nicht kein keine für mit von zum zur beim bei über unter warum wieso wie wann "
    "wo wer welche welcher welches welchen wofür entschieden entscheidung beschlossen besprochen vereinbart "
    "gewählt benutzt verwendet festgelegt gesagt letzte letzten letztes woche mal gestern damals neulich "
    "erinnere mich dich noch weißt bitte ist sind auf aus nach vor als dass wenn dann auch schon jetzt gerade "
    "hier dort eigentlich nous vous avons avez avait avions est sont était les une dans pour avec sur sous "
    "par pas que qui quoi pourquoi comment quand où quel quelle quels quelles décidé décision choisi convenu "
    "discuté utilisé semaine dernière fois rappelle moi nosotros hemos habíamos los las una uno del para con "
    "por sobre sin qué cómo cuándo dónde cuál cuáles decidimos decisión elegimos acordamos hablamos usamos "
    "dijimos semana pasada vez ayer recuérdame está son era fue мы нас нам что это как для или при про над "
    "под без где когда почему зачем какой какая какие какую решили решение выбрали договорились обсуждали "
    "использовали сделали хотели вчера прошлой прошлый неделе раз напомни помнишь был была было были есть еще "
    "ещё уже тогда чтобы"
)
TALK = frozenset((*_TALK_WORDS.split(), *_FOREIGN_TALK_WORDS.split()))

_COMMON_WORDS = (
    "file files folder directory path code function functions method class module package library script "
    "program app application project repo repository codebase test tests testing suite error errors exception "
    "bug bugs issue issues problem problems fail failed failing failure crash warning fix fixed fixing solve "
    "solved solution resolve workaround change changes changed update updates updated upgrade add added "
    "adding remove removed delete deleted create created make made build built building implement implemented "
    "implementation write wrote written read reading set setting settings setup configure configured config "
    "configuration option options flag value values variable variables data type types object objects string "
    "strings number numbers list lists array map key keys name names named id ids user users page pages "
    "screen button text line lines word words item items field fields column columns row rows table tables "
    "result results output input log logs print display store stored save saved load loaded send sent receive "
    "received return returned call called calls request requests response handle handled handling handler "
    "check checked checks open opened close closed move moved rename renamed copy replace replaced switch "
    "switched support supported default version versions release feature features tool tools command commands "
    "system service server client side component components interface api design model process step steps "
    "task tasks ticket job jobs order format local main simple basic common general approach logic structure "
    "behavior behaviour performance quality review clean cleanup improve improved refactor refactoring "
    "rewrite debug debugging document documentation docs doc comment comments example examples sample case "
    "cases state status current mode level size length count total time date timeout limit limits rule rules "
    "policy standard convention pattern link links content contents source sources target base root top "
    "bottom start end begin session memory thread message messages archive background context history note "
    "notes point part piece details detail summary apply applied drop dropped reject rejected listen slow "
    "fast trick revisit define defined pass git commit branch difference argument modified tree visible "
    "sentence installation install readme python javascript typescript rust java deploy develop development "
    "production staging environment machine computer software hardware network internet web website online "
    "world people team company customer product business database topic schema query endpoint parameter "
    "parameters arguments rework attempt attempts"
)
COMMON = frozenset(_COMMON_WORDS.split())

# Names that every repository has: they prove nothing.
_USUAL_NAMES = (
    "readme.md package.json node.js utf-8 python3 http2 x86_64 config.yaml config.json main.py index.ts "
    "index.js __init__ __init__.py setup.py pyproject.toml .env .gitignore e.g i.e e.g. i.e. requirements.txt "
    "cargo.toml go.mod app.py main.go main.rs index.html docker-compose.yml settings.py utils.py __main__ "
    "stdout stderr"
)
USUAL_NAMES = frozenset(_USUAL_NAMES.split())

# Products and formats that are written like identifiers.
_BRANDS = (
    "github gitlab javascript typescript postgresql mysql mariadb sqlite oauth openid graphql rabbitmq "
    "mongodb dynamodb youtube macos ios openai chatgpt websocket websockets webrtc rocksdb leveldb clickhouse "
    "elasticsearch nodejs vscode intellij grpc fastapi sqlalchemy numpy pytorch tensorflow uuids ids apis "
    "urls pdfs jsonl iot saas devops latex bigquery cockroachdb duckdb protobuf kubernetes cloudflare "
    "webassembly openapi opentelemetry powershell webpack"
)
BRANDS = frozenset(_BRANDS.split())
