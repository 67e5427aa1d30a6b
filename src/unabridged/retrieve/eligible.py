"""Which candidates a caller may see, and has asked for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from unabridged.archive.notes import HOST as NOTE_HOST
from unabridged.retrieve import places
from unabridged.retrieve.candidate import Candidate
from unabridged.retrieve.context import Context
from unabridged.retrieve.filters import Filters
from unabridged.schema.records import EVENT, SUPERSESSION, TOMBSTONE, Event


class Eligibility:
    """The rules for one question; `heads` are the last ordinals that its first page saw."""

    def __init__(
        self, context: Context, filters: Filters, heads: Mapping[bytes, int], *, standing: bool = False
    ) -> None:
        """Judge by the state in `context`. standing: leave out messages that were corrected, too."""
        self._standing = standing
        self._context = context
        self._filters = filters
        self._heads = heads
        # Whether a project has tombstones, supersessions at all.
        self._retiring = dict[bytes, tuple[bool, bool]]()

    def sift(self, candidates: Sequence[Candidate]) -> tuple[list[tuple[Candidate, Event]], dict[str, int]]:
        """Return the candidates that pass with their events, and how many did not by reason."""
        keys = [(candidate.project, candidate.event) for candidate in candidates]
        kept, dropped = list[tuple[Candidate, Event]](), dict[str, int]()
        for candidate, event in zip(candidates, self._context.reader.get_many(EVENT, keys), strict=True):
            reason = self.reason(event)
            if event is not None and not reason:
                kept.append((candidate, event))
            elif reason != "scope":  # of a narrowed scope it is only said that it was narrowed
                dropped[reason] = dropped.get(reason, 0) + 1
        return kept, dropped

    def allows(self, event: Event) -> bool:
        """Tell whether an event may be shown, and was asked for."""
        if self.reason(event):
            return False
        exclude = self._filters.exclude
        return not exclude or not places.is_named(self._context.reader, event, exclude)

    def reason(self, event: Event | None) -> str:
        """Return why an event is left out, "" for one that passes."""
        if event is None:
            return "gone"
        if not self._context.scope.allows(event.project, event.session):
            return "scope"
        if not self._filters.allows(event):
            return "filters"
        head = self._heads.get(event.project)
        if head is not None and event.ordinal > head:
            return "newer"
        return self._retirement(event)

    def _retirement(self, event: Event) -> str:
        """Tell whether an event has left normal search: retired itself or with its document, or replaced."""
        reader = self._context.reader
        known = self._retiring.get(event.project)
        if known is None:
            place = (event.project,)
            known = (
                bool(reader.scan(TOMBSTONE, place, limit=1)),
                bool(reader.scan(SUPERSESSION, place, limit=1)),
            )
            self._retiring[event.project] = known
        retiring, replacing = known
        if retiring and places.tombstone_of(reader, event):
            return "retired"
        if not replacing:
            return ""
        if self._standing and reader.get(SUPERSESSION, (event.project, event.ordinal)) is not None:
            return "superseded"
        if event.host == NOTE_HOST and not self._filters.superseded:
            document = places.document_of(reader, event)
            if document is not None and reader.get(SUPERSESSION, (event.project, document.ordinal)):
                return "superseded"
        return ""
