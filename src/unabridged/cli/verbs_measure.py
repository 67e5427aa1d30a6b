"""The verbs that measure: how well it finds, how fast it is."""

from __future__ import annotations

from unabridged.cli.arguments import FLAG, LIST, NUMBER, PATH, TEXT, Option, Positional, Verb

_GROUP = "Look after"
_JSON = Option("json", FLAG, "print one JSON document")

MEASURING: tuple[Verb, ...] = (
    Verb(
        "eval",
        "measure how well retrieval finds what answers a question, and what a window saves",
        "unabridged.eval.command",
        (
            Positional(
                "suite",
                "frozen (suites that come along), routing, economy; or data: locomo, beam, longmemeval, hard, fixture",
            ),
            Positional(
                "path",
                "the data's file, or folder (beam, fixture); names of frozen suites, none: all; transcripts (economy)",
                "*",
                kind=PATH,
            ),
        ),
        (
            Option(
                "against",
                TEXT,
                "the floor that is asked the same questions",
                "F",
                ("fts5", "none"),
                default="fts5",
            ),
            Option(
                "semantic",
                TEXT,
                "use meaning too; waits until everything is embedded",
                "WHEN",
                ("auto", "always", "never"),
                default="never",
            ),
            Option("endpoint", TEXT, "routing: address of a language model", "URL"),
            Option("model", TEXT, "routing: its name there", "NAME"),
            Option(
                "protocol", TEXT, "routing: what it speaks", "P", ("openai", "anthropic"), default="openai"
            ),
            Option("key-env", TEXT, "routing: the environment variable that holds its key", "VAR"),
            Option(
                "window",
                NUMBER,
                "economy: tokens of the model's window, for every policy",
                "N",
                default="200000",
            ),
            Option("prices", PATH, "economy: another price table (TOML)", "FILE"),
            Option("plot", PATH, "economy: draw prompts and cost; `-`: here", "FILE.svg"),
            _JSON,
        ),
        (
            ("una eval frozen", "every suite that comes along, in about a minute"),
            ("una eval frozen exact hints --json", "some of them"),
            ("una eval routing", "check the rules in what agents are told"),
            (
                "una eval routing --endpoint http://127.0.0.1:8080/v1 --model NAME",
                "which evidence a model turns to",
            ),
            ("una eval economy session.jsonl", "what a session would have cost under each policy"),
            ("una eval economy session.jsonl --plot -", "with its prompts and its cost drawn"),
            ("una eval locomo locomo10.json", "recall of turns and sessions, beside plain FTS5"),
            ("una eval beam beam/100K --json", "every figure with its interval"),
        ),
        _GROUP,
        "The conversations are imported by a daemon of its own into a temporary folder and searched there with the "
        "defaults of `una search`; nothing is downloaded.",
        optional=True,
    ),
    Verb(
        "bench",
        "measure this machine, beside a rival",
        "unabridged.bench.command",
        (
            Positional(
                "name",
                "admission, import, search, recall, hint, rpc, mcp, hook, memory, window, gateway; none: all",
                "*",
            ),
        ),
        (
            Option(
                "size",
                NUMBER,
                "how much: turns; MB (import); windows (search, recall, hint, memory); pings; starts (mcp, hook)",
                "N",
            ),
            Option("from", LIST, "import: transcripts to use instead of generated ones", "PATH"),
            Option("keep", PATH, "build the archive in this folder, leave it, use it again", "DIR"),
            Option("seed", NUMBER, "another text", "N", default="1"),
            _JSON,
        ),
        (
            ("una bench rpc", "in half a minute"),
            (
                "una bench search --size 100000 --keep bench/ --json",
                "build once, then measure again and again",
            ),
            ("una bench import --from ~/.claude/projects", "real transcripts, copied first"),
        ),
        _GROUP,
        "Each bench starts a daemon of its own in a temporary folder, measures it and its rival in turns, and removes "
        "both. It talks to nobody else and downloads nothing: its text is made from sources found on this machine.",
        optional=True,
    ),
)
