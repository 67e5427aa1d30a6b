"""The agents that came over HTTP: a conversation for each session, a connection to the daemon for each folder."""

from __future__ import annotations

import os
from collections import OrderedDict
from collections.abc import Mapping
from typing import Any

from mcp import types
from mcp.server.lowlevel import Server

from unabridged.daemon.link import Link
from unabridged.daemon.paths import Layout
from unabridged.mcp.conversation import Conversation, server_of
from unabridged.mcp.roots import Context

MOST = 2_048  # sessions at once: some agents never end one, and each start of theirs is another
MOST_FOLDERS = 8  # that have a connection to the daemon, which has sixteen: the least used one is given back
SESSION_HEADER = "mcp-session-id"
FOLDER_HEADER = "unabridged-folder"  # where the agent works, for one that names no roots
NONCE_BYTES = 8
NAME = "mcp"  # what the daemon knows these connections as


class Visitors:
    """All that is known of them."""

    def __init__(self, layout: Layout, folder: str) -> None:
        """Serve agents of a home; who does not say where he works counts as working in `folder`."""
        self._layout = layout
        self._folder = folder
        self._links = OrderedDict[str, Link]()
        self._conversations = OrderedDict[str, Conversation]()

    def server(self) -> Server[dict[str, Any]]:
        """Return what answers the protocol's requests, of whichever session."""
        return server_of(self._call)

    def close(self) -> None:
        """End the connections to the daemon."""
        for link in self._links.values():
            link.close()

    async def _call(self, context: Context, asked: types.CallToolRequestParams) -> types.CallToolResult:
        request: Any = context.request  # of the server's framework
        return await self._conversation(request.headers).call(context, asked)

    def _conversation(self, headers: Mapping[str, str]) -> Conversation:
        """Return the conversation of a request: that of its session, or in a version without any its own."""
        session = headers.get(SESSION_HEADER, "")
        found = self._conversations.pop(session, None) or Conversation(
            headers.get(FOLDER_HEADER) or self._folder,
            os.urandom(NONCE_BYTES).hex(),
            self._link,
        )
        if session:
            self._conversations[session] = found
            if len(self._conversations) > MOST:
                self._conversations.popitem(last=False)
        return found

    def _link(self, folder: str) -> Link:
        found = self._links.pop(folder, None) or Link(self._layout, folder, name=NAME, starts=True)
        self._links[folder] = found
        if len(self._links) > MOST_FOLDERS:
            self._links.popitem(last=False)[1].close()
        return found
