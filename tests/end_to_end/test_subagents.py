"""What an agent that Codex or OpenCode sends does is a session of its own, under the one that sent it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.daemon.living import Home
from tests.support.equipped import ASKED, EXTENDED, FOUND, SENT, TASK, model
from tests.support.installed import until
from tests.support.provider import Provider

pytestmark = pytest.mark.real_client


# https://github.com/anthropics/claude-code/issues/23373 and
# https://github.com/Dicklesworthstone/coding_agent_session_search/issues/142: agents' transcripts fill their parent's,
# or are lost because they share its id.
@pytest.mark.parametrize("name", ["codex", "opencode"])
def test_an_agent_that_was_sent_has_a_session_of_its_own(home: Home, tmp_path: Path, name: str) -> None:
    make, api = EXTENDED[name]
    with Provider([api], model=model) as provider:
        agent = make(home, tmp_path, provider)
        assert FOUND in agent.client.say(ASKED)
        installed = agent.installed
        if name == "opencode":  # its extension tells what is said; whose agent that was, its database
            installed.una("import", str(agent.client.database), "--host", name)

        def families() -> list[tuple[dict[str, object], dict[str, object]]]:
            known = {row["session"]: row for row in installed.sessions()}
            return [(row, known[row["parent"]]) for row in known.values() if row["parent"] in known]

        ((sent, parent),) = until(families, "a session under another one")
        own = installed.found("rhenium5", filters={"session": sent["session"]})
        assert any(SENT in hit["snippet"] for hit in own)
        assert installed.sessions_with("rhenium6") == {parent["host_session"]}
        asked = installed.found(TASK, filters={"session": sent["session"]})
        assert any(TASK in hit["snippet"] for hit in asked)
        # Who leaves agents out finds what was said to and by them in their parent alone. What an extension told of an
        # agent before anything said whose it is, is not known as an agent's.
        for said in (TASK, SENT) if name == "codex" else ():
            hits = installed.found(said, filters={"side": False})
            assert {hit["host_session"] for hit in hits} == {parent["host_session"]}
        assert len(installed.sessions()) == 2
        again = {"pattern": FOUND, "literal": True, "scope": "all"}
        with home.connect() as client:
            for said in (ASKED, FOUND, TASK, SENT):
                row = parent if said in (ASKED, FOUND) else sent
                hits = client.call("grep", {**again, "pattern": said, "filters": {"session": row["session"]}})
                texts = [hit for hit in hits["hits"] if hit["kind"] == "text" and said in hit["snippet"]]
                assert len({hit["source_keys"][0] for hit in texts}) == 1, said
