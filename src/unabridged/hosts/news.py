"""What is new of a session: the fields that another row tells otherwise."""

from __future__ import annotations

from unabridged.hosts.contract import Head, SessionNews


def of_head(head: Head) -> SessionNews:
    """Return what a transcript's head tells of its session."""
    return SessionNews("", head.title, head.cwd, head.parent, head.relation)


def changes(now: SessionNews, before: SessionNews) -> SessionNews | None:
    """Return title, folder, parent and relation as far as they are others than before; None where none is."""
    changed = SessionNews(
        "",
        now.title if now.title != before.title else "",
        now.cwd if now.cwd != before.cwd else "",
        now.parent if now.parent != before.parent else "",
        now.relation if now.relation != before.relation else "",
    )
    return changed if changed != SessionNews() else None
