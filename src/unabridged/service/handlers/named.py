"""Documents by any name of theirs."""

from __future__ import annotations

from unabridged.errors import NotFound
from unabridged.retrieve import recall, target
from unabridged.service.caller import Call
from unabridged.service.handlers.asking import context_of


def document_named(call: Call, name: str, project: str, field: str) -> str:
    """Return the id of the document that holds what a handle or another name means; raise `NotFound`."""
    with call.services.store.snapshot() as reader:
        context = context_of(call, reader, "", project)
        found = target.find(context, name)
        document = recall.document_at(context, found.place, found.event) if found.place else None
    if document is None:
        raise NotFound(f"what `{field}` names is {found.status or target.MISSING}", field=field)
    return document.id.hex()
