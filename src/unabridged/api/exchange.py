"""A request as a program gives it and as it gets it back: bytes, the arguments of a call, or a list of messages."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, Literal, cast

import msgspec

from unabridged.api.plain import plain
from unabridged.errors import InvalidInput
from unabridged.window.answers.contract import Answer
from unabridged.window.answers.whole import answer_of
from unabridged.window.execute import Prepared
from unabridged.window.identity import chain
from unabridged.window.models import told_by
from unabridged.window.providers.adapters import (
    ADAPTERS,
    CHAT_FORMAT,
    LISTS,
    MESSAGES_FORMAT,
    RESPONSES_FORMAT,
)
from unabridged.window.providers.contract import Adapter, Request
from unabridged.window.providers.known import Known
from unabridged.window.providers.sending import CONVERSATION, PREVIOUS, whole
from unabridged.window.providers.splice import NotUnderstood
from unabridged.window.window import Span

# What callers may call the formats.
FORMATS: Mapping[str, str] = {
    "messages": MESSAGES_FORMAT,
    "anthropic": MESSAGES_FORMAT,
    "responses": RESPONSES_FORMAT,
    "chat": CHAT_FORMAT,
    "openai": CHAT_FORMAT,
}
# Members that say how long an answer may become.
_ALLOWANCES = ("max_tokens", "max_completion_tokens", "max_output_tokens")

Order = Literal["sorted"] | None


class Exchange:
    """One request. `body` is what it says on the wire; `order`: how its answer's items are written to match it."""

    def __init__(self, given: Any, form: str, model: str) -> None:
        """Take what a program gives. Raises `InvalidInput` for what is no request."""
        self.given: Any = _at_rest(given)
        self._plain: list[Any] = []
        self.order: Order = None
        if isinstance(given, bytes | bytearray):
            self.body = bytes(given)
            self.arguments = _members(self.body)
        else:
            self.order = "sorted"
            self.arguments = _arguments(self.given, form, model)
        self.form = _form(form, model, self.arguments)
        self.member = LISTS[self.form]
        self.adapter: Adapter = ADAPTERS[self.form]
        if self.order:
            self.body = self._encoded()

    @property
    def chain(self) -> str:
        """The key of the first user item, which tells conversations apart that share a client; "" without one."""
        first = next((one for one in self._plain if _role(one) == "user"), None)
        if first is None:
            return ""
        return chain(
            self.adapter.read(msgspec.json.encode({self.member: [first]}, order="sorted")).conversation
        )

    @property
    def reserve(self) -> int:
        """Tokens that the answer may have, 0 where the request does not say."""
        found = (self.arguments.get(name) for name in _ALLOWANCES)
        return next((one for one in found if isinstance(one, int) and one > 0), 0)

    @property
    def told(self) -> int:
        """Tokens of the model's window where the request says them, else 0."""
        betas = self.arguments.get("betas")
        headers = self.arguments.get("extra_headers")
        said = [str(one) for one in cast("list[object]", betas)] if isinstance(betas, list) else []
        if isinstance(headers, Mapping):
            said += str(cast("Mapping[str, object]", headers).get("anthropic-beta", "")).split(",")
        return told_by(said)

    @property
    def previous(self) -> str:
        """What of the provider's the request builds on: the id of a response or a conversation; "" where on nothing."""
        found = self.arguments.get(PREVIOUS)
        return found if isinstance(found, str) and found else self.conversation

    @property
    def conversation(self) -> str:
        """The id of the conversation that the provider keeps, "" where it keeps none."""
        given = self.arguments.get(CONVERSATION)
        found = (_mapping(given) or {}).get("id", given)
        return found if isinstance(found, str) else ""

    def read(self, known: Known) -> Request | None:
        """Return the request taken apart, None for what is none of its format.

        Of one that builds on what the provider keeps it is what is new; its body is another one then.
        """
        try:
            return whole(self.adapter, self.body, known)
        except NotUnderstood:
            return None

    def result(self, made: Prepared) -> Any:
        """Return the prepared request in the form in which it was given; itself where nothing was left out."""
        if made.body == self.body:
            return self.given
        if not self.order:
            return type(self.given)(made.body)
        items, arguments = self._items(made), _mapping(self.given)
        if arguments is not None:
            return {**arguments, self.member: items}
        return tuple(items) if isinstance(self.given, tuple) else items

    def answer(self, given: Any) -> Answer:
        """Return what a program gives as the answer; nothing of what is none of the request's format."""
        if isinstance(given, Answer):
            return given
        try:
            value = msgspec.json.decode(given) if isinstance(given, bytes | bytearray) else plain(given)
        except (msgspec.DecodeError, TypeError):
            return Answer()
        return answer_of(self.form, _mapping(value) or {})

    def _encoded(self) -> bytes:
        """Return the request as it goes on the wire, nothing where it holds what does not go there."""
        arguments, items = dict(self.arguments), self.arguments.get(self.member)
        if self.form == RESPONSES_FORMAT and isinstance(items, str):
            items = [{"role": "user", "content": items}]
        try:
            self._plain = arguments[self.member] = plain(items or [])
            return msgspec.json.encode(arguments, order=self.order)
        except (TypeError, ValueError, OverflowError):
            return b""

    def _items(self, made: Prepared) -> list[Any]:
        """Return the list of a window; items that are as they were are the program's own objects."""
        sent: list[Any] = msgspec.json.decode(made.body)[self.member]
        plan, found = made.sending.plan, list[Any]()
        given = self._given_items()
        for piece in plan.window if plan else ():
            indexes = range(piece.start, piece.stop) if isinstance(piece, Span) else (-1,)
            for index in indexes:
                if len(found) == len(sent):
                    return sent
                one = sent[len(found)]
                same = 0 <= index < len(given) and one == self._plain[index]
                found.append(given[index] if same else one)
        return found if len(found) == len(sent) else sent

    def _given_items(self) -> Sequence[Any]:
        arguments = _mapping(self.given)
        items: Any = self.given if arguments is None else arguments[self.member]
        return cast("Sequence[Any]", items) if isinstance(items, list | tuple) else self._plain


