"""What a model gives a tool becomes an operation's parameters, or an error that says what to give instead."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from typing import Any

import msgspec

from unabridged.errors import InvalidInput, LimitExceeded
from unabridged.service.tools.table import Argument, Tool, required, type_of

SHOWN = 40  # characters of a wrong value that an error repeats


def parameters(tool: Tool, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parameters of the tool's operation; raise `InvalidInput` or `LimitExceeded`.

    A number or a truth value may come as text: models write them so.
    """
    known = {argument.name: argument for argument in tool.arguments}
    unknown = [name for name in given if name not in known]
    if unknown:
        raise _unknown(tool, unknown[0], list(known))
    found: dict[str, Any] = dict(tool.fixed)
    for argument in tool.arguments:
        value = given.get(argument.name)
        if value is None or value == "":
            if required(tool, argument) and value is None:
                raise InvalidInput(
                    f"`{argument.name}` is missing",
                    field=argument.name,
                    hint=f"`{tool.name}` cannot do without `{argument.name}`.",
                )
            if not required(tool, argument):
                value = argument.default
        if value is not None:
            _put(found, argument.field, _checked(tool, argument, value))
    return found


def _put(found: dict[str, Any], path: str, value: Any) -> None:
    outer, _, inner = path.partition(".")
    if inner:
        found.setdefault(outer, {})[inner] = value
    else:
        found[outer] = value


def _checked(tool: Tool, argument: Argument, value: Any) -> Any:
    """Return the value as the request has it."""
    wanted = type_of(tool, argument)
    if wanted == list[str] and isinstance(value, str):
        value = [value]
    try:
        value = msgspec.convert(value, wanted, strict=False)
    except msgspec.ValidationError as error:
        raise InvalidInput(
            f"`{argument.name}`: {error}", field=argument.name, hint=f"Give {_described(wanted)}."
        ) from error
    for item in value if isinstance(value, list) else [value]:  # pyright: ignore[reportUnknownVariableType]
        if argument.choices and item not in argument.choices:
            raise InvalidInput(
                f"`{argument.name}` cannot be {str(item)[:SHOWN]!r}",  # pyright: ignore[reportUnknownArgumentType]
                field=argument.name,
                allowed=list(argument.choices),
                hint=f"One of: {', '.join(argument.choices)}.",
            )
    if isinstance(value, int) and not isinstance(value, bool):
        _within(argument, value)
    return value  # pyright: ignore[reportUnknownVariableType]


def _within(argument: Argument, value: int) -> None:
    if argument.least is not None and value < argument.least:
        raise InvalidInput(
            f"`{argument.name}` is below {argument.least}",
            field=argument.name,
            value=value,
            hint=f"At least {argument.least}.",
        )
    if argument.most is not None and value > argument.most:
        raise LimitExceeded(
            f"`{argument.name}` is above {argument.most}",
            field=argument.name,
            limit=argument.most,
            value=value,
            hint=f"At most {argument.most}; go on with `next` of the answer.",
        )


def _unknown(tool: Tool, name: str, known: list[str]) -> InvalidInput:
    near = difflib.get_close_matches(name, known, 1)
    hint = f"Did you mean `{near[0]}`?" if near else f"It takes: {', '.join(known) or 'nothing'}."
    return InvalidInput(f"`{tool.name}` takes no `{name[:SHOWN]}`", field=name[:SHOWN], hint=hint)


def _described(wanted: Any) -> str:
    names = {str: "a text", int: "a whole number", bool: "true or false", list[str]: "a list of texts"}
    return names.get(wanted, "another value")
