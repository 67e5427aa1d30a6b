"""What an item of a rollout says, as the kind, role and pieces of a block."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, cast

import msgspec

from unabridged.hosts import calls
from unabridged.hosts.blocks import Part
from unabridged.hosts.codex.rows import Content, Item, Output, Path, Rare
from unabridged.hosts.contract import MediaRef, Piece, Ref
from unabridged.schema.records import ECHO, ERROR, HIDDEN, META

MAX_TOOLS = 400  # tool descriptions of one tool search that are rendered
HEADER_CHARACTERS = 400  # at the beginning of an output, where the host tells how the tool ended
MAX_PATCHED = 64  # files that one patch names

_PATCHED = re.compile(r"\*\*\* (?:(?:Add|Update|Delete) File|Move to): ([^\n\\\"]{1,1024})")
_EXIT = re.compile(r"(?:exited with code|xit code:?) (-?\d+)")
# A script in code mode calls tools by name; our own are found by the name of their server, or in a shell command.
_OWN_IN_SCRIPT = re.compile(r"mcp__unabridged|cmd\W{1,4}(?:una|unabridged)\s")
_DATA_URL = re.compile(r"data:([\w.+/-]{1,100})[;,]")


REASONING = Part("reasoning", "assistant", (), HIDDEN)


def piece(text: str, path: Path) -> Piece:
    """Return a reference to a string of the line; the string itself where that is smaller."""
    return Ref(path, text) if len(text) >= calls.SHORT else text


def text_of(pieces: Sequence[Piece]) -> str:
    """Return the text of pieces."""
    return "".join(map(_text, pieces))


def _text(part: Piece) -> str:
    return part if isinstance(part, str) else part.text


# --- calls --------------------------------------------------------------------------------------------------------


def tool_name(item: Item) -> str:
    """Return a tool's full name: with its namespace, as in `mcp__server__tool`."""
    name = item.name or "tool"
    space = item.namespace
    if not space or name.startswith(space):
        return name
    return f"{space}{name}" if name.startswith("_") else f"{space}__{name}"


def function_call(item: Item, path: Path, name: str) -> Part:
    """Render a call whose arguments are JSON inside a string: its strings are no strings of the line, so literals."""
    arguments: Any = item.arguments
    if isinstance(arguments, str):
        try:
            arguments = msgspec.json.decode(arguments)
        except (msgspec.DecodeError, RecursionError):
            return _call(name, None, (f"{name}\n", piece(arguments, (*path, "arguments"))), item.call_id)
        text = text_of(calls.call_pieces(name, _told(arguments), ()))
        return _call(name, arguments, (text,), item.call_id)
    return _call(name, arguments, calls.call_pieces(name, arguments, (*path, "arguments")), item.call_id)


def custom_call(item: Item, path: Path) -> Part:
    """Render a call with free text: a patch, or a script in code mode."""
    name = tool_name(item)
    text = item.input or ""
    own = _is_own_tool(name) or ("una" in text and _is_own_script(text))
    flags = ECHO if own else 0
    pieces = (f"{name}\n", piece(text, (*path, "input")))
    return Part("tool-call", "assistant", pieces, flags, name, item.call_id or "", patched(text))


@lru_cache(maxsize=256)
def _is_own_tool(name: str) -> bool:
    return calls.is_own_call(name, None)


def _is_own_script(text: str) -> bool:
    return ("unabridged" in text or "una " in text) and _OWN_IN_SCRIPT.search(text) is not None


def shell_call(item: Item, rare: Rare, path: Path) -> Part:
    """Render a call of the provider's own shell tool."""
    given: Any = rare.action
    action = cast("dict[str, Any]", given) if isinstance(given, dict) else {}
    told = cast("dict[str, Any]", _told(action))
    shown = {key: value for key, value in told.items() if value is not None and key != "type"}
    pieces = calls.call_pieces("shell", shown, (*path, "action"))
    if shown.get("command") is not action.get("command"):  # joined: no longer a string of the line
        pieces = (text_of(pieces),)
    return _call("shell", action, pieces, item.call_id or item.id)


def search_call(item: Item, rare: Rare, path: Path) -> Part:
    """Render a web search that the provider carries out."""
    pieces = calls.call_pieces("web_search", rare.action, (*path, "action"))
    return _call("web_search", None, pieces, item.call_id or item.id)


def image_call(item: Item, rare: Rare, path: Path) -> Part:
    """Render the making of an image, with the image."""
    pieces = calls.call_pieces("image_generation", rare.revised_prompt, (*path, "revised_prompt"))
    size = calls.base64_size(rare.result) if isinstance(rare.result, str) else 0
    media = (MediaRef("image/png", size, (*path, "result")),) if size else ()
    return Part("tool-call", "assistant", pieces, 0, "image_generation", item.id or "", (), media)


def _call(name: str, arguments: Any, pieces: tuple[Piece, ...], call: str | None) -> Part:
    flags = ECHO if calls.is_own_call(name, arguments) else 0
    paths = calls.named_paths(arguments)
    for text in _commands(arguments):
        paths += tuple(found for found in patched(text) if found not in paths)
    return Part("tool-call", "assistant", pieces, flags, name, call or "", paths)


