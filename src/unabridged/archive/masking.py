"""Results of tools that read sensitive files, masked before they are stored.

A call that shows such a file (`cat .env`, a read of a key file) is remembered by its id until its result came; every
later line that names the id has its content masked: what is left are names, ids, times, paths.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, cast

import msgspec

from unabridged.archive.redact.commands import masks_output, may_show
from unabridged.archive.redact.files import MASKED_OUTPUT, listed
from unabridged.hosts.lines import values

MAX_WAITING = 16  # calls whose results are waited for; the oldest gives way
MAX_ARGUMENTS = 16_384  # bytes of a call that are looked at
MAX_DEPTH = 64  # of JSON that is walked; deeper values are masked whole

_LABEL = re.compile(r"^([A-Za-z_][\w.-]{0,40}): (.*)$")
# Under these names stands what a tool gave back; everything else of the line stays.
_CONTENT = listed(
    """
    content text output stdout stderr result results file fulloutput tooluseresult details data formatted_output
    aggregated_output partialresult originalfile structuredpatch oldstring newstring diff patch lines preview message
    error metadata
    """
)
_NAMES = listed(
    """
    type id uuid role name tool toolname tool_name tooluseid tool_use_id toolcallid call_id callid filepath file_path
    path status timestamp mimetype mime_type media_type sessionid parentuuid model api provider stopreason
    """
)


class Masker:
    """Remembers sensitive calls of one transcript."""

    def __init__(self, waiting: Iterable[str] = ()) -> None:
        """Go on with the calls whose results have not come."""
        self._waiting = dict.fromkeys(waiting)

    @property
    def waiting(self) -> list[str]:
        """Ids of the calls whose results are masked."""
        return list(self._waiting)

    def saw(self, tool: str, call: str, text: bytes) -> None:
        """Look at a tool call: `text` is its rendering (the tool's name, then a labelled line per argument)."""
        text = text[:MAX_ARGUMENTS]
        if call and may_show(text) and masks_output(tool, arguments(text.decode("utf-8", "ignore"))):
            self._remember(call)

    def _remember(self, call: str) -> None:
        self._waiting[call] = None
        while len(self._waiting) > MAX_WAITING:
            del self._waiting[next(iter(self._waiting))]

    def concerns(self, line: bytes) -> bool:
        """Tell whether a line names a call whose result must be masked."""
        return bool(self._waiting) and any(call.encode() in line for call in self._waiting)

    def mask(self, line: bytes) -> bytes:
        """Return the line with every string of tool output replaced; its terminator stays."""
        end = line[len(line.rstrip(b"\r\n")) :]
        items = values(line).items
        if not items:
            return MASKED_OUTPUT.encode() + end
        return b"".join(msgspec.json.encode(_masked(item, inside=False, depth=0)) for item in items) + end


def arguments(rendering: str) -> str:
    """Return a call's rendering as a JSON object of its arguments."""
    found, name = dict[str, Any](), ""
    for line in rendering.split("\n")[1:]:
        label = _LABEL.match(line)
        if label:
            name = label[1]
            found[name] = label[2]
        elif name:
            found[name] = f"{found[name]}\n{line}"
    if not found:
        return rendering
    return msgspec.json.encode({key: _value(text) for key, text in found.items()}).decode()


def _value(text: str) -> Any:
    if text[:1] in ("[", "{"):
        try:
            return msgspec.json.decode(text.encode("utf-8", "replace"))
        except (msgspec.DecodeError, RecursionError):
            return text
    return text


def _masked(value: Any, *, inside: bool, depth: int) -> Any:
    """Return a value without the strings that stand under a content name."""
    if depth > MAX_DEPTH:
        return MASKED_OUTPUT
    if isinstance(value, str):
        return MASKED_OUTPUT if inside and value else value
    if isinstance(value, list):
        return [_masked(item, inside=inside, depth=depth + 1) for item in cast("list[Any]", value)]
    if isinstance(value, dict):
        return {
            key: item
            if isinstance(item, str) and key.lower() in _NAMES
            else _masked(item, inside=_inside(key, item, inside), depth=depth + 1)
            for key, item in cast("dict[str, Any]", value).items()
        }
    return value


def _inside(key: str, value: Any, inside: bool) -> bool:
    # `message` frames the whole row in some hosts: only its own content is output.
    if key == "message" and isinstance(value, dict):
        return inside
    return inside or key.lower() in _CONTENT
