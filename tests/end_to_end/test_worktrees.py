"""A real agent in a worktree of git, reached through a link: in the project of its repository, or one of its own."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.archive.test_project import git
from tests.daemon.living import Home
from tests.support.clients import run_client
from tests.support.equipped import EQUIPPED
from tests.support.provider import Provider, Reply

pytestmark = pytest.mark.real_client


# https://github.com/thedotmack/claude-mem/issues/1939: worktrees of one repository are several projects.
# https://github.com/anthropics/claude-code/issues/24382, /39920 and /31008: some want that, some the opposite.
@pytest.mark.parametrize("apart", [False, True], ids=("together", "apart"))
def test_a_session_in_a_worktree_knows_the_repositorys_sessions_unless_they_are_kept_apart(
    home: Home, tmp_path: Path, apart: bool
) -> None:
    home.configure(disk={"free_bytes": 0}, projects={"separate_worktrees": apart})
    make, api = EQUIPPED["claude-code"]
    with Provider([api]) as provider:
        agent = make(home, tmp_path, provider)
        main, tree = agent.client.project, tmp_path / "a machine" / "größere tree"
        git(main, "init", "-q")
        git(main, "commit", "-q", "--allow-empty", "-m", "first")
        git(main, "worktree", "add", "-q", "-b", "other", str(tree))
        (tmp_path / "link").symlink_to(tree)
        provider.then(Reply("It is osmium1."), Reply("It is osmium2."))
        agent.client.say("First, please.")
        agent.installed.found("osmium1")
        env = {**agent.client.env, "PWD": str(tmp_path / "link")}
        run_client([agent.client.binary, "-p", "Second, please."], tmp_path / "link", env)
        told = provider.agent_requests()[-1].text()
        assert told.count("1 earlier session of this project") == (0 if apart else 1)
        agent.installed.found("osmium2", project=str(tree))
        sessions = agent.installed.sessions()
        assert len({row["project"] for row in sessions}) == (2 if apart else 1)
        with home.connect(project=str(main)) as client:
            hits = client.call("search", {"query": "osmium2", "scope": "project"})["hits"]
        assert bool([hit for hit in hits if "osmium2" in hit["snippet"]]) != apart
