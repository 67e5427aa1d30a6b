"""The hook: what it says to the daemon, what it leaves behind, what it never does."""

from __future__ import annotations

import json
import os
import resource
import signal
import socket
import stat
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.daemon.living import SESSION as TRANSCRIBED
from tests.daemon.living import Home, transcript, until
from tests.support.hooking import (
    HOOK,
    PATIENCE,
    SESSION,
    command,
    entries,
    event,
    hold_starts,
    surroundings,
    tell,
)
from unabridged import hookclient
from unabridged.daemon import lock, paths

SECRET = "nobody else may read this sentence"


@pytest.fixture
def away(tmp_path: Path) -> Path:
    """A home without a daemon, where hooks start none."""
    folder = tmp_path / "away"
    hold_starts(folder)
    return folder


# --- where things are -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("platform", ["linux", "darwin"])
@pytest.mark.parametrize(
    "env",
    [
        {},
        {"HOME": "/home/a"},
        {"HOME": "/"},
        {"HOME": "relative"},
        {"HOME": "/home/a", "XDG_DATA_HOME": "/data", "XDG_STATE_HOME": "relative"},
        {"HOME": "/home/ä", "XDG_CONFIG_HOME": "/c/"},
        {"UNABRIDGED_HOME": "/srv/una"},
        {"UNABRIDGED_HOME": "/srv/una/"},
        {"UNABRIDGED_HOME": "/srv//una/./x/../y"},
        {"UNABRIDGED_HOME": "/srv/.una"},
        {"UNABRIDGED_HOME": "somewhere/else"},
        {"UNABRIDGED_HOME": "~/una"},
        {"UNABRIDGED_HOME": "/srv/" + "deep/" * 30},
    ],
)
def test_the_hook_and_the_daemon_agree_where_a_home_is(env: dict[str, str], platform: str) -> None:
    theirs = paths.layout(env, platform)
    place = hookclient.place_of(
        {os.fsencode(name): os.fsencode(value) for name, value in env.items()}, b"", platform
    )
    assert [os.fsdecode(path) for path in place.roots] == [theirs.data, theirs.config, theirs.state]
    assert os.fsdecode(place.socket) == theirs.socket
    assert os.fsdecode(place.outbox) == theirs.outbox
    assert os.fsdecode(place.run) == theirs.run


def test_a_home_named_on_the_command_line_wins(away: Path, tmp_path: Path) -> None:
    tell(tmp_path / "other", event("Stop", "/t.jsonl"), "claude-code", "--home", str(away))
    assert [entry["event"] for entry in entries(away)] == ["Stop"]
    assert not (tmp_path / "other").exists()


# --- with a daemon ----------------------------------------------------------------------------------------------------


def test_what_the_daemon_gives_for_the_host_is_all_that_is_printed(home: Home, tmp_path: Path) -> None:
    path = transcript(tmp_path / f"{TRANSCRIBED}.jsonl", TRANSCRIBED, 3, folder=str(tmp_path))
    home.connect().call("import", {"paths": [str(path)]}, timeout=60)
    other = event("SessionStart", tmp_path / "new.jsonl", source="startup", cwd=str(tmp_path))
    told = json.loads(tell(home.folder, other))
    assert told["hookSpecificOutput"]["hookEventName"] == "SessionStart"
    assert told["hookSpecificOutput"]["additionalContext"]
    assert tell(home.folder, event("Stop", path)) == ""
    assert tell(home.folder, event("Notification", path)) == ""
    assert entries(home.folder) == []


def test_a_transcript_is_read_when_its_turn_ends(home: Home, tmp_path: Path) -> None:
    client = home.connect()
    path = transcript(tmp_path / f"{TRANSCRIBED}.jsonl", TRANSCRIBED, 3)
    tell(home.folder, event("Stop", path, TRANSCRIBED))
    until(lambda: [row["events"] for row in client.call("sessions")["sessions"]] == [6])


