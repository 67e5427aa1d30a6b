"""una window explain: what takes the room in a window."""

from __future__ import annotations

from unabridged.cli import human
from unabridged.cli.table import draw
from unabridged.cli.window import share, shown, target

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from unabridged.cli.arguments import Arguments

    Facts = Mapping[str, Any]

LIMIT = 10


def run(arguments: Arguments) -> int:
    """Ask, and draw what is held, the largest parts, the table of contents."""
    asked = {"target": target(arguments), "limit": arguments.number("limit", LIMIT)}
    answer = arguments.client().call("window.explain", asked)
    screen = arguments.screen
    if arguments.flag("json"):
        screen.json(answer)
        return 0
    window = answer["window"]
    head = f"{shown(window['address'])}  {shown(window['model'])}"
    screen.line(screen.style(head, "bold") + f"  about {human.number(int(answer['tokens']))} tokens")
    whole = int(answer["tokens"]) or 1
    rows = [_held(one, whole) for one in answer["held"]]
    draw(screen, ("role", "what", "tool", "parts", "tokens", "share"), rows, right=(3, 4, 5), flexible=2)
    if answer["largest"]:
        screen.line()
        rows = [_large(one) for one in answer["largest"]]
        draw(screen, ("largest", "what", "tool", "tokens"), rows, right=(3,), flexible=2)
    _close(arguments, answer)
    return 0


def _held(one: Facts, whole: int) -> tuple[str, ...]:
    parts = human.number(int(one["parts"]))
    if one["previews"]:
        parts = f"{one['previews']} previews of {parts}"
    return (
        shown(one["role"]) or "-",
        shown(one["kind"]),
        shown(one["tool"]),
        parts,
        human.number(int(one["tokens"])),
        share(int(one["tokens"]) / whole),
    )


def _large(one: Facts) -> tuple[str, ...]:
    tokens = human.number(int(one["tokens"]))
    if one["whole"]:
        tokens += f" of {human.number(int(one['whole']))}"
    return (
        shown(one["name"]),
        shown(f"{one['role']} {one['kind']}"),
        shown(one["tool"]),
        tokens,
    )


def _close(arguments: Arguments, answer: Facts) -> None:
    screen, table = arguments.screen, answer["catalogue"]
    if table["entries"]:
        screen.note(
            f"Its table of contents has {human.plural(int(table['entries']), 'entry', 'entries')} for "
            f"{human.plural(int(table['turns']), 'turn')} of about {human.number(int(table['tokens']))} tokens."
        )
    screen.note("Not counted: the system prompt and the tools, which are sent beside the conversation.")
    if not answer["exact"]:
        screen.note("Roughly: the host's last request was not quite what is archived, or none is known.")
