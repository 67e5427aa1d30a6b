"""What an agent is told of the archive when its session starts or was compacted: briefly, because it stays there."""

from __future__ import annotations

from collections.abc import Sequence

from unabridged.hosts.calls import OWN_MARK
from unabridged.schema.tokens import strict
from unabridged.window.catalogue import Entry, render

ORIENTATION_TOKENS, CATALOGUE_TOKENS = 160, 800  # strictly estimated
_TAG = OWN_MARK.removeprefix("<")
# A quoted topic must not end the text that it stands in.
_QUOTED = str.maketrans({"<": "\u2039", ">": "\u203a"})


def orientation(sessions: int, since: str) -> str:
    """Return the text for a project of which so many other sessions are kept, the first from the day `since`.

    "" where there are none: an empty archive is not worth a token.
    """
    if sessions <= 0:
        return ""
    kept = f"{sessions:,} earlier session{'s' * (sessions != 1)} of this project"
    dated = f" since {since}" if since else ""
    return (
        f"<{_TAG}-archive>\n{kept}{dated}, kept word for word. Before asking again about earlier work, decisions, "
        "errors or commands, or doing it over, search them (tool `search` of unabridged, or `una search` in a shell); "
        f"`recall` gives the exact passage. For what files hold now, read the files.\n</{_TAG}-archive>"
    )


def contents(entries: Sequence[Entry]) -> str:
    """Return the table of contents of a conversation that was compacted, within its budget; "" without entries."""
    if not entries:
        return ""
    frame = f"<{_TAG}-catalogue>\n\n</{_TAG}-catalogue>"
    left = CATALOGUE_TOKENS - strict(frame.encode()) - 1
    table = render(entries, "", left).translate(_QUOTED)
    text = f"<{_TAG}-catalogue>\n{table}\n</{_TAG}-catalogue>"
    return text if strict(text.encode("utf-8", "surrogatepass")) <= CATALOGUE_TOKENS else ""
