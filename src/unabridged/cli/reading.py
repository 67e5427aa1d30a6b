"""Walks through the pages of sessions, events that the daemon gives."""

from __future__ import annotations

from unabridged.errors import InvalidInput, NotFound

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

    from unabridged.cli.connection import Caller

# Sessions and events a page: large enough that paging costs nothing, far below a frame.
SESSION_PAGE = 1_000
EVENT_PAGE = 500

PASSAGES = ("w", "una1_")  # begin the handle, the locator of a passage
FEW_TOKENS = 200  # of a passage that is only asked where it stands


def sessions(client: Caller, asked: Mapping[str, Any], most: int = 0) -> Iterator[tuple[dict[str, Any], str]]:
    """Yield every session with the cursor behind its page (empty on the last); at most `most` of them when given."""
    cursor = str(asked.get("cursor", ""))
    left = most
    while True:
        page = min(left, SESSION_PAGE) if most else SESSION_PAGE
        answer = client.call("sessions", {**asked, "limit": page, **({"cursor": cursor} if cursor else {})})
        cursor = str(answer.get("next") or "")
        for row in answer["sessions"]:
            yield row, cursor
        left -= len(answer["sessions"])
        if not cursor or (most and left <= 0):
            return


def session_of(client: Caller, target: str) -> str:
    """Return the session that a passage with a handle or locator is of; any other name as it is."""
    if not target.startswith(PASSAGES):
        return target
    try:
        found = client.call("recall", {"target": target, "max_tokens": FEW_TOKENS, "counts": False})
    except (InvalidInput, NotFound):
        return target  # a host may name its sessions so
    return str(found["session"]) or target


class Events:
    """The events of a session; `session` is its row, known once the first page came."""

    def __init__(self, client: Caller, target: str, reasoning: bool = False) -> None:
        """Ask for the first page."""
        self._client = client
        self._asked: dict[str, Any] = {"target": target, "limit": EVENT_PAGE}
        if reasoning:
            self._asked["reasoning"] = True
        self._page = client.call("show", self._asked)
        self.session: dict[str, Any] = self._page["session"]

    def __iter__(self) -> Iterator[dict[str, Any]]:
        """Yield each event in order."""
        page = self._page
        while True:
            yield from page["events"]
            if not page.get("next"):
                return
            page = self._client.call("show", {**self._asked, "cursor": page["next"]})
