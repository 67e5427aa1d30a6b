"""Writing of document versions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from unabridged.archive import retain
from unabridged.schema.ids import (
    EVENT_ID_BYTES,
    IDENTITY_BYTES,
    Digest,
    DocumentId,
    Micros,
    Ordinal,
    ProjectId,
    SessionId,
    document_id,
)
from unabridged.schema.records import DOCUMENT, EVENT, EXPIRY, SUPERSESSION, Document, Supersession
from unabridged.store.contract import Batch, Reader

VERSION_SCAN = 4_096  # versions of one document that are looked at; the longest chain that is allowed


@dataclass(frozen=True, slots=True)
class DocumentDraft:
    """A document without its ordinal, version and place."""

    kind: str
    first: bytes  # what its identity derives from: its first event
    digest: Digest
    session: SessionId
    members: list[Ordinal]
    size: int
    tokens: int
    started: Micros
    ended: Micros
    title: str
    retention: str
    sizes: list[int]
    subject_key: str = ""


class DocumentWriter:
    """Adds documents to one batch."""

    def __init__(
        self,
        reader: Reader,
        batch: Batch,
        project: ProjectId,
        now: Micros,
        places: Mapping[Ordinal, tuple[SessionId, int]],
    ) -> None:
        """Write into `batch` by the state in `reader`; `places` has the session and seq of events of the same batch."""
        self._reader = reader
        self._batch = batch
        self._project = project
        self._now = now
        self._places = places
        self._retired = set[Ordinal]()
        self._written = dict[bytes, list[Document]]()  # identity → versions of this batch

    def write(self, draft: DocumentDraft, ordinal: Ordinal, *, first: bool = False) -> Document | None:
        """Write the document under `ordinal` and return it, or None where that very version exists.

        `first`: the caller knows that there is no other version, because what its identity derives from is new.

        Of two versions the one with more members is current, whichever came first, so that the outcome does not depend
        on the order of arrival. Equal lengths: the later one.
        """
        name = document_id(draft.kind, draft.first[:IDENTITY_BYTES], draft.digest)
        identity = name[:IDENTITY_BYTES]
        versions = [] if first else self._versions(identity)
        if any(version.id == name for version in versions):
            return None
        place = self._place(draft)
        document = Document(
            self._project,
            ordinal,
            DocumentId(name),
            len(versions) + 1,
            draft.kind,
            draft.session,
            place[0],
            place[1],
            draft.members,
            draft.digest,
            draft.size,
            draft.tokens,
            draft.started,
            draft.ended,
            draft.retention,
            draft.title,
            draft.subject_key,
            draft.sizes,
        )
        self._batch.create(DOCUMENT, document)
        self._supersede(versions, document)
        self._written.setdefault(identity, []).append(document)
        entry = retain.expiry(self._project, ordinal, draft.retention, draft.ended or self._now)
        if entry is not None:
            self._batch.put(EXPIRY, entry)
        return document

    def _versions(self, identity: bytes) -> list[Document]:
        spare = EVENT_ID_BYTES - IDENTITY_BYTES
        stored = self._reader.scan(
            DOCUMENT,
            (self._project,),
            start=(identity + bytes(spare),),
            stop=(identity + b"\xff" * spare,),
            index="id",
            limit=VERSION_SCAN,
        )
        return stored + self._written.get(identity, [])

    def _supersede(self, versions: list[Document], document: Document) -> None:
        current = [
            version
            for version in versions
            if version.ordinal not in self._retired
            and self._reader.get(SUPERSESSION, (self._project, version.ordinal)) is None
        ]
        for version in current:
            old, new = version, document
            if len(version.members) > len(document.members):
                old, new = document, version
            if old.ordinal in self._retired:
                continue
            self._retired.add(old.ordinal)
            self._batch.put(
                SUPERSESSION, Supersession(self._project, old.ordinal, new.ordinal, "grown", self._now)
            )

    def _place(self, draft: DocumentDraft) -> tuple[int, int]:
        """Return the first and last sequence number of the document's events in its session (0, 0: in another's)."""
        found = [self._seq(ordinal, draft.session) for ordinal in (draft.members[0], draft.members[-1])]
        if 0 in found:
            found = [seq for ordinal in draft.members if (seq := self._seq(ordinal, draft.session))]
        return (min(found), max(found)) if found else (0, 0)

    def _seq(self, ordinal: Ordinal, session: SessionId) -> int:
        place = self._places.get(ordinal)
        if place is None:
            event = self._reader.get(EVENT, (self._project, ordinal))
            place = (event.session, event.seq) if event is not None else (session, 0)
        return place[1] if place[0] == session else 0
