"""Every verb gives the shapes that it promises, and the exit status of what happened."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.double import EVENTS, FOUND, HIT, IMPORTED, PASSAGE, SESSION, Daemon, una
from unabridged.cli.search import completeness
from unabridged.cli.status import meaning
from unabridged.errors import DaemonUnavailable, InvalidPattern, SessionNotFound, StoreLocked, UnsafePath


def test_search_gives_the_answer_as_json() -> None:
    done = una("search", "flash", "--json", daemon=Daemon(search=FOUND))
    assert done.status == 0
    assert done.json == FOUND
    assert done.err == ""


def test_search_gives_a_hit_a_line_and_what_is_next_on_standard_error() -> None:
    found = {**FOUND, "hits": [HIT, HIT], "next": "c2"}
    done = una("search", "flash", "--jsonl", daemon=Daemon(search=found))
    assert done.lines == [HIT, HIT]
    assert done.err == "next: the same with --cursor c2\n"


def test_search_draws_a_hit_with_how_to_recall_it() -> None:
    done = una("search", "flash", daemon=Daemon(search=FOUND))
    assert done.out.splitlines() == [
        "  1 high  claude-code · 2026-11-03 09:14 · tool tool-result Bash  Flash",
        "    the flash write fails with E_FLASH_BUSY",
        "    una recall h7k2 · 9 tokens",
    ]


def test_search_marks_the_terms_on_a_terminal_unless_colour_is_unwanted() -> None:
    shown = una("search", "flash", daemon=Daemon(search=FOUND), terminal=True).out
    assert "the \x1b[1mflash\x1b[0m \x1b[1mwrite\x1b[0m fails" in shown
    plain = una("search", "flash", daemon=Daemon(search=FOUND), terminal=True, environ={"NO_COLOR": "1"})
    assert "\x1b" not in plain.out
    assert "the flash write fails" in plain.out


@pytest.mark.parametrize(
    ("status", "account", "says", "exits"),
    [
        ("empty", {}, "Nothing found; everything archived was searched.", 0),
        ("empty", {"scope": "project"}, "Nothing found; all that is in scope was searched.", 0),
        ("empty", {"left_out": {"filters": 3}}, "The filters left 3 passages out.", 0),
        ("index-behind", {"behind": 1}, "The index is 1 log entry behind", 0),
        ("partial", {"left_out": {"unreadable": 2}}, "2 passages could not be read", 0),
        (
            "failed",
            {"failed": {"lexical": "index-corrupt"}},
            "The search failed (lexical: index-corrupt).",
            8,
        ),
        ("failed", {"failed": {"lexical": "no-index"}}, "There is no index yet: `una import`", 8),
    ],
)
def test_search_says_how_complete_the_answer_is(
    status: str, account: dict[str, object], says: str, exits: int
) -> None:
    found = {**FOUND, "status": status, "hits": [], "account": account}
    done = una("search", "x", daemon=Daemon(search=found))
    assert done.status == exits
    assert done.out == ""
    assert says in done.err


@pytest.mark.parametrize(
    ("account", "told"),
    [
        ({"semantic": "used"}, ""),
        ({"semantic": "used", "semantic_behind": 3}, "3 log entries not embedded yet."),
        ({"semantic": "not-needed"}, ""),
        ({"semantic": "not-installed"}, "una models install"),
        ({"semantic": "starting"}, "still being loaded"),
        ({"semantic": "worker-died"}, "Words alone were searched (worker-died)."),
    ],
)
def test_search_says_what_meaning_could_not_do(account: dict[str, object], told: str) -> None:
    said = completeness({"status": "ok", "hits": [], "account": account})
    assert told in said
    assert bool(said) == bool(told)


def test_status_says_how_the_vectors_are() -> None:
    facts = {"state": "working", "spans": 1, "model": "m", "behind": 2, "error": ""}
    assert meaning(facts) == "working, 1 span, m, 2 log entries behind"


def test_search_says_that_the_scope_was_narrowed() -> None:
    found = {**FOUND, "account": {"narrowed": True}}
    assert "narrowed" in una("search", "x", daemon=Daemon(search=found)).err


def test_grep_passes_a_bad_pattern_on_as_an_error() -> None:
    done = una("grep", "(", daemon=Daemon(grep=InvalidPattern("missing )", pattern="(")))
    assert done.status == 2
    assert done.err.startswith("error: missing )")
    assert "RE2" in done.err


def test_recall_gives_json_or_the_exact_bytes() -> None:
    assert una("recall", "h", "--json", daemon=Daemon(recall=PASSAGE)).json == PASSAGE
    assert una("recall", "h", daemon=Daemon(recall=PASSAGE)).bytes == str(PASSAGE["text"]).encode()


def test_recall_tells_where_a_passage_comes_from_on_a_terminal() -> None:
    passage = {
        **PASSAGE,
        "next": "h8",
        "before": "h6",
        "omitted": {"before": 0, "after": 4096, "document_tokens": 1500},
        "redactions": 1,
    }
    done = una("recall", "h", daemon=Daemon(recall=passage), terminal=True, environ={"NO_COLOR": "1"})
    assert "claude-code · tool-result · 2026-11-03 09:14 · bytes 0–38 of d0c1 v1" in done.out
    assert "from claude-code:7f0d2c54-3a61:u1" in done.out
    assert "the flash write fails\nwith E_FLASH_BUSY\n" in done.out
    assert "next: una recall h8" in done.err
    assert "before: una recall h6" in done.err
    assert "There is more of it (1,500 tokens in all): 4.1 kB after." in done.err
    assert "1 secret" in done.err


@pytest.mark.parametrize(
    ("status", "exits"),
    [
        ("missing", 4),
        ("expired", 4),
        ("erased", 4),
        ("lease-expired", 4),
        ("locator-invalid", 2),
        ("out-of-scope", 5),
    ],
)
def test_recall_without_a_passage_is_an_error_and_as_json_an_answer(status: str, exits: int) -> None:
    passage = {**PASSAGE, "status": status, "text": ""}
    done = una("recall", "h", daemon=Daemon(recall=passage))
    assert (done.status, done.out) == (exits, "")
    assert done.err.startswith("error: ")
    shown = una("recall", "h", "--json", daemon=Daemon(recall=passage))
    assert (shown.status, shown.json["status"]) == (exits, status)


def test_recall_of_a_superseded_version_gives_it_and_says_so() -> None:
    passage = {**PASSAGE, "status": "superseded", "replaced_by": "d0c2"}
    done = una("recall", "h", daemon=Daemon(recall=passage))
    assert done.status == 0
    assert done.bytes == str(PASSAGE["text"]).encode()
    assert "replaced by d0c2" in done.err


def test_show_draws_events_in_order() -> None:
    shown = {"session": SESSION, "events": EVENTS, "next": "c"}
    done = una("show", "5e55", "--limit", "2", daemon=Daemon(show=shown))
    assert done.out.index("Why does the flash write fail?") < done.out.index("E_FLASH_BUSY")
    assert done.asked == [("show", {"target": "5e55", "limit": 2})]
    assert "next: una show 5e55 --cursor c" in done.err
    assert una("show", "5e55", "--json", daemon=Daemon(show=shown)).json == shown
    assert una("show", "5e55", "--jsonl", daemon=Daemon(show=shown)).lines == EVENTS


def test_sessions_are_a_list_of_all_pages() -> None:
    pages = {"": {"sessions": [SESSION] * 2, "next": "c1"}, "c1": {"sessions": [SESSION], "next": ""}}
    daemon = Daemon(sessions=lambda asked: pages[asked.get("cursor", "")])
    done = una("sessions", "--json", "--host", "codex", daemon=daemon)
    assert done.json == [SESSION] * 3
    assert [asked.get("cursor") for _, asked in daemon.asked] == [None, "c1"]
    assert all(asked["host"] == "codex" for _, asked in daemon.asked)


def test_sessions_stop_at_the_limit_and_say_how_to_go_on() -> None:
    daemon = Daemon(sessions={"sessions": [SESSION] * 2, "next": "c1"})
    done = una("sessions", "-n", "2", "--jsonl", daemon=daemon)
    assert done.lines == [SESSION] * 2
    assert len(daemon.asked) == 1
    assert "--cursor c1" in done.err


def test_no_session_is_an_empty_list_and_a_hint() -> None:
    daemon = Daemon(sessions={"sessions": [], "next": ""})
    assert una("sessions", "--json", daemon=daemon).json == []
    assert "una import" in una("sessions", daemon=daemon).err


def test_no_session_of_one_host_is_not_said_of_all() -> None:
    done = una("sessions", "--host", "gemini", daemon=Daemon(sessions={"sessions": [], "next": ""}))
    assert "No session is archived of that host or project." in done.err


def test_import_accounts_for_every_line() -> None:
    done = una("import", daemon=Daemon(**{"import": IMPORTED}))
    assert done.status == 0
    assert "3 files, 1 of them unchanged: 55.0 kB read in 400 ms" in done.out
    assert "101 lines: 90 new, 11 known, 0 unreadable" in done.out
    assert una("import", "--json", daemon=Daemon(**{"import": IMPORTED})).json == IMPORTED


def test_import_that_finds_nothing_says_what_to_try() -> None:
    answer = {**IMPORTED, "lines": {"read": 0}, "bytes": 0, "files": 0, "skipped": 0, "problems": []}
    done = una("import", daemon=Daemon(**{"import": answer}))
    assert (done.status, done.out) == (0, "")
    assert "No transcript was found." in done.err
    assert "una import --sample" in done.err


def test_an_import_whose_daemon_ends_says_that_it_goes_on_where_it_stopped() -> None:
    done = una("import", daemon=Daemon(**{"import": DaemonUnavailable("the daemon stopped")}))
    assert done.status == 9
    assert "goes on where it stopped" in done.err


def test_import_of_unchanged_files_says_so_in_a_line() -> None:
    answer = {**IMPORTED, "lines": {"read": 0}, "bytes": 0, "files": 3, "skipped": 3}
    done = una("import", daemon=Daemon(**{"import": answer}))
    assert done.out == "3 files, unchanged since the last import\n"


def test_import_with_unreadable_lines_names_them_and_exits_with_three() -> None:
    problem = {"path": "/srv/a.jsonl", "line": 7, "code": "not-json", "message": "the line is not JSON"}
    answer = {
        **IMPORTED,
        "lines": {"read": 101, "new": 90, "known": 10, "unreadable": 1},
        "problems": [problem],
        "problems_omitted": 4,
    }
    done = una("import", daemon=Daemon(**{"import": answer}))
    assert done.status == 3
    assert "/srv/a.jsonl:7  not-json  the line is not JSON" in done.out
    assert "and 4 more" in done.out
    assert una("import", "--json", daemon=Daemon(**{"import": answer})).status == 3


def test_import_of_a_file_that_cannot_be_opened_exits_with_three() -> None:
    problem = {"path": "/srv/a.jsonl", "line": 0, "code": "path-unreadable", "message": "permission denied"}
    done = una("import", daemon=Daemon(**{"import": {**IMPORTED, "problems": [problem]}}))
    assert done.status == 3


def test_import_sends_absolute_paths_and_refuses_what_is_not_there(tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.jsonl").write_text("{}\n")
    daemon = Daemon(**{"import": IMPORTED})
    una("import", "a.jsonl", "--host", "pi", "--verify", daemon=daemon)
    ((_, asked),) = daemon.asked
    assert asked["paths"] == [str(tmp_path / "a.jsonl")]
    assert (asked["host"], asked["verify"]) == ("pi", True)
    done = una("import", "b.jsonl", daemon=daemon)
    assert done.status == 4
    assert len(daemon.asked) == 1


def test_import_sends_where_the_caller_has_moved_the_hosts_sessions() -> None:
    daemon = Daemon(**{"import": IMPORTED})
    una("import", daemon=daemon, environ={"CODEX_HOME": "/srv/codex", "OTHER": "x", "CLAUDE_CONFIG_DIR": ""})
    assert daemon.asked[0][1]["env"] == {"CODEX_HOME": "/srv/codex"}


def test_every_variable_that_a_host_reads_is_sent() -> None:
    import re
    from pathlib import Path

    import unabridged
    from unabridged.daemon.paths import HOST_VARIABLES

    hosts = Path(unabridged.__file__).parent / "hosts"
    pattern = re.compile(r"""\benv(?:\.get\(|\[)["']([A-Z_]+)["']""")
    read = {name for path in hosts.rglob("*.py") for name in pattern.findall(path.read_text())}
    assert "CODEX_HOME" in read
    assert read - set(HOST_VARIABLES) == set()


def test_import_of_the_sample_sends_its_folder_and_tells_what_to_try() -> None:
    daemon = Daemon(**{"import": IMPORTED})
    done = una("import", "--sample", daemon=daemon)
    ((_, asked),) = daemon.asked
    assert asked["paths"][0].endswith("samples")
    assert "una search" in done.err
    assert "una search" not in done.out


def test_import_dry_run_counts_files_by_host() -> None:
    found = [
        {"path": "/a", "host": "codex", "kind": "file", "size": 1000, "action": "new"},
        {"path": "/b", "host": "codex", "kind": "file", "size": 500, "action": "unchanged"},
        {"path": "/c", "host": "cursor", "kind": "rows", "size": 0, "action": "new"},
    ]
    daemon = Daemon(**{"import": {**IMPORTED, "found": found}})
    done = una("import", "--dry-run", daemon=daemon)
    assert daemon.asked[0][1]["dry_run"] is True
    assert [line.split() for line in done.out.splitlines()] == [
        ["host", "files", "unchanged", "size"],
        ["codex", "2", "1", "1.5", "kB"],
        ["cursor", "1", "0", "–"],
    ]
    assert "Nothing was changed" in done.err


def test_import_shows_how_far_it_is() -> None:
    from unabridged.cli.importing import told
    from unabridged.cli.progress import describe

    news = {"phase": "read", "files": 12, "files_done": 3, "bytes": 80_000_000, "bytes_done": 20_000_000}
    assert describe("importing", told(news), 2.0) == (
        "importing · 25 % · 20.0 MB of 80.0 MB · 10.0 MB/s · 6.0 s left · 3 of 12 files"
    )
    news["phase"] = "find"
    assert (
        describe("importing", told(news), 2.0)
        == "looking and importing · 20.0 MB · 10.0 MB/s · 3 of 12 files"
    )


def test_a_stopped_import_says_that_it_goes_on_where_it_stopped() -> None:
    done = una("import", daemon=Daemon(**{"import": KeyboardInterrupt()}))
    assert done.status == 130
    assert "goes on where it stopped" in done.err
    shown = una("import", "--json", daemon=Daemon(**{"import": KeyboardInterrupt()}))
    assert shown.json["error"]["code"] == "cancelled"


def test_any_other_verb_can_be_stopped_too() -> None:
    assert una("stats", daemon=Daemon(stats=KeyboardInterrupt())).status == 130


NOTED = {"document": "d9", "version": 1, "event": "e9", "position": 12, "replayed": False, "handle": "w9"}


def test_a_note_comes_from_the_command_line_or_from_standard_input(monkeypatch) -> None:
    daemon = Daemon(note=NOTED)
    done = una("note", "keep", "slot A", "--title", "boot", "--subject", "boot-slot", daemon=daemon)
    ((_, asked),) = daemon.asked
    assert (asked["text"], asked["title"], asked["subject_key"]) == ("keep slot A", "boot", "boot-slot")
    assert len(asked["request"]) == 32
    assert done.out == "noted as w9\n"
    assert una("note", "x", "--json", daemon=Daemon(note=NOTED)).json == NOTED

    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO("from a pipe ✓\n".encode())))
    daemon = Daemon(note=NOTED)
    una("note", "-", daemon=daemon)
    assert daemon.asked[0][1]["text"] == "from a pipe ✓\n"


STATUS = {
    "ok": True,
    "version": "0.1.0",
    "store": {"engine": "rocksdb", "bytes_on_disk": 12_345_678, "raw_bytes": 99_000_000, "events": 77},
    "index": {"ok": True, "state": "current"},
    "daemon": {"pid": 4711, "uptime_seconds": 75.0},
    "hosts": [{"host": "codex", "transcripts": 3, "roots": [{"path": "/srv/codex", "exists": True}]}],
    "problems": [],
}


def test_status_is_json_or_drawn_with_units() -> None:
    assert una("status", "--json", daemon=Daemon(status=STATUS)).json == STATUS
    done = una("status", daemon=Daemon(status=STATUS))
    assert done.status == 0
    assert done.out.splitlines() == [
        "unabridged 0.1.0: ok",
        "archive  77 events, 99.0 MB of transcripts in 12.3 MB, rocksdb",
        "index    current",
        "daemon   process 4711, up 1 min 15 s",
        "host   archived  where it keeps its sessions",
        "codex         3  /srv/codex",
    ]


def test_status_says_where_sessions_are_that_have_no_place_of_their_own_and_which_hosts_have_none() -> None:
    nowhere = [{"path": "/home/dev/.aider.chat.history.md", "exists": False}]
    hosts = [
        {"host": "aider", "transcripts": 2, "roots": nowhere},
        {"host": "pi", "transcripts": 0, "roots": nowhere},
        {"host": "chatgpt", "transcripts": 7, "roots": []},
        {"host": "claude-ai", "transcripts": 0, "roots": []},
    ]
    done = una("status", daemon=Daemon(status={**STATUS, "hosts": hosts}))
    assert done.out.splitlines()[-3:] == [
        "aider           2  in folders that you named",
        "chatgpt         7  its exports, where you put them",
        "nothing here of pi, claude-ai",
    ]


def test_status_says_which_hosts_are_read_while_a_daemon_runs_only() -> None:
    here = [{"path": "/srv/gemini", "exists": True}]
    hosts = [*STATUS["hosts"], {"host": "gemini", "transcripts": 2, "roots": here}]  # type: ignore[misc]
    done = una("status", daemon=Daemon(status={**STATUS, "hosts": hosts}))
    assert "while a daemon runs: gemini. `una daemon login on`" in done.err
    assert "login" not in una("status", daemon=Daemon(status=STATUS)).err


def test_status_with_a_problem_exits_with_one() -> None:
    wrong = {**STATUS, "ok": False, "problems": [{"code": "disk-low", "message": "too little disk"}]}
    done = una("status", daemon=Daemon(status=wrong))
    assert done.status == 1
    assert "problem: too little disk" in done.err


STATS = {"ok": True, "totals": {"events": 5}, "projects": [{"name": "a", "events": 5}], "disk": {"store": 9}}


def test_stats_are_json_or_tables() -> None:
    assert una("stats", "--json", daemon=Daemon(stats=STATS)).json == STATS
    assert "name  events" in una("stats", daemon=Daemon(stats=STATS)).out


def test_doctor_exits_with_one_while_something_is_wrong() -> None:
    checks = [
        {"check": "socket", "ok": True, "detail": "answers"},
        {"check": "folder", "ok": False, "detail": "mode 0755", "hint": "chmod 700", "fixed": False},
    ]
    wrong = {"ok": False, "checks": checks}
    done = una("doctor", daemon=Daemon(doctor=wrong))
    assert done.status == 1
    assert "wrong  folder  mode 0755" in done.out
    assert "una doctor --fix" in done.err
    daemon = Daemon(doctor={"ok": True, "checks": [{**checks[1], "ok": True, "fixed": True}]})
    done = una("doctor", "--fix", daemon=daemon)
    assert done.status == 0
    assert daemon.asked == [("doctor", {"fix": True})]
    assert "fixed  folder" in done.out
    assert una("doctor", "--json", daemon=Daemon(doctor=wrong)).json == wrong


def test_doctor_checks_the_files_when_no_daemon_answers(tmp_path) -> None:
    home = tmp_path / "home"
    home.mkdir(mode=0o700)
    (home / "store").mkdir(mode=0o755)
    environ = {"UNABRIDGED_HOME": str(home)}
    daemon = Daemon(doctor=DaemonUnavailable("it does not start"))
    done = una("doctor", "--json", daemon=daemon, environ=environ)
    checks = {check["check"]: check for check in done.json["checks"]}
    assert (done.status, done.json["ok"]) == (1, False)
    assert checks["store folder"]["ok"] is False
    assert checks["daemon"] == {
        "check": "daemon",
        "ok": False,
        "detail": "it does not start",
        "hint": DaemonUnavailable.hint,
        "fixed": False,
    }
    una("doctor", "--fix", daemon=daemon, environ=environ)
    assert (home / "store").stat().st_mode & 0o777 == 0o700


def test_doctor_asks_the_daemon_again_when_the_files_are_mended(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir(mode=0o700)
    (home / "store").mkdir(mode=0o755)
    sound = {"ok": True, "checks": [{"check": "store folder", "ok": True}, {"check": "socket", "ok": True}]}

    def doctor(_: Any) -> Any:
        if (home / "store").stat().st_mode & 0o077:
            raise UnsafePath("other users can enter the folder")
        return sound

    done = una(
        "doctor", "--fix", "--json", daemon=Daemon(doctor=doctor), environ={"UNABRIDGED_HOME": str(home)}
    )
    assert done.status == 0
    assert [(check["check"], check["ok"], bool(check.get("fixed"))) for check in done.json["checks"]] == [
        ("store folder", True, True),
        ("socket", True, False),
    ]


def test_verify_exits_with_seven_when_a_record_is_damaged() -> None:
    sound = {"ok": True, "checked": {"segments": 5}, "violations": [], "seconds": 0.5}
    done = una("verify", daemon=Daemon(verify=sound))
    assert done.status == 0
    assert "checked 5 segments in 500 ms" in done.out
    daemon = Daemon(verify={**sound, "ok": False, "violations": [{"record": "segment 3", "what": "digest"}]})
    done = una("verify", "--quick", daemon=daemon)
    assert done.status == 7
    assert daemon.asked == [("verify", {"deep": False})]
    assert "damaged  segment 3  digest" in done.out
    assert una("verify", "--json", daemon=Daemon(verify=sound)).json == sound


def test_index_actions_reach_the_daemon() -> None:
    state = {"ok": True, "status": {"state": "current", "behind": 0}}
    for words, asked in (
        (["index"], {"action": "status"}),
        (["index", "verify"], {"action": "verify"}),
        (["index", "rebuild", "--no-wait"], {"action": "rebuild", "wait": False}),
    ):
        daemon = Daemon(index=state)
        assert una(*words, "--json", daemon=daemon).json == state
        assert daemon.asked == [("index", asked)]
    assert una("index", daemon=Daemon(index={**state, "ok": False})).status == 8


def test_project_actions_reach_the_daemon_with_absolute_folders(tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    projects = {"projects": [{"project": "9a", "roots": ["/srv/a"], "sessions": 2}]}
    daemon = Daemon(project=projects)
    assert una("project", "--json", daemon=daemon).json == projects["projects"]
    una("project", "show", daemon=daemon)
    una("project", "link", "old", "/srv/new", daemon=daemon)
    assert [asked for _, asked in daemon.asked] == [
        {"action": "list"},
        {"action": "show", "path": str(tmp_path)},
        {"action": "link", "path": str(tmp_path / "old"), "other": "/srv/new"},
    ]


def test_an_error_of_the_daemon_is_drawn_with_its_hint_or_as_json() -> None:
    daemon = Daemon(show=SessionNotFound("no session is named 'x'"))
    done = una("show", "x", daemon=daemon)
    assert done.status == 4
    assert done.out == ""
    assert done.err.splitlines() == [
        "error: no session is named 'x'",
        "hint: `una sessions` lists them; eight or more characters of an id suffice.",
    ]
    shown = una("show", "x", "--json", daemon=daemon)
    assert (shown.status, shown.json["error"]["code"], shown.err) == (4, "session-not-found", "")


def test_details_that_the_message_does_not_tell_are_added() -> None:
    done = una("status", daemon=Daemon(status=StoreLocked("the home is taken", path="/srv/run/lock")))
    assert done.err.startswith("error: the home is taken (path /srv/run/lock)\n")


def test_candidates_of_an_ambiguous_name_are_listed() -> None:
    from unabridged.errors import AmbiguousName

    daemon = Daemon(show=AmbiguousName("2 sessions begin with 'aaaaaaaa'", candidates=["codex:a1", "pi:a2"]))
    assert "  codex:a1\n  pi:a2\n" in una("show", "aaaaaaaa", daemon=daemon).err


def test_a_daemon_that_does_not_answer_is_exit_nine() -> None:
    done = una("search", "x", "--json", daemon=Daemon(search=DaemonUnavailable()))
    assert done.status == 9
    assert json.loads(done.out)["error"]["retryable"] is True


def test_the_overview_of_an_empty_home_tells_how_to_begin(tmp_path) -> None:
    done = una(environ={"UNABRIDGED_HOME": str(tmp_path)})
    assert done.status == 0
    assert done.asked == []
    for command in ("una import --dry-run", "una import", "una import --sample"):
        assert f"  {command} " in done.out
    shown = una("--json", environ={"UNABRIDGED_HOME": str(tmp_path)})
    assert shown.json["next"] == ["una import --dry-run", "una import", "una import --sample"]


def test_the_overview_of_a_used_home_names_three_commands_that_help_next(tmp_path) -> None:
    (tmp_path / "store").mkdir()
    daemon = Daemon(status=STATUS, sessions={"sessions": [SESSION], "next": "c"})
    done = una(daemon=daemon, environ={"UNABRIDGED_HOME": str(tmp_path)})
    assert "una show 5e551090 " in done.out
    shown = una("--json", daemon=daemon, environ={"UNABRIDGED_HOME": str(tmp_path)})
    assert len(shown.json["next"]) == 3
    assert (shown.status, shown.json["ok"]) == (0, True)


def test_the_overview_puts_the_doctor_first_when_something_is_wrong(tmp_path) -> None:
    (tmp_path / "store").mkdir()
    wrong = {**STATUS, "ok": False, "problems": [{"message": "too little disk"}]}
    daemon = Daemon(status=wrong, sessions={"sessions": [SESSION], "next": ""})
    done = una(daemon=daemon, environ={"UNABRIDGED_HOME": str(tmp_path)})
    assert done.status == 1
    assert done.out.index("una doctor --fix") < done.out.index("una search")
    assert "problem: too little disk" in done.err


def test_a_file_that_is_closed_to_a_verb_is_an_error_that_names_it() -> None:
    denied = PermissionError(13, "Permission denied", "/srv/config.toml")
    done = una("search", "x", daemon=Daemon(search=denied))
    assert done.status == 3
    assert "error: /srv/config.toml: Permission denied" in done.err
    done = una("search", "x", daemon=Daemon(search=FileNotFoundError(2, "No such file or directory")))
    assert done.status == 4
    assert "the current folder does not exist any more" in done.err


def test_the_version_is_told() -> None:
    import unabridged

    for word in ("--version", "-V", "-v", "version"):
        assert una(word).out == f"unabridged {unabridged.__version__}\n"


def test_a_reader_that_goes_away_ends_the_command_quietly(monkeypatch) -> None:
    def gone(*_: object) -> None:
        raise BrokenPipeError

    monkeypatch.setattr("unabridged.cli.screen.Screen.write", gone)
    done = una("search", "x", daemon=Daemon(search=FOUND))
    assert (done.status, done.out, done.err) == (141, "", "")


def test_a_missing_choice_is_asked_for_by_what_there_is() -> None:
    assert "`una completions` needs SHELL: bash, zsh, fish" in una("completions").err


def test_where_nothing_was_told_yet_why_says_how_it_would_be() -> None:
    limits = {"enabled": True, "message_tokens": 160, "active_tokens": 640, "rest_hours": 24.0}
    done = una("why", daemon=Daemon(why={"decisions": [], "limits": limits, "left": None}))
    assert "`una install` has your agents ask" in done.err
