"""The commands against a real daemon, on the samples that ship."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from unabridged.api.original import PAGE_BYTES
from unabridged.cli.importing import sample_folder

pytestmark = pytest.mark.slow

CODE = "import sys; from unabridged.app.main import main; sys.exit(main())"
SECONDS = 120  # that one command may take on a busy machine
SAMPLES = sorted(Path(sample_folder()).rglob("*.jsonl"))
CLAUDE = "7f0d2c54-3a61-4b8e-9c1f-52d7e0a4b619"


class Home:
    """A home with a daemon of its own."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(mode=0o700)
        user = folder / "user"
        user.mkdir()
        kept = {name: os.environ[name] for name in ("PATH", "PYTHONPATH") if name in os.environ}
        self.env = {**kept, "HOME": str(user), "UNABRIDGED_HOME": str(folder / "home"), "LANG": "C.UTF-8"}
        self.work = user

    def una(self, *words: str) -> subprocess.CompletedProcess[bytes]:
        command = [sys.executable, "-c", CODE, *words]
        return subprocess.run(
            command,
            cwd=self.work,
            env=self.env,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=SECONDS,
        )

    def json(self, *words: str, status: int = 0) -> Any:
        done = self.una(*words, "--json")
        assert done.returncode == status, (words, done.stdout, done.stderr)
        assert done.stdout.count(b"\n") == 1, "one document on standard output"
        return json.loads(done.stdout)


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Home]:
    home = Home(tmp_path_factory.mktemp("cli") / "one")
    try:
        assert home.json("import", "--sample")["sessions"] == len(SAMPLES)
        yield home
    finally:
        home.una("daemon", "stop", "--force")


def test_every_line_is_accounted_for_and_a_second_import_reads_nothing(home: Home) -> None:
    before = home.json("stats")["totals"]["events"]
    again = home.json("import", "--sample")
    assert (again["files"], again["skipped"]) == (len(SAMPLES), len(SAMPLES))
    assert again["lines"] == {"read": 0, "new": 0, "known": 0, "unreadable": 0}
    assert home.json("stats")["totals"]["events"] == before


def test_an_import_says_which_lines_it_could_not_read_and_exits_with_three(
    home: Home, tmp_path: Path
) -> None:
    torn = tmp_path / "torn.jsonl"
    torn.write_bytes(next(path for path in SAMPLES if "pi" in path.parts).read_bytes() + b'{"type": torn\n')
    account = home.json("import", str(torn), status=3)
    lines = account["lines"]
    assert lines["unreadable"] == 1
    assert lines["read"] == lines["new"] + lines["known"] + lines["unreadable"]
    assert [(problem["path"], problem["code"]) for problem in account["problems"]] == [
        (str(torn), "not-json")
    ]


def test_a_bad_line_costs_only_itself(home: Home, tmp_path: Path) -> None:
    name = "5b1e7c90-0d1f-4c57-8a35-1f2e3d4c5b6a"
    row = {"type": "user", "sessionId": name, "cwd": "/srv/bad", "isSidechain": False, "version": "2.1.332"}

    def message(number: int, text: str) -> bytes:
        said = {
            **row,
            "uuid": f"11111111-0000-4000-8000-{number:012}",
            "parentUuid": None,
            "timestamp": "2026-11-08T08:00:00.000Z",
            "message": {"role": "user", "content": text},
        }
        return json.dumps(said).encode()

    bad = [b"null", b"[1,2]", b"not json", b'{"type":"user","bytes":"\xff\xfe"}', b"{", b""]
    lines = [
        message(1, "begins with quokka"),
        *bad,
        message(2, "lone \ud83d wombat"),
        message(3, "ends with numbat"),
    ]
    file = tmp_path / f"{name}.jsonl"
    file.write_bytes(b"\n".join(lines) + b"\n")
    account = home.json("import", str(file), status=3)["lines"]
    assert account["read"] == account["new"] + account["known"] + account["unreadable"]
    assert account["unreadable"] >= 3
    for word in ("quokka", "wombat", "numbat"):
        assert [hit["host_session"] for hit in home.json("search", word, "-n", "1")["hits"]] == [name], word
    assert home.una("restore", name, "--to", "-").stdout == file.read_bytes()


