"""Finds the values of a Kubernetes Secret."""

from __future__ import annotations

from unabridged.archive.redact import examples, values
from unabridged.archive.redact.pattern import capturing, searching
from unabridged.archive.redact.rule import Span
from unabridged.archive.redact.seen import Seen

LOOK_AROUND = 4_096  # bytes before and behind `kind: Secret` in which its data may stand
MAX_ENTRIES = 64  # values of one manifest

_EDGE = searching(r"(?:\n|\\n)---")
_DATA = capturing(r"(?:^|[\s\\\"'{,n])(?:data|stringData)\\*[\"']?:[ \t]*(\{?)")
_LINE = capturing(
    r"(?:\r?\n|\\r\\n|\\n)([ \t]+)(?:[A-Za-z0-9_.-]+:[ \t]*\\*[\"']?([^\s\"'\\{|>#]*)[^\n\\]*"
    r"|#[^\n\\]*|[A-Za-z0-9+/=]+)"
)
_MEMBER = capturing(r"(?:\s|\\+[nrt])*\\*\"[A-Za-z0-9_.-]+\\*\"\s*:\s*\\*\"([^\"\\]*)\\*\"\s*,?")


def secret_values(text: bytes, at: int, seen: Seen) -> tuple[list[Span], bool]:
    """Find the values of the manifest around the `kind: Secret` at `at`, as YAML or JSON, escaped or not."""
    if seen.is_read("k8s", at):
        return [], False
    low = max(0, at - LOOK_AROUND)
    high = min(len(text), at + LOOK_AROUND)
    last = min(len(text), high + values.MAX_VALUE)
    edge = _EDGE.search(text, at, last)
    if edge is not None:
        last = edge.start()
        high = min(high, last)
    seen.read("k8s", high)
    for edge in _EDGE.finditer(text, low, at):
        low = edge.end()
    spans: list[Span] = []
    short = False
    for data in _DATA.finditer(text, low, high):
        pattern, group = (_MEMBER, 1) if data.group(1) else (_LINE, 2)
        place = data.end()
        for _ in range(MAX_ENTRIES):
            entry = pattern.match(text, place, last) if place < high else None
            if entry is None:
                break
            place = entry.end()
            short |= place == len(text)
            value = entry.group(group)
            if value and len(value) >= values.MIN_PASSWORD and not examples.is_placeholder(value):
                spans.append(
                    Span(entry.start(group), entry.end(group), "kubernetes-secret", "kubernetes-secret")
                )
    return spans, short
