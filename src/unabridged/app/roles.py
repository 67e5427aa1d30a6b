"""What worker processes do: each role composes the pure parts around a channel."""

from __future__ import annotations

import socket
import time
from collections.abc import Callable, Mapping
from pathlib import Path

from unabridged.daemon import census, indexmessages, messages
from unabridged.daemon.channel import Channel, ChannelClosed
from unabridged.daemon.indexmessages import Apply, Commit, Digest, Digested, Failed, Open, Standing
from unabridged.daemon.logs import places
from unabridged.daemon.messages import Ack, Broken, Find, Read
from unabridged.daemon.reading import Reading, reader_of
from unabridged.errors import InternalError, ProtocolError, UnabridgedError
from unabridged.index.indexer import Indexer
from unabridged.index.lexical import LexicalIndex
from unabridged.service.compose import HOSTS, redactor


def ingest(sock: socket.socket) -> int:
    """Look for transcripts and read them, one command after the other."""
    channel = Channel(sock)
    while True:
        try:
            command = messages.command(channel.receive())
            _obey(channel, command)
        except ChannelClosed:
            return 0


def _obey(channel: Channel, command: messages.Command) -> None:
    def send(report: messages.Report) -> None:
        channel.send(messages.encode(report))

    def receive() -> Ack:
        answer = messages.command(channel.receive())
        if not isinstance(answer, Ack):
            raise ProtocolError("a batch must be acknowledged first")
        return answer

    try:
        if isinstance(command, Find):
            for page in census.find(command, HOSTS):
                send(page)
        elif isinstance(command, Read):
            redact = redactor(command.redact, tuple(command.literals), tuple(command.patterns))
            Reading(command, reader_of(HOSTS, command), redact, send, receive).run(time.time_ns())
    except ChannelClosed:
        raise
    except Exception as error:  # noqa: BLE001 - told to the daemon, which logs it and starts another worker
        send(Broken(type(error).__name__, places(error)))


def index(sock: socket.socket) -> int:
    """Write the search index, one order after the other."""
    channel = Channel(sock)
    indexer: Indexer | None = None
    while True:
        try:
            order = indexmessages.order(channel.receive())
        except ChannelClosed:
            break
        report: indexmessages.Report
        try:
            if isinstance(order, Open):
                indexer = Indexer(Path(order.path))
            report = _index(indexer, order)
        except UnabridgedError as error:
            report = Failed(error.code, error.message)
        except Exception as error:  # noqa: BLE001 - told to the daemon, which logs it and starts another worker
            report = Failed(InternalError.code, type(error).__name__, places(error))
        channel.send(indexmessages.encode(report))
    if indexer is not None:
        indexer.close()
    return 0


def _index(indexer: Indexer | None, order: indexmessages.Order) -> indexmessages.Report:
    if isinstance(order, Digest):
        with LexicalIndex.open(Path(order.path)) as opened:
            return Digested(opened.digest(), opened.damaged())
    if indexer is None:
        raise ProtocolError("the index must be opened first")
    if isinstance(order, Apply):
        indexer.apply(order.feed)
    elif isinstance(order, Commit):
        indexer.commit()
    return Standing(dict(indexer.watermarks), indexer.count, indexer.damaged)


ROLES: Mapping[str, Callable[[socket.socket], int]] = {"index": index, "ingest": ingest}
