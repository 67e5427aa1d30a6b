"""A restored file is whole, private, in its place, or not there at all."""

from __future__ import annotations

import base64
import hashlib
import stat
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.cli.double import SESSION, Daemon, una
from unabridged.api import original as originals
from unabridged.cli.restore_all import inside
from unabridged.errors import Incomplete, NotRestorable, UnsafePath

TEXT = bytes(range(256)) * 40 + b"\r\n\xff no newline"


def names_in(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def original(data: bytes = TEXT, name: str = "-srv-firmware/7f0d.jsonl", **more: Any) -> dict[str, Any]:
    return {
        "origins": [{"origin": "0a", "path": "/srv/7f0d.jsonl", "kind": "file"}],
        "origin": "0a",
        "path": "/srv/7f0d.jsonl",
        "name": name,
        "size": len(data),
        "offset": 0,
        "data": base64.b64encode(data).decode(),
        "done": True,
        "redactions": 0,
        "identical": True,
        "generation": 1,
        **more,
    }


def paged(data: bytes) -> Daemon:
    def page(asked: Mapping[str, Any]) -> dict[str, Any]:
        start = int(asked.get("offset", 0))
        part = data[start : start + int(asked["limit"])]
        encoded = base64.b64encode(part).decode()
        return {**original(data), "offset": start, "data": encoded, "done": start + len(part) >= len(data)}

    return Daemon(original=page)


def test_the_file_is_written_byte_for_byte_and_private(tmp_path: Path) -> None:
    target = tmp_path / "s.jsonl"
    done = una("restore", "7f0d", "--to", str(target), "--json", daemon=Daemon(original=original()))
    assert done.status == 0
    assert target.read_bytes() == TEXT
    assert stat.S_IMODE(target.stat().st_mode) == 0o600
    assert done.json == {
        "session": "7f0d",
        "path": str(target),
        "bytes": len(TEXT),
        "sha256": hashlib.sha256(TEXT).hexdigest(),
        "identical": True,
        "redactions": 0,
        "missing": 0,
        "origin": "/srv/7f0d.jsonl",
        "name": "-srv-firmware/7f0d.jsonl",
        "generation": 1,
        "generations": [1],
    }
    assert names_in(tmp_path) == ["s.jsonl"]


def test_pages_are_joined(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(originals, "PAGE_BYTES", 1000)
    daemon = paged(TEXT)
    una("restore", "7f0d", "--to", str(tmp_path / "s"), daemon=daemon)
    assert (tmp_path / "s").read_bytes() == TEXT
    assert [asked.get("offset", 0) for _, asked in daemon.asked] == list(range(0, len(TEXT), 1000))


def test_with_gaps_allowed_the_pages_go_on_behind_a_gap(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(originals, "PAGE_BYTES", 10)
    pages = {
        0: {"offset": 0, "data": base64.b64encode(b"abc").decode(), "done": False},
        10: {"offset": 10, "data": "", "done": False},
        20: {"offset": 20, "data": base64.b64encode(b"xyz").decode(), "done": True},
    }
    daemon = Daemon(original=lambda asked: {**original(), "size": 23, **pages[asked.get("offset", 0)]})
    done = una("restore", "7f0d", "--to", str(tmp_path / "s"), "--allow-gaps", daemon=daemon)
    assert (tmp_path / "s").read_bytes() == b"abcxyz"
    assert all(asked["allow_gaps"] for _, asked in daemon.asked)
    assert "not byte-identical to the original: 17 B missing" in done.out


def test_a_gap_is_refused_and_leaves_no_file(tmp_path: Path) -> None:
    done = una("restore", "7f0d", "--to", str(tmp_path / "s"), daemon=Daemon(original=Incomplete()))
    assert done.status == 6
    assert "--allow-gaps" in done.err
    assert names_in(tmp_path) == []


def test_an_error_in_the_middle_leaves_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def page(asked: Mapping[str, Any]) -> dict[str, Any]:
        if asked.get("offset"):
            raise Incomplete
        return original(done=False)

    done = una("restore", "7f0d", "--to", str(tmp_path / "s"), daemon=Daemon(original=page))
    assert done.status == 6
    assert names_in(tmp_path) == []


def test_redactions_are_told(tmp_path: Path) -> None:
    daemon = Daemon(original=original(redactions=2, identical=False))
    done = una("restore", "7f0d", "--to", str(tmp_path / "s"), daemon=daemon)
    assert "not byte-identical to the original: 2 redactions" in done.out


def test_what_a_rewritten_file_held_before_is_told_and_given(tmp_path: Path) -> None:
    daemon = Daemon(original=original(generation=3, generations=[1, 2, 3]))
    done = una("restore", "7f0d", "--to", str(tmp_path / "s"), daemon=daemon)
    assert "--generation 2 gives what was in it before" in done.err
    una("restore", "7f0d", "--to", str(tmp_path / "t"), "--generation", "2", daemon=daemon)
    assert daemon.asked[-1][1]["generation"] == 2


def test_an_identical_file_is_called_so(tmp_path: Path) -> None:
    done = una("restore", "7f0d", "--to", str(tmp_path / "s"), daemon=Daemon(original=original()))
    assert "byte-identical to the original" in done.out
    assert "not byte-identical" not in done.out
    assert "-srv-firmware/7f0d.jsonl" in done.err


def test_an_existing_file_is_kept_unless_forced(tmp_path: Path) -> None:
    target = tmp_path / "s"
    target.write_text("precious")
    done = una("restore", "7f0d", "--to", str(target), daemon=Daemon(original=original()))
    assert done.status == 5
    assert "--force" in done.err
    assert target.read_text() == "precious"
    done = una("restore", "7f0d", "--to", str(target), "--force", daemon=Daemon(original=original()))
    assert done.status == 0
    assert target.read_bytes() == TEXT
    assert names_in(tmp_path) == ["s"]


def test_a_file_that_appears_meanwhile_is_kept(tmp_path: Path) -> None:
    target = tmp_path / "s"

    def page(asked: Mapping[str, Any]) -> dict[str, Any]:
        if asked.get("offset"):
            target.write_text("precious")
            return {**original(), "offset": len(TEXT), "data": ""}
        return original(done=False)

    done = una("restore", "7f0d", "--to", str(target), daemon=Daemon(original=page))
    assert done.status == 5
    assert target.read_text() == "precious"
    assert names_in(tmp_path) == ["s"]


@pytest.mark.parametrize("force", [[], ["--force"]])
@pytest.mark.parametrize("dangling", [False, True])
def test_a_symbolic_link_is_never_followed(tmp_path: Path, force: list[str], dangling: bool) -> None:
    other = tmp_path / "other"
    if not dangling:
        other.write_text("precious")
    link = tmp_path / "link"
    link.symlink_to(other)
    done = una("restore", "7f0d", "--to", str(link), *force, daemon=Daemon(original=original()))
    assert done.status == 5
    assert "symbolic link" in done.err
    assert link.is_symlink()
    assert other.exists() is not dangling
    assert dangling or other.read_text() == "precious"


def test_a_folder_that_exists_takes_the_original_name(tmp_path: Path) -> None:
    una("restore", "7f0d", "--to", str(tmp_path), daemon=Daemon(original=original()))
    assert (tmp_path / "7f0d.jsonl").read_bytes() == TEXT


def test_a_folder_that_is_missing_is_named(tmp_path: Path) -> None:
    done = una("restore", "7f0d", "--to", str(tmp_path / "no" / "s"), daemon=Daemon(original=original()))
    assert done.status == 4
    assert "no folder" in done.err


def test_a_pipe_gets_the_bytes_alone() -> None:
    done = una("restore", "7f0d", "--to", "-", daemon=Daemon(original=original()))
    assert done.bytes == TEXT
    assert done.err == ""


def test_an_origin_is_passed_on() -> None:
    daemon = Daemon(original=original())
    una("restore", "7f0d", "--to", "-", "--origin", "7f0d.jsonl", daemon=daemon)
    assert daemon.asked[0][1]["origin"] == "7f0d.jsonl"


def every(names: Mapping[str, str]) -> Daemon:
    """A daemon with one session of several files: path -> name."""

    def answer(asked: Mapping[str, Any]) -> dict[str, Any]:
        path = str(asked.get("origin") or next(iter(names)))
        listed = [{"origin": "0a", "path": name} for name in names]
        return {**original(path.encode(), names[path]), "path": path, "origins": listed}

    return Daemon(sessions={"sessions": [SESSION, SESSION], "next": ""}, original=answer)


def test_all_files_go_to_their_hosts_own_places(tmp_path: Path) -> None:
    names = {
        "/root/p/-srv/7f0d.jsonl": "-srv/7f0d.jsonl",
        "/root/p/-srv/7f0d/tool-results/b.txt": "",
        "/elsewhere/c.txt": "",
    }
    done = una("restore", "--all", str(tmp_path / "out"), "--json", daemon=every(names))
    assert done.status == 0
    base = tmp_path / "out" / "claude-code" / "-srv"
    assert (base / "7f0d.jsonl").read_text() == "/root/p/-srv/7f0d.jsonl"
    assert (base / "7f0d" / "tool-results" / "b.txt").read_text().endswith("b.txt")
    assert (base / "c.txt").read_text() == "/elsewhere/c.txt"
    assert len(done.json["files"]) == 3
    assert done.json["problems"] == []
    assert stat.S_IMODE(base.stat().st_mode) == 0o700


def test_two_files_of_one_place_get_two_names_unless_they_are_equal(tmp_path: Path) -> None:
    names = {"/p/a.jsonl": "x/a.jsonl", "/q/a.jsonl": "x/a.jsonl"}
    for _ in range(2):
        done = una("restore", "--all", str(tmp_path), "--json", daemon=every(names))
        assert done.status == 0
        assert [Path(facts["path"]).name for facts in done.json["files"]] == ["a.jsonl", "a~2.jsonl"]
    assert (tmp_path / "claude-code" / "x" / "a~2.jsonl").read_text() == "/q/a.jsonl"
    equal = Daemon(
        sessions={"sessions": [SESSION], "next": ""},
        original=lambda asked: {**original(name="y/b"), "origins": [{"path": "/p/b"}, {"path": "/q/b"}]},
    )
    done = una("restore", "--all", str(tmp_path), "--json", daemon=equal)
    assert [Path(facts["path"]).name for facts in done.json["files"]] == ["b", "b"]
    assert names_in(tmp_path / "claude-code" / "y") == ["b"]


def test_sessions_that_never_were_files_are_passed_over(tmp_path: Path) -> None:
    daemon = Daemon(sessions={"sessions": [{**SESSION, "host": "note", "origins": []}], "next": ""})
    done = una("restore", "--all", str(tmp_path), "--json", daemon=daemon)
    assert (done.status, done.json) == (0, {"files": [], "problems": [], "left_out": {}})


def test_sessions_that_no_host_takes_back_are_counted_and_no_problem(tmp_path: Path) -> None:
    def answer(asked: Mapping[str, Any]) -> dict[str, Any]:
        if not asked.get("listing"):
            raise NotRestorable
        return {**original(name=""), "origins": [{"path": "/p/export.zip", "kind": "stream"}]}

    sessions = {"sessions": [{**SESSION, "host": "chatgpt"}], "next": ""}
    done = una("restore", "--all", str(tmp_path), "--json", daemon=Daemon(sessions=sessions, original=answer))
    assert (done.status, done.json["problems"], done.json["left_out"]) == (0, [], {"chatgpt": 1})
    done = una("restore", "--all", str(tmp_path), daemon=Daemon(sessions=sessions, original=answer))
    assert "1 session of chatgpt left out" in done.out


def test_what_passed_on_the_wire_is_no_file_of_a_host(tmp_path: Path) -> None:
    listed = [{"path": "/p/b", "kind": "file"}, {"path": "window:00", "kind": "wire"}]
    daemon = Daemon(
        sessions={"sessions": [SESSION], "next": ""},
        original=lambda asked: {**original(name="y/b"), "path": asked.get("origin"), "origins": listed},
    )
    done = una("restore", "--all", str(tmp_path), "--json", daemon=daemon)
    assert [Path(facts["path"]).name for facts in done.json["files"]] == ["b"]


def test_all_again_keeps_equal_files_and_reports_others(tmp_path: Path) -> None:
    names = {"/p/a.jsonl": "x/a.jsonl", "/p/b.jsonl": "x/b.jsonl"}
    assert una("restore", "--all", str(tmp_path), daemon=every(names)).status == 0
    assert una("restore", "--all", str(tmp_path), daemon=every(names)).status == 0
    (tmp_path / "claude-code" / "x" / "a.jsonl").write_text("changed")
    done = una("restore", "--all", str(tmp_path), daemon=every(names))
    assert done.status == 5
    assert "/p/a.jsonl" in done.err
    assert (tmp_path / "claude-code" / "x" / "a.jsonl").read_text() == "changed"


@pytest.mark.parametrize("name", ["../../x", "/etc/x", "a/../../x", "..\\x", "a\0b", ".", ""])
def test_a_name_that_leads_out_of_the_folder_is_refused(name: str, tmp_path: Path) -> None:
    with pytest.raises(UnsafePath):
        inside(tmp_path, name)


def test_one_file_with_a_bad_name_does_not_keep_the_others_from_being_written(tmp_path: Path) -> None:
    names = {"/p/a.jsonl": "../a.jsonl", "/p/b.jsonl": "x/b.jsonl"}
    done = una("restore", "--all", str(tmp_path), "--json", daemon=every(names))
    assert done.status == 5
    assert [problem["origin"] for problem in done.json["problems"]] == ["/p/a.jsonl"]
    assert (tmp_path / "claude-code" / "x" / "b.jsonl").exists()
    assert not (tmp_path / "a.jsonl").exists()
