"""What stands for a text that is too long for the window: its beginning, what was left out, its end."""

from __future__ import annotations

from unabridged.schema.tokens import STRICT_MARGIN, by_length, by_script

HEAD = 0.7  # share of a preview that is the text's beginning; the end has the rest
PREVIEW_TOKENS = 800  # of a preview without its marker, at most; half of the gate where that is less
LEAST_TOKENS = 16
CHARS_A_TOKEN = 4  # to begin with; what is dense is cut until it fits
# A cut moves back to the end of a line where one ends within this share of the piece.
LINE_WITHIN = 0.2


def preview(text: str, gate: int, name: str, what: str) -> str:
    """Return a text's preview for a gate of so many tokens. `name` recalls the whole; `what` says what it is."""
    budget = max(LEAST_TOKENS, min(PREVIEW_TOKENS, gate // 2))
    head = _head(text, int(budget * HEAD))
    tail = _tail(text, budget - int(budget * HEAD))
    if len(head) + len(tail) >= len(text):
        return text
    left = by_length(len(text) - len(head) - len(tail))
    whole = by_length(len(text))
    return (
        f"{head}\n[… about {left:,} of {whole:,} tokens of this {what} are left out here; it is archived whole. "
        f"Recall `{name}` to read it. …]\n{tail}"
    )


def reference(name: str, call: str, what: str) -> str:
    """Return the line that stands for a result which is the same as an earlier one that still stands above."""
    earlier = f" `{call}`" if call else ""
    return f"[The same {what} as of the earlier call{earlier} with the same arguments, above. Archived as `{name}`.]"


def _head(text: str, tokens: int) -> str:
    piece = text[: _chars(text[: tokens * CHARS_A_TOKEN], tokens)]
    line = piece.rfind("\n")
    return piece[:line] if line >= len(piece) * (1 - LINE_WITHIN) else piece


def _tail(text: str, tokens: int) -> str:
    reverse = text[-tokens * CHARS_A_TOKEN :][::-1]
    piece = reverse[: _chars(reverse, tokens)][::-1]
    line = piece.find("\n")
    return piece[line + 1 :] if 0 <= line <= len(piece) * LINE_WITHIN else piece


def _chars(piece: str, tokens: int) -> int:
    """Return how many characters of a piece fit into so many tokens, strictly estimated."""
    count = len(piece)
    while count:
        found = by_script(piece[:count].encode("utf-8", "surrogatepass")) * STRICT_MARGIN
        if found <= tokens:
            break
        count = min(count - 1, int(count * tokens / found))
    return count