def _commands(arguments: Any) -> list[str]:
    """Return what may hold a patch: the words of a shell command, or the input of a patch tool."""
    if not isinstance(arguments, dict):
        return []
    row = cast("dict[str, Any]", arguments)
    found: list[str] = []
    for key in ("command", "cmd", "input", "patch"):
        value: Any = row.get(key)
        for word in cast("list[Any]", value) if isinstance(value, list) else [value]:
            if isinstance(word, str):
                found.append(word)
    return found


def _told(arguments: Any) -> Any:
    """Return arguments with a command's words as one line: of `bash -lc …`, what it runs."""
    if not isinstance(arguments, dict):
        return arguments
    row = cast("dict[str, Any]", arguments)
    command: Any = row.get("command")
    if not isinstance(command, list) or not all(isinstance(word, str) for word in cast("list[Any]", command)):
        return row
    words = cast("list[str]", command)
    script = len(words) == 3 and words[1] in ("-lc", "-c")
    return {**row, "command": words[2] if script else " ".join(words)}


def patched(text: str) -> tuple[str, ...]:
    """Return the files that a patch changes."""
    if "*** " not in text:
        return ()
    return tuple(dict.fromkeys(found.strip() for found in _PATCHED.findall(text)))[:MAX_PATCHED]


# --- outputs ------------------------------------------------------------------------------------------------------


def output(item: Item, path: Path, tool: str) -> Part:
    """Render a tool's output: a string, a list of items, or an object around either."""
    found = item.output
    flags = 0
    media: tuple[MediaRef, ...] = ()
    path = (*path, "output")
    if isinstance(found, Output):
        flags = ERROR if found.success is False else 0
        found = found.content
        path = (*path, "content")
    if isinstance(found, str):
        pieces, failed = _output_text(found, path)
        flags |= failed
    else:
        pieces, media = items(found or (), path)
    if pieces and failed_at(_text(pieces[0])[:HEADER_CHARACTERS]):
        flags |= ERROR
    return Part("tool-result", "tool", pieces, flags, tool, item.call_id or "", (), media)


def failed_at(header: str) -> bool:
    """Tell whether an output's beginning says that the tool failed."""
    if "code" in header and (found := _EXIT.search(header)) is not None:
        return int(found[1]) != 0
    return header.startswith(("Script failed", "Script error", "execution error", "exec_command failed"))


def _output_text(text: str, path: Path) -> tuple[tuple[Piece, ...], int]:
    """Versions of 2025 put a shell's output and exit code as JSON into the string."""
    if text.startswith('{"') and text.endswith("}") and '"output"' in text[:200]:
        try:
            inner: Any = msgspec.json.decode(text)
        except (msgspec.DecodeError, RecursionError):
            return (piece(text, path),), 0
        if isinstance(inner, dict):
            row = cast("dict[str, Any]", inner)
            shown, about = row.get("output"), row.get("metadata")
            if isinstance(shown, str):
                code = cast("dict[str, Any]", about).get("exit_code") if isinstance(about, dict) else None
                return (shown,) if shown else (), ERROR if code else 0
    return (piece(text, path),) if text else (), 0


def items(content: Sequence[Content], path: Path) -> tuple[tuple[Piece, ...], tuple[MediaRef, ...]]:
    """Render the items of an output, each on a line of its own."""
    pieces: list[Piece] = []
    media: list[MediaRef] = []
    broken = True  # at the beginning of a line
    for index, item in enumerate(content):
        text = item.text
        if text:
            if not broken:
                pieces.append("\n")
            pieces.append(Ref((*path, index, "text"), text) if len(text) >= calls.SHORT else text)
            broken = text.endswith("\n")
        elif item.image_url:
            media.append(image(item.image_url, (*path, index, "image_url")))
    return tuple(pieces), tuple(media)


def image(url: str, path: Path) -> MediaRef:
    """Return an image that stands as a data URL in the line, or only as its address."""
    kind = _DATA_URL.match(url, 0, 200)
    if kind is None:
        return MediaRef("image", 0, path, url[:200])
    return MediaRef(kind[1], calls.base64_size(url), path)


def found_tools(item: Item, rare: Rare, path: Path) -> Part:
    """Render what a tool search found: names and descriptions; their schemas stay in the original."""
    pieces: list[Piece] = []
    left = MAX_TOOLS

    def add(tools: Any, at: Path, space: str) -> None:
        nonlocal left
        for index, tool in enumerate(cast("list[Any]", tools) if isinstance(tools, list) else []):
            row = cast("dict[str, Any]", tool) if isinstance(tool, dict) else {}
            name, about = row.get("name"), row.get("description")
            if not isinstance(name, str) or left <= 0:
                continue
            left -= 1
            pieces.append(f"{space}{name}: " if not pieces else f"\n{space}{name}: ")
            if isinstance(about, str):
                pieces.append(piece(about, (*at, index, "description")))
            add(row.get("tools"), (*at, index, "tools"), f"{name}.")

    add(rare.tools, (*path, "tools"), "")
    return Part("tool-result", "tool", tuple(pieces), META, "tool_search", item.call_id or "")


def agent_text(item: Item, rare: Rare, path: Path) -> tuple[Piece, ...]:
    """Render a message between agents: who writes to whom, then the text."""
    path = (*path, "content")
    content = item.content
    if isinstance(content, str):
        pieces: tuple[Piece, ...] = (piece(content, path),) if content else ()
    else:
        pieces, _ = items(content or (), path)
    return (f"{rare.author or '?'} → {rare.recipient or '?'}\n", *pieces) if pieces else ()
