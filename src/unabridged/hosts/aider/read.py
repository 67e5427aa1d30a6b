"""Kept lines of a session as blocks.

A history has no ids: what names a block is its session and the number of its first line there.
"""

from __future__ import annotations

import re
from typing import Any, cast

from unabridged.hosts.aider.discover import KIND, START
from unabridged.hosts.aider.history import ASSISTANT, TOOL, USER
from unabridged.hosts.contract import EMPTY, Block, Head, Line, Ref
from unabridged.hosts.lines import NOT_AN_OBJECT, values
from unabridged.hosts.times import from_iso
from unabridged.schema.records import HUMAN

NOTHING = "<blank>"  # what aider writes for a prompt of no characters
COMMANDS = (
    "/",
    "!",
)  # begin what aider carries out; what a command asks of the model it writes down once more
MAX_PATHS = 32  # files that one message of aider's names

_FILES = re.compile(
    r"^(?:Added|Applied edit to|Creating empty file|Committing|Moved|Removed|Dropping|Dropped) (\S+)",
    re.MULTILINE,
)
_ANSWER = re.compile(r".{0,2000}\(Y\)es/\(N\)o.{0,80}\]: \w*", re.DOTALL)  # to a question of aider's


class Reader:
    """Reads the lines of one session; see `hosts.contract.LineReader`. Each line says all of itself."""

    def __init__(self, head: Head) -> None:
        """Read the session that `head` names."""
        self._session = head.host_session

    def state(self) -> bytes:
        """Return nothing."""
        return b""

    def read(self, line: bytes, number: int) -> Line:
        """Read one line."""
        del number
        found = values(line)
        problem = found.problem
        blocks: list[Block] = []
        for at, value in enumerate(found.items):
            if isinstance(value, dict):
                block = _block(self._session, cast("dict[str, Any]", value), at)
                blocks += [block] if block is not None else []
            else:
                problem = problem or NOT_AN_OBJECT
        return Line(tuple(blocks), None, problem) if blocks or problem is not None else EMPTY


def _block(session: str, row: dict[str, Any], at: int) -> Block | None:
    kind, text, number = row.get(KIND), row.get("text"), row.get("line")
    if (
        kind == START
        or not isinstance(text, str)
        or not text
        or not isinstance(number, int)
        or text == NOTHING
    ):
        return None
    time, model = row.get("time"), row.get("model")
    moment = from_iso(time if isinstance(time, str) else "")
    said = {USER: ("text", "user"), ASSISTANT: ("text", "assistant"), TOOL: ("tool-result", "tool")}.get(
        str(kind)
    )
    if said is None:
        return None
    name = f"L{number}"
    return Block(
        name,
        f"{session}:{name}",
        *said,
        (Ref((at, "text"), text),),
        HUMAN if kind == USER and _is_prompt(text) else 0,
        moment.micros,
        moment.offset_minutes,
        tool="aider" if kind == TOOL else "",
        paths=_paths(text) if kind == TOOL else (),
        model=model if kind == ASSISTANT and isinstance(model, str) else "",
    )


def _is_prompt(text: str) -> bool:
    """Tell whether a person asked the model something, rather than gave aider a command or an answer."""
    return not text.startswith(COMMANDS) and not _ANSWER.fullmatch(text)


def _paths(text: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(_FILES.findall(text)))[:MAX_PATHS]
