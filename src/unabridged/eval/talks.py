"""Reads transcripts in the short form in which the suites are written.

    == p1 project=harbour ago=12d at=09:30 title=What it is about
    @u1 user
    Text, over as many lines as it takes.
    @c1 call Bash make test
    @r1 result error
    %% log 200 7

A session begins with its key and the day on which it began: `ago=12d` and a time in UTC, `ago=14m` for minutes, or
`month=-2 day=14`. A turn begins with its key and role; what follows `call` is the tool and its main argument. A line
of `%%` stands for generated text: kind, lines, seed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

from unabridged.errors import InvalidInput
from unabridged.eval import filler
from unabridged.eval.suite import Session, Turn

TURN_GAP = 40.0  # seconds
_HEAD = re.compile(r"== (?P<key>\w+)(?P<named>(?: \w+=\S+)*?)(?: title=(?P<title>.*))?").fullmatch
_TURN = re.compile(r"@(?P<key>[a-z]+\d+) (?P<role>user|assistant|call|result)(?: (?P<rest>.*))?").fullmatch
_FILL = re.compile(r"%% (\w+) (\d+) (\d+)").fullmatch
_AGO = re.compile(r"(\d+)([dhm])").fullmatch
_UNITS = {"d": "days", "h": "hours", "m": "minutes"}


def read(text: str, now: datetime) -> Iterator[tuple[str, Session]]:
    """Yield (project, session); a turn's key is `session/turn`. Raise `InvalidInput` for another form."""
    for number, block in enumerate(re.split(r"^(?==)", text, flags=re.MULTILINE)):
        if not block.strip():
            continue
        first, _, rest = block.partition("\n")
        head = _HEAD(first)
        if head is None:
            raise InvalidInput("this is no head of a session", session=number, line=first[:80])
        named = dict(pair.split("=", 1) for pair in head["named"].split())
        key = head["key"]
        if "project" not in named:
            raise InvalidInput("a session names its project", session=key)
        started = _moment(key, named, now)
        yield (
            named["project"],
            Session(key, tuple(turns(key, rest)), started.timestamp(), head["title"] or "", TURN_GAP),
        )


def turns(session: str, text: str) -> Iterator[Turn]:
    """Yield the turns of a session's text."""
    found: list[tuple[re.Match[str], list[str]]] = []
    for line in text.splitlines():
        head = _TURN(line)
        if head is not None:
            found.append((head, []))
        elif found:
            found[-1][1].append(_filled(line))
        elif line.strip():
            raise InvalidInput("text before the first turn", session=session, line=line[:80])
    for head, lines in found:
        body, rest = "\n".join(lines).strip("\n"), head["rest"] or ""
        tool, _, given = rest.partition(" ")
        role = head["role"]
        if role != "call":
            tool, given = "", rest
        yield Turn(f"{session}/{head['key']}", role, body, tool, given)


def _filled(line: str) -> str:
    match = _FILL(line)
    if match is None:
        return line
    if match[1] not in filler.KINDS:
        raise InvalidInput("there is no filler of that kind", kind=match[1])
    return filler.text(match[1], int(match[2]), int(match[3]))


def _moment(key: str, named: dict[str, str], now: datetime) -> datetime:
    hour, minute = (int(part) for part in named.get("at", "09:00").split(":"))
    if "month" in named:
        months = now.year * 12 + now.month - 1 + int(named["month"])
        return datetime(months // 12, months % 12 + 1, int(named["day"]), hour, minute, tzinfo=UTC)
    ago = _AGO(named.get("ago", ""))
    if ago is None:
        raise InvalidInput("a session says when it was", session=key)
    then = now - timedelta(**{_UNITS[ago[2]]: int(ago[1])})
    return then.replace(hour=hour, minute=minute, second=0, microsecond=0) if ago[2] == "d" else then
