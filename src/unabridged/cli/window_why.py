"""una window why: the last requests of a window, what was left out of each, and why."""

from __future__ import annotations

from unabridged.cli import human
from unabridged.cli.table import draw
from unabridged.cli.window import cached, share, shown, target, thousands

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from unabridged.cli.arguments import Arguments

    Facts = Mapping[str, Any]

LIMIT = 10


def run(arguments: Arguments) -> int:
    """Ask, and draw one row a request."""
    asked = {"target": target(arguments), "limit": arguments.number("limit", LIMIT)}
    answer = arguments.client().call("window.show", asked)
    screen = arguments.screen
    if arguments.flag("json"):
        screen.json(answer)
        return 0
    window = answer["window"]
    head = f"{shown(window['address'])}  {shown(window['model'])}"
    screen.line(screen.style(head, "bold") + f"  session {shown(human.short(str(window['session'])))}")
    rows = [_cells(request) for request in answer["requests"]]
    heads = ("request", "time (UTC)", "epoch", "sent", "whole", "cut", "shortened", "cached", "why")
    draw(screen, heads, rows, right=(0, 2, 3, 4, 5, 6, 7), flexible=8)
    _close(arguments, answer)
    return 0


def _cells(request: Facts) -> tuple[str, ...]:
    return (
        str(request["number"]),
        shown(str(request["time"])[:19].replace("T", " ")),
        str(request["epoch"]),
        thousands(int(request["sent"])),
        thousands(int(request["whole"])),
        str(request["cut"]),
        str(request["omissions"]),
        share(cached(request)),
        shown(_why(request)),
    )


def _why(request: Facts) -> str:
    """Return what there is to say of a request: a fault first, what a person was told behind it."""
    found = [f"fault {request['fault']}"] if request["fault"] else []
    if request["side"]:
        found.append(f"passed on: {request['side']}")
    found += [str(text) for _, text in request["notices"]]
    return "; ".join(found)


def _close(arguments: Arguments, answer: Facts) -> None:
    screen = arguments.screen
    turns = [row for row in answer["omissions"] if row["what"] == "turns"]
    texts = [row for row in answer["omissions"] if row["what"] != "turns"]
    count = sum(int(row["turns"]) for row in turns)
    tokens = sum(int(row["tokens"]) for row in turns)
    told = f"Left out now: {human.plural(count, 'turn')} of about {human.number(tokens)} tokens, "
    told += f"{human.plural(len(texts), 'text')} shortened."
    screen.note(told)
    if answer["omissions"]:
        screen.tell(
            "hint:", f"`una recall {answer['omissions'][0]['name']}` gives the first of them back.", "yellow"
        )
