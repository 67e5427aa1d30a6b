"""Edits of TOML that a person keeps: whole tables are put at the end and cut out again, all else stays as it is.

What the result says is compared with what it should say before it is returned.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any, cast

from unabridged.errors import HostFileUnclear
from unabridged.hosts.jsonc import BOM, at, members_at, text_of

_HEADER = re.compile(r"[ \t]*(\[[^\[].*?\])[ \t]*(?:#.*)?\Z")
_LINE = re.compile(r"[^\n]*\n|[^\n]+")
# What may hold line ends, or what looks like a bracket or a quote (https://toml.io/en/v1.0.0#string); line ends.
_TOKEN = re.compile(
    r"""#[^\n]*|\"\"\"(?:\\.|[^\\])*?\"{3,5}|'{3}.*?'{3,5}|"(?:\\.|[^"\\\n])*"|'[^'\n]*'|[\[\]{}\n]""",
    re.DOTALL,
)
_OPENING, _CLOSING = ("[", "{"), ("]", "}")
_BARE = re.compile(r"[A-Za-z0-9_-]+")

Path = tuple[str, ...]
_OTHER: Path = ("",)  # stands for an array of tables, which none of ours is in


def values(text: str) -> dict[str, Any]:
    """Return what a text says. Raises `HostFileUnclear`."""
    try:
        return tomllib.loads(text.removeprefix(BOM).replace("\r\n", "\n"))
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise HostFileUnclear(f"it is not TOML: {error}") from error


def read(data: bytes | None) -> dict[str, Any]:
    """Return what a file says; {} where there is none."""
    return values(text_of(data)) if data is not None else {}


