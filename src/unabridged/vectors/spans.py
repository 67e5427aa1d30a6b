"""The spans that one event's text is embedded in.

A span has at most `FRESH` tokens of its own; before them stand the last `CONTEXT` tokens of what precedes it, the text
of the event before for the first span, else the span before. Short turns mean little alone ("Yes, the blue one"): on
the development split of LoCoMo the context alone raises the recall of turns at 10 from 46 to 52 per cent.
"""

from __future__ import annotations

from collections.abc import Sequence

FRESH, CONTEXT = 112, 48  # tokens; together 160, which sentence models are trained on at most
MOST_CHARS = 1_120  # of one span: a run of letters without a break counts as one token, however long
MOST = 256  # spans of one event that people or agents wrote: about 28,000 tokens
MOST_OF_TOOL = 32  # spans of one tool's output: its rest is repetition far more often than meaning
TAIL_CHARS = 480  # characters at the end of a text that its last `CONTEXT` tokens are looked for in
_ENDS = ".!?。！？"


def most_of(kind: str) -> int:
    """Return how many spans an event of a kind may have."""
    return MOST_OF_TOOL if kind == "tool-result" else MOST


def spans(text: str, tokens: Sequence[tuple[int, int]], most: int = MOST) -> list[tuple[int, int]]:
    """Return character ranges (start, end) in order, given where the tokens stand; a pure function of both.

    A span ends behind a line or a sentence if one ends in its second half. What no range covers is left out.
    """
    found = list[tuple[int, int]]()
    at = 0
    while at < len(tokens) and len(found) < most:
        start = tokens[at][0]
        stop = min(len(tokens), at + FRESH)
        while stop > at + 1 and tokens[stop - 1][1] - start > MOST_CHARS:
            stop -= 1
        if stop < len(tokens):
            stop = _ended(text, tokens, at, stop)
        found.append((start, min(tokens[stop - 1][1], start + MOST_CHARS)))
        at = stop
    return found


def tail(text: str, tokens: Sequence[tuple[int, int]]) -> str:
    """Return the last `CONTEXT` tokens of a text."""
    return text[tokens[-CONTEXT][0] :] if len(tokens) > CONTEXT else text


def _ended(text: str, tokens: Sequence[tuple[int, int]], first: int, stop: int) -> int:
    for at in range(stop, first + (stop - first) // 2, -1):
        _, end = tokens[at - 1]
        if text[end : end + 1] == "\n" or text[end - 1 : end] in _ENDS:
            return at
    return stop
