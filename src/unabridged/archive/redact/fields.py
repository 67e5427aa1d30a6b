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


def in_data_uri(data: bytes, low: int, at: int) -> bool:
    """Tell whether `at` lies in the base64 of a `data:` URI that stands in text from `low` on."""
    if data[max(low, at - _NEAREST) : at].translate(None, BASE64_BYTES + b";,"):
        return False
    mark = data.rfind(b";base64,", low, at)
    if mark < 0:
        return False
    between = data[mark + len(b";base64,") : at]
    return not between.translate(None, BASE64_BYTES)
