"""Edits of JSON that a person keeps: comments, trailing commas, indentation, line ends and a BOM stay as they are.

Every edit is a few insertions or deletions in the text. What the result says is compared with what it should say
before it is returned, so that a text that is not understood is refused and never damaged.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

from unabridged.errors import HostFileUnclear

MAX_BYTES = 64 << 20  # of a settings file; hosts keep histories in theirs, but never so much
MAX_DEPTH = 200  # of nested containers
UNIT = "  "  # indentation where the text shows none
BOM = "\ufeff"

_SCALAR = re.compile(r"true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?")
# By runs: strings of megabytes stand in some files.
_STRING = re.compile(r'"[^"\\\x00-\x1f]*(?:\\.[^"\\\x00-\x1f]*)*"')
_BLANKS = " \t\r\n"
_TRIVIA = re.compile(r"(?:[ \t\r\n]+|//[^\r\n]*|/\*.*?\*/)+", re.DOTALL)


@dataclass(slots=True)
class Child:
    """A member or item: it begins at `start` (an object's key), and its comma stands at `comma`, -1: it has none."""

    start: int
    key: str
    node: Node
    comma: int = -1


@dataclass(slots=True)
class Node:
    """A value's place: text[start:end]. `children` of an object or array in order."""

    start: int
    end: int
    value: Any
    children: list[Child] = field(default_factory=list[Child])
    closer: str = ""  # "}" or "]" of a container


class _Parser:
    """Reads JSON with comments and trailing commas into nodes."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0

    def whole(self) -> Node:
        self.skip()
        node = self.value(0)
        self.skip()
        if self.at != len(self.text):
            raise self.wrong("something stands behind the end")
        return node

    def wrong(self, what: str) -> HostFileUnclear:
        line = self.text.count("\n", 0, self.at) + 1
        return HostFileUnclear(f"it is not JSON: {what}", line=line)

    def skip(self) -> None:
        found = _TRIVIA.match(self.text, self.at)
        if found:
            self.at = found.end()

    def value(self, depth: int) -> Node:
        if depth > MAX_DEPTH:
            raise self.wrong("it is nested too deeply")
        here = self.text[self.at : self.at + 1]
        if here == "{":
            return self.container("}", depth)
        if here == "[":
            return self.container("]", depth)
        start = self.at
        found = (_STRING if here == '"' else _SCALAR).match(self.text, start)
        if not found:
            raise self.wrong("a value is expected")
        self.at = found.end()
        return Node(start, self.at, self.decode(found[0]))

    def decode(self, text: str) -> Any:
        try:
            return json.loads(text)
        except ValueError as error:
            raise self.wrong("a value is not valid") from error

    def container(self, closer: str, depth: int) -> Node:
        node = Node(self.at, 0, {} if closer == "}" else [], closer=closer)
        self.at += 1
        while True:
            self.skip()
            if self.text[self.at : self.at + 1] == closer:
                break
            if node.children and node.children[-1].comma < 0:
                raise self.wrong("a comma is missing")
            node.children.append(self.child(closer, depth))
            self.skip()
            if self.text[self.at : self.at + 1] == ",":
                node.children[-1].comma = self.at
                self.at += 1
        self.at += 1
        node.end = self.at
        values = [child.node.value for child in node.children]
        keys = [child.key for child in node.children]
        node.value = dict(zip(keys, values, strict=True)) if closer == "}" else values
        return node

    def child(self, closer: str, depth: int) -> Child:
        start, key = self.at, ""
        if closer == "}":
            named = self.value(depth + 1)
            if not isinstance(named.value, str):
                raise self.wrong("a name is expected")
            key = named.value
            self.skip()
            if self.text[self.at : self.at + 1] != ":":
                raise self.wrong("a colon is expected")
            self.at += 1
            self.skip()
        return Child(start, key, self.value(depth + 1))


def text_of(data: bytes) -> str:
    """Decode a file; a BOM stays its first character. Raises `HostFileUnclear`."""
    if len(data) > MAX_BYTES:
        raise HostFileUnclear("it is too large", bytes=len(data), limit=MAX_BYTES)
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise HostFileUnclear("it is not UTF-8", byte=error.start) from error


def _split(text: str) -> tuple[str, str]:
    """Return the BOM, if any, and the rest; a blank text counts as an empty object."""
    mark = BOM if text.startswith(BOM) else ""
    rest = text[len(mark) :]
    return mark, rest if rest.strip(_BLANKS) else "{}\n"


def parse(text: str) -> Node:
    """Return the root of a text, which is an object; `HostFileUnclear` where it is not."""
    root = _Parser(_split(text)[1]).whole()
    if root.closer != "}":
        raise HostFileUnclear("it holds no JSON object")
    return root


def values(data: bytes | None) -> dict[str, Any]:
    """Return what a file says; {} where there is none."""
    return cast("dict[str, Any]", parse(text_of(data)).value) if data is not None else {}


def at(value: Any, path: Sequence[str]) -> Any:
    """Return what stands at a path of keys, None where nothing does."""
    for key in path:
        value = cast("dict[str, Any]", value).get(key) if isinstance(value, dict) else None
    return value


def items_at(value: Any, path: Sequence[str]) -> list[Any]:
    """Return the list at a path of keys; empty where something else or nothing stands."""
    found = at(value, path)
    return cast("list[Any]", found) if isinstance(found, list) else []


def members_at(value: Any, path: Sequence[str]) -> dict[str, Any]:
    """Return the object at a path of keys; empty where something else or nothing stands."""
    found = at(value, path)
    return cast("dict[str, Any]", found) if isinstance(found, dict) else {}


def put(text: str, path: Sequence[str], value: Any) -> str:
    """Set the member at a path of keys; objects on the way are made."""
    mark, body = _split(text)
    root = _Parser(body).whole()
    node, depth = root, 0
    while depth < len(path) - 1:
        child = _child(node, path[depth])
        if child is None:
            break
        node, depth = child.node, depth + 1
        if node.closer != "}":
            raise HostFileUnclear(f"`{'.'.join(path[:depth])}` is no object")
    given = value
    for key in reversed(path[depth + 1 :]):
        given = {key: given}
    child = _child(node, path[depth])
    if child is None:
        new = _insert(body, node, path[depth], given)
    elif child.node.value == given:
        return text
    else:
        shown = _shown(body, given, _indent_at(body, child.start), _multi(body, node))
        new = body[: child.node.start] + shown + body[child.node.end :]
    return mark + _checked(new, _with(root.value, path, value))


def append(text: str, path: Sequence[str], item: Any) -> str:
    """Add an item to the end of the array at a path; it is made where there is none."""
    mark, body = _split(text)
    root = _Parser(body).whole()
    found = at(root.value, path)
    if found is None:
        return put(text, path, [item])
    node = _node(root, path)
    if node is None or node.closer != "]":
        raise HostFileUnclear(f"`{'.'.join(path)}` is no list")
    return mark + _checked(_insert(body, node, "", item), _with(root.value, path, [*found, item]))


def drop(text: str, path: Sequence[str], before: str | None = None) -> str:
    """Take the member at a path out; what it alone was in goes too, unless it stood in the text `before`.

    What stood there before, as a `null` that counts as nothing, comes back.
    """
    mark, body = _split(text)
    root = _Parser(body).whole()
    parent = _node(root, path[:-1])
    if parent is None or parent.closer != "}" or _child(parent, path[-1]) is None:
        return text
    earlier = _split(before)[1] if before is not None else "{}"
    there, here = _node(_Parser(earlier).whole(), path), _node(root, path)
    if there is not None and here is not None and there.value != here.value:
        return mark + body[: here.start] + earlier[there.start : there.end] + body[here.end :]
    return _without(text, path[:-1], [_index(parent, path[-1])], before)


def drop_items(text: str, path: Sequence[str], ours: Callable[[Any], bool], before: str | None = None) -> str:
    """Take the items that are ours out of the array at a path, and the array where nothing is left of it."""
    node = _node(_Parser(_split(text)[1]).whole(), path)
    if node is None or node.closer != "]":
        return text
    return _without(
        text, path, [n for n, child in enumerate(node.children) if ours(child.node.value)], before
    )


def _without(text: str, path: Sequence[str], indices: Sequence[int], before: str | None) -> str:
    mark, body = _split(text)
    for index in reversed(indices):
        root = _Parser(body).whole()
        node = _node(root, path)
        assert node is not None
        body = _removed(body, root, path, node, index)
    node = _node(_Parser(body).whole(), path)
    if node is None or node.children or not indices:
        return mark + body
    earlier = _split(before)[1] if before is not None else ""
    there = _node(_Parser(earlier).whole(), path) if earlier else None
    if there is not None and _same_but_blanks(body, node, earlier, there):
        return mark + body[: node.start] + earlier[there.start : there.end] + body[node.end :]
    if there is None and path:
        return drop(mark + body, path, before)
    return mark + body


def _same_but_blanks(body: str, node: Node, earlier: str, there: Node) -> bool:
    """Tell whether two containers without children differ in blanks at most: the comments in them are the same."""
    if there.children or there.closer != node.closer:
        return False
    return "".join(body[node.start : node.end].split()) == "".join(earlier[there.start : there.end].split())


def _removed(body: str, root: Node, path: Sequence[str], node: Node, index: int) -> str:
    """Take one child out of a container, with the blanks before it and the comma that only it needed."""
    child = node.children[index]
    blank = child.start
    while body[blank - 1] in _BLANKS:
        blank -= 1
    comma = child.comma
    if comma < 0 and index:
        comma = node.children[index - 1].comma
    old = at(root.value, path)
    kept: Any = (
        {key: value for key, value in old.items() if key != child.key}
        if node.closer == "}"
        else [value for n, value in enumerate(old) if n != index]
    )
    if node.closer == "}" and sum(other.key == child.key for other in node.children) > 1:
        kept = None  # a name that stands there twice: what is left is what the text says
    expected = _with(root.value, path, kept) if path else kept
    # The blanks may hold the line end of a comment; then they stay.
    for start in (blank, child.start):
        cuts = [(start, child.node.end)] + ([(comma, comma + 1)] if comma >= 0 else [])
        new = _cut(body, cuts)
        try:
            found = _Parser(new).whole().value
        except HostFileUnclear:
            continue
        if kept is None or found == expected:
            return new
    raise HostFileUnclear("an entry of ours cannot be taken out without harm to what stands beside it")


def _cut(body: str, cuts: list[tuple[int, int]]) -> str:
    for begin, end in sorted(cuts, reverse=True):
        body = body[:begin] + body[end:]
    return body


def _insert(body: str, node: Node, key: str, value: Any) -> str:
    """Put a child behind the last one of a container."""
    multi = _multi(body, node)
    outer = _indent_at(body, node.start)
    first = node.children[0].start if node.children else -1
    own = _line_start(body, first) if first >= 0 else None
    indent = own if own is not None else outer + _unit(body)
    shown = (f"{json.dumps(key, ensure_ascii=False)}: " if node.closer == "}" else "") + _shown(
        body, value, indent, multi
    )
    close = node.end - 1
    place = close
    floor = (
        (max(node.children[-1].comma + 1, node.children[-1].node.end)) if node.children else node.start + 1
    )
    while place > floor and body[place - 1] in _BLANKS:
        place -= 1
    lead = _newline(body) + indent if multi else " "
    if not node.children:
        tail = "" if "\n" in body[place:close] else _newline(body) + outer
        rest = body[place:close] if "\n" in body[place:close] else ""
        return body[:place] + lead + shown + rest + tail + body[close:]
    last = node.children[-1]
    if last.comma >= 0:
        return body[:place] + lead + shown + "," + body[place:]
    return body[: last.node.end] + "," + body[last.node.end : place] + lead + shown + body[place:]


def _multi(body: str, node: Node) -> bool:
    return not node.children or "\n" in body[node.start : node.end]


def _shown(body: str, value: Any, indent: str, multi: bool) -> str:
    if not multi:
        return json.dumps(value, ensure_ascii=False)
    lines = json.dumps(value, ensure_ascii=False, indent=_unit(body)).split("\n")
    return (_newline(body) + indent).join(lines)


def _newline(body: str) -> str:
    at_ = body.find("\n")
    return "\r\n" if at_ > 0 and body[at_ - 1] == "\r" else "\n"


def _unit(body: str) -> str:
    found = re.search(r"\{[ \t]*\r?\n([ \t]+)\S", body)
    return found[1] if found and found[1] != "" and len(found[1]) <= 8 else UNIT


def _line_start(body: str, place: int) -> str | None:
    """Return the blanks before a place, when nothing else of its line stands there."""
    start = body.rfind("\n", 0, place) + 1
    lead = body[start:place]
    return lead if start and not lead.strip(" \t") else None


def _indent_at(body: str, place: int) -> str:
    start = body.rfind("\n", 0, place) + 1
    line = body[start:place]
    return line[: len(line) - len(line.lstrip(" \t"))]


def _child(node: Node, key: str) -> Child | None:
    """Return the member of a name; the last one counts, as it does for who reads the file."""
    found = None
    for child in node.children:
        if child.key == key and node.closer == "}":
            found = child
    return found


def _index(node: Node, key: str) -> int:
    return max(n for n, child in enumerate(node.children) if child.key == key)


def _node(root: Node, path: Sequence[str]) -> Node | None:
    node: Node | None = root
    for key in path:
        child = _child(node, key) if node is not None else None
        node = child.node if child is not None else None
    return node


def _with(value: Any, path: Sequence[str], given: Any) -> Any:
    """Return a value with another one at a path."""
    if not path:
        return given
    here: Mapping[str, Any] = cast("dict[str, Any]", value) if isinstance(value, dict) else {}
    return {**here, path[0]: _with(here.get(path[0]), path[1:], given)}


def _checked(new: str, expected: Any) -> str:
    if _Parser(new).whole().value != expected:
        raise HostFileUnclear("an entry of ours cannot be put in without harm to what stands there")
    return new


def taken(text: str, before: bytes | None) -> bytes | None:
    """Return a file's bytes after our part was taken out; what was there before us where nothing else is left."""
    left = "".join(character for character in _split(text)[1] if character not in _BLANKS)
    blank_before = before is None or not before.removeprefix(BOM.encode()).strip(_BLANKS.encode())
    return before if left == "{}" and blank_before else text.encode()
