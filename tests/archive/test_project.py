"""Which project a folder belongs to, asked of real repositories of git."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from unabridged.archive.project import MAX_DEPTH, MAX_POINTER, root_of

HOST = "claude-code"
NOWHERE = f"host:{HOST}"


def git(folder: Path, *words: str) -> None:
    """Run git with nobody's settings."""
    env = {
        "PATH": os.environ["PATH"],
        "HOME": str(folder),
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_NOSYSTEM": "1",
        **{f"GIT_{who}_{what}": "a@b" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")},
    }
    subprocess.run(["git", *words], cwd=folder, env=env, check=True, capture_output=True)


def repository(folder: Path) -> Path:
    """Make a repository with one commit; returns its real path."""
    folder.mkdir(parents=True)
    git(folder, "init", "-q")
    git(folder, "commit", "-q", "--allow-empty", "-m", "first")
    return Path(os.path.realpath(folder))


def root(folder: Path) -> str:
    return root_of(str(folder), HOST)


# https://github.com/thedotmack/claude-mem/issues/1939: a project is the name of its folder, so that worktrees and
# folders of one repository are several, and folders of one name in different places are one.
# https://github.com/anthropics/claude-code/issues/24382: worktrees are to remember together.
def test_a_repository_its_folders_and_its_worktrees_are_one_project(tmp_path: Path) -> None:
    main = repository(tmp_path / "über uns")
    deep = main / "packages" / "core" / "src"
    deep.mkdir(parents=True)
    git(main, "worktree", "add", "-q", "-b", "other", str(tmp_path / "elsewhere" / "tree"))
    git(main, "worktree", "add", "-q", "-b", "inner", str(main / ".worktrees" / "inner"))
    inside = tmp_path / "elsewhere" / "tree" / "packages"
    inside.mkdir()
    places = (main, deep, tmp_path / "elsewhere" / "tree", inside, main / ".worktrees" / "inner")
    assert {root(place) for place in places} == {str(main)}


# https://github.com/anthropics/claude-code/issues/39920 and /31008: others want worktrees to remember apart.
def test_worktrees_are_projects_of_their_own_where_that_is_wanted(tmp_path: Path) -> None:
    main = repository(tmp_path / "main")
    tree = tmp_path / "tree"
    git(main, "worktree", "add", "-q", "-b", "other", str(tree))
    (tree / "deep").mkdir()
    assert root_of(str(main), HOST, apart=True) == str(main)
    assert root_of(str(tree), HOST, apart=True) == root_of(str(tree / "deep"), HOST, apart=True)
    assert root_of(str(tree), HOST, apart=True) == os.path.realpath(tree)


def test_folders_of_one_name_are_projects_of_their_own(tmp_path: Path) -> None:
    one, other = repository(tmp_path / "a" / "app"), repository(tmp_path / "b" / "app")
    plain = tmp_path / "c" / "app"
    plain.mkdir(parents=True)
    assert len({root(one), root(other), root(plain)}) == 3


def test_two_clones_of_one_remote_are_two_projects(tmp_path: Path) -> None:
    one = repository(tmp_path / "one")
    git(tmp_path, "clone", "-q", str(one), "two")
    assert root(one) != root(tmp_path / "two")


def test_a_submodule_is_a_project_of_its_own(tmp_path: Path) -> None:
    library, main = repository(tmp_path / "library"), repository(tmp_path / "main")
    git(main, "-c", "protocol.file.allow=always", "submodule", "add", "-q", str(library), "vendor/library")
    inside = main / "vendor" / "library"
    assert root(inside) == str(inside)


def test_worktrees_of_a_bare_repository_are_one_project(tmp_path: Path) -> None:
    one = repository(tmp_path / "one")
    git(tmp_path, "clone", "-q", "--bare", str(one), "all.git")
    for name in ("red", "blue"):
        git(tmp_path / "all.git", "worktree", "add", "-q", "-b", name, str(tmp_path / name))
    assert root(tmp_path / "red") == root(tmp_path / "blue") == os.path.realpath(tmp_path / "all.git")


def test_a_folder_is_its_real_path_however_it_is_reached(tmp_path: Path) -> None:
    main = repository(tmp_path / "real")
    (tmp_path / "link").symlink_to(main)
    plain = tmp_path / "plain"
    plain.mkdir()
    (tmp_path / "other").symlink_to(plain)
    assert root(tmp_path / "link") == str(main)
    assert root(tmp_path / "other") == root(plain) == os.path.realpath(plain)
    assert root_of(f"{plain}/../plain/", HOST) == os.path.realpath(plain)


def _claims(main: Path, folder: Path) -> str:
    """What a worktree's file says of the repository whose entry it has."""
    entry = main / ".git" / "worktrees" / "tree"
    return f"gitdir: {entry}\n"


def _claims_main(main: Path, folder: Path) -> str:
    return f"gitdir: {main / '.git'}\n"


def _claims_own(main: Path, folder: Path) -> str:
    """A private folder of its own that points to another repository's common directory, and back at nothing."""
    private = folder / "private"
    private.mkdir()
    (private / "commondir").write_text(str(main / ".git"))
    (private / "gitdir").write_text(str(main / ".git"))
    return "gitdir: private\n"


def _claims_back(main: Path, folder: Path) -> str:
    """A private folder of its own that points back at it, as only one of the repository's should be believed to."""
    private = folder / "private"
    private.mkdir()
    (private / "commondir").write_text(str(main / ".git"))
    (private / "gitdir").write_text("../.git")
    return "gitdir: private\n"


def _claims_by_link(main: Path, folder: Path) -> str:
    """The same, reached through what looks like the repository's own folder of worktrees."""
    _claims_back(main, folder)
    fake = folder / "main" / ".git" / "worktrees"
    fake.mkdir(parents=True)
    (folder / "private").rename(fake / "tree")
    (fake / "tree" / "gitdir").write_text("../../../../.git")
    return "gitdir: main/.git/worktrees/tree\n"


@pytest.mark.parametrize("claim", [_claims, _claims_main, _claims_own, _claims_back, _claims_by_link])
def test_a_hostile_folder_does_not_claim_another_project(
    tmp_path: Path, claim: Callable[[Path, Path], str]
) -> None:
    main, folder = repository(tmp_path / "main"), tmp_path / "hostile"
    git(main, "worktree", "add", "-q", "-b", "tree", str(tmp_path / "tree"))
    folder.mkdir()
    (folder / ".git").write_text(claim(main, folder))
    assert root(folder) == os.path.realpath(folder)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\xff\xfe\x00",
        b"gitdir:",
        b"gitdir: " + b"x" * (2 * MAX_POINTER),
        b"gitdir: /nowhere\n",
        b"gitdir: private\0",
        b"nothing of git",
    ],
)
def test_a_file_of_git_that_says_nothing_costs_nothing(tmp_path: Path, content: bytes) -> None:
    folder = tmp_path / "odd"
    folder.mkdir()
    (folder / ".git").write_bytes(content)
    assert root(folder) == os.path.realpath(folder)


