"""Homes and agents for the tests of this folder."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.daemon.living import Home
from tests.mcp.agent import Agent

Enter = Callable[..., Agent]


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Home]:
    """One home for the tests of a module that leave its daemon alone."""
    yield from _home(tmp_path_factory.mktemp("mcp"))


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Home]:
    """A home whose daemon the test may end."""
    yield from _home(tmp_path)


def _home(folder: Path) -> Iterator[Home]:
    made = Home(folder / "h")
    made.configure(disk={"free_bytes": 0})
    yield made
    made.end()


@pytest.fixture
def enter(tmp_path: Path) -> Iterator[Enter]:
    """Starts agents, in a folder of the test, and ends them."""
    agents: list[Agent] = []

    def start(home: Home, folder: Path | None = None, *, begin: bool = True, **how: Any) -> Agent:
        agent = Agent(home, folder or tmp_path / "project", **how)
        agents.append(agent)
        if begin:
            agent.begin()
        return agent

    yield start
    for agent in agents:
        agent.kill()