def test_a_transcript_is_durable_when_the_hook_before_a_compaction_ends(home: Home, tmp_path: Path) -> None:
    home.configure(disk={"free_bytes": 0}, ingest={"tail": False})
    client, path, count = home.connect(), tmp_path / f"{TRANSCRIBED}.jsonl", 0
    said = {"host": "claude-code", "input": event("PreCompact", path, TRANSCRIBED, trigger="auto")}

    def kept() -> bool:
        """Tell whether all that was there is archived; a busy machine may need another turn."""
        nonlocal count
        transcript(path, TRANSCRIBED, 1, first=count)
        count += 1
        assert client.call("hook", said)["moment"] == "pre-compact"
        return [row["events"] for row in client.call("sessions")["sessions"]] == [2 * count]

    until(kept)


def test_an_event_of_any_bytes_is_handed_on(home: Home, tmp_path: Path) -> None:
    client = home.connect()
    path = transcript(tmp_path / f"{TRANSCRIBED}.jsonl", TRANSCRIBED, 1)
    said = json.dumps(event("Stop", path, TRANSCRIBED), indent=2).replace("\n", "\r\n").encode()
    tell(home.folder, b"\xef\xbb\xbf" + said[:-1] + b',"x":"\xff\xfe"}\n')
    until(lambda: len(client.call("sessions")["sessions"]) == 1)
    assert entries(home.folder) == []


# --- without one ------------------------------------------------------------------------------------------------------


# https://github.com/voitta-ai/voitta-rag/issues/54: a hook keeps prompts as they were typed.
def test_an_event_leaves_its_coordinates_and_never_its_text(away: Path, tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    path.write_text("{}\n")
    said = event(
        "UserPromptSubmit",
        path,
        prompt=SECRET,
        prompt_id="p-1",
        tool_input={"command": SECRET},
        agent_id="a-1",
    )
    assert tell(away, said) == ""
    file = next((away / "outbox").glob("*.json"))
    assert SECRET not in file.read_text()
    assert file.stat().st_size <= 4096
    assert (stat.S_IMODE(file.stat().st_mode), stat.S_IMODE(file.parent.stat().st_mode)) == (0o600, 0o700)
    (entry,) = entries(away)
    assert entry["sequence"] == file.stem
    assert {name: entry[name] for name in ("version", "host", "event", "session", "uuid", "agent")} == {
        "version": 1,
        "host": "claude-code",
        "event": "UserPromptSubmit",
        "session": SESSION,
        "uuid": "p-1",
        "agent": "a-1",
    }
    found = path.stat()
    assert (entry["transcript"], entry["size"], entry["inode"]) == (str(path), found.st_size, found.st_ino)
    assert entry["machine"] == os.uname().nodename
    assert [path.name for path in (away / "outbox").iterdir()] == [file.name]


def test_calls_of_tools_of_one_session_leave_one_entry(away: Path) -> None:
    for name in ("PreToolUse", "PostToolUse", "PostToolUse", "Stop", "PostToolUse"):
        tell(away, event(name, "/t.jsonl"))
    tell(away, event("PostToolUse", "/u.jsonl", "another"))
    assert sorted(entry["event"] for entry in entries(away)) == ["PostToolUse", "PreToolUse", "Stop"]


def test_a_path_too_long_for_an_entry_is_left_out(away: Path) -> None:
    tell(away, event("Stop", "/ü" * 600, agent_transcript_path="/ä" * 600))
    (entry,) = entries(away)
    assert entry["session"] == SESSION
    assert entry["agent_transcript"] == ""


# https://github.com/thedotmack/claude-mem/issues/3813: what a worker had in memory is lost when it ends.
def test_a_hook_that_finds_no_daemon_starts_one_that_takes_what_it_left(home: Home, tmp_path: Path) -> None:
    path = transcript(tmp_path / f"{TRANSCRIBED}.jsonl", TRANSCRIBED, 2)
    tell(home.folder, event("Stop", path, TRANSCRIBED))
    until(lambda: lock.held(home.layout.lock) and Path(home.layout.socket).exists())
    client = home.connect(start=False)
    until(lambda: [row["events"] for row in client.call("sessions")["sessions"]] == [4])
    until(lambda: entries(home.folder) == [])
    assert not Path(home.layout.run, "hook.starts").exists()


def test_no_hook_starts_a_daemon_while_the_breaker_is_open(away: Path) -> None:
    before = (away / "run" / "hook.starts").stat()
    tell(away, event("Stop", "/t.jsonl"))
    after = (away / "run" / "hook.starts").stat()
    assert (after.st_size, after.st_mtime_ns) == (before.st_size, before.st_mtime_ns)
    assert not lock.held(str(away / "run" / "daemon.lock"))


# https://github.com/thedotmack/claude-mem/issues/2897: a start that fails is tried again for ever, by everyone.
def test_one_of_many_hooks_starts_a_daemon(tmp_path: Path) -> None:
    path = os.fsencode(tmp_path / "run" / "hook.starts")
    program = f"from unabridged import hookclient as h; print(h.trip({path!r}, (30, 900)))"
    many = [subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE) for _ in range(12)]
    assert sorted(process.communicate()[0].strip() for process in many) == [b"False"] * 11 + [b"True"]


