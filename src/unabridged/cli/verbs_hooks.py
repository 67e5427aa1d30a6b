"""The verbs of what hosts' hooks leave behind."""

from __future__ import annotations

from unabridged.cli.arguments import FLAG, Option, Positional, Verb

_CARE = "Look after"
_JSON = Option("json", FLAG, "print one JSON document")

HOOK_VERBS: tuple[Verb, ...] = (
    Verb(
        "outbox list",
        "list the events of hosts that could not be applied",
        "unabridged.cli.outbox",
        (),
        (_JSON, Option("jsonl", FLAG, "print one JSON object a line")),
        (("una outbox", "each with its id and the reason"),),
        _CARE,
        "A hook that finds no daemon leaves its event's coordinates in the outbox; the next daemon has the transcript "
        "read. What fails five times, or can never be used, is kept here until you replay or drop it.",
    ),
    Verb(
        "outbox replay",
        "try events again that could not be applied",
        "unabridged.cli.outbox",
        (Positional("ids", "entries, as `una outbox` lists them; none: all", "*"),),
        (_JSON,),
        (("una outbox replay", "all of them, once what was wrong is right"),),
        _CARE,
    ),
    Verb(
        "outbox drop",
        "forget events that could not be applied",
        "unabridged.cli.outbox",
        (Positional("ids", "entries, as `una outbox` lists them", "+"),),
        (_JSON,),
        (("una outbox drop ID", ""),),
        _CARE,
        "Removes the entry alone: nothing that is archived, and no transcript.",
    ),
)
