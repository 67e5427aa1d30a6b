"""The methods and the one table of operations say the same."""

from __future__ import annotations

import inspect
import typing
from typing import Any

import msgspec
import pytest

from unabridged import Archive
from unabridged.api import offered
from unabridged.api.pages import Pages
from unabridged.daemon.client import REPEATABLE
from unabridged.service.operations import OPERATIONS, READ, Operation

METHODS = [name for name in OPERATIONS if name not in offered.NOT_OFFERED]
BESIDE = {"timeout", "on_progress"}  # arguments that are no fields of a request


def method(name: str) -> Any:
    return getattr(Archive, offered.NAMES.get(name, name))


def fields(struct: type[msgspec.Struct]) -> dict[str, msgspec.structs.FieldInfo]:
    """Return the fields of a request; those of a struct in it count as its own."""
    found: dict[str, msgspec.structs.FieldInfo] = {}
    for field in msgspec.structs.fields(struct):
        if isinstance(field.type, type) and issubclass(field.type, msgspec.Struct):
            found.update(fields(field.type))
        else:
            found[field.name] = field
    return found


def default(field: msgspec.structs.FieldInfo) -> Any:
    if field.required:
        return inspect.Parameter.empty
    made = field.default if field.default_factory is msgspec.NODEFAULT else field.default_factory()
    return {list: (), dict: None}.get(type(made), made) if isinstance(made, list | dict) else made


def test_every_operation_is_a_method_or_says_why_it_is_none() -> None:
    assert [name for name in METHODS if not callable(method(name))] == []
    assert offered.NOT_OFFERED.keys() <= OPERATIONS.keys()
    assert [name for name, why in offered.NOT_OFFERED.items() if len(why.split()) < 4] == []


def test_every_entry_about_operations_names_one_that_is_offered() -> None:
    named = {*offered.NAMES, *offered.BY_POSITION, *offered.PAGED, *offered.ONCE}
    named |= {key.partition(".")[0] for key in offered.CONVERTED if "." in key}
    assert sorted(named - set(METHODS)) == []


@pytest.mark.parametrize("name", METHODS)
def test_a_method_takes_what_its_operation_takes_with_the_same_defaults(name: str) -> None:
    parameters = dict(inspect.signature(method(name)).parameters)
    del parameters["self"]
    wanted = {field: default(facts) for field, facts in fields(OPERATIONS[name].request).items()}
    assert {key: item.default for key, item in parameters.items() if key not in BESIDE} == wanted
    assert ("on_progress" in parameters) == OPERATIONS[name].streams
    loose = [key for key, item in parameters.items() if item.kind is not inspect.Parameter.KEYWORD_ONLY]
    needed = [key for key in wanted if wanted[key] is inspect.Parameter.empty]
    assert loose == [*needed, *offered.BY_POSITION.get(name, ())]


@pytest.mark.parametrize("name", METHODS)
def test_a_method_gives_what_its_operation_gives_and_says_what_it_does(name: str) -> None:
    assert typing.get_type_hints(method(name))["return"] is OPERATIONS[name].answer
    assert (method(name).__doc__ or "").startswith(OPERATIONS[name].doc)


def has_pages(operation: Operation) -> bool:
    return "cursor" in fields(operation.request) and "next" in fields(operation.answer)


@pytest.mark.parametrize("name", METHODS)
def test_what_comes_in_pages_can_be_gone_through(name: str) -> None:
    assert has_pages(OPERATIONS[name]) == (name in offered.PAGED), "add it to api/offered.PAGED"
    if name in offered.PAGED:
        whole = getattr(Archive, f"{name}_all")
        assert typing.get_origin(typing.get_type_hints(whole)["return"]) is Pages
        given = inspect.signature(method(name)).parameters.keys() - {"cursor", "on_progress"}
        assert inspect.signature(whole).parameters.keys() == given


def test_a_client_repeats_everything_that_only_reads() -> None:
    reading = {name for name, operation in OPERATIONS.items() if operation.effect == READ}
    assert sorted(reading - REPEATABLE) == []
