"""A sentence model behind an HTTP address that speaks the embeddings call of the OpenAI API.

Used only when a person set an address: the texts leave this machine. The address may answer slowly, wrongly or without
end; a call has a deadline as a whole, an answer a size, and redirects are not followed.
"""

from __future__ import annotations

import hashlib
import http.client
import json
import re
from collections.abc import Callable, Sequence
from typing import Any
from urllib.parse import SplitResult, urlsplit

import msgspec
import numpy as np

from unabridged.errors import InvalidSetting, ModelDamaged, ModelUnavailable
from unabridged.models.address import LOOPBACK, connect_to
from unabridged.models.contract import Read
from unabridged.models.identity import Identity
from unabridged.models.onnxfile import Array

MAX_ANSWER = 16 << 20  # bytes; 64 rows of 4,096 numbers take a third of it
MAX_TEXT = 4_096  # characters of one text; spans have a quarter
MOST_DIMENSIONS = 8_192
TOKEN_CHARS = 4  # of a word that count as one token: the model's own tokenizer is not here
_CHUNK = 64 << 10
_WORD = re.compile(r"\w{1,4}|[^\w\s]")


class _Row(msgspec.Struct):
    embedding: list[float]
    index: int = -1


class _Answer(msgspec.Struct):
    data: list[_Row]


class RemoteEmbedder:
    """Rows from an address. `clock` gives monotonic seconds, `timeout` is for one call as a whole."""

    def __init__(self, url: str, model: str, key: str, timeout: float, clock: Callable[[], float]) -> None:
        """Ask once, to learn the dimensions; raise `InvalidSetting` or `ModelUnavailable`."""
        self._place = _checked(url, key)
        self._model = model
        self._key = key
        self._timeout = timeout
        self._clock = clock
        width = int(self._asked(["width"]).shape[1])
        where = hashlib.sha256(f"{self._place.geturl()}\0{model}".encode()).hexdigest()[:16]
        self.identity = Identity(model or "remote", where, width, "remote")

    def embed(self, texts: Sequence[str]) -> Array:
        """Return unit rows."""
        if not texts:
            return np.zeros((0, self.identity.dimensions), np.float32)
        rows = self._asked(texts)
        if rows.shape[1] != self.identity.dimensions:
            raise ModelDamaged("the embeddings have other dimensions than before")
        return rows

    def read(self, texts: Sequence[str]) -> list[Read]:
        """Return rows; the call has none for tokens."""
        none = np.zeros((0, self.identity.dimensions), np.float32)
        return [Read(row, none, ()) for row in self.embed(texts)]

    def tokens(self, text: str) -> list[tuple[int, int]]:
        """Return pieces of words of four letters, and marks: about what tokenizers make of English."""
        return [match.span() for match in _WORD.finditer(text)]

    def _asked(self, texts: Sequence[str]) -> Array:
        body = {
            "input": [text[:MAX_TEXT] or " " for text in texts],
            "model": self._model,
            "encoding_format": "float",
        }
        data = self._call(json.dumps(body).encode())
        try:
            found = msgspec.json.decode(data, type=_Answer).data
            rows = np.array([row.embedding for row in _ordered(found)], np.float32)
        except (msgspec.DecodeError, ValueError, OverflowError, RecursionError) as error:
            raise ModelUnavailable("the answer holds no embeddings") from error
        if rows.ndim != 2 or rows.shape[0] != len(texts) or not 0 < rows.shape[1] <= MOST_DIMENSIONS:
            raise ModelUnavailable("the answer has another number of embeddings than was asked for")
        norms: Any = np.linalg.norm(rows, axis=1, keepdims=True)
        if not np.isfinite(norms).all() or not norms.all():
            raise ModelUnavailable("the answer holds an embedding that points nowhere")
        return (rows / norms).astype(np.float32)

    def _call(self, body: bytes) -> bytes:
        place, deadline = self._place, self._clock() + self._timeout
        headers = {"Content-Type": "application/json", "Accept": "application/json"}
        if self._key:
            headers["Authorization"] = f"Bearer {self._key}"
        connection = connect_to(place, self._timeout)
        try:
            connection.request(
                "POST", (place.path or "/") + (f"?{place.query}" if place.query else ""), body, headers
            )
            answer = connection.getresponse()
            if answer.status != http.client.OK:
                raise _refused(answer.status)
            return self._read(connection, answer, deadline)
        except (OSError, http.client.HTTPException, ValueError) as error:
            raise ModelUnavailable("the address cannot be asked", why=type(error).__name__) from error
        finally:
            connection.close()

    def _read(
        self, connection: http.client.HTTPConnection, answer: http.client.HTTPResponse, deadline: float
    ) -> bytes:
        parts, size = list[bytes](), 0
        while True:
            left = deadline - self._clock()
            if left <= 0:
                raise ModelUnavailable("the answer took too long", limit_seconds=self._timeout)
            if connection.sock is not None:
                connection.sock.settimeout(left)
            data = answer.read1(_CHUNK)
            if not data:
                return b"".join(parts)
            size += len(data)
            if size > MAX_ANSWER:
                raise ModelUnavailable("the answer is too large", limit=MAX_ANSWER)
            parts.append(data)


def _ordered(rows: Sequence[_Row]) -> list[_Row]:
    """Return rows in the order of what was asked; servers that do not number them keep it."""
    if all(row.index == -1 for row in rows):
        return list(rows)
    ordered = sorted(rows, key=lambda row: row.index)
    if [row.index for row in ordered] != list(range(len(rows))):
        raise ValueError("the rows are not numbered")
    return ordered


def _checked(url: str, key: str) -> SplitResult:
    try:
        place = urlsplit(url)
        usable = place.scheme in ("http", "https") and place.hostname and (place.port or 1) > 0
    except ValueError:
        usable, place = False, urlsplit("")
    if not usable or place.username or place.password:
        raise InvalidSetting("semantic.url must be an address with http or https", setting="semantic.url")
    if key and place.scheme == "http" and place.hostname not in LOOPBACK:
        raise InvalidSetting("a key is sent over https only", setting="semantic.url")
    return place


def _refused(status: int) -> ModelUnavailable:
    if status in (401, 403):
        return ModelUnavailable(
            "the address does not take the key", hint="Check semantic.key_env.", status=status
        )
    return ModelUnavailable("the address answers with an error", status=status)
