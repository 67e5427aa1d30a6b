"""In which order are the messages of a branching conversation read?"""

from __future__ import annotations

from collections.abc import Mapping


def branches(parents: Mapping[str, str]) -> list[str]:
    """Return all messages, each behind its parent, one branch after the other.

    `parents` gives the parent of each message ("" or one that is not there: a root). Siblings keep their order, and so
    do roots. What only hangs on itself (a cycle) comes last, in the order given.
    """
    children: dict[str, list[str]] = {}
    roots: list[str] = []
    for name, parent in parents.items():
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


def above(name: str, parents: Mapping[str, str], speaking: Mapping[str, bool]) -> str:
    """Return the nearest ancestor that says something, "" where there is none."""
    seen = {name}
    name = parents.get(name, "")
    while name and name not in seen and not speaking.get(name, False):
        seen.add(name)
        name = parents.get(name, "")
    return "" if name in seen else name
