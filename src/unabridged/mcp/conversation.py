"""One agent's conversation: the protocol's SDK on one side, operations of the daemon on the other."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from typing import Any

from mcp import types
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError

from unabridged import __version__
from unabridged.daemon.link import Link
from unabridged.daemon.paths import Layout
from unabridged.errors import UnabridgedError
from unabridged.mcp import opening
from unabridged.mcp.faults import told
from unabridged.mcp.naming import resolve
from unabridged.mcp.roots import Context, place
from unabridged.service.tools import answers, arguments
from unabridged.service.tools.table import BY_NAME, PLAIN, TOOLS, Tool, listing

NAME = "mcp"  # what the daemon knows this as
AT_ONCE = 8  # calls of one agent worked on at once; further ones wait
MOST_NAME = 200  # characters of the name of a request: the daemon takes 256

OnCall = Callable[[Context, types.CallToolRequestParams], Awaitable[types.CallToolResult]]


def server_of(call: OnCall) -> Server[dict[str, Any]]:
    """Return what answers the protocol's requests; `call` answers those of tools."""
    return Server(
        opening.NAME,
        version=__version__,
        title=opening.TITLE,
        instructions=opening.INSTRUCTIONS,
        on_list_tools=list_tools,
        on_call_tool=call,
    )


class Conversation:
    """What one agent asks, from its folder, within what the daemon grants there."""

    def __init__(self, folder: str, nonce: str, link_from: Callable[[str], Link]) -> None:
        """Serve an agent that was started in `folder`; `nonce` is its own name for as long as it lives.

        `link_from` gives the connection to the daemon of who works in a folder.
        """
        self._link_from = link_from
        self._folder = folder
        self._nonce = nonce
        self._link: Link | None = None
        self._linking = asyncio.Lock()
        self._turns = asyncio.Semaphore(AT_ONCE)

    def server(self) -> Server[dict[str, Any]]:
        """Return what answers the protocol's requests."""
        return server_of(self.call)

    def close(self) -> None:
        """End the connection to the daemon; what still runs for it is cancelled."""
        if self._link is not None:
            self._link.close()

    async def call(self, context: Context, asked: types.CallToolRequestParams) -> types.CallToolResult:
        """Answer the call of a tool; what it met is an answer, too."""
        tool = BY_NAME.get(asked.name)
        if tool is None:
            raise MCPError(
                types.INVALID_PARAMS, f"there is no tool {asked.name[:64]!r}", {"known": list(BY_NAME)}
            )
        try:
            async with self._turns:
                answer = await self._answer(context, tool, asked.arguments or {})
        except UnabridgedError as error:
            return _failed(error)
        except Exception as error:  # noqa: BLE001 - a fault in one call is its own answer; its text may hold content
            return _failed(told(error))
        return types.CallToolResult(
            content=[types.TextContent(type="text", text=answers.text(tool, answer))],
            structured_content=answers.structured(tool, answer),
            is_error=False,
        )

    async def _answer(self, context: Context, tool: Tool, given: Mapping[str, Any]) -> dict[str, Any]:
        asked = arguments.parameters(tool, given)
        link = await self._reach(context)
        for argument in tool.arguments:
            if argument.means != PLAIN and given.get(argument.name):
                await resolve(link, asked, argument.field, argument.means)
        if not tool.reads_only:
            # A request that is given to a second process keeps its name, so that the note is kept once.
            asked["request"] = f"mcp:{self._nonce}:{context.request_id!r}"[:MOST_NAME]
        return await link.call(tool.op, asked, repeatable=True)

    # --- where the agent works --------------------------------------------------------------------------------------

    async def _reach(self, context: Context) -> Link:
        async with self._linking:
            if self._link is None:
                self._link = self._link_from(await place(context, self._folder))
            return self._link


def alone(layout: Layout, folder: str, nonce: str) -> Conversation:
    """Return the conversation of an agent that shares its connection to the daemon with nobody."""
    return Conversation(folder, nonce, partial(Link, layout, name=NAME))


async def list_tools(_: Context, __: types.PaginatedRequestParams | None) -> types.ListToolsResult:
    """Answer the listing of the tools."""
    return types.ListToolsResult(tools=[types.Tool.model_validate(listing(tool)) for tool in TOOLS])


def _failed(error: UnabridgedError) -> types.CallToolResult:
    return types.CallToolResult(
        content=[types.TextContent(type="text", text=answers.error_text(error))],
        structured_content=answers.error_object(error),
        is_error=True,
    )
