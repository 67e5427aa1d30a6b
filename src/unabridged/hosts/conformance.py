"""What every host package must do, as checks that run over recorded sessions.

Each check takes a host and a recorded transcript and raises `Nonconformant` when the host falls short. A host's own
test is the cross product of `CHECKS` with its recordings, with `forks_share` and `sides_are_separate` where it has
forks and subagents. Nothing here needs a test framework.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from unabridged.hosts.contract import Block, Head, Host, Line, MediaRef, Ref
from unabridged.hosts.lines import LineSplitter, body, values
from unabridged.schema.records import ECHO, ERROR, HIDDEN, HUMAN, META, SIDE, SUMMARY

KINDS = frozenset(("text", "tool-call", "tool-result", "image", "file", "reasoning", "compaction", "other"))
ROLES = frozenset(("user", "assistant", "tool", "system", "other"))
FLAGS = HUMAN | SIDE | ECHO | HIDDEN | ERROR | SUMMARY | META
STATE_BYTES = 64 << 10  # a reader's state is stored with every batch
HUGE = 13_000_000  # characters of one line; 12.8 million have been seen
SLICES = (1, 7, 64, 4096)  # bytes; the longest read of each round
GENERATION = 3

# A line that is none of the host's, and the problem that it must be reported as ("" where it is no problem).
BAD_LINES: tuple[tuple[bytes, str], ...] = (
    (b"null", "not-an-object"),
    (b"[1,2]", "not-an-object"),
    (b'"text"', "not-an-object"),
    (b"{", "not-json"),
    (b"\xff\xfe\x00broken", "not-json"),
    (b"Traceback (most recent call last):", "not-json"),
    (b"[" * 100_000, "too-deep"),
    (b"", ""),
    (b"   \t", ""),
    (b"\x00\x00\x00\x00", ""),
    (b"{}", ""),
    (b'{"type":"never-seen-before","payload":{"type":"new","deep":[{"a":null}]}}', ""),
    (b'{"type":17,"uuid":{},"message":[],"id":false,"timestamp":[],"payload":"x"}', ""),
)
FOREIGN: tuple[bytes, ...] = (
    b"",
    b"\n\n",
    b"# Notes\n\nAn ordinary text.\n",
    b'{"name":"package","version":"1.0.0"}\n',
    b"[1,2,3]\n",
    b'{"id":"x","type":"event","data":{"a":1}}\n',
    b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR",
)


class Nonconformant(AssertionError):
    """A host does not do what its contract says."""


class Reading(NamedTuple):
    """A transcript read to its end."""

    head: Head
    raws: list[bytes]  # with terminators
    lines: list[Line]

    def blocks(self) -> list[Block]:
        """Return all blocks in order."""
        return [block for line in self.lines for block in line.blocks]


def require(condition: bool, message: str) -> None:
    """Raise `Nonconformant` unless the condition holds."""
    if not condition:
        raise Nonconformant(message)


def read_file(host: Host, path: Path) -> Reading:
    """Read a recorded transcript."""
    return read_bytes(host, path, host.decode(path.read_bytes()))


def read_bytes(host: Host, path: Path, data: bytes) -> Reading:
    """Read a transcript's bytes at once, as the host's file `path`."""
    splitter = LineSplitter()
    raws = [raw.data for raw in splitter.feed(data) + splitter.finish()]
    head = host.head(path, [body(raw, number == 0) for number, raw in enumerate(raws)])
    require(head is not None, f"{path.name}: no head")
    if head is None:
        raise Nonconformant(f"{path.name}: no head")
    reader = host.reader(str(path), head, b"", GENERATION)
    lines = [reader.read(body(raw, number == 1), number) for number, raw in enumerate(raws, 1)]
    return Reading(head, raws, lines)


def text_of(block: Block) -> str:
    """Return a block's whole text."""
    return "".join(piece.text if isinstance(piece, Ref) else piece for piece in block.pieces)


def meaning(lines: Sequence[Line]) -> list[tuple[Any, ...]]:
    """Return what blocks say, without the ids that a place in the file gives."""
    return [
        (block.kind, block.role, block.flags, block.tool, block.call, text_of(block))
        for line in lines
        for block in line.blocks
    ]


# --- the checks -------------------------------------------------------------------------------------------------------