def quoted(value: str) -> str:
    """Return a string as TOML writes it."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def put(text: str, tables: Mapping[Path, Mapping[str, Any]]) -> str:
    """Add tables at the end; those of these names that stand there go first. Raises `HostFileUnclear`."""
    text = drop(text, list(tables))
    new, expected = _appended(text, tables), values(text)
    for path, rows in tables.items():
        expected = _with(expected, path, dict(rows))
    return _checked(new, expected, "put in")


def _appended(text: str, tables: Mapping[Path, Mapping[str, Any]]) -> str:
    """Put tables behind a text; one whose last line is open ends so again: by that `drop` knows what it was."""
    newline = "\r\n" if "\r\n" in text else "\n"
    body = text.removeprefix(BOM)
    is_open = bool(body) and not body.endswith("\n")
    gap = "" if not body else newline * 2 if is_open else newline
    blocks = [newline.join([_header(path), *_lines(rows)]) for path, rows in tables.items()]
    return text + gap + (newline * 2).join(blocks) + ("" if is_open else newline)


def drop(text: str, paths: Sequence[Path], before: str | None = None) -> str:
    """Cut tables out. Where the text grew out of `before` by `put` alone, exactly that comes back."""
    expected = values(text)
    there = [path for path in paths if at(expected, path) is not None]
    if not there:
        return text
    for path in there:
        expected = _without(expected, path, values(before) if before is not None else {})
    if before is not None and _appended(before, {path: at(values(text), path) for path in there}) == text:
        return before
    body = text.removeprefix(BOM)
    lines = _LINE.findall(body)  # not by `splitlines`: TOML knows of no other line ends
    for path in there:
        lines = _cut(lines, path)
        lines = _cut_rows(lines, path)
    left = text[: len(text) - len(body)] + "".join(lines)
    return _checked(_open_end(left, text, before), expected, "taken out")


def _open_end(left: str, text: str, before: str | None) -> str:
    """Take the line end away that an older version had given to a last line without one."""
    if not before or before.endswith("\n") or not text.startswith(left):
        return left
    return left.removesuffix("\n").removesuffix("\r")


def _cut(lines: list[str], path: Path) -> list[str]:
    """Take out a table and the tables in it, as a host may have written them apart."""
    rows = list(zip(lines, _begins(lines), strict=True))
    starts = [n for n, (line, begins) in enumerate(rows) if begins and _named(line)[: len(path)] == path]
    is_open = False  # the last line of ours had no end
    for start in reversed(starts):
        end = start + 1
        while end < len(rows) and not (rows[end][1] and rows[end][0].lstrip().startswith("[")):
            end += 1
        while end - 1 > start and (not rows[end - 1][0].strip() or rows[end - 1][0].lstrip()[0] == "#"):
            end -= 1  # a comment before a table is about that table
        is_open = is_open or (end == len(rows) and not rows[-1][0].endswith("\n"))
        del rows[start - 1 if start and not rows[start - 1][0].strip() else start : end]
    left = [line for line, _ in rows]
    if left and is_open:
        left[-1] = left[-1].removesuffix("\n").removesuffix("\r")
    return left


def _cut_rows(lines: list[str], path: Path) -> list[str]:
    """Take out a table that somebody wrote as rows of others: `mcp_servers.unabridged = { … }`."""
    if at(_said(lines), path) is None:
        return lines
    starts = [n for n, begins in enumerate(_begins(lines)) if begins]
    left: list[str] = []
    table: Path = ()
    for start, end in pairwise([*starts, len(lines)]):
        row = lines[start:end]
        if row[0].lstrip().startswith("["):
            table = _named(row[0]) or _OTHER
        elif (*table, *_only(_said(row)))[: len(path)] == path:
            continue
        left += row
    return left


def _begins(lines: Sequence[str]) -> list[bool]:
    """Tell of each line whether a row, a table or a comment may begin there: others go on with a string or an array."""
    begins, place, depth = {0}, 0, 0
    for token in _TOKEN.finditer("".join(lines)):
        if token[0] in _OPENING:
            depth += 1
        elif token[0] in _CLOSING:
            depth -= 1
        elif token[0] == "\n" and not depth:
            begins.add(token.end())
    found: list[bool] = []
    for line in lines:
        found.append(place in begins)
        place += len(line)
    return found


def _said(lines: Sequence[str]) -> dict[str, Any] | None:
    try:
        return values("".join(lines))
    except HostFileUnclear:
        return None


def _only(value: Any) -> Path:
    """Return the names on the way down a value for as long as there is one alone."""
    names: list[str] = []
    while isinstance(value, dict) and len(rows := cast("dict[str, Any]", value)) == 1:
        ((name, value),) = rows.items()
        names.append(name)
    return tuple(names)


def _named(line: str) -> Path:
    """Return the table that a header line begins, () where it is none."""
    found = _HEADER.match(line.rstrip("\r\n"))
    if not found:
        return ()
    try:
        return _only(tomllib.loads(found[1]))
    except tomllib.TOMLDecodeError:
        return ()


def _header(path: Path) -> str:
    return f"[{'.'.join(name if _BARE.fullmatch(name) else quoted(name) for name in path)}]"


def _lines(rows: Mapping[str, Any]) -> list[str]:
    return [f"{name} = {_value(value)}" for name, value in rows.items()]


def _value(value: Any) -> str:
    if isinstance(value, str):
        return quoted(value)
    if isinstance(value, list):
        return f"[{', '.join(_value(item) for item in cast('list[Any]', value))}]"
    if isinstance(value, dict):
        return f"{{ {', '.join(_lines(cast('dict[str, Any]', value)))} }}"
    return json.dumps(value, default=str)  # of a time: `_checked` refuses that


def _with(value: Mapping[str, Any], path: Path, given: Any) -> dict[str, Any]:
    if len(path) == 1:
        return {**value, path[0]: given}
    inner: object = value.get(path[0], {})
    if not isinstance(inner, dict):
        raise HostFileUnclear(f"`{path[0]}` is no table")
    return {**value, path[0]: _with(cast("dict[str, Any]", inner), path[1:], given)}


def _without(value: Mapping[str, Any], path: Path, before: Mapping[str, Any]) -> dict[str, Any]:
    """Take a table out, and the tables around it that it alone had made."""
    rest = {name: other for name, other in value.items() if name != path[0]}
    if len(path) == 1:
        return rest
    inner = _without(value[path[0]], path[1:], members_at(before, path[:1]))
    return {**value, path[0]: inner} if inner or path[0] in before else rest


def _checked(new: str, expected: Mapping[str, Any], what: str) -> str:
    try:
        found: Mapping[str, Any] | None = values(new)
    except HostFileUnclear:
        found = None
    if found is None or _bare(found) != _bare(expected):
        raise HostFileUnclear(
            f"a table of ours cannot be {what} without harm to what stands there",
            hint="Write the tables there as [headers], not in one line; then run the command again.",
        )
    return new


def _bare(value: Any) -> Any:
    """Return a value without empty tables: whether a table that says nothing is there makes no difference."""
    if not isinstance(value, dict):
        return repr(value)
    rows = {name: _bare(other) for name, other in cast("dict[str, Any]", value).items()}
    return {name: other for name, other in rows.items() if other != {}}
