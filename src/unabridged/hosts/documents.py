"""Conversations that a host writes as one JSON document, whole and anew each time: what in it is new.

A document is looked at in steps along its elements. What was given is remembered by hashes: those of the elements at
the end of the last whole look, and one for all elements before them. So what a document gains, or what is changed in
it, is given; what vanishes from it is simply no longer there.
"""

from __future__ import annotations

import hashlib
from collections import deque
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import msgspec

from unabridged.errors import PathUnreadable, TranscriptChanged
from unabridged.hosts.elements import Element, Torn, elements, following

STEP_BYTES = 8 << 20  # bytes of elements after which a look ends; another one goes on
HASH_BYTES = 8
REMEMBERED = (
    3_000  # elements by a hash of their own; two such lists stay below the 64 KiB that a state may have
)
EQUAL = 64  # equal elements that are told apart by their order alone; further ones also by their place
LONG_MEMBER = 1 << 20  # bytes; longer members of a document are not what describes it


class State(msgspec.Struct, array_like=True):
    """What is remembered between looks. A look through the document takes several of them."""

    hashes: bytes = b""  # of the last elements in the last look through
    before: int = 0  # elements in front of those
    chain: bytes = b""  # hash of all of these
    file: tuple[int, int, int] = (0, 0, 0)  # size, time and inode of the file that is being looked through
    at: tuple[str, int, int] | None = None  # name, place and end of the last element, None: it is through
    count: int = 0  # elements up to there
    same: bool = False  # the elements in front are those that were there before
    new: bytes = b""  # as `hashes`, of this look through
    new_before: int = 0
    new_chain: bytes = b""


class New(NamedTuple):
    """An element that has not been given. `name`: what tells it from all others, equal ones too. `before`: the element
    in front of it, None where it was looked at in an earlier step, or there is none."""

    element: Element
    name: bytes
    before: Element | None

    @property
    def data(self) -> bytes:
        """Its JSON text; b"" where it is too long to be given."""
        return self.element.data


class Look(NamedTuple):
    """New elements, and the state behind them; when there are some, another look may give more."""

    elements: list[New]
    state: bytes


def look(path: Path, array: str, state: bytes) -> Look:
    """Return the elements of a document's member `array` ("": the document is the array) that have not been given.

    Elements that are too long to be given come with empty text. Raises `TranscriptChanged` where the file is gone or,
    once all that is whole was given, damaged; `PathUnreadable` where it cannot be read.
    """
    return _Looking(array, msgspec.msgpack.decode(state, type=State) if state else State()).go(path)


def beginning(path: Path, array: str) -> dict[str, Any]:
    """Return the members that stand in front of `array`, decoded; those behind it where none stand in front.

    Long members are left out. A damaged document gives what is whole; errors are those of `look`.
    """
    found: dict[str, Any] = {}
    with _opened(path) as file:
        try:
            for element in elements(file, (array,)):
                if element.place >= 0:
                    if found:
                        break
                elif 0 < len(element.data) <= LONG_MEMBER:
                    found[element.name] = msgspec.json.decode(element.data)
        except (Torn, msgspec.DecodeError, RecursionError):
            return found
    return found


def version(*paths: Path) -> str:
    """Return what changes with any of some files; a missing one counts as empty."""
    return ".".join(_stamp(path) for path in paths)


def _stamp(path: Path) -> str:
    try:
        found = path.stat()
    except OSError:
        return "-"
    return f"{found.st_size}.{found.st_mtime_ns}"


@contextmanager
def _opened(path: Path) -> Generator[BinaryIO]:
    try:
        with path.open("rb", buffering=0) as file:
            yield file
    except FileNotFoundError as error:
        raise TranscriptChanged("the file is gone", path=str(path)) from error
    except OSError as error:
        raise PathUnreadable(path=str(path)) from error


