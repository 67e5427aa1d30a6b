"""Claude Code makes its history short by itself: nothing that was said is lost, and its model is told where it is."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.daemon.living import Home
from tests.support.equipped import EQUIPPED, SUMMARY, model
from tests.support.provider import Provider, Reply

pytestmark = pytest.mark.real_client

FULL = {"input_tokens": 985_000, "output_tokens": 10}  # of a million, as the provider reports it
REFUSED = (400, "invalid_request_error", "prompt is too long: 1200000 tokens > 1000000 maximum")
TABLE = re.compile("<unabridged-catalogue>(.*?)</unabridged-catalogue>")
WAYS = {
    "the window is believed full": (Reply("And more.", usage=FULL),),
    "the provider refuses the prompt": (Reply("And more."), Reply(error=REFUSED)),
}


# https://github.com/anthropics/claude-code/issues/47023: the event may come without the transcript's path.
# https://github.com/anthropics/claude-code/issues/75435 and /76362: that path is stale, or without what was before.
@pytest.mark.parametrize("way", WAYS)
def test_what_a_compaction_of_its_own_leaves_out_is_told_of_and_found(
    home: Home, tmp_path: Path, way: str
) -> None:
    make, api = EQUIPPED["claude-code"]
    with Provider([api], model=model) as provider:
        agent = make(home, tmp_path, provider)
        provider.then(Reply("It is osmium1."), *WAYS[way], Reply("It is osmium2."))
        agent.client.say("First, please, in `ring.c`.")
        session = agent.session()
        agent.resume("More, please.", session)
        assert "osmium2" in agent.resume("Second, please.", session)
        asked = [request for request in provider.requests if "CRITICAL: Respond with TEXT" in request.text()]
        assert len(asked) == 1
        last = provider.agent_requests()[-1].text()
        assert SUMMARY in last
        (table,) = TABLE.findall(last)
        first, second = [line for line in table.split("\\n") if line.startswith("- ")]
        assert "First, please" in agent.installed.una("recall", first.split()[1])
        assert "osmium1" in agent.installed.una("traverse", first.split()[1], "--role", "assistant")
        # A line names what was talked of, and nothing that the host put in: its reminders, its surroundings.
        assert first.endswith('First, please, in `ring.c`.\\" · ring.c, osmium1')
        assert second.endswith('More, please.\\"')
        assert agent.installed.sessions_with("osmium1") == {session}
        assert agent.installed.sessions_with("osmium2") == {session}
        assert len(agent.installed.sessions()) == 1
        # A summary is the host's own; nobody said it.
        summaries = agent.installed.found(SUMMARY, filters={"kinds": ["text"]})
        assert not [hit for hit in summaries if hit["snippet"].strip() == SUMMARY]
