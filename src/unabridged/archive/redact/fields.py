"""Fields of transcripts that are never touched."""

from __future__ import annotations

from unabridged.archive.redact.jsontext import key_before
from unabridged.archive.redact.pattern import searching

NEAR = 240  # bytes around a `data` field in which its media type stands
_NEAREST = 64  # bytes before a place that show cheaply whether it can lie in base64
BLOB = 256  # bytes from which a value of nothing but base64 is data, not text

# Restore needs them byte for byte: a host refuses a conversation whose signed or encrypted parts changed.
_SEALED = frozenset(
    b"signature thinkingsignature thoughtsignature textsignature reasoningsignature signaturedelta partialsignature "
    b"encryptedcontent encryptedreasoning encryptedthinking reasoningopaque reasoningencryptedcontent b64json "
    b"encryptedindex redactedthinking".split()
)
_MEDIA = frozenset(
    b"data blob bytes base64 content body src url imageurl fileurl result image audio filedata".split()
)
_MEDIA_NEAR = searching(
    r"(?i)\"(?:media_?type|mime_?type)\""
    r"|\"type\" ?: ?\"(?:base64|redacted_thinking|image|input_image|input_audio|file)\""
)
_NOT_BASE64 = searching("[^A-Za-z0-9+/=_-]")
_NOT_MEDIA = searching("[^A-Za-z0-9+/=_.-]")
_DATA_URI = searching(r"^data:[a-zA-Z0-9.+/-]*(?:;[a-zA-Z0-9=-]+)*;base64,")
_BASE64_MARK = b";base64,"
BASE64_BYTES = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=_-"


def is_sealed(data: bytes, start: int, end: int) -> bool:
    """Tell whether the string content `data[start:end]` belongs to a signed, encrypted, or media field."""
    key = key_before(data, start).lower().replace(b"_", b"").replace(b"-", b"")
    if key in _SEALED:
        return True
    if _DATA_URI.search(data[start : min(end, start + 128)]):
        return True
    if key not in _MEDIA or _NOT_MEDIA.search(data, start, end) is not None:
        return False
    if end - start >= BLOB and _NOT_BASE64.search(data, start, end) is None:
        return True
    near = data[max(0, start - NEAR) : start] + data[end : end + NEAR]
    return key in (b"data", b"blob", b"bytes", b"base64") and _MEDIA_NEAR.search(near) is not None


class DataUris:
    """Tells what lies in the base64 of `data:` URIs that stand in a text from `low` on; asked for ascending places."""

    def __init__(self, data: bytes, low: int) -> None:
        """Begin with the text; see `holds`."""
        self._data = data
        self._low = low
        self._known = low
        self._within = False

    def holds(self, at: int) -> bool:
        """Tell whether `at` lies in base64 of a URI."""
        data = self._data
        if data[max(self._low, at - _NEAREST) : at].translate(None, BASE64_BYTES + b";,"):
            return False
        # What was looked through for the place before, nobody looks through again: the text may be all base64.
        low = max(self._low, self._known - len(_BASE64_MARK)) if at >= self._known else self._low
        mark = data.rfind(_BASE64_MARK, low, at)
        begin = mark + len(_BASE64_MARK) if mark >= 0 else self._known
        within = (mark >= 0 or (self._within and at >= self._known)) and not data[begin:at].translate(
            None, BASE64_BYTES
        )
        self._known, self._within = at, within
        return within