class _Looking:
    """One step."""

    def __init__(self, array: str, state: State) -> None:
        self._array = array
        self._inside = (array,) if array else ()
        self._state = state
        self._known = dict.fromkeys(
            _pieces(state.hashes)
        )  # each stands for one element, and is used up by it
        self._window = deque(_pieces(state.new), REMEMBERED)
        self._seen = set(self._window)

    def go(self, path: Path) -> Look:
        with _opened(path) as file:
            self._begin(file, path)
            return self._through(file, path)

    def _begin(self, file: BinaryIO, path: Path) -> None:
        """Go on where the last step ended, or begin a look through a document that is not as it was."""
        found = path.stat()
        now = (found.st_size, found.st_mtime_ns, found.st_ino)
        state = self._state
        if now == state.file and state.at is not None:
            file.seek(state.at[2])
            return
        # What an unfinished look through has given is known, too; the elements in front stand for themselves.
        seen = state.count - state.before if state.same else len(self._window)
        self._known |= dict.fromkeys(list(self._window)[-seen:] if seen > 0 else ())
        state.file, state.at, state.count = now, None, 0
        self._forget()
        state.same = bool(state.before) and self._prefix(file) == state.chain
        self._forget()
        file.seek(0)

    def _forget(self) -> None:
        self._window.clear()
        self._seen.clear()
        self._state.new_before, self._state.new_chain = 0, b""

    def _prefix(self, file: BinaryIO) -> bytes:
        """Return the hash of as many elements as stood in front of the remembered ones."""
        chain, left = b"", self._state.before
        try:
            for element in self._elements(file):
                chain = _chained(chain, self._remember(element))
                left -= 1
                if not left:
                    return chain
        except Torn:
            return b""
        return b""

    def _elements(self, file: BinaryIO) -> Iterator[Element]:
        at = self._state.at
        if at is None:
            found = elements(file, self._inside)
        else:
            name, place, end = at
            found = following(file, Element(name, place, b"", 0, end=end), self._inside)
        return (element for element in found if element.place >= 0 and element.name == self._array)

    def _through(self, file: BinaryIO, path: Path) -> Look:
        state, found, size = self._state, list[New](), 0
        before: Element | None = None
        torn = False
        try:
            for element in self._elements(file):
                name = self._remember(element)
                state.count += 1
                if state.same and state.count <= state.before:
                    pass
                elif name in self._known:
                    del self._known[name]
                else:
                    found.append(New(element, name, before))
                    size += len(element.data)
                state.at = (element.name, element.place, element.end)
                before = element
                if size >= STEP_BYTES:
                    return self._ended(found, over=False)
        except Torn:
            torn = True
        if torn and not found:
            raise TranscriptChanged("the document is damaged, or is being written", path=str(path))
        return self._ended(found, over=not torn)

    def _remember(self, element: Element) -> bytes:
        """Remember the next element; return its hash, which tells it from an equal one before it."""
        state = self._state
        name = _hash(element)
        again = 0
        while name in self._seen:
            again += 1
            name = _chained(name, b"again" if again < EQUAL else b"%d" % element.place)
        if len(self._window) == REMEMBERED:
            oldest = self._window.popleft()
            self._seen.remove(oldest)
            state.new_chain = _chained(state.new_chain, oldest)
            state.new_before += 1
        self._window.append(name)
        self._seen.add(name)
        return name

    def _ended(self, found: list[New], *, over: bool) -> Look:
        state = self._state
        state.hashes = b"".join(list(self._known)[-REMEMBERED:])
        state.new = b"".join(self._window)
        if over:
            state = State(state.new, state.new_before, state.new_chain)
        return Look(found, msgspec.msgpack.encode(state))


def _hash(element: Element) -> bytes:
    # Of what is too long to be given, its size is all that is known.
    text = element.data or b"%d" % element.size
    return hashlib.blake2b(text, digest_size=HASH_BYTES).digest()


def _chained(chain: bytes, name: bytes) -> bytes:
    return hashlib.blake2b(chain + name, digest_size=HASH_BYTES).digest()


def _pieces(packed: bytes) -> list[bytes]:
    return [packed[at : at + HASH_BYTES] for at in range(0, len(packed), HASH_BYTES)]
