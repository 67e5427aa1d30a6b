"""Lines of a pipe become messages of the SDK, and its answers lines."""

from __future__ import annotations

import asyncio
import re

from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp import types
from mcp.shared.message import SessionMessage

Inbox = MemoryObjectSendStream[SessionMessage | Exception]
Outbox = MemoryObjectReceiveStream[SessionMessage]

# What some readers take for the end of a line although it is none of the protocol.
_ENDS = re.compile("[\x85\u2028\u2029]")


async def read(reader: asyncio.StreamReader, inbox: Inbox) -> None:
    """Hand the lines of a pipe to the SDK; what is no message of the protocol it answers or drops by itself."""
    async with inbox:
        while line := await reader.readline():
            try:
                message = types.jsonrpc_message_adapter.validate_json(line, by_name=False)
            except ValueError as error:
                await inbox.send(error)
                continue
            await inbox.send(SessionMessage(message))


async def write(writer: asyncio.StreamWriter, outbox: Outbox) -> None:
    """Write the SDK's messages as lines, until there are no more."""
    async with outbox:
        async for reply in outbox:
            text = reply.message.model_dump_json(by_alias=True, exclude_unset=True)
            writer.write(_ENDS.sub(_escaped, text).encode() + b"\n")
            await writer.drain()


def _escaped(match: re.Match[str]) -> str:
    return f"\\u{ord(match[0]):04x}"
