"""Evidence routing: the rules in the instructions, and what a scripted model turns to."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from typing import Any

import pytest

from tests.support import provider_anthropic, provider_openai
from tests.support.provider import Call as Scripted
from tests.support.provider import Provider, Reply, Rule
from unabridged.errors import InvalidInput, ModelUnavailable
from unabridged.eval import cases, model, routing
from unabridged.eval.cases import Case
from unabridged.eval.model import Call, RemoteModel, Step, Talk, Tool
from unabridged.eval.routing import LIVE, Offer

SEARCH = Tool("search", "Search.", {"type": "object", "properties": {"query": {"type": "string"}}})
OFFER = Offer("Look first.", (SEARCH, Tool("recall", "Read.", {"type": "object"})))


class Script:
    """A model that makes these calls, a step each, then answers."""

    def __init__(self, *names: str) -> None:
        self._names = list(names)
        self.seen = list[Talk]()

    def answer(self, talk: Talk) -> Step:
        self.seen.append(talk)
        if not self._names:
            return Step("That is it.")
        name = self._names.pop(0)
        tool, _, words = name.partition(" ")
        return Step("", (Call(f"c{len(self._names)}", tool, {"query": words}),))


def case_of(kind: str, miss: str = "") -> Case:
    return Case("r", kind, "What?", miss=miss)


@pytest.mark.parametrize(
    ("names", "turned"),
    [
        ((), "neither"),
        (("search a", "recall"), "archive"),
        (("read_file", "run_command"), "live"),
        (("search a", "read_file"), "both"),
    ],
)
def test_the_route_is_the_evidence_that_a_model_turns_to(names: Sequence[str], turned: str) -> None:
    script = Script(*names)
    assert routing.route(case_of("archive"), OFFER, script).route == turned
    assert [tool.name for tool in script.seen[0].tools] == ["search", "recall", *(tool.name for tool in LIVE)]
    assert script.seen[0].system == "Look first."


@pytest.mark.parametrize(
    ("miss", "names", "right"),
    [
        ("reformulate", ("search a", "search b"), True),
        ("reformulate", ("search a", "search a"), False),
        ("reformulate", ("search a",), False),
        ("reformulate", ("search a", "search b", "search c"), False),
        ("live", ("search a", "read_file"), True),
        ("live", ("search a", "search b", "read_file"), False),
        ("live", ("search a",), False),
    ],
)
def test_a_miss_is_followed_as_the_rules_say(miss: str, names: Sequence[str], right: bool) -> None:
    script = Script(*names)
    assert routing.route(case_of("archive", miss), OFFER, script).after_miss is right
    assert "empty" in script.seen[1].steps[0].results[0]


def test_a_model_that_never_ends_is_stopped() -> None:
    script = Script(*(f"search {number}" for number in range(50)))
    assert routing.route(case_of("archive"), OFFER, script).route == "archive"
    assert len(script.seen) == routing.STEPS


def test_the_instructions_that_agents_get_have_every_rule() -> None:
    offer = routing.offered(os.environ)
    assert routing.missing(offer.instructions) == []
    assert {"search", "recall", "gather", "grep"} <= offer.archive
    assert routing.missing("Search the archive for everything.") == list(routing.RULES)


@pytest.mark.parametrize(
    ("api", "protocol"), [(provider_openai, "openai"), (provider_anthropic, "anthropic")]
)
def test_a_model_behind_an_address_is_asked_in_its_own_protocol(api: Any, protocol: str) -> None:
    rules = [
        Rule("passage that tells it", Reply("It was blue.")),
        Rule("What", Reply(calls=[Scripted("search", {"query": "x"})])),
    ]
    with Provider([api], rules=rules) as provider:
        asked = RemoteModel(f"{provider.url}/v1", "fake", protocol, "k", 20)
        routed = routing.route(Case("r", "archive", "What?", before="Hello."), OFFER, asked)
        last = provider.requests[-1].body
    assert routed.route == "archive"
    assert len(last["messages"]) == 5
    assert len(last["tools"]) == len(OFFER.tools) + len(LIVE)


def test_the_whole_suite_runs_against_a_scripted_model() -> None:
    suite = cases.load("routing", time.time())
    rules = [
        Rule("passage that tells it|empty", Reply("Done.")),
        Rule(".", Reply(calls=[Scripted("search", {"query": "x"})])),
    ]
    with Provider([provider_openai], rules=rules) as provider:
        report = routing.run(
            suite,
            RemoteModel(f"{provider.url}/v1", "fake", "openai", "", 20),
            "fake",
            lambda _: None,
            os.environ,
        )
    assert report["n"] == len(suite.cases)
    assert report["categories"]["archive"] == {"n": 12, "accuracy": 100.0}
    assert report["categories"]["live"]["accuracy"] == 0.0
    assert report["metrics"]["after_miss_accuracy"] == 0.0
    assert report["metrics"]["rules"] == 100.0
    assert set(report["intervals"]) == set(report["metrics"])


def test_what_a_model_says_in_another_form_is_an_error() -> None:
    for reply, said in ((Reply(error=(500, "server_error", "no")), "answers with an error"),):
        with Provider([provider_openai], default=reply) as provider:
            asked = RemoteModel(f"{provider.url}/v1", "fake", "openai", "", 20)
            with pytest.raises(ModelUnavailable, match=said):
                asked.answer(Talk("s", (SEARCH,), "What?"))
    with pytest.raises(ModelUnavailable, match="cannot be asked"):
        RemoteModel("http://127.0.0.1:9", "fake", "openai", "", 2).answer(Talk("s", (), "What?"))


@pytest.mark.parametrize(
    ("endpoint", "protocol", "key"),
    [
        ("ftp://127.0.0.1", "openai", ""),
        ("http://127.0.0.1:99999", "openai", ""),
        ("http://model.example/v1", "openai", "k"),
        ("http://127.0.0.1/v1", "smoke signals", ""),
    ],
)
def test_an_address_that_cannot_be_asked_is_refused(endpoint: str, protocol: str, key: str) -> None:
    with pytest.raises(InvalidInput):
        RemoteModel(endpoint, "fake", protocol, key, 2)


def test_a_call_whose_arguments_are_no_json_was_made_without_any() -> None:
    assert model._arguments("{not json") == {}
    assert model._arguments("[1]") == {}