def test_the_breaker_waits_twice_as_long_with_each_failure_in_a_row(tmp_path: Path) -> None:
    path = tmp_path / "b"
    assert [hookclient.window(count, (30, 900)) for count in (1, 2, 3, 6, 60)] == [30, 60, 120, 900, 900]
    path.write_bytes(b"xx")
    for age, held in ((0, True), (59, True), (61, False), (-100, False)):
        os.utime(path, (time.time() - age,) * 2)
        assert hookclient.broken(os.fsencode(path), (30, 900)) is held


# https://github.com/thedotmack/claude-mem/issues/2171 and /2159: a tool captures its own helpers.
@pytest.mark.parametrize("name", ["UNABRIDGED_HOOKS=off", "UNABRIDGED_OWN=1"])
def test_a_hook_that_is_turned_off_does_nothing(away: Path, name: str) -> None:
    key, _, value = name.partition("=")
    assert tell(away, event("Stop", "/t.jsonl"), env=surroundings(away, **{key: value})) == ""
    assert not (away / "outbox").exists()


# --- a daemon that does not answer ------------------------------------------------------------------------------------


@contextmanager
def listening(home: Path, serve: Callable[[socket.socket], None]) -> Iterator[list[int]]:
    """Serve each connection at a home's socket in a thread; gives the list of connections."""
    run = home / "run"
    run.mkdir(mode=0o700, parents=True, exist_ok=True)
    home.chmod(0o700)
    seen: list[int] = []
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(run / "daemon.sock"))
        (run / "daemon.sock").chmod(0o600)
        listener.listen()

        def accept() -> None:
            while True:
                try:
                    connection, _ = listener.accept()
                except OSError:
                    return
                seen.append(1)
                threading.Thread(target=_served, args=(serve, connection), daemon=True).start()

        threading.Thread(target=accept, daemon=True).start()
        yield seen
        listener.shutdown(socket.SHUT_RDWR)


def _served(serve: Callable[[socket.socket], None], connection: socket.socket) -> None:
    with connection:
        try:
            serve(connection)
        except OSError:
            return


def silent(connection: socket.socket) -> None:
    while connection.recv(1 << 16):
        pass


def slow(connection: socket.socket) -> None:
    for byte in b'{"jsonrpc":"2.0","id":0,"result":{}}\n{"jsonrpc":"2.0","id":1,' * 9:
        connection.sendall(bytes([byte]))
        time.sleep(0.2)


def garbage(connection: socket.socket) -> None:
    connection.sendall(b"\x00\xff not JSON\n{}\n[1]\n" * 100)
    silent(connection)


def huge(connection: socket.socket) -> None:
    while True:
        connection.sendall(b'{"jsonrpc":"2.0","id":1,"result":{"output":"' + b"x" * (1 << 20))


def hanging_up(connection: socket.socket) -> None:
    connection.recv(1)


def wrong(connection: socket.socket) -> None:
    connection.sendall(b'{"jsonrpc":"2.0","id":1,"result":[{"output":7}]}\n')
    silent(connection)