def test_a_dry_run_changes_nothing(home: Home, tmp_path: Path) -> None:
    copy = tmp_path / "copy.jsonl"
    copy.write_bytes(SAMPLES[0].read_bytes())
    found = home.json("import", str(copy), "--dry-run")["found"]
    assert [item["path"] for item in found] == [str(copy)]
    listed = [origin for session in home.json("sessions") for origin in session["origins"]]
    assert str(copy) not in listed


def test_a_hit_has_the_promised_fields_and_its_passage_is_exact(home: Home) -> None:
    found = home.json("search", "why did the flash write fail", "--limit", "3")
    assert set(found) >= {"status", "hits", "next", "account"}
    assert (found["status"], len(found["hits"])) == ("ok", 3)
    promised = {
        *("document", "version", "kind", "score", "band", "match", "snippet", "locator"),
        *("session", "host_session", "source_keys", "time", "bytes"),
    }
    for hit in found["hits"]:
        assert set(hit) >= promised
        passage = home.json("recall", hit["locator"])
        assert passage["status"] == "resolved"
        assert passage["bytes"] == hit["bytes"]
        assert passage["source_keys"] == hit["source_keys"]
        assert len(passage["text"].encode()) == hit["bytes"][1] - hit["bytes"][0]
        assert home.una("recall", hit["handle"]).stdout == passage["text"].encode()


@pytest.mark.parametrize(
    ("query", "host"),
    [
        ("why did the flash write fail", "claude-code"),
        ("newest_valid_page", "claude-code"),
        ("BMP390_I2C_ADDR", "codex"),
        ("DEC-0054", "codex"),
        ("气压传感器", "codex"),
        ("confirm_image", "pi"),
        ("v1.2.3-rc.1", "pi"),
        ("テスト", "pi"),
        ("0x7ffe", "pi"),
    ],
)
def test_the_samples_answer_what_they_are_asked(home: Home, query: str, host: str) -> None:
    hits = home.json("search", query, "--limit", "3")["hits"]
    assert host in [hit["host"] for hit in hits[:1]], hits


def test_grep_gives_matches_in_the_order_of_the_log(home: Home) -> None:
    found = home.json("grep", "E_FLASH_[A-Z]+", "--host", "claude-code")
    assert len(found["hits"]) >= 3
    assert all(hit["host_session"] == CLAUDE for hit in found["hits"])
    assert [hit["time"] for hit in found["hits"]] == sorted(hit["time"] for hit in found["hits"])
    assert home.json("grep", "-F", "E_FLASH_[A-Z]+")["hits"] == []
    assert home.json("grep", "(", status=2)["error"]["code"] == "invalid-pattern"


def test_every_sample_comes_back_byte_for_byte(home: Home, tmp_path: Path) -> None:
    sessions = {origin: session for session in home.json("sessions") for origin in session["origins"]}
    for number, path in enumerate(SAMPLES):
        session = sessions[str(path)]
        target = tmp_path / f"{number}.jsonl"
        facts = home.json("restore", session["host_session"], "--origin", str(path), "--to", str(target))
        assert target.read_bytes() == path.read_bytes()
        assert facts["identical"] is True
        assert facts["sha256"] == hashlib.sha256(path.read_bytes()).hexdigest()
        assert home.json("restore", session["session"], "--to", str(target), status=5)["error"]


def test_a_file_of_many_pages_comes_back_byte_for_byte(home: Home, tmp_path: Path) -> None:
    name = "0b8f4a52-6b0e-4f7d-9d0e-3d1f6a7c2e11"
    row = {"type": "user", "sessionId": name, "cwd": "/srv/large", "isSidechain": False, "version": "2.1.332"}
    lines = [
        json.dumps(
            {
                **row,
                "uuid": f"00000000-0000-4000-8000-{number:012}",
                "parentUuid": None,
                "timestamp": "2026-11-07T08:00:00.000Z",
                "message": {
                    "role": "user",
                    "content": f"{number} " + "seven words that fill a page " * 1_500,
                },
            }
        )
        for number in range(240)
    ]
    large = tmp_path / f"{name}.jsonl"
    large.write_text("\n".join(lines) + "\n")
    assert large.stat().st_size > 2 * PAGE_BYTES
    assert home.json("import", str(large))["lines"]["new"] == len(lines)
    facts = home.json("restore", name, "--to", str(tmp_path / "back"))
    assert facts["identical"] is True
    assert (tmp_path / "back").read_bytes() == large.read_bytes()


