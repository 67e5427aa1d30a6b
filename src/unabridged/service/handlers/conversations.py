"""Conversations of the wire by their names, inside what a caller may see."""

from __future__ import annotations

import re

from unabridged.archive import windows as kept
from unabridged.errors import InvalidInput, LimitExceeded, NotFound, OutOfScope
from unabridged.hosts.wire.items import FORMATS
from unabridged.schema.scope import Level
from unabridged.schema.windows import WindowHome
from unabridged.service.caller import Call
from unabridged.store.contract import Reader

MAX_KEYS = 20_000  # of one call
MAX_KEY = 64  # characters; a key has 32 digits and how often its content occurred
MAX_NAME = (
    400  # characters of a host's id, a model, a format: of up to four bytes each, they are parts of keys
)
_KEY = re.compile(r"[0-9a-f]{8,32}(-[0-9]{1,9})?")


def conversation_id(text: str) -> bytes:
    """Return the 16 bytes of a conversation's id; raise `InvalidInput`."""
    try:
        found = bytes.fromhex(text)
    except ValueError:
        found = b""
    if len(found) != kept.CONVERSATION_BYTES:
        raise InvalidInput("a conversation is named by 32 hexadecimal digits", field="conversation")
    return found


def open_conversation(call: Call, reader: Reader, conversation: bytes) -> WindowHome:
    """Return where a conversation belongs, inside the caller's scope; raise `NotFound`, `OutOfScope`."""
    home = kept.home_of(reader, conversation)
    if home is None:
        raise NotFound("that conversation was not opened", hint="Call `window.open` first.")
    check_scope(call, reader, home)
    return home


def check_scope(call: Call, reader: Reader, home: WindowHome) -> None:
    """Raise `OutOfScope` for a conversation that the caller may not see."""
    if not call.scope(reader).allows(home.home, home.session):
        raise OutOfScope("that conversation is outside what this client was granted")


def check_format(form: str) -> None:
    """Raise `InvalidInput` for what is no format of a conversation; "" is one that is not said."""
    if form and form not in FORMATS:
        raise InvalidInput(f"format must be one of {', '.join(FORMATS)}", field="format")


def check_key(key: str) -> None:
    """Raise `InvalidInput` for what is no item's key."""
    if len(key) > MAX_KEY or not _KEY.fullmatch(key):
        raise InvalidInput("an item's key is hexadecimal digits", field="key")


def check_name(field: str, text: str) -> None:
    """Raise `LimitExceeded` for a text too long to be part of a record's key, `InvalidInput` for a NUL in it."""
    if "\0" in text:
        raise InvalidInput(f"`{field}` has a NUL in it", field=field)
    if len(text) > MAX_NAME:
        raise LimitExceeded(f"`{field}` is too long", field=field, limit=MAX_NAME, size=len(text))


def root_at(call: Call, cwd: str, host: str) -> str:
    """Return the root of the project that a host's folder lies in; that of the host where it names none."""
    folder = cwd or (call.caller.folder if call.caller.granted is not Level.ALL else "")
    return call.services.folders.root(folder, host, call.services.clock())