@pytest.mark.parametrize("serve", [silent, slow, garbage, huge, hanging_up])
def test_a_daemon_that_gives_no_answer_costs_an_entry_in_the_outbox(
    away: Path, serve: Callable[[socket.socket], None]
) -> None:
    with listening(away, serve) as seen:
        assert tell(away, event("UserPromptSubmit", "/t.jsonl", prompt=SECRET)) == ""
        assert len(seen) == 1
    assert [entry["event"] for entry in entries(away)] == ["UserPromptSubmit"]


def test_an_answer_of_another_form_prints_nothing(away: Path) -> None:
    with listening(away, wrong):
        assert tell(away, event("SessionStart", "/t.jsonl")) == ""


# https://github.com/thedotmack/claude-mem/issues/1887: a worker that is broken blocks each turn for minutes.
def test_a_daemon_that_hangs_is_left_alone_for_a_while(home: Home) -> None:
    client = home.connect()
    os.kill(home.pid, signal.SIGSTOP)
    try:
        for number in range(4):
            tell(home.folder, event("UserPromptSubmit", "/t.jsonl", prompt="x"))
            assert len(entries(home.folder)) == number + 1
        # The first waited for an answer, the others did not even ask.
        assert Path(home.layout.run, "hook.silence").stat().st_size == 1
    finally:
        os.kill(home.pid, signal.SIGCONT)
    assert client.call("ping")["ok"]
    Path(home.layout.run, "hook.silence").unlink()
    tell(home.folder, event("Stop", "/t.jsonl"))
    until(lambda: entries(home.folder) == [])


def test_an_answer_lets_later_hooks_through_again(home: Home) -> None:
    home.connect()
    breaker = Path(home.layout.run, "hook.silence")
    breaker.write_bytes(b"xxx")
    os.utime(breaker, (1, 1))
    tell(home.folder, event("Stop", "/t.jsonl"))
    assert not breaker.exists()


@pytest.mark.parametrize("mode", [0o755, 0o770])
def test_nothing_is_said_to_a_socket_that_others_may_use(away: Path, mode: int) -> None:
    with listening(away, silent) as seen:
        (away / "run").chmod(mode)
        tell(away, event("UserPromptSubmit", "/t.jsonl", prompt=SECRET))
        assert seen == []
    assert len(entries(away)) == 1


# --- whatever a host does ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"not JSON",
        b"[1, 2]",
        b"null",
        b"{",
        b'{"session_id":',
        b"\x00\xff\xfe",
        b"[" * 200_000,
        b'{"a":' * 100_000 + b"1" + b"}" * 100_000,
        b'{"session_id":"x"} {"session_id":"y"}',
        b'{"session_id":7,"transcript_path":["/t"],"hook_event_name":null}',
    ],
    ids=lambda data: repr(data[:12]),
)
def test_input_that_is_no_event_does_no_harm(away: Path, data: bytes) -> None:
    assert tell(away, data) == ""


def test_an_event_of_a_hundred_megabytes_leaves_its_coordinates(away: Path) -> None:
    head = json.dumps(event("PostToolUse", "/t.jsonl"))[:-1].encode()
    assert tell(away, head + b',"tool_response":"' + b"x" * 100_000_000 + b'"}') == ""
    assert [entry["transcript"] for entry in entries(away)] == ["/t.jsonl"]


def test_an_event_that_is_too_long_reaches_the_daemon_by_its_coordinates(home: Home, tmp_path: Path) -> None:
    client = home.connect()
    path = transcript(tmp_path / f"{TRANSCRIBED}.jsonl", TRANSCRIBED, 1)
    head = json.dumps(event("Stop", path, TRANSCRIBED))[:-1].encode()
    tell(home.folder, head + b',"last_assistant_message":"' + b"x" * (9 << 20) + b'"}')
    until(lambda: len(client.call("sessions")["sessions"]) == 1)
    assert entries(home.folder) == []


@pytest.mark.parametrize("end", [b"}", b"}\n", b""])
def test_an_input_that_nobody_closes_is_not_waited_for(away: Path, end: bytes) -> None:
    process = subprocess.Popen(
        command(), stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=surroundings(away), bufsize=0
    )
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(json.dumps(event("Stop", "/t.jsonl"))[:-1].encode() + b',"x":1' + end)
    assert process.wait(PATIENCE) == 0
    assert process.stdout.read() == b""
    process.stdin.close()
    process.stdout.close()
    assert [entry["event"] for entry in entries(away)] == ["Stop"]


