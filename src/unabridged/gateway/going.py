"""A request on its way: what is sent, whose it is, and what is needed of it when its answer is there."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from unabridged.gateway.conversations import OpenConversation
from unabridged.window.execute import Account, Prepared, account
from unabridged.window.limits import Limits
from unabridged.window.providers.adapters import RESPONSES
from unabridged.window.providers.contract import Adapter, Request
from unabridged.window.providers.sidecalls import Aside

if TYPE_CHECKING:
    from unabridged.gateway.offered.offering import Offering


class Going(msgspec.Struct, frozen=True):
    """A request on its way. `conversation` is None where it is nobody's: then nothing is filed of it.

    `estimate` and `size` say how large the prompt is that was planned, in tokens and bytes; 0 where none was.
    `keys` are those of what the client said. `offering`: tools of ours are in the request. `error`: what of ours
    raised, to be logged.
    """

    body: bytes
    fault: str = ""
    adapter: Adapter | None = None
    conversation: OpenConversation | None = None
    account: Account = Account()
    estimate: int = 0
    size: int = 0
    keys: tuple[str, ...] = ()
    offering: Offering | None = None
    error: Exception | None = None


def going(
    adapter: Adapter,
    conversation: OpenConversation,
    came: Request,
    made: Prepared,
    limits: Limits,
    fault: str,
    kind: Aside,
    before: tuple[str, ...] = (),
    offering: Offering | None = None,
) -> Going:
    """Return a request as it was prepared; `came` is what it said, `fault` what failed before.

    `before` are the keys of what its provider keeps, on which it builds.
    """
    fault = fault or made.fault
    plan = made.sending.plan
    told = account(made, limits, side="" if kind is Aside.NONE else kind.value)
    return Going(
        made.body,
        fault,
        adapter,
        conversation,
        msgspec.structs.replace(told, fault=fault),
        plan.estimate if plan is not None else 0,
        len(made.body) if plan is not None else 0,
        (*before, *came.conversation.keys) if before else came.conversation.keys,
        offering if offering is not None and offering.offered and plan is not None else None,
        made.error,
    )


def outside(request: Request, body: bytes) -> bytes:
    """Return what a request says beside its list, as a body of its own: less to look through."""
    if request.body is not body or not request.windowed:
        return body
    start, end = request.array
    return body[:start] + b"[]" + body[end:]


def list_name(adapter: Adapter) -> str:
    """Return what a format calls its list."""
    return "input" if adapter is RESPONSES else "messages"