def _at_rest(given: Any) -> Any:
    """Return what is given with its list as one that can be read again."""
    arguments = _mapping(given)
    if arguments is None:
        return given
    moving = {
        name: list(cast("Iterable[Any]", value))
        for name, value in arguments.items()
        if name in LISTS.values() and isinstance(value, Iterable) and not isinstance(value, Collection)
    }
    return {**arguments, **moving} if moving else arguments


def _mapping(value: object) -> Mapping[str, Any] | None:
    return cast("Mapping[str, Any]", value) if isinstance(value, Mapping) else None


def _arguments(given: Any, form: str, model: str) -> dict[str, Any]:
    arguments = _mapping(given)
    if arguments is not None:
        found = dict[str, Any]()
        for name, value in arguments.items():
            if name in LISTS.values():
                found[name] = value
                continue
            try:
                found[name] = plain(value)
            except TypeError:  # of the client's own: a time-out, a class to parse into
                continue
        return found
    if isinstance(given, str) or not isinstance(given, Sequence):
        raise InvalidInput(
            "a request is bytes, a mapping of a call's arguments, or a list of messages", field="body"
        )
    provider, _, name = model.partition("/")
    member = LISTS[FORMATS.get(form or provider, MESSAGES_FORMAT)]
    return {"model": name or provider, member: given}


def _form(form: str, model: str, arguments: Mapping[str, Any]) -> str:
    if form:
        if form not in FORMATS:
            raise InvalidInput(f"format must be one of {', '.join(FORMATS)}", field="format", value=form)
        return FORMATS[form]
    if "messages" not in arguments and "input" in arguments:
        return RESPONSES_FORMAT
    provider = model.partition("/")[0]
    if provider == "openai":
        return CHAT_FORMAT
    return MESSAGES_FORMAT


def _members(body: bytes) -> dict[str, Any]:
    """Return the names of a body's members with those values that are looked at; {} for what is no object."""
    try:
        found = msgspec.json.decode(body, type=dict[str, msgspec.Raw])
    except msgspec.DecodeError:
        return {}
    return {name: _looked_at(name, value) for name, value in found.items()}


def _role(item: object) -> object:
    return (_mapping(item) or {}).get("role")


def _looked_at(name: str, value: msgspec.Raw) -> Any:
    kind = Any if name in (PREVIOUS, CONVERSATION) else int
    try:
        return msgspec.json.decode(value, type=kind)
    except msgspec.DecodeError:
        return None
