"""A message's content items as parts."""

from __future__ import annotations

from collections.abc import Sequence

from unabridged.hosts import calls
from unabridged.hosts.codex import parts
from unabridged.hosts.codex.authors import ROLES, system_flags, user_flags
from unabridged.hosts.codex.parts import Part
from unabridged.hosts.codex.rows import Item, Path
from unabridged.hosts.contract import Ref
from unabridged.schema.ids import hashed
from unabridged.schema.records import HUMAN, SUMMARY


def read_message(item: Item, path: Path) -> tuple[Part, ...]:
    """Return the parts of a message."""
    role = ROLES.get(item.role or "", "other")
    kinds = item.made.content_item_kinds if item.made is not None else None
    content = item.content
    if isinstance(content, str):
        return text_parts(content, (*path, "content"), role)
    found: list[Part] = []
    for index, entry in enumerate(content or ()):
        text = entry.text
        if text:
            found.append(_text(text, (*path, "content", index, "text"), role, kinds, index))
        elif entry.image_url:
            media = parts.image(entry.image_url, (*path, "content", index, "image_url"))
            flags = HUMAN if role == "user" else 0
            found.append(Part("image", role, (f"[image {media.media_type}]",), flags, media=(media,)))
    return tuple(found)


def text_parts(text: str, path: Path, role: str) -> tuple[Part, ...]:
    """Return the part of a message that is one string; none for an empty one."""
    return (_text(text, path, role, None, 0),) if text else ()


def _text(text: str, path: Path, role: str, kinds: Sequence[str] | None, index: int) -> Part:
    piece = Ref(path, text) if len(text) >= calls.SHORT else text
    if role == "user":
        flags = user_flags(text, kinds, index)
        return Part("compaction" if flags & SUMMARY else "text", role, (piece,), flags)
    return Part("text", role, (piece,), system_flags(text) if role == "system" else 0)


def digest(role: str | None, found: Sequence[Part]) -> bytes:
    """Return what names a message that has no id: its role and text."""
    return hashed(8, ROLES.get(role or "", "other"), *(parts.text_of(part.pieces) for part in found))
