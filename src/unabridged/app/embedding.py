"""What a worker with a sentence model does: it fills the table of vectors, or answers questions from it."""

from __future__ import annotations

import socket
import time
from pathlib import Path
from typing import TYPE_CHECKING

from unabridged.daemon import vectormessages as messages
from unabridged.daemon.channel import Channel, ChannelClosed
from unabridged.daemon.logs import places
from unabridged.daemon.vectormessages import (
    Answered,
    Ask,
    Choice,
    Failed,
    Judge,
    Judged,
    Keep,
    Load,
    Standing,
    Take,
)
from unabridged.errors import InternalError, ProtocolError, UnabridgedError
from unabridged.models import extra
from unabridged.models.identity import Identity

if TYPE_CHECKING:
    from unabridged.models.contract import Embedder
    from unabridged.models.crossencoder import CrossEncoder
    from unabridged.vectors.nearest import Question, Reader
    from unabridged.vectors.writing import Writer

NO_IDENTITY = Identity("", "", 0, "")  # of a worker that only judges
MAX_QUESTION = 2_000  # characters of a question that are embedded; a model takes no more of a text


class Worker:
    """One model with one table."""

    def __init__(self) -> None:
        """Begin without either."""
        self._embedder: Embedder | None = None
        self._writer: Writer | None = None
        self._reader: Reader | None = None
        self._judge: CrossEncoder | None = None

    def obey(self, order: messages.Order) -> messages.Report:
        """Carry an order out."""
        if isinstance(order, Load):
            self._load(order)
        elif isinstance(order, Ask):
            return self._answer(order)
        elif isinstance(order, Judge):
            return self._judged(order)
        elif self._writer is None:
            raise ProtocolError("the table must be opened first")
        elif isinstance(order, Take):
            self._writer.apply(order.stretch)
        else:
            assert isinstance(order, Keep)
            self._writer.commit()
        return self._standing()

    def close(self) -> None:
        """Give the table up."""
        if self._writer is not None:
            self._writer.close()

    def _load(self, order: Load) -> None:
        extra.require()
        # They need the packages that were just looked for.
        from unabridged.vectors.nearest import Reader
        from unabridged.vectors.writing import Writer

        if order.choice.judge:
            from unabridged.models.crossencoder import CrossEncoder

            self._judge = CrossEncoder(Path(order.choice.judge))
            return
        self._embedder = embedder(order.choice)
        if order.most_bytes:
            self._writer = Writer(Path(order.folder), self._embedder, order.most_bytes)
        else:
            self._reader = Reader(Path(order.folder), self._embedder.identity)
            self._reader.load()

    def _answer(self, order: Ask) -> Answered:
        if self._reader is None or self._embedder is None:
            raise ProtocolError("the table must be opened first")
        return Answered(
            self._reader.nearest(asked(self._embedder, order.text), order.where, order.limit, order.also)
        )

    def _judged(self, order: Judge) -> Judged:
        if self._judge is None:
            raise ProtocolError("a cross-encoder must be loaded first")
        return Judged(self._judge.scores(order.question, order.passages, order.seconds, time.monotonic))

    def _standing(self) -> Standing:
        if self._embedder is None:
            return Standing(NO_IDENTITY)
        identity, writer = self._embedder.identity, self._writer
        if writer is None:
            return Standing(identity)
        return Standing(identity, dict(writer.watermarks), writer.count, writer.damaged, writer.full)


def asked(embedder: Embedder, text: str) -> Question:
    """Return a question as it is compared."""
    from unabridged.vectors import tokens
    from unabridged.vectors.nearest import Question

    text = text[:MAX_QUESTION]
    read = embedder.read([text])[0]
    weights = tokens.words(text, read.places[: tokens.ASKED])
    return Question(read.row, read.tokens[: tokens.ASKED], weights)


def embedder(choice: Choice) -> Embedder:
    """Return the embedder that was chosen; raises what embedders raise."""
    if choice.url:
        from unabridged.models.remote import RemoteEmbedder

        return RemoteEmbedder(choice.url, choice.model, choice.key, choice.timeout, time.monotonic)
    from unabridged.models.local import LocalEmbedder

    return LocalEmbedder(Path(choice.folder))


def work(sock: socket.socket) -> int:
    """Obey one order after the other until the channel is closed."""
    channel, worker = Channel(sock), Worker()
    while True:
        try:
            order = messages.order(channel.receive())
        except ChannelClosed:
            break
        report: messages.Report
        try:
            report = worker.obey(order)
        except UnabridgedError as error:
            report = Failed(error.code, error.message)
        except Exception as error:  # noqa: BLE001 - told to the daemon, which logs it and starts another worker
            report = Failed(InternalError.code, type(error).__name__, places(error))
        channel.send(messages.encode(report))
    worker.close()
    return 0
