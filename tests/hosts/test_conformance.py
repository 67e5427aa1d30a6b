"""The suite that ships finds what it is for: each check fails for a host with the fault that it looks for."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import count
from pathlib import Path
from typing import Any

import msgspec
import pytest

from tests.hosts.pi.listed import branch, listed
from unabridged.hosts import conformance
from unabridged.hosts.conformance import CHECKS, Nonconformant
from unabridged.hosts.contract import Block, Head, Line, LineReader, Ref
from unabridged.hosts.pi import HOST, Pi
from unabridged.schema.records import SIDE

Change = Callable[[Line, bytes, int], Line]


class Changed:
    """A reader whose lines, or whose state, are changed."""

    def __init__(self, inner: LineReader, change: Change, state: Callable[[bytes], bytes]) -> None:
        self.inner, self.change, self.keep = inner, change, state

    def read(self, line: bytes, number: int) -> Line:
        return self.change(self.inner.read(line, number), line, number)

    def state(self) -> bytes:
        return self.keep(self.inner.state())


class Faulty(Pi):
    """Pi with one fault."""

    def __init__(
        self,
        change: Change = lambda line, raw, number: line,
        state: Callable[[bytes], bytes] = lambda state: state,
        **methods: Any,
    ) -> None:
        self.change, self.keep = change, state
        for name, method in methods.items():
            setattr(self, name, method)

    def reader(self, path: str, head: Head, state: bytes, generation: int) -> LineReader:
        return Changed(super().reader(path, head, state, generation), self.change, self.keep)


def each_block(change: Callable[[Block], Block]) -> Change:
    def changed(line: Line, raw: bytes, number: int) -> Line:
        return msgspec.structs.replace(line, blocks=tuple(change(block) for block in line.blocks))

    return changed


def with_block(**fields: Any) -> Change:
    return each_block(lambda block: msgspec.structs.replace(block, **fields))


def strict(line: Line, raw: bytes, number: int) -> Line:
    """A reader that takes valid JSON only, one object a line."""
    try:
        msgspec.json.decode(raw)
    except msgspec.DecodeError:
        return Line()
    return line


def cut(line: Line, raw: bytes, number: int) -> Line:
    return Line() if len(raw) > 1 << 20 else line


def misplaced(block: Block) -> Block:
    pieces = tuple(
        Ref((1, *piece.path[1:]), piece.text) if isinstance(piece, Ref) else piece for piece in block.pieces
    )
    return msgspec.structs.replace(block, pieces=pieces)


def without_ends(lines: Iterable[bytes]) -> Iterator[bytes]:
    return (line.strip() + b"\n" for line in list(lines)[1:])


def silent(line: Line, raw: bytes, number: int) -> Line:
    return msgspec.structs.replace(line, problem=None)


def eager(line: Line, raw: bytes, number: int) -> Line:
    """A reader that takes anything for a message."""
    if line.blocks or not raw:
        return line
    return Line((Block(f"x{number}", f"x{number}", "text", "user", (raw.decode("utf-8", "replace"),)),))


def fussy(line: Line, raw: bytes, number: int) -> Line:
    return Line() if b"neverSeenBefore" in raw else line


def counting() -> Change:
    numbers = count()
    return each_block(lambda block: msgspec.structs.replace(block, identity=f"{next(numbers)}"))


def own_parent(block: Block) -> Block:
    return msgspec.structs.replace(block, parent=block.native)


FAULTS: list[tuple[str, Faulty]] = [
    ("a_recording_is_recognised", Faulty(sniff=lambda head, path: path.suffix == ".jsonl")),
    ("a_recording_is_recognised", Faulty(sniff=lambda head, path: True)),
    ("blocks_are_well_formed", Faulty(with_block(kind="thought"))),
    ("blocks_are_well_formed", Faulty(with_block(native=""))),
    ("blocks_are_well_formed", Faulty(with_block(kind="reasoning"))),
    ("references_resolve", Faulty(each_block(misplaced))),
    ("reading_twice_adds_nothing", Faulty(counting())),
    ("slices_equal_the_whole", Faulty(state=lambda state: b"")),
    ("slices_equal_the_whole", Faulty(state=lambda state: state + bytes(conformance.STATE_BYTES))),
    ("restoring_gives_the_bytes", Faulty(restore=without_ends)),
    ("restoring_gives_the_bytes", Faulty(restore_name=lambda head, origin: "/etc/x")),
    ("restoring_gives_the_bytes", Faulty(restore_name=lambda head, origin: "../x")),
    ("a_bad_line_costs_only_itself", Faulty(eager)),
    ("a_bad_line_costs_only_itself", Faulty(silent)),
    ("a_torn_line_is_reported", Faulty(silent)),
    ("line_ends_and_marks_do_not_matter", Faulty(sniff=lambda head, path: head[:1] == b"{")),
    ("glued_objects_are_read", Faulty(strict)),
    ("unknown_fields_are_ignored", Faulty(fussy)),
    ("broken_text_is_replaced", Faulty(strict)),
    ("a_huge_line_is_read", Faulty(cut)),
    ("the_tree_is_kept", Faulty(each_block(own_parent))),
]


@pytest.mark.parametrize(("name", "host"), FAULTS, ids=lambda value: value if isinstance(value, str) else "")
def test_a_check_finds_its_fault(name: str, host: Faulty, tmp_path: Path) -> None:
    check = getattr(conformance, name)
    path = listed(tmp_path)
    check(HOST, path)
    with pytest.raises(Nonconformant):
        check(host, path)


def test_every_check_is_tried_with_a_fault() -> None:
    assert {check.__name__ for check in CHECKS} == {name for name, _ in FAULTS}


def test_a_fork_whose_copies_have_new_names_shares_nothing(tmp_path: Path) -> None:
    parent = listed(tmp_path)
    fork = branch(parent, tmp_path, stamped_anew=False)
    numbers = count()
    changed = each_block(lambda block: msgspec.structs.replace(block, pieces=(f"{next(numbers)}",)))
    for fault in (counting(), changed):
        with pytest.raises(Nonconformant):
            conformance.forks_share(Faulty(fault), parent, fork)
    with pytest.raises(Nonconformant):
        conformance.forks_share(HOST, parent, parent)


def test_a_side_conversation_in_the_main_session_is_found(tmp_path: Path) -> None:
    path = listed(tmp_path)
    assert conformance.sides_are_separate(HOST, path) == set()
    with pytest.raises(Nonconformant):
        conformance.sides_are_separate(Faulty(with_block(flags=SIDE)), path)
