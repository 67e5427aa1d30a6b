"""What the index worker does: it writes the search index."""

from __future__ import annotations

import socket
from pathlib import Path

import msgspec

from unabridged.daemon import indexmessages
from unabridged.daemon.channel import Channel, ChannelClosed
from unabridged.daemon.indexmessages import Apply, ApplyMade, Commit, Digest, Digested, Failed, Open, Standing
from unabridged.daemon.logs import places
from unabridged.errors import InternalError, ProtocolError, UnabridgedError
from unabridged.index.indexer import Indexer
from unabridged.index.lexical import LexicalIndex
from unabridged.index.making import Made

_made = msgspec.msgpack.Decoder(Made)


def work(sock: socket.socket) -> int:
    """Obey one order after the other until the channel is closed."""
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
            report = _obey(indexer, order)
        except UnabridgedError as error:
            report = Failed(error.code, error.message)
        except Exception as error:  # noqa: BLE001 - told to the daemon, which logs it and starts another worker
            report = Failed(InternalError.code, type(error).__name__, places(error))
        channel.send(indexmessages.encode(report))
    if indexer is not None:
        indexer.close()
    return 0


def _obey(indexer: Indexer | None, order: indexmessages.Order) -> indexmessages.Report:
    if isinstance(order, Digest):
        with LexicalIndex.open(Path(order.path)) as opened:
            return Digested(opened.digest(), opened.damaged())
    if indexer is None:
        raise ProtocolError("the index must be opened first")
    if isinstance(order, Apply):
        indexer.apply(order.feed)
    elif isinstance(order, ApplyMade):
        indexer.apply_made(_made.decode(order.made))
    elif isinstance(order, Commit):
        indexer.commit()
    return Standing(dict(indexer.watermarks), indexer.count, indexer.damaged)
