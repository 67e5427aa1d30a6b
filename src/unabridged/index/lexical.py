"""The lexical index: windows of text in, the windows that answer a query out."""

from __future__ import annotations

import errno
import hashlib
import os
import threading
from collections.abc import Generator, Iterable
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any

from tantivy import FieldType, Index, IndexWriter, Occur, Query

from unabridged.errors import DiskFull, IndexBusy, IndexCorrupt, IndexTooNew, ReadOnly
from unabridged.index import damage, engine, explaining, layout, searching
from unabridged.index.analysis.plan import Plan
from unabridged.index.layout import FORMAT, NOTE, TAGS, LexicalDoc, LexicalFilter, Ready
from unabridged.index.newest import newest
from unabridged.index.searching import LexicalHit
from unabridged.index.state import Row, State

HEAP_BYTES = 64 << 20  # of the writer, for windows that are not committed; less makes more, smaller segments
LIMIT_MOST = 10_000  # hits of one search
EVERYTHING = LexicalFilter()


class LexicalIndex:
    """A folder that holds an index. One process writes, any number read; any thread may call any method.

    Nothing that was added is seen before `commit`, and nothing that another opening of the index committed before
    `reload`.
    """

    def __init__(self, path: Path, index: Index, writer: IndexWriter | None) -> None:
        """Use `open`."""
        self._path = path
        self._index = index
        self._writer = writer
        self._writing = threading.Lock()
        self._note: dict[str, Any] = {}
        self._state = self._load()

    @classmethod
    def open(cls, path: Path, writable: bool = False, heap_bytes: int = HEAP_BYTES) -> LexicalIndex:
        """Open an index; a writable one is made if it is not there.

        Raises `IndexCorrupt` (an index of an older format counts as such: it has to be built anew), `IndexTooNew`, or
        `IndexBusy` when another writer has it.
        """
        exists = (path / "meta.json").is_file()
        if not exists and not writable:
            raise IndexCorrupt("there is no index at that place", path=str(path))
        with _typed(path):
            if not exists:
                path.mkdir(parents=True, exist_ok=True)
            index = Index.open(str(path)) if exists else Index(engine.schema(), path=str(path))
            engine.register(index)
            index.config_reader("manual")
            opened = cls(path, index, index.writer(heap_bytes, 1) if writable else None)
            if not exists:
                opened.commit("")
        return opened

    def __enter__(self) -> LexicalIndex:
        """Return itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close."""
        self.close()

    # --- writing ----------------------------------------------------------------------------------------------

    def add(self, docs: Iterable[LexicalDoc]) -> None:
        """Add windows. A window that is there already is not replaced: delete its event first."""
        self.add_ready(map(layout.ready, docs))

    def add_ready(self, docs: Iterable[Ready]) -> None:
        """Add windows that are analysed already."""
        with self._writing:
            writer = self._writable()
            for doc in docs:
                writer.add_json(doc)

    def delete(self, project: bytes, ordinals: Iterable[int]) -> None:
        """Delete every window of events, whether committed or only added."""
        with self._writing, _typed(self._path):
            writer, schema = self._writable(), self._index.schema
            tag = Query.term_query(schema, TAGS, layout.project_tag(project), "basic")
            for ordinal in ordinals:
                first, last = layout.key_span(project, ordinal)
                windows = Query.range_query(
                    schema, "key", FieldType.Unsigned, first, last, use_inverted_index=True
                )
                writer.delete_documents_by_query(
                    Query.boolean_query([(Occur.Must, tag), (Occur.Must, windows)])
                )

    def commit(self, payload: str) -> None:
        """Make everything that was added or deleted durable and seen here, together with a payload.

        The payload is what `payload` returns from then on: windows and payload are committed in one step.
        """
        with self._writing, _typed(self._path):
            writer = self._writable()
            note = Query.term_query(self._index.schema, TAGS, NOTE, "basic")
            writer.delete_documents_by_query(note)
            writer.add_document(engine.note_document({"format": FORMAT, "payload": payload}))
            writer.commit()
            self.reload()

    def rollback(self) -> None:
        """Forget what was added or deleted since the last commit."""
        with self._writing:
            self._writable().rollback()

    def close(self) -> None:
        """End merges and give up the write lock; what is not committed is lost."""
        with self._writing:
            if self._writer is not None:
                self._writer.wait_merging_threads()
                self._writer = None

    # --- reading ----------------------------------------------------------------------------------------------

    @property
    def writable(self) -> bool:
        """Whether this opening may write."""
        return self._writer is not None

    @property
    def payload(self) -> str:
        """What the commit that is seen was made with; "" before the first."""
        return str(self._note.get("payload", ""))

    @property
    def state(self) -> State:
        """The state that is seen: statistics of terms, for what scores beside the index."""
        return self._state

    @property
    def segments(self) -> int:
        """Number of parts that the seen state consists of; searches slow down with many."""
        return self._state.searcher.num_segments

    def reload(self) -> None:
        """See what has been committed."""
        with _typed(self._path):
            self._index.reload()
            self._state = self._load()

    def count(self) -> int:
        """Return the number of windows."""
        return self._state.total

    def search(
        self, plan: Plan, where: LexicalFilter = EVERYTHING, limit: int = 10, *, brief: bool = False
    ) -> list[LexicalHit]:
        """Return the best windows for a plan, best first; equal scores in the order of project, ordinal, window.

        `brief`: found by rare words alone, and what each of them holds is left open, for who reads them all.
        """
        if plan.empty or limit < 1:
            return []
        with _typed(self._path):
            look = searching.glance if brief else searching.search
            return look(self._state, plan, where, min(limit, LIMIT_MOST))

    def newest(self, where: LexicalFilter = EVERYTHING, limit: int = 10) -> list[LexicalHit]:
        """Return the newest windows that pass a filter, whatever they say: see `index/newest`."""
        if limit < 1:
            return []
        with _typed(self._path):
            return newest(self._state, where, min(limit, LIMIT_MOST))

    def explain(self, plan: Plan, hit: LexicalHit) -> dict[str, Any]:
        """Return how a hit's score came about, as plain JSON values."""
        with _typed(self._path):
            return explaining.explain(self._state, plan, hit)

    def documents(self) -> list[Row]:
        """Return what the columns say of every window, in the order of project, ordinal, window."""
        with _typed(self._path):
            return _rows(self._state)

    def terms(self, field: str) -> list[tuple[str, int]]:
        """Return every term of a field (one of `layout.FIELDS`) with the number of live windows that have it, sorted.

        Reads the whole dictionary: for comparisons of indexes, not for queries.
        """
        with _typed(self._path):
            found = self._state.searcher.terms_with_prefix(field, "", Query.all_query())
        return sorted((text, count) for text, count in found if text != NOTE and count)

    def digest(self) -> str:
        """Return a digest of the logical content: equal for indexes of equal windows, however they came to be."""
        digest = hashlib.sha256()
        for row in self.documents():
            digest.update(repr((row.place, row.start, row.end, row.time, row.weight)).encode())
        for field in layout.FIELDS:
            digest.update(repr((field, self.terms(field))).encode())
        return digest.hexdigest()

    def damaged(self) -> list[tuple[str, str]]:
        """Return (file name, what is wrong) for every damaged file; reads the whole index."""
        return list(damage.damaged(self._path))

    # --- inside -----------------------------------------------------------------------------------------------

    def _writable(self) -> IndexWriter:
        if self._writer is None:
            raise ReadOnly("this opening of the index cannot write", path=str(self._path))
        return self._writer

    def _load(self) -> State:
        state = State(self._index.schema, self._index.searcher())
        found = state.searcher.search(
            Query.term_query(state.schema, TAGS, NOTE, "basic"), 1, count=False
        ).hits
        note = engine.read_note(state.searcher.doc(found[0][1])) if found else {"format": FORMAT}
        if note.get("format") != FORMAT:
            newer = isinstance(note.get("format"), int) and note["format"] > FORMAT
            error = IndexTooNew if newer else IndexCorrupt
            raise error(
                "the index has another format", path=str(self._path), format=note.get("format"), known=FORMAT
            )
        self._note = note
        return state


@contextmanager
def _typed(path: Path) -> Generator[None]:
    """Raise what the engine raises as an error of the index."""
    try:
        yield
    except (ValueError, OSError) as error:
        if "LockBusy" in str(error):
            raise IndexBusy("another writer has the index", path=str(path)) from error
        if os.strerror(errno.ENOSPC) in str(error):
            raise DiskFull(path=str(path)) from error
        raise IndexCorrupt("the index cannot be read", path=str(path), why=str(error)) from error
    except BaseException as error:  # a panic of the engine over damaged bytes derives from nothing narrower
        if type(error).__name__ != "PanicException":
            raise
        raise IndexCorrupt("the index cannot be read", path=str(path), why=str(error)) from error


def _rows(state: State) -> list[Row]:
    windows = Query.boolean_query(
        [
            (Occur.Must, Query.all_query()),
            (Occur.MustNot, Query.term_query(state.schema, TAGS, NOTE, "basic")),
        ]
    )
    found = state.searcher.search(windows, max(1, state.searcher.num_docs), count=False).hits
    return sorted(state.rows([address for _, address in found]), key=lambda row: row.place)