def test_a_session_is_named_by_either_id_or_eight_characters_of_it(home: Home) -> None:
    whole = home.json("show", CLAUDE)
    for name in (CLAUDE[:8], whole["session"]["session"], whole["session"]["session"][:8]):
        assert home.json("show", name) == whole
    assert home.json("show", "no-such-session", status=4)["error"]["exit_code"] == 4


def test_show_pages_join_without_loss_or_repeat(home: Home) -> None:
    whole = home.json("show", CLAUDE)["events"]
    seen: list[Any] = []
    cursor = ""
    while True:
        page = home.json("show", CLAUDE, "-n", "5", *(["--cursor", cursor] if cursor else []))
        seen += page["events"]
        cursor = page["next"]
        if not cursor:
            break
    assert seen == whole


def test_search_pages_join_without_repeat(home: Home) -> None:
    first = home.json("search", "flash", "-n", "2")
    second = home.json("search", "flash", "-n", "2", "--cursor", first["next"])
    places = [(hit["event"], tuple(hit["bytes"])) for hit in (*first["hits"], *second["hits"])]
    assert len(set(places)) == len(places) > 2


def test_a_note_is_found_at_once(home: Home) -> None:
    noted = home.json("note", "The anemometer needs 5 V, never 3.3 V.", "--title", "wiring")
    hits = home.json("search", "anemometer")["hits"]
    assert hits
    assert "5 V" in home.json("recall", hits[0]["locator"])["text"]
    assert home.json("recall", noted["document"])["status"] == "resolved"


def test_a_document_and_an_event_are_shown_by_their_ids(home: Home) -> None:
    hit = home.json("search", "DEC-0054")["hits"][0]
    for name in (hit["event"], hit["document"]):
        shown = home.json("show", name)
        assert hit["event"] in [event["event"] for event in shown["events"]], name


def test_everything_is_restored_into_the_hosts_own_places(home: Home, tmp_path: Path) -> None:
    home.json("note", "a session that never was a file")
    folder = tmp_path / "all"
    assert home.json("restore", "--all", str(folder))["problems"] == []
    written = {path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    assert {path.read_bytes() for path in SAMPLES} <= written
    assert home.json("restore", "--all", str(folder))["problems"] == []


def test_an_export_of_everything_can_be_checked(home: Home, tmp_path: Path) -> None:
    home.json("export", "--all", str(tmp_path / "out"), "--format", "jsonl")
    manifest = json.loads((tmp_path / "out" / "manifest.json").read_text())
    assert len(manifest["files"]) >= len(SAMPLES)
    for facts in manifest["files"]:
        data = (tmp_path / "out" / facts["path"]).read_bytes()
        assert hashlib.sha256(data).hexdigest() == facts["sha256"]
        assert data.count(b"\n") == facts["events"] + 1


@pytest.mark.parametrize(
    "verb", ["status", "stats", "doctor", "verify", "index", "index verify", "daemon", "project"]
)
def test_the_state_is_well_and_told_as_one_document(home: Home, verb: str) -> None:
    answer = home.json(*verb.split())
    assert isinstance(answer, list) or answer["ok"] is True


def test_an_index_that_is_made_anew_finds_the_same(home: Home) -> None:
    before = [hit["event"] for hit in home.json("search", "confirm_image")["hits"]]
    assert home.json("index", "rebuild")["ok"] is True
    assert [hit["event"] for hit in home.json("search", "confirm_image")["hits"]] == before


def test_two_homes_never_touch(home: Home, tmp_path: Path) -> None:
    other = Home(tmp_path / "two")
    try:
        assert other.json("sessions") == []
        assert other.json("recall", CLAUDE, status=2)
        assert (
            other.json("daemon", "status")["daemon"]["pid"] != home.json("daemon", "status")["daemon"]["pid"]
        )
    finally:
        other.una("daemon", "stop", "--force")
    assert other.json("daemon", "status")["running"] is False


def test_a_restart_keeps_everything(home: Home) -> None:
    before = home.json("sessions")
    old = home.json("daemon", "status")["daemon"]["pid"]
    restarted = home.json("daemon", "restart")
    assert restarted["stopped"] == old
    assert restarted["pid"] != old
    assert home.json("sessions") == before