def _with_nul(place: Path) -> None:
    place.write_bytes(b"\0../.git")


@pytest.mark.parametrize("name", [".git", "private/gitdir", "private/commondir"])
@pytest.mark.parametrize("put", [os.mkfifo, lambda place: place.symlink_to("/dev/zero"), os.mkdir, _with_nul])
def test_what_is_no_file_of_git_is_not_waited_for_and_not_read(
    tmp_path: Path, name: str, put: Callable[[Path], None]
) -> None:
    folder = tmp_path / "odd"
    (folder / "private").mkdir(parents=True)
    for said, words in (
        (".git", "gitdir: private"),
        ("private/gitdir", "../.git"),
        ("private/commondir", ".."),
    ):
        if said != name:
            (folder / said).write_text(words)
    put(folder / name)
    assert root(folder) == os.path.realpath(folder)


# https://github.com/anthropics/claude-code/issues/24382 is of live trees; one that was removed keeps its own name.
def test_a_folder_that_is_gone_is_the_path_that_was_recorded(tmp_path: Path) -> None:
    assert root(tmp_path / "gone") == str(tmp_path / "gone")
    assert root_of("C:\\Users\\A B\\app", HOST) == "C:\\Users\\A B\\app"


@pytest.mark.parametrize("cwd", ["", "/", "relative/app", "C:\\", "C:", "//", "/.."])
def test_what_names_no_folder_is_no_project(cwd: str) -> None:
    assert root_of(cwd, HOST) == NOWHERE


def test_a_very_deep_folder_is_looked_at_a_bounded_number_of_times(tmp_path: Path) -> None:
    main = repository(tmp_path / "main")
    deep = main.joinpath(*("d" * 1 for _ in range(MAX_DEPTH + 5)))
    deep.mkdir(parents=True)
    assert root(deep) == str(deep)
