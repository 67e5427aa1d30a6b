"""Which members of a provider's answers may be null, as the types of its own client say."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from types import NoneType
from typing import Any, get_args

from pydantic import BaseModel

Path = tuple[str | int, ...]


def nullable(model: object, at: Path = ()) -> Iterator[Path]:
    """Yield where a client's value may be null, the members that are not there included."""
    if isinstance(model, BaseModel):
        for name, field in type(model).model_fields.items():
            place = (*at, field.alias or name)
            if NoneType in get_args(field.annotation):
                yield place
            yield from nullable(getattr(model, name), place)
    elif isinstance(model, list):
        for index, one in enumerate(model):  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
            yield from nullable(one, (*at, index))  # pyright: ignore[reportUnknownArgumentType]


def with_null(value: Any, path: Path) -> Any:
    """Return a value with null at a place."""
    made = copy.deepcopy(value)
    _holder(made, path)[path[-1]] = None
    return made


def without(value: Any, path: Path) -> Any:
    """Return a value without what is at a place."""
    made = copy.deepcopy(value)
    _holder(made, path).pop(path[-1], None)
    return made


def bare(value: Any) -> Any:
    """Return a value without the members that are null."""
    if isinstance(value, dict):
        return {name: bare(one) for name, one in value.items() if one is not None}  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
    return [bare(one) for one in value] if isinstance(value, list | tuple) else value  # pyright: ignore[reportUnknownVariableType]


def _holder(value: Any, path: Path) -> Any:
    for name in path[:-1]:
        value = value[name]
    return value
