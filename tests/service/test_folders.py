"""Roots of folders are remembered for a few seconds, a bounded number of them."""

from __future__ import annotations

from pathlib import Path

from unabridged.schema.ids import GLOBAL, ProjectId, project_id
from unabridged.service.folders import FRESH_SECONDS, MOST, Folders


def test_a_folder_that_becomes_a_working_tree_is_noticed_within_seconds(tmp_path: Path) -> None:
    inner = tmp_path / "inner"
    inner.mkdir()
    made = Folders()
    assert made.root(str(inner), "unknown", 10.0) == str(inner)
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    assert made.root(str(inner), "unknown", 10.0 + FRESH_SECONDS / 2) == str(inner)
    assert made.root(str(inner), "unknown", 10.0 + FRESH_SECONDS) == str(tmp_path)


def test_a_project_is_looked_for_again_after_seconds_or_when_projects_changed() -> None:
    made, asked = Folders(), list[int]()

    def find() -> ProjectId:
        asked.append(1)
        return project_id(f"/number/{len(asked)}")

    first = made.project("/p", 10.0, find)
    assert made.project("/p", 10.0 + FRESH_SECONDS / 2, find) == first
    assert made.project("/p", 10.0 + FRESH_SECONDS, find) == project_id("/number/2")
    made.forget()
    assert made.project("/p", 10.0 + FRESH_SECONDS, find) == project_id("/number/3")


def test_only_so_many_folders_are_remembered() -> None:
    made = Folders()
    for number in range(3 * MOST):
        assert made.root(f"/nowhere/{number}", "unknown", 1.0) == f"/nowhere/{number}"
        made.project(f"/nowhere/{number}", 1.0, lambda: GLOBAL)
        assert len(made._roots) <= MOST
        assert len(made._projects) <= MOST
