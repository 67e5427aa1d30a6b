"""The verbs of what agents are told unasked."""

from __future__ import annotations

from unabridged.cli.arguments import FLAG, NUMBER, TEXT, Option, Positional, Verb

HOSTS = ("claude-code", "codex", "opencode", "pi")
SCOPES = ("session", "project", "all")

_FIND = "Find"
_JSON = Option("json", FLAG, "print one JSON document")
_JSONL = Option("jsonl", FLAG, "print one JSON object a line")
_PROJECT = Option("project", TEXT, "the project of this folder, or a project id", "P")

HINT_VERBS: tuple[Verb, ...] = (
    Verb(
        "hint",
        "print what an agent is told beside a message: mostly nothing",
        "unabridged.cli.hint",
        (Positional("message", "the message; `-` or nothing: read from standard input", "*"),),
        (
            Option("session", TEXT, "the session that the message is in (required)", "ID"),
            Option("host", TEXT, "whose id that is, for a session that is not archived yet", "HOST", HOSTS),
            Option("key", TEXT, "the host's id of the message; default: its own text", "KEY"),
            Option("scope", TEXT, "how far to look [project]", "S", SCOPES),
            _PROJECT,
            Option("frozen", FLAG, "only tell what was decided before"),
            _JSON,
        ),
        (
            ("una hint --session S 'why did we choose polling?'", "decides, and keeps the decision"),
            ("una hint --session S --key M --json < message", "what a host's hook asks"),
        ),
        _FIND,
        "The text is printed as the model gets it; without one, the reason goes to standard error. The same message of "
        "a session always gets the same answer.",
    ),
    Verb(
        "why",
        "tell why agents were told something, or nothing",
        "unabridged.cli.why",
        (),
        (
            Option("session", TEXT, "only this session (any name of it)", "ID"),
            Option("limit", NUMBER, "the last so many decisions, at most 200", "N", short="n", default="10"),
            Option("scope", TEXT, "how far to look; narrower than what is granted", "S", SCOPES),
            _PROJECT,
            _JSON,
            _JSONL,
        ),
        (
            ("una why", "the last ten decisions"),
            ("una why --session S -n 1 --json", "the last one, with scores"),
        ),
        _FIND,
        "Prints outcomes, reasons, scores, ids, budgets and what rests until when; never archived text.",
    ),
)