def a_recording_is_recognised(host: Host, path: Path) -> None:
    """The host knows its own file by content, under any name, and no other file."""
    data = host.decode(path.read_bytes())
    require(host.sniff(data[: 64 << 10], path), "its own transcript is not recognised")
    require(host.sniff(data[: 64 << 10], Path("renamed.txt")), "recognition depends on the name")
    for other in FOREIGN:
        require(not host.sniff(other, path), f"something else is taken for a transcript: {other[:40]!r}")


def blocks_are_well_formed(host: Host, path: Path) -> None:
    """Every block has values that the contract allows, and there are some."""
    reading = read_file(host, path)
    blocks = reading.blocks()
    require(bool(blocks), "nothing was read")
    require(bool(reading.head.host_session), "the session has no id")
    for block in blocks:
        require(block.kind in KINDS and block.role in ROLES, f"{block.native}: {block.kind} of {block.role}")
        require(block.flags & ~FLAGS == 0, f"{block.native}: flags {block.flags}")
        require(bool(block.native and block.identity), "a block has no id")
        require("~" not in block.native, f"{block.native}: an id holds a revision mark")
        hidden = block.kind == "reasoning" or block.flags & HIDDEN
        require(not (hidden and block.pieces), f"{block.native}: reasoning has a text")
        human = block.flags & HUMAN
        require(not human or block.role == "user", f"{block.native}: a person is {block.role}")
        require(
            not (human and block.flags & (META | SIDE | SUMMARY)), f"{block.native}: no prompt of a person"
        )


def references_resolve(host: Host, path: Path) -> None:
    """Every reference gives its text again when the line is decoded."""
    reading = read_file(host, path)
    for raw, line in zip(reading.raws, reading.lines, strict=True):
        places: list[Ref | MediaRef] = []
        for block in line.blocks:
            places += [piece for piece in block.pieces if isinstance(piece, Ref)]
            places += block.media
        if not places:
            continue
        items = values(body(raw)).items
        for place in places:
            found = _at(items, place.path)
            if isinstance(place, Ref):
                require(found == place.text, f"{place.path} does not hold the text")
            else:
                require(place.size == 0 or isinstance(found, str), f"{place.path} holds no media")


def reading_twice_adds_nothing(host: Host, path: Path) -> None:
    """Two readings give the same lines, and an identity never stands for two ids."""
    first, second = read_file(host, path), read_file(host, path)
    require(first == second, "two readings differ")
    natives: dict[tuple[str, str], str] = {}
    for block in first.blocks():
        known = natives.setdefault((block.session, block.native), block.identity)
        require(known == block.identity, f"{block.native} has two identities")


def slices_equal_the_whole(host: Host, path: Path) -> None:
    """Reading in slices of any size, each with a new reader from the stored state, gives the same lines."""
    whole = read_file(host, path)
    data = host.decode(path.read_bytes())
    for longest in SLICES:
        lines: list[Line] = []
        state = b""
        splitter = LineSplitter()
        for piece in _slices(data, longest * 16):
            raws = splitter.feed(piece)
            if not raws:
                continue
            reader = host.reader(str(path), whole.head, state, GENERATION)
            for raw in raws:
                number = len(lines) + 1
                lines.append(reader.read(body(raw.data, number == 1), number))
            state = reader.state()
            require(len(state) <= STATE_BYTES, f"the state has {len(state)} bytes")
        reader = host.reader(str(path), whole.head, state, GENERATION)
        for raw in splitter.finish():
            lines.append(reader.read(body(raw.data), len(lines) + 1))
        require(lines == whole.lines, f"slices of up to {longest * 16} bytes read differently")


def restoring_gives_the_bytes(host: Host, path: Path) -> None:
    """The kept lines give the transcript back, byte for byte."""
    reading = read_file(host, path)
    data = host.decode(path.read_bytes())
    require(b"".join(host.restore(reading.raws)) == data, "the restored bytes differ")
    name = host.restore_name(reading.head, str(path))
    require(bool(name) and not name.startswith("/") and ".." not in name.split("/"), f"restored to {name!r}")


def a_bad_line_costs_only_itself(host: Host, path: Path) -> None:
    """Between any two lines, a line that is broken or unknown is reported and changes nothing else."""
    whole = read_file(host, path)
    reader = host.reader(str(path), whole.head, b"", GENERATION)
    for number, (raw, expected) in enumerate(zip(whole.raws, whole.lines, strict=True), 1):
        bad, code = BAD_LINES[number % len(BAD_LINES)]
        _refuses(reader.read(bad, number), bad, code)
        line = body(raw, number == 1)
        require(reader.read(line, number) == expected, f"line {number} reads differently behind {bad[:20]!r}")
    for bad, code in BAD_LINES:
        _refuses(reader.read(bad, len(whole.raws) + 1), bad, code)


