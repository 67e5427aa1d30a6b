"""One agent's conversation: the protocol's SDK on one side, operations of the daemon on the other."""

from __future__ import annotations

import asyncio
import os
import sys
import traceback
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from mcp import types
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError

from unabridged import __version__
from unabridged.daemon.paths import Layout
from unabridged.errors import InternalError, InvalidInput, NotFound, UnabridgedError
from unabridged.mcp import answers, opening
from unabridged.mcp.arguments import parameters
from unabridged.mcp.link import Link
from unabridged.mcp.tools import BY_NAME, PLAIN, TOOLS, Tool, listing
from unabridged.retrieve.locator import HANDLE_PREFIX, PREFIX

AT_ONCE = 8  # calls of one agent worked on at once; further ones wait
ROOTS_SECONDS = 2.0  # that a host may take to say where it works
MOST_ROOTS = 64  # of one host that are looked at

Context = ServerRequestContext[dict[str, Any], Any]


class Conversation:
    """What one agent asks, from its folder, within what the daemon grants there."""

    def __init__(self, layout: Layout, folder: str, nonce: str) -> None:
        """Serve an agent that was started in `folder`; `nonce` is its own name for as long as it lives."""
        self._layout = layout
        self._folder = folder
        self._nonce = nonce
        self._link: Link | None = None
        self._linking = asyncio.Lock()
        self._turns = asyncio.Semaphore(AT_ONCE)

    def server(self) -> Server[dict[str, Any]]:
        """Return what answers the protocol's requests."""
        return Server(
            opening.NAME,
            version=__version__,
            title=opening.TITLE,
            instructions=opening.INSTRUCTIONS,
            on_list_tools=self._list,
            on_call_tool=self._call,
        )

    def close(self) -> None:
        """End the connection to the daemon; what still runs for it is cancelled."""
        if self._link is not None:
            self._link.close()

    async def _list(self, _: Context, __: types.PaginatedRequestParams | None) -> types.ListToolsResult:
        return types.ListToolsResult(tools=[types.Tool.model_validate(listing(tool)) for tool in TOOLS])

    async def _call(self, context: Context, asked: types.CallToolRequestParams) -> types.CallToolResult:
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
            sys.stderr.write("".join(traceback.format_tb(error.__traceback__)) + f"{type(error).__name__}\n")
            return _failed(InternalError(type=type(error).__name__))
        return types.CallToolResult(
            content=[types.TextContent(type="text", text=answers.text(tool, answer))],
            structured_content=answers.structured(tool, answer),
            is_error=False,
        )

    async def _answer(self, context: Context, tool: Tool, given: Mapping[str, Any]) -> dict[str, Any]:
        asked = parameters(tool, given)
        link = await self._reach(context)
        for argument in tool.arguments:
            if argument.means != PLAIN and given.get(argument.name):
                await _resolve(link, asked, argument.field, argument.means)
        if tool.op == "sessions" and asked.pop("scope", "") == "project":
            asked["project"] = link.folder
        if tool.op == "note":
            # A request that is given to a second process keeps its name, so that the note is kept once.
            asked["request"] = f"mcp:{self._nonce}:{context.request_id}"
        return await link.call(tool.op, asked, repeatable=True)

    # --- where the agent works --------------------------------------------------------------------------------------

    async def _reach(self, context: Context) -> Link:
        async with self._linking:
            if self._link is None:
                self._link = Link(self._layout, await self._place(context))
            return self._link

    async def _place(self, context: Context) -> str:
        """Return the folder that the agent works in: where it was started, unless its roots lie elsewhere."""
        roots = await _roots(context)
        if not roots or any(_within(self._folder, root) for root in roots):
            return self._folder
        return roots[0]


def _failed(error: UnabridgedError) -> types.CallToolResult:
    return types.CallToolResult(
        content=[types.TextContent(type="text", text=answers.error_text(error))],
        structured_content=answers.error_object(error),
        is_error=True,
    )


async def _resolve(link: Link, asked: dict[str, Any], path: str, means: str) -> None:
    """Replace the handle of a passage by its session or document; leave any other name as it is."""
    outer, _, inner = path.partition(".")
    holder, name = (asked[outer], inner) if inner else (asked, outer)
    value = holder[name]
    if not value.startswith((HANDLE_PREFIX, PREFIX)):
        return
    try:
        found = await link.call("recall", {"target": value, "max_tokens": 1})
    except InvalidInput:
        return  # a host may name its sessions so
    if not found[means]:
        raise NotFound(f"the passage is {found['status']}", field=name, status=found["status"])
    holder[name] = found[means]


async def _roots(context: Context) -> list[str]:
    """Return the folders that the host names as its roots; none when it names none or cannot be asked."""
    abilities = context.session.client_capabilities
    if abilities is None or abilities.roots is None or not context.session.can_send_request:
        return []
    try:
        async with asyncio.timeout(ROOTS_SECONDS):
            told = await context.session.send_request(types.ListRootsRequest(), types.ListRootsResult)
    except (TimeoutError, MCPError):
        return []
    found = [_path(str(root.uri)) for root in told.roots[:MOST_ROOTS]]
    return [path for path in found if path]


def _path(uri: str) -> str:
    parts = urlsplit(uri)
    path = unquote(parts.path)
    if parts.scheme != "file" or parts.netloc not in ("", "localhost") or "\0" in path:
        return ""
    return path if Path(path).is_dir() else ""


def _within(folder: str, root: str) -> bool:
    if not folder:
        return False
    real, place = os.path.realpath(root), os.path.realpath(folder)
    return place == real or place.startswith(real.rstrip("/") + "/")
