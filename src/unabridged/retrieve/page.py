"""The cursor of a page: which question it belongs to, where the next page begins, how far each project had come.

It is stamped with the installation's key together with its question and scope, so that one of another question or
another archive is refused. It grants nothing: of what it names, only what is in scope is looked at.
"""

from __future__ import annotations

import base64
import binascii
from typing import Any

import msgspec

from unabridged.archive import log
from unabridged.errors import InvalidCursor
from unabridged.retrieve.context import Context
from unabridged.schema.ids import ProjectId
from unabridged.schema.scope import Level

PREFIX = "p1_"
STAMP_BYTES = 8
PROJECT_BYTES = 6  # of a project's id
MAX_CURSOR = 262_144  # characters; ten bytes a project


class Page(msgspec.Struct, frozen=True, array_like=True):
    """Where a page begins: behind so many hits, or behind an ordinal of a project.

    `heads`: by the first bytes of their ids, the ordinals at which the first page saw the projects end; none before it.
    """

    offset: int = 0
    project: bytes = b""
    ordinal: int = 0
    heads: dict[bytes, int] = {}


def projects_in(context: Context) -> list[ProjectId]:
    """Return the projects in scope."""
    if context.scope.level is Level.ALL:
        return [item.id for item in log.projects(context.reader)]
    return [context.scope.project, *sorted(context.scope.linked)]


def scoped(context: Context) -> dict[str, Any]:
    """Return what an account says of its scope: which it is, and whether it is less than was asked for."""
    said: dict[str, Any] = {"scope": context.scope.level.name.lower()}
    return {**said, "narrowed": True} if context.narrowed else said


def write(context: Context, question: bytes, page: Page) -> str:
    """Return the cursor; `page.heads` may be keyed by whole ids."""
    heads = {project[:PROJECT_BYTES]: head for project, head in page.heads.items()}
    body = msgspec.msgpack.encode(msgspec.structs.replace(page, heads=heads))
    stamp = context.locators.stamp(_told(context, question, body))[:STAMP_BYTES]
    return PREFIX + base64.urlsafe_b64encode(stamp + body).decode().rstrip("=")


def read(context: Context, question: bytes, cursor: str) -> Page:
    """Return what a cursor says of the projects in scope, by their whole ids; raise `InvalidCursor`.

    A project that the first page did not know counts as one of which nothing was there.
    """
    try:
        if not cursor.startswith(PREFIX) or len(cursor) > MAX_CURSOR:
            raise ValueError
        data = base64.urlsafe_b64decode(cursor[len(PREFIX) :] + "==")
        page = msgspec.msgpack.decode(data[STAMP_BYTES:], type=Page)
    except (ValueError, binascii.Error, msgspec.DecodeError) as error:
        raise InvalidCursor("the cursor is not valid", field="cursor") from error
    told = _told(context, question, data[STAMP_BYTES:])
    if not any(data.startswith(stamp[:STAMP_BYTES]) for stamp in context.locators.stamps(told)):
        raise InvalidCursor(
            "the cursor belongs to another question or another archive",
            field="cursor",
            hint="Give it with the same question, filters and scope as before.",
        )
    heads = {bytes(at): page.heads.get(at[:PROJECT_BYTES], 0) for at in projects_in(context)}
    return msgspec.structs.replace(page, heads=heads)


def _told(context: Context, question: bytes, body: bytes) -> bytes:
    """Return what is stamped: the question, who asks it, and what the cursor says."""
    scope = context.scope
    within = b"" if scope.level is Level.ALL else scope.project
    return msgspec.msgpack.encode((question, int(scope.level), within, scope.session, body))
