"""The verbs that put this product into agents and take it out again."""

from __future__ import annotations

from unabridged.cli.arguments import FLAG, TEXT, Option, Positional, Verb

_SET = "Set up"
_CARE = "Look after"
_JSON = Option("json", FLAG, "print one JSON document")
_DRY = Option("dry-run", FLAG, "show every change as a diff, and make none")
_SCOPE = Option(
    "scope",
    TEXT,
    "for all your projects, or for the current folder's alone",
    "S",
    ("user", "project"),
    default="user",
)

INSTALL_VERBS: tuple[Verb, ...] = (
    Verb(
        "install",
        "put the archive into your coding agents",
        "unabridged.cli.install",
        (
            Positional(
                "agent",
                "claude-code, codex, opencode, pi, gemini, cursor, cline; none: those found here, after asking",
                "*",
            ),
        ),
        (
            _DRY,
            _SCOPE,
            Option("mcp-only", FLAG, "only the tools: no hooks, no commands, no status line"),
            Option("no-statusline", FLAG, "leave the agent's status line alone"),
            Option("trust", FLAG, "tell Codex, too, that you trust exactly these hooks"),
            Option("yes", FLAG, "all agents that are found, without asking", short="y"),
            _JSON,
        ),
        (
            ("una install", "looks which agents are here and asks"),
            ("una install claude-code --dry-run", "every change, as a diff"),
            ("una install codex --trust", "with the trust that Codex asks for, for these hooks alone"),
        ),
        _SET,
        "Comments, order and line ends of your files stay. `una uninstall` gives back every byte that stood there "
        "before; run the same command again after an upgrade.",
    ),
    Verb(
        "uninstall",
        "take the archive out of your coding agents again",
        "unabridged.cli.uninstall",
        (Positional("agent", "which ones; none: all that it was installed into", "*"),),
        (_DRY, _SCOPE, _JSON),
        (
            ("una uninstall", "out of all of them"),
            ("una uninstall codex --dry-run", "what would change"),
        ),
        _SET,
        "Files that nobody changed since get back what stood in them before, byte for byte; from the others only our "
        "entries go. The archive itself stays.",
    ),
    Verb(
        "daemon login",
        "have a daemon run while you are logged in, or no more",
        "unabridged.cli.login",
        (
            Positional(
                "action", "what to do; nothing: tell which it is", "?", choices=("status", "on", "off")
            ),
        ),
        (_JSON,),
        (
            ("una daemon login on", "for agents without hooks: they are read as they write"),
            ("una daemon login off", "the daemon comes when it is needed, as before"),
        ),
        _CARE,
        "A unit of systemd for your user, or an agent of launchd. Nothing of it is there unless you ask.",
    ),
)
