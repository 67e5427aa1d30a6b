"""In which order are the messages of a branching conversation read?"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping


def branches(parents: Mapping[str, str], last: str = "") -> list[str]:
    """Return all messages, each behind its parent, one branch after the other; the branch of `last` comes last.

    `parents` gives the parent of each message ("" or one that is not there: a root). Other siblings keep their order,
    and so do roots. What only hangs on itself (a cycle) stands behind all others, in the order given.
    """
    current = _line(parents, last)
    children: dict[str, list[str]] = {}
    roots: list[str] = []
    for name, parent in sorted(parents.items(), key=lambda item: item[0] in current):
        if parent and parent in parents and parent != name:
            children.setdefault(parent, []).append(name)
        else:
            roots.append(name)
    found: dict[str, None] = {}
    waiting = roots[::-1]
    while waiting:
        name = waiting.pop()
        if name not in found:
            found[name] = None
            waiting += reversed(children.get(name, ()))
    found.update(dict.fromkeys(parents))
    return list(found)


def _line(parents: Mapping[str, str], name: str) -> set[str]:
    """Return a message with its ancestors."""
    found: set[str] = set()
    while name in parents and name not in found:
        found.add(name)
        name = parents[name]
    return found


def nearest(order: Iterable[str], parents: Mapping[str, str], wanted: Container[str]) -> dict[str, str]:
    """Return the nearest ancestor of each message that is wanted, "" where there is none.

    `order` is that of `branches`, so that an ancestor is known before what hangs on it: each message costs one step.
    """
    found: dict[str, str] = {}
    for name in order:
        parent = parents.get(name, "")
        found[name] = parent if parent in found and parent in wanted else found.get(parent, "")
    return found
