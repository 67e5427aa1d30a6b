"""A real aider's history is read: what was asked, what was answered, what aider itself did."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.daemon.living import Home
from tests.hosts.aider.written import sessions
from tests.support import provider_openai
from tests.support.provider import Provider, Reply
from tests.support.talks_programs import AiderHost
from unabridged.hosts.aider.discover import HISTORY

pytestmark = pytest.mark.real_client

ANSWER = "# Why\n\n> A quotation.\n\n#### Because\nof zirconium."


def test_what_a_real_aider_wrote_down_is_read_and_found(home: Home, tmp_path: Path) -> None:
    with Provider([provider_openai], default=Reply(ANSWER), side=Reply(ANSWER)) as provider:
        host = AiderHost(tmp_path, provider.url)
        (host.project / "a.py").write_text("x = 1\n")
        for prompts in (["Why is it so?", "/ask and what else?"], ["Once more."]):
            talk = host.talk()
            for prompt in prompts:
                talk.say(prompt)
            talk.end()
    first, second = sessions(host.project / HISTORY)
    assert [said for said in first if said[0] != "tool"] == [
        ("user", "Why is it so?"),
        ("assistant", ANSWER),
        ("user", "/ask and what else?"),
        ("user", "and what else?"),  # as aider sends it
        ("assistant", ANSWER),
    ]
    assert [said for said in second if said[0] != "tool"] == [("user", "Once more."), ("assistant", ANSWER)]
    with home.connect(project=str(host.project)) as client:
        client.call("import", {"paths": [str(host.project)]}, timeout=60)
        found = client.call("sessions", {"host": "aider"})["sessions"]
        hits = client.call("search", {"query": "zirconium", "filters": {"hosts": ["aider"]}})["hits"]
    assert len(found) == 2
    assert len(hits) >= 1