def _refuses(line: Line, bad: bytes, code: str) -> None:
    require(not line.blocks, f"{bad[:40]!r} gave blocks")
    found = line.problem.code if line.problem is not None else ""
    require(found == code, f"{bad[:40]!r} was reported as {found!r}")


def a_torn_line_is_reported(host: Host, path: Path) -> None:
    """A line that a crash cut off is a problem, never an exception."""
    whole = read_file(host, path)
    for number, raw in enumerate(whole.raws, 1):
        line = body(raw, number == 1)
        reader = host.reader(str(path), whole.head, b"", GENERATION)
        cut = line[: len(line) * (1 + number % 7) // 8]
        if cut.strip():
            require(reader.read(cut, number).problem is not None, f"half of line {number} is no problem")


def line_ends_and_marks_do_not_matter(host: Host, path: Path) -> None:
    """CRLF and a byte order mark change nothing that is read."""
    data = host.decode(path.read_bytes())
    whole = read_bytes(host, path, data)
    marked = b"\xef\xbb\xbf" + data.replace(b"\r\n", b"\n").replace(b"\n", b"\r\n")
    require(host.sniff(marked[: 64 << 10], path), "it is not recognised")
    changed = read_bytes(host, path, marked)
    require(changed.head == whole.head, "the head differs")
    require(changed.lines == whole.lines, "lines differ")


def glued_objects_are_read(host: Host, path: Path) -> None:
    """Two objects on one line, as real files have them, give the blocks of both."""
    whole = read_file(host, path)
    apart = host.reader(str(path), whole.head, b"", GENERATION)
    glued = host.reader(str(path), whole.head, b"", GENERATION)
    for number in range(0, len(whole.raws) - 1, 2):
        first, second = body(whole.raws[number], number == 0), body(whole.raws[number + 1])
        if not (first.startswith(b"{") and second.startswith(b"{")):
            continue
        expected = meaning([apart.read(first, number + 1), apart.read(second, number + 2)])
        line = glued.read(first + second, number + 1)
        require(meaning([line]) == expected, f"lines {number + 1} and {number + 2} read differently as one")
        require(line.problem is None, "glued objects are no problem")
        broken = glued.read(first + b'{"broken', number + 1)
        require(broken.problem is not None, "a broken second object is a problem")


def unknown_fields_are_ignored(host: Host, path: Path) -> None:
    """Fields that a newer version may add, of any type, change nothing."""
    whole = read_file(host, path)
    reader = host.reader(str(path), whole.head, b"", GENERATION)
    field = b'{"neverSeenBefore":{"a":[1,{"b":null}],"c":"\\u00e9"},"x_y":-0.5e3,'
    for number, (raw, expected) in enumerate(zip(whole.raws, whole.lines, strict=True), 1):
        line = body(raw, number == 1)
        if line.startswith(b'{"'):
            line = field + line[1:]
        require(reader.read(line, number) == expected, f"line {number} reads differently with a new field")


def broken_text_is_replaced(host: Host, path: Path) -> None:
    """Lone surrogates and bytes that are not UTF-8 cost the character, not the line."""
    whole = read_file(host, path)
    tried = 0
    for number, line, at, expected in _texts(whole):
        reader = host.reader(str(path), whole.head, b"", GENERATION)
        surrogate = reader.read(line[:at] + b"\\ud800" + line[at:], number)
        require(meaning([surrogate]) == [_marked(item) for item in expected], f"line {number}: \\ud800")
        reader = host.reader(str(path), whole.head, b"", GENERATION)
        invalid = reader.read(line[:at] + b"\xff" + line[at:], number)
        require(meaning([invalid]) == [_marked(item) for item in expected], f"line {number}: byte 255")
        require(invalid.problem is not None and invalid.problem.code == "not-utf8", "not reported")
        tried += 1
    require(tried > 0, "the recording has no plain text to break")


def a_huge_line_is_read(host: Host, path: Path) -> None:
    """A line of thirteen million characters is a line like any other."""
    whole = read_file(host, path)
    for number, line, at, expected in _texts(whole):
        reader = host.reader(str(path), whole.head, b"", GENERATION)
        read = reader.read(line[:at] + b"x" * HUGE + line[at:], number)
        require(meaning([read]) == [(*item[:-1], item[-1] + "x" * HUGE) for item in expected], "it is cut")
        return
    raise Nonconformant("the recording has no plain text to lengthen")


def the_tree_is_kept(host: Host, path: Path) -> None:
    """Parents are messages of the transcript that stand before their children in the tree: no cycles, no gaps."""
    reading = read_file(host, path)
    parents: dict[str, str] = {}
    for block in reading.blocks():
        name = block.native.partition("#")[0]
        require(parents.setdefault(name, block.parent) == block.parent, f"{name} has two parents")
    for name in parents:
        seen = {name}
        while parents.get(name):
            name = parents[name]
            require(name not in seen, f"{name} is its own ancestor")
            seen.add(name)


CHECKS: tuple[Callable[[Host, Path], None], ...] = (
    a_recording_is_recognised,
    blocks_are_well_formed,
    references_resolve,
    reading_twice_adds_nothing,
    slices_equal_the_whole,
    restoring_gives_the_bytes,
    a_bad_line_costs_only_itself,
    a_torn_line_is_reported,
    line_ends_and_marks_do_not_matter,
    glued_objects_are_read,
    unknown_fields_are_ignored,
    broken_text_is_replaced,
    a_huge_line_is_read,
    the_tree_is_kept,
)


# --- checks over several files ----------------------------------------------------------------------------------------


def forks_share(host: Host, parent: Path, fork: Path) -> int:
    """Require that a fork's copied blocks are the parent's; return how many are shared.

    What a fork shares stands in it first; whatever has one identity says the same in both.
    """
    mine = {block.identity: block for block in read_file(host, parent).blocks()}
    reading = read_file(host, fork)
    theirs = {block.identity: block for block in reading.blocks()}
    require(
        reading.head.host_session != read_file(host, parent).head.host_session,
        "the fork has no id of its own",
    )
    shared = mine.keys() & theirs.keys()
    for identity in shared:
        ours, copy = mine[identity], theirs[identity]
        same = (ours.kind, ours.role, ours.tool, ours.call, text_of(ours))
        require(same == (copy.kind, copy.role, copy.tool, copy.call, text_of(copy)), f"{identity} differs")
    require(bool(shared), "the fork shares nothing")
    require(len(theirs) > len(shared), "the fork has nothing of its own")
    return len(shared)


def sides_are_separate(host: Host, path: Path) -> set[str]:
    """Require that side conversations stand in sessions of their own; return these sessions."""
    reading = read_file(host, path)
    own = reading.head.relation == "subagent"
    for block in reading.blocks():
        side = bool(block.flags & SIDE)
        require(side == own if not block.session else side, f"{block.native} is in the wrong session")
    return {block.session for block in reading.blocks() if block.session}


# --- how the checks change a recording --------------------------------------------------------------------------------


def _slices(data: bytes, longest: int) -> Iterator[bytes]:
    """Cut into pieces of irregular sizes up to `longest`, the same ones each time."""
    at, state = 0, longest
    while at < len(data):
        state = (state * 1_103_515_245 + 12_345) & 0x7FFFFFFF
        size = 1 + (state >> 8) % longest
        yield data[at : at + size]
        at += size


def _at(items: Any, path: Sequence[int | str]) -> Any:
    try:
        for step in path:
            items = items[step]
    except (LookupError, TypeError):
        return None
    return items


def _texts(reading: Reading) -> Iterator[tuple[int, bytes, int, list[tuple[Any, ...]]]]:
    """Yield lines whose only block is one plain text: number, line, offset of the text's end, meaning."""
    for number, raw in enumerate(reading.raws, 1):
        line, blocks = body(raw, number == 1), reading.lines[number - 1].blocks
        if len(blocks) != 1 or len(blocks[0].pieces) != 1 or blocks[0].kind != "text":
            continue
        piece = blocks[0].pieces[0]
        if not isinstance(piece, Ref) or not piece.text.isascii():
            continue
        quoted = json.dumps(piece.text).encode("ascii")
        if line.count(quoted) == 1 and line.isascii():
            yield number, line, line.index(quoted) + len(quoted) - 1, meaning([reading.lines[number - 1]])


def _marked(item: tuple[Any, ...]) -> tuple[Any, ...]:
    return (*item[:-1], item[-1] + "\ufffd")
