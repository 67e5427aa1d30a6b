"""The verbs of the live window."""

from __future__ import annotations

from unabridged.cli.arguments import FLAG, NUMBER, TEXT, Option, Positional, Verb

_FIND = "Find"
_CARE = "Look after"
_JSON = Option("json", FLAG, "print one JSON document")
_PROJECT = Option("project", TEXT, "the windows of this folder's project, or a project id", "P", default=".")
_SESSION = Positional(
    "session",
    "any name of a session, a conversation's id or its address; default: the one used last in this folder",
    "?",
)

WINDOW_VERBS: tuple[Verb, ...] = (
    Verb(
        "window status",
        "tell how full the windows of this folder's sessions are",
        "unabridged.cli.window",
        (Positional("session", "only this session (any name of it)", "?"),),
        (
            _PROJECT,
            Option("all", FLAG, "the windows of every project"),
            Option("limit", NUMBER, "at most so many windows", "N", short="n", default="20"),
            _JSON,
        ),
        (
            ("una window", "tokens, turns, share read from the prompt cache, what was saved"),
            ("una window status SESSION --json", "one session, for a program"),
        ),
        _CARE,
        "Windows are kept for what passes through `una run`, `una gateway` and the Python API. Tokens are as the "
        "provider would count them; `saved` is the share of the tokens that would have been sent without a window.",
    ),
    Verb(
        "window settings",
        "tell which settings hold for a model, and where each comes from",
        "unabridged.cli.window_settings",
        (Positional("model", "provider/model; default: what holds for a model nothing is said of", "?"),),
        (
            Option("reserve", NUMBER, "tokens that a request allows its answer", "N"),
            _JSON,
        ),
        (
            ("una window settings anthropic/claude-opus-5-5", ""),
            ("una window settings openai/gpt-5 --reserve 32000 --json", "with the limits that follow"),
        ),
        _CARE,
        "Later wins: defaults, your file, the environment; within your file the profile whose pattern is the most "
        "specific. A project that you trust may only make a window smaller.",
    ),
    Verb(
        "window rotate",
        "have a session begin a new epoch: cut its window now",
        "unabridged.cli.window",
        (_SESSION,),
        (_JSON,),
        (("una window rotate", "this folder's last session: cut now, not at the limit"),),
        _CARE,
        "The oldest turns leave the window with the next request, or the one after where an agent is behind a gateway. "
        "They were archived before. The provider's prompt cache is written anew once.",
    ),
    Verb(
        "window why",
        "tell what was cut, shortened or rotated, and why",
        "unabridged.cli.window_why",
        (_SESSION,),
        (
            Option("limit", NUMBER, "the last so many requests, at most 200", "N", short="n", default="10"),
            _JSON,
        ),
        (
            ("una window why", "the last ten requests of this folder's last session"),
            ("una window why SESSION -n 200 --json", "all that is kept of them"),
        ),
        _CARE,
        "Prints counts, codes and reasons; never archived text.",
    ),
    Verb(
        "window explain",
        "tell what the live window holds, by role and tool",
        "unabridged.cli.window_explain",
        (_SESSION,),
        (Option("limit", NUMBER, "the largest so many parts", "N", short="n", default="10"), _JSON),
        (("una window explain", "what takes the room, and what was left out under which name"),),
        _CARE,
        "Worked out from what is archived, as the next request would be; never prints archived text. What was left out "
        "is named as `una recall` takes it.",
    ),
    Verb(
        "window serve",
        "make windows for a host's own extension, over standard input and output",
        "unabridged.gateway.shims.command",
        (),
        (),
        (("una window serve", "as the extensions for Pi and OpenCode start it"),),
        _CARE,
        "Reads requests and writes answers, a line of JSON each, until its input ends. The extensions that "
        "`una install pi` and `una install opencode` place start it by themselves.",
    ),
    Verb(
        "window statusline",
        "print one line on a session and its window, for a host's status line",
        "unabridged.cli.statusline",
        (Positional("session", "any name of a session; default: the one that the host's JSON names", "?"),),
        (_JSON,),
        (
            ("una window statusline", "as Claude Code calls it, its JSON on standard input"),
            ("una window statusline SESSION", "of one session, for a prompt or a status bar of yours"),
        ),
        _CARE,
        "Reads the host's JSON on standard input (`session_id`, `cwd`) when that is no terminal. It starts no daemon.",
    ),
)