@pytest.mark.parametrize("closed", [(0,), (1,), (2,), (0, 1, 2)])
def test_closed_standard_streams_leave_no_trace(home: Home, tmp_path: Path, closed: tuple[int, ...]) -> None:
    path = transcript(tmp_path / f"{TRANSCRIBED}.jsonl", TRANSCRIBED, 3, folder=str(tmp_path))
    home.connect().call("import", {"paths": [str(path)]}, timeout=60)
    said = event("SessionStart", tmp_path / "new.jsonl", source="startup", cwd=str(tmp_path))
    (tmp_path / "event").write_text(json.dumps(said))
    shut = " ".join(f"{number}>&-" if number else "<&-" for number in closed)
    line = f"{' '.join(command())} <{tmp_path}/event >{tmp_path}/out 2>{tmp_path}/err {shut}"
    assert subprocess.run(["/bin/sh", "-c", line], env=surroundings(home.folder), check=False).returncode == 0
    assert (tmp_path / "err").read_text() == ""
    assert bool((tmp_path / "out").read_text()) is (not {0, 1} & set(closed))


def test_a_reader_that_went_away_is_not_complained_about(home: Home, tmp_path: Path) -> None:
    path = transcript(tmp_path / f"{TRANSCRIBED}.jsonl", TRANSCRIBED, 3, folder=str(tmp_path))
    home.connect().call("import", {"paths": [str(path)]}, timeout=60)
    said = event("SessionStart", tmp_path / "new.jsonl", source="startup", cwd=str(tmp_path))
    reading, writing = os.pipe()
    os.close(reading)
    process = subprocess.Popen(
        command(),
        stdin=subprocess.PIPE,
        stdout=writing,
        stderr=subprocess.PIPE,
        env=surroundings(home.folder),
    )
    os.close(writing)
    assert process.communicate(json.dumps(said).encode(), PATIENCE)[1] == b""
    assert process.returncode == 0


