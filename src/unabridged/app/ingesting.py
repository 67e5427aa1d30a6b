"""What an ingest worker does: it looks for transcripts and reads them; with nothing to read it helps the index."""

from __future__ import annotations

import socket
import time

from unabridged.archive.capture import Capture
from unabridged.daemon import census, messages
from unabridged.daemon.channel import Channel, ChannelClosed
from unabridged.daemon.logs import places
from unabridged.daemon.messages import Ack, Analyse, Analysed, Broken, Filled, Find, Finished, Read, Take
from unabridged.daemon.reading import Reading, reader_of
from unabridged.errors import ProtocolError
from unabridged.service.compose import HOSTS, redactor


def work(sock: socket.socket) -> int:
    """Obey one command after the other until the channel is closed."""
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
        elif isinstance(command, Take):
            redact = redactor(command.redact, tuple(command.literals), tuple(command.patterns))
            for append in Capture(command.stream, redact, command.prior).take(command.rows):
                send(Filled(append, 0))
            send(Finished("read", []))
        elif isinstance(command, Analyse):
            from unabridged.index.making import (
                make,
            )  # an import waits for this process, and reads before it searches

            send(Analysed(messages.encode(make(command.feed))))
    except ChannelClosed:
        raise
    except Exception as error:  # noqa: BLE001 - told to the daemon, which logs it and starts another worker
        send(Broken(type(error).__name__, places(error)))
