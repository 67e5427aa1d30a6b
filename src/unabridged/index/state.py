"""One committed state of the lexical index, as queries see it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from tantivy import DocAddress, FieldType, Occur, Query, Schema, Searcher

from unabridged.index.layout import (
    NAMES,
    NOTE,
    PATHS,
    SIDE_TAG,
    TAGS,
    WORDS,
    LexicalFilter,
    field_of,
    key,
    key_project,
    project_prefix,
    project_tag,
    split_key,
    split_place,
)

FREQUENCIES_MOST = 20_000  # terms whose frequency is remembered
OLDEST, NEWEST = -(1 << 63), (1 << 63) - 1  # microseconds

Part = tuple[Occur, Query]
Place = tuple[bytes, int, int]  # project, ordinal, window


class Row(NamedTuple):
    """What the columns say of one window."""

    place: Place
    weight: int
    start: int
    end: int
    time: int


class State:
    """One committed state, for any number of threads."""

    def __init__(self, schema: Schema, searcher: Searcher) -> None:
        """Read what scoring needs to know of the state."""
        self.schema = schema
        self.searcher = searcher
        self.everything = Query.const_score_query(Query.all_query(), 0.0)
        self._frequencies = dict[str, int]()
        known = [bytes.fromhex(tag[2:]) for tag, _ in searcher.terms_with_prefix(TAGS, project_tag(b""))]
        self.projects = {project_prefix(project): project for project in known}
        by_bits = {key_project(key(project, 0, 0)): project for project in known}
        self._by_bits = by_bits if len(by_bits) == len(known) else {}
        self._averages = {field: self._average(field) for field in (WORDS, NAMES)}
        self.total = max(
            0, searcher.num_docs - (1 if self._averages[WORDS] else 0)
        )  # one document is the note

    def frequency(self, term: str) -> int:
        """Return the number of windows that hold a term."""
        known = self._frequencies.get(term)
        if known is None:
            if len(self._frequencies) > FREQUENCIES_MOST:
                self._frequencies.clear()
            known = self._frequencies[term] = self.searcher.doc_freq(field_of(term), term)
        return known

    def average(self, field: str) -> float:
        """Return the mean number of terms of a window in a field; 0 for an empty index."""
        return self._averages[field]

    def term(self, term: str, factor: float = 1.0) -> Query:
        """Return the query for one term."""
        query = Query.term_query(self.schema, field_of(term), term, "freq")
        return query if factor == 1.0 else Query.boost_query(query, factor)

    def tag(self, field: str, text: str) -> Query:
        """Return the query for an exact value, without a score."""
        return Query.const_score_query(Query.term_query(self.schema, field, text, "basic"), 0.0)

    def present(self, term: str) -> Query:
        """Return the query for one term whose occurrences need not be counted."""
        return Query.term_query(self.schema, field_of(term), term, "basic")

    def phrase(self, words: Sequence[str]) -> Query:
        """Return the query for words that follow each other."""
        if len(words) == 1:
            return self.term(words[0])
        return Query.phrase_query(self.schema, WORDS, list(words))

    def keys(self, keys: Iterable[int]) -> Query:
        """Return the query for windows by their keys, without a score."""
        parts = [(Occur.Should, Query.term_query(self.schema, "key", key, "basic")) for key in keys]
        return Query.const_score_query(Query.boolean_query(parts), 0.0)

    def narrowed(self, where: LexicalFilter) -> list[Part]:
        """Return what a filter adds to a query."""
        parts = list[Part]()
        for group in where.tag_groups():
            parts.append((Occur.Must, self._any_of(TAGS, group)))
        if where.path:
            parts.append((Occur.Must, self._any_of(PATHS, [where.path_name])))
        if where.words:
            parts.append((Occur.Must, self._any_of(WORDS, sorted(where.words))))
        if where.since or where.until:
            until = where.until - 1 if where.until else NEWEST
            since = where.since or OLDEST
            span = Query.range_query(self.schema, "time", FieldType.Integer, since, until)
            parts.append((Occur.Must, Query.const_score_query(span, 0.0)))
        if not where.side:
            parts.append((Occur.MustNot, Query.term_query(self.schema, TAGS, SIDE_TAG, "basic")))
        return parts

    def places(
        self, addresses: Sequence[DocAddress], keys: Sequence[int] | None = None
    ) -> list[tuple[Place, int]]:
        """Return where windows stand in the archive, and their classes; `keys`: theirs, where they are known."""
        if keys is None:
            (keys,) = self.columns(addresses, "key")
        (weights,) = self.columns(addresses, "weight")
        return [
            ((project, *split_key(key)), weight)
            for project, key, weight in zip(self._projects(addresses, keys), keys, weights, strict=True)
        ]

    def _projects(self, addresses: Sequence[DocAddress], keys: Sequence[int]) -> list[bytes]:
        """Return the windows' projects: their keys tell them, unless two projects share the bits that a key has."""
        try:
            if self._by_bits:
                return [self._by_bits[key_project(key)] for key in keys]
            (prefixes,) = self.columns(addresses, "project")
            return [self.projects[prefix] for prefix in prefixes]
        except KeyError as error:
            raise ValueError("a window belongs to no known project") from error

    def rows(self, addresses: Sequence[DocAddress]) -> list[Row]:
        """Return what the columns say of windows."""
        ranges, times = self.columns(addresses, "place", "time")
        return [
            Row(place, weight, *split_place(packed), time)
            for (place, weight), packed, time in zip(self.places(addresses), ranges, times, strict=True)
        ]

    def columns(self, addresses: Sequence[DocAddress], *names: str) -> list[list[Any]]:
        """Return columns of windows."""
        wanted = list(addresses)
        return [self.searcher.fast_field_values(name, wanted) if wanted else [] for name in names]

    def _any_of(self, field: str, values: Sequence[str]) -> Query:
        parts = [(Occur.Should, Query.term_query(self.schema, field, value, "basic")) for value in values]
        return Query.const_score_query(Query.boolean_query(parts), 0.0)

    def _average(self, field: str) -> float:
        query = Query.term_query(self.schema, field, NOTE, "freq")
        found = self.searcher.search(query, 1, count=False).hits
        if not found:
            return 0.0
        return detail(json.loads(query.explain(self.searcher, found[0][1]).to_json()), "avgdl")


def detail(explained: dict[str, Any], name: str) -> float:
    """Return the value of the first part of an explanation whose description begins with `name`; 0 without one."""
    if str(explained.get("description", "")).startswith(name):
        return float(explained["value"])
    return next((value for part in explained.get("details", ()) if (value := detail(part, name))), 0.0)