def full() -> None:
    """Let nothing more be written to any file, as on a full disk."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))


def test_a_full_disk_leaves_nothing_half_written(away: Path) -> None:
    tell(away, event("Stop", "/t.jsonl"), preexec_fn=full)
    assert list((away / "outbox").iterdir()) == []


@pytest.mark.parametrize("place", ["/proc/una", "/dev/null/una", "/proc/self/fd/99/x"])
def test_a_home_that_cannot_be_made_is_given_up(place: str) -> None:
    assert tell(Path(place), event("Stop", "/t.jsonl")) == ""


def test_a_hook_without_any_environment_ends_well(tmp_path: Path) -> None:
    data = json.dumps(event("Stop", "/t.jsonl")).encode()
    done = subprocess.run(
        command("claude-code", "--home", str(tmp_path / "h")),
        input=data,
        capture_output=True,
        env={},
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert len(entries(tmp_path / "h")) == 1


def test_a_working_directory_that_is_gone_does_no_harm(away: Path, tmp_path: Path) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    line = f"cd {gone} && rmdir {gone} && {' '.join(command())}"
    said = {name: value for name, value in event("Stop", "/t.jsonl").items() if name != "cwd"}
    with listening(away, silent):
        done = subprocess.run(
            ["/bin/sh", "-c", line], input=json.dumps(said).encode(), env=surroundings(away), check=False
        )
    assert done.returncode == 0
    assert len(entries(away)) == 1


@pytest.mark.parametrize("what", ["outbox", "home"])
def test_a_folder_that_is_a_link_is_not_written_through(tmp_path: Path, what: str) -> None:
    target, folder = tmp_path / "target", tmp_path / "h"
    target.mkdir(mode=0o700)
    if what == "home":
        folder.symlink_to(target)
    else:
        folder.mkdir(mode=0o700)
        (folder / "outbox").symlink_to(target)
    tell(folder, event("Stop", "/t.jsonl"))
    assert [path.name for path in target.rglob("*.json")] == []


def test_a_hook_interrupted_by_a_person_leaves_its_event(away: Path) -> None:
    with listening(away, silent) as seen:
        process = subprocess.Popen(
            command(), stdin=subprocess.PIPE, stderr=subprocess.PIPE, env=surroundings(away)
        )
        assert process.stdin is not None
        process.stdin.write(json.dumps(event("UserPromptSubmit", "/t.jsonl", prompt="x")).encode())
        process.stdin.close()
        until(lambda: bool(seen))
        process.send_signal(signal.SIGINT)
        assert process.wait(PATIENCE) == 0
        assert process.stderr is not None
        assert process.stderr.read() == b""
        process.stderr.close()
    assert [entry["event"] for entry in entries(away)] == ["UserPromptSubmit"]


# --- what it costs ----------------------------------------------------------------------------------------------------


def loaded(home: Path, said: dict[str, Any]) -> set[str]:
    """Return the modules that a hook imports."""
    line = [*command()]
    line[1:1] = ["-X", "importtime"]
    done = subprocess.run(
        line, input=json.dumps(said).encode(), capture_output=True, env=surroundings(home), check=False
    )
    return {row.rpartition("|")[2].strip() for row in done.stderr.decode().splitlines() if "|" in row}


def test_a_hook_imports_next_to_nothing(home: Home, away: Path) -> None:
    bare = subprocess.run(
        [sys.executable, "-I", "-S", "-E", "-X", "importtime", "-c", "pass"], capture_output=True, check=True
    )
    floor = {row.rpartition("|")[2].strip() for row in bare.stderr.decode().splitlines() if "|" in row}
    home.connect()
    assert loaded(home.folder, event("Stop", "/t.jsonl")) - floor <= {"_json", "_socket", "__future__"}
    assert loaded(away, event("Stop", "/t.jsonl")) - floor <= {"_json", "__future__"}


def test_the_two_files_of_the_hook_stand_alone(away: Path, tmp_path: Path) -> None:
    copied = tmp_path / "plugin" / "hook.py"
    copied.parent.mkdir()
    for path in (HOOK, HOOK.with_name("hookclient.py")):
        (copied.parent / path.name).write_bytes(path.read_bytes())
    data = json.dumps(event("Stop", "/t.jsonl")).encode()
    line = [sys.executable, "-I", "-S", "-E", str(copied), "codex"]
    assert subprocess.run(line, input=data, env=surroundings(away), check=False).returncode == 0
    assert [entry["host"] for entry in entries(away)] == ["codex"]


WATCH = """
import sys
sys.argv = ["hook", "claude-code"]
import posix
kept = {name: getattr(posix, name) for name in ("open", "fsync", "rename", "mkdir", "write", "unlink")}
told, files = [], {}
def note(name):
    def call(*given, **named):
        found = kept[name](*given, **named)
        if name == "open":
            files[found] = given[0] if isinstance(given[0], str) else given[0].decode()
        if name in ("fsync", "write"):
            told.append((name, files.get(given[0], str(given[0]))))
        elif name in ("rename", "mkdir"):
            told.append((name, given[-1] if isinstance(given[-1], str) else str(given[0].decode())))
        return found
    return call
for name in kept:
    setattr(posix, name, note(name))
from unabridged import hookclient
hookclient.end = lambda status: print("\\n".join(" ".join(item) for item in told), file=sys.stderr)
hookclient.run()
"""


def test_an_entry_is_on_the_disk_before_it_has_its_name(away: Path) -> None:
    """The order of calls is what survives a loss of power: contents, then the name, then the folders."""
    done = subprocess.run(
        [sys.executable, "-c", WATCH],
        input=json.dumps(event("Stop", "/t.jsonl")).encode(),
        capture_output=True,
        env=surroundings(away),
        check=True,
    )
    lines = done.stderr.decode().splitlines()
    steps = [line.split()[0] + " " + Path(line.split()[1]).name for line in lines]
    (entry,) = (away / "outbox").glob("*.json")
    temporary = f".{entry.stem}.new"
    assert steps[:6] == [
        "mkdir outbox",
        f"fsync {away.name}",
        f"write {temporary}",
        f"fsync {temporary}",
        f"rename {entry.name}",
        "fsync outbox",
    ]
