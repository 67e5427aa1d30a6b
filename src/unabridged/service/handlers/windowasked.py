"""The live window, for who offers tools of the archive to models: what was asked is kept and given back."""

from __future__ import annotations

from unabridged.archive.asked import MOST_CHARS, MOST_ROWS, plan_asked
from unabridged.errors import InvalidInput, LimitExceeded
from unabridged.schema.ids import DocumentId
from unabridged.schema.windows import WindowAsked
from unabridged.service.caller import Call, Pending
from unabridged.service.handlers.conversations import check_key, conversation_id, open_conversation
from unabridged.service.live import AskedRow, WindowAskedAnswer, WindowAskedRequest

MOST_DOCUMENTS = 1_000  # of one row
DOCUMENT_BYTES = 20


def window_asked(call: Call, request: WindowAskedRequest) -> Pending:
    """Keep and forget rows; answer with all that is kept."""
    conversation = conversation_id(request.conversation)
    if len(request.put) > MOST_ROWS or sum(len(row.data) for row in request.put) > MOST_CHARS:
        raise LimitExceeded("too much to keep", field="put", limit=MOST_CHARS)
    for seed in (*request.drop, *(row.seed for row in request.put)):
        check_key(seed)
    call.services.daemon.admit()
    with call.services.store.snapshot() as reader:
        home = open_conversation(call, reader, conversation)
    rows = [
        WindowAsked(home.home, conversation, row.seed, row.data, _documents(row), call.now)
        for row in request.put
        if _clean(call, row.data)
    ]
    # What is not kept must not stand there as it was before, either.
    drop = [*request.drop, *(row.seed for row in request.put)]
    commit = call.services.store.submit(home.home, plan_asked(home, rows, drop))
    return Pending(
        commit,
        lambda kept: WindowAskedAnswer(
            [AskedRow(row.seed, row.data, [document.hex() for document in row.documents]) for row in kept]
        ),
    )


def _clean(call: Call, data: str) -> bool:
    """Tell whether there is no credential in a row: it is of use word for word only."""
    redact = call.services.redact
    plain = data.replace("\\\\", "\\").replace('\\"', '"')
    return redact(data) == data and redact(plain) == plain


def _documents(row: AskedRow) -> list[DocumentId]:
    if len(row.documents) > MOST_DOCUMENTS:
        raise LimitExceeded("too many documents", field="documents", limit=MOST_DOCUMENTS)
    try:
        found = [bytes.fromhex(document) for document in row.documents]
    except ValueError as error:
        raise InvalidInput("a document is named by 40 hexadecimal digits", field="documents") from error
    if any(len(one) != DOCUMENT_BYTES for one in found):
        raise InvalidInput("a document is named by 40 hexadecimal digits", field="documents")
    return [DocumentId(one) for one in found]
