"""The client that a hook is: hands a host's event to the daemon and prints what comes back (started by `hook.py`).

The event is a JSON object on standard input. No policy is here: the daemon's operation `hook` decides. Where no daemon
answers, the event's coordinates (never its text) are left in the outbox, and a daemon is started without being waited
for. It always exits with 0, within a second, and writes nothing but what the daemon gave for the host. Nothing of the
package is imported, and of the standard library only what the interpreter has built in, since every event of a session
pays for it: `import os` costs more than all of this.
"""

from __future__ import annotations

import sys
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, NoReturn

try:
    import _json
    import _signal as signals  # pyright: ignore[reportMissingImports]
    import posix
except ImportError:  # no daemon runs on such a system yet
    sys.exit(0)

# Seconds since the start of this file's code. The interpreter takes some hundredths before, more on a busy machine.
READ_UNTIL = 0.55  # the whole event should be there, since hosts write it at once
TALK_UNTIL = 0.75  # an answer that comes later is of no use to anybody
SAY_UNTIL = 0.90  # the host should have read it
# What is left behind takes a few calls that wait for nobody. Only a machine so busy that a millisecond takes seconds
# comes to the end of this: there losing nothing counts for more than a second.
LEAVE_UNTIL = 5.0
LEAST_SECONDS = 0.1  # that a step is worth beginning for
GRACE_SECONDS = 0.02  # until a step that watches the time itself is interrupted
ACK_SECONDS = 0.25  # for events that only have to be taken
WAITED_FOR = frozenset(("sessionstart", "userpromptsubmit", "prompt", "precompact"))  # their answers are used
MOST_INPUT = 8 << 20  # bytes of an event; of a longer one the short members at its beginning are passed on
MOST_ANSWER = 1 << 20  # bytes
MOST_TEXT = 4_096  # characters of a member that is passed on from an event that is too long
MOST_ENTRY = 4_096  # bytes of an entry in the outbox
MOST_NAME = 128  # characters of a name in it
BOM = b"\xef\xbb\xbf"
BLOCK = 64 << 10  # bytes read at once: what a pipe holds
SOCKET_BYTES = 100  # of a path, as the daemon has it (see daemon/paths)
# Seconds until a breaker lets the next one through: doubled with each failure in a row, at most the second of the two.
START_WINDOW = (30, 900)  # between two starts of a daemon that does not come
SILENT_WINDOW = (5, 300)  # between two attempts to speak to a daemon that does not answer
O_SAFE = posix.O_NOFOLLOW | posix.O_CLOEXEC
OFF = (b"off", b"0", b"false", b"no")

SIGNALS: Any = signals  # nothing describes this module's types
end = posix._exit  # pyright: ignore[reportPrivateUsage] # without the interpreter's farewell, which takes milliseconds

ANSWERED, ABSENT, BUSY, SILENT = "answered", "absent", "busy", "silent"


class Late(BaseException):
    """The time for a step is over."""


class Place:
    """The files of one home that a hook needs (see daemon/paths); paths are bytes, as the system has them."""

    def __init__(self, data: bytes, config: bytes, state: bytes) -> None:
        """Take the home's three roots."""
        self.roots = (data, config, state)
        self.run = joined(data, b"run")
        self.outbox = joined(data, b"outbox")
        self.socket = socket_at(joined(self.run, b"daemon.sock"))
        self.starts = joined(self.run, b"hook.starts")  # one byte for each start that brought no daemon
        self.silence = joined(
            self.run, b"hook.silence"
        )  # one byte for each answer in a row that did not come
        self.python = joined(self.run, b"python")  # the interpreter that the daemon ran with, written by it


def joined(folder: bytes, name: bytes) -> bytes:
    """Return the path of a name in a folder."""
    return folder + name if folder.endswith(b"/") else folder + b"/" + name


def place_of(env: dict[bytes, bytes], home: bytes = b"", platform: str = sys.platform) -> Place:
    """Return where a home lies: at `home`, where the environment says, or in the user's usual folders."""
    home = home or env.get(b"UNABRIDGED_HOME", b"")
    if home:
        root = absolute(home)
        return Place(root, root, root)
    user = env.get(b"HOME", b"")
    if not user.startswith(b"/"):
        user = account_home()
    if platform == "darwin":
        root = joined(user, b"Library/Application Support")
        usual = (root, root, root)
    else:
        usual = (joined(user, b".local/share"), joined(user, b".config"), joined(user, b".local/state"))
    names = (b"XDG_DATA_HOME", b"XDG_CONFIG_HOME", b"XDG_STATE_HOME")
    chosen = [env[name] if env.get(name, b"").startswith(b"/") else path for name, path in zip(names, usual)]  # noqa: B905
    return Place(*(joined(path, b"unabridged") for path in chosen))


def absolute(path: bytes) -> bytes:
    """Return a path without ways around; few need more than a look."""
    if path.startswith(b"/") and b"//" not in path and b"/." not in path and not path.endswith(b"/"):
        return path
    import os  # rare

    return os.path.abspath(os.path.expanduser(path))


def account_home() -> bytes:
    """Return the home that the system's list of users has."""
    import pwd  # rare

    try:
        return encoded(pwd.getpwuid(posix.getuid()).pw_dir)
    except KeyError:
        return b"/"


def socket_at(path: bytes) -> bytes:
    """Return where the socket is: a path that is too long for one is named by its hash."""
    if len(path) <= SOCKET_BYTES:
        return path
    from hashlib import sha256  # rare

    user = posix.getuid()
    try:
        posix.stat(f"/run/user/{user}")
        folder = f"/run/user/{user}/unabridged"
    except OSError:
        folder = f"/tmp/unabridged-{user}"
    return encoded(f"{folder}/{sha256(path).hexdigest()[:16]}.sock")


def encoded(text: str) -> bytes:
    """Return a path's bytes."""
    return text.encode(sys.getfilesystemencoding(), "surrogateescape")


# --- the event --------------------------------------------------------------------------------------------------------


class Json:
    """The interpreter's C scanner without the pure Python around it, which takes longer than the rest together."""

    strict = False
    object_hook = None
    object_pairs_hook = None
    parse_float = float
    parse_int = int
    parse_constant = float

    def __init__(self) -> None:
        """Have the scanner made."""
        self.quoted: Any = _json.encode_basestring_ascii
        self.string: Any = _json.scanstring
        self.scan: Any = _json.make_scanner(self)  # pyright: ignore[reportArgumentType]

    def whole(self, text: str) -> dict[str, Any] | None:
        """Return the object that a text is; None when it is none."""
        text = text.strip()
        if text[:1] != "{" or text[-1:] != "}":
            return None
        try:
            value, end = self.scan(text, 0)
        except (ValueError, StopIteration, SystemError, RecursionError):
            return None
        return value if end == len(text) else None

    def beginning(self, text: str) -> dict[str, Any]:
        """Return the members of an object whose end is missing: those that are whole, and short."""
        found: dict[str, Any] = {}
        try:
            at = text.index("{") + 1
            while True:
                at = _behind(text, at, " \t\r\n,")
                key, at = self.string(text, at + 1, False)
                value, at = self.scan(text, _behind(text, at, " \t\r\n:"))
                if (
                    value is None
                    or isinstance(value, int)
                    or (isinstance(value, str) and len(value) <= MOST_TEXT)
                ):
                    found[key] = value
        except (ValueError, StopIteration, SystemError, RecursionError, IndexError):
            return found

    def flat(self, members: dict[str, Any]) -> bytes:
        """Return an object of texts, whole numbers, true, false and null."""
        parts: list[str] = []
        for key, value in members.items():
            plain = "null" if value is None else repr(value).lower()
            parts.append(f"{self.quoted(key)}:{self.quoted(value) if isinstance(value, str) else plain}")
        return ("{" + ",".join(parts) + "}").encode()


def _behind(text: str, at: int, characters: str) -> int:
    while text[at] in characters:
        at += 1
    return at


def read_event(json: Json) -> tuple[bytes, dict[str, Any]]:
    """Return the event as one line of JSON, and as an object: {} where nothing came that is one."""
    data = bytearray()
    try:
        alarm(READ_UNTIL)
        event = read_whole(json, data)
        alarm(LEAVE_UNTIL, last=True)
    except (Late, OSError):
        alarm(LEAVE_UNTIL, last=True)
        event = None
    text = text_of(data)
    if event is None and len(data) <= MOST_INPUT:
        event = json.whole(text)
    if event is not None:
        return text.strip().replace("\n", " ").replace("\r", " ").encode(), event
    event = json.beginning(text)
    return json.flat(event), event


def read_whole(json: Json, data: bytearray) -> dict[str, Any] | None:
    """Read into `data`; return the object that it is as soon as it is one: some hosts leave the stream open."""
    tried = 0
    while len(data) <= MOST_INPUT and (block := read_some()):
        data += block
        if block[-8:].rstrip()[-1:] == b"}" and len(data) >= 2 * tried:
            tried = len(data)
            event = json.whole(text_of(data))
            if event is not None:
                return event
    while len(data) > MOST_INPUT and read_some():
        pass  # who writes it may not expect that nobody reads on
    return None


def read_some() -> bytes:
    """Return what comes next on standard input, b"" at its end."""
    while True:
        try:
            return posix.read(0, BLOCK)
        except BlockingIOError:
            time.sleep(0.001)


def text_of(data: bytearray) -> str:
    """Return a text whatever its bytes are."""
    return data[len(BOM) if data.startswith(BOM) else 0 :].decode("utf-8", "replace")


def said(event: dict[str, Any], name: str, most: int = MOST_NAME) -> str:
    """Return a text of an event, "" where there is none or it is none of that size."""
    value = event.get(name)
    return value if isinstance(value, str) and len(value) <= most else ""


# --- the daemon -------------------------------------------------------------------------------------------------------


def ours(path: bytes, kind: int, others: int = 0o077) -> bool:
    """Tell whether something of a kind lies at a path, no link, which is ours and nobody else may use."""
    found = posix.lstat(path)
    return found.st_mode & 0o170000 == kind and found.st_uid == posix.geteuid() and not found.st_mode & others


def dial(path: bytes) -> tuple[Any, str]:
    """Return a connection to the daemon; without one why there is none: it is absent, or has no place left."""
    try:
        if not ours(path[: path.rindex(b"/")], 0o040000) or not ours(path, 0o140000):
            return None, BUSY  # somebody else's: nothing is said to it, and nothing started in its place
    except OSError:
        return None, ABSENT
    import _socket  # only once somebody may be there

    sock = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
    sock.settimeout(ACK_SECONDS)
    try:
        sock.connect(path)
    except (BlockingIOError, TimeoutError):
        return None, BUSY
    except OSError:
        return None, ABSENT
    if sys.platform == "darwin":
        owner = sock.getsockopt(0, 1, 76)[4:8]
    else:
        owner = sock.getsockopt(_socket.SOL_SOCKET, _socket.SO_PEERCRED, 12)[4:8]
    if int.from_bytes(owner, sys.byteorder) != posix.geteuid():
        return None, BUSY
    return sock, ""


def ask(place: Place, json: Json, data: bytes, until: float) -> tuple[str, dict[str, Any]]:
    """Send the handshake with the request behind it; return how it went, and the operation's result."""
    try:
        sock, why = dial(place.socket)
        if sock is None:
            return why, {}
        sock.settimeout(max(until - time.monotonic(), 0.001))
        sock.sendall(data)
        rest = b""
        while (left := until - time.monotonic()) > 0 and len(rest) <= MOST_ANSWER:
            sock.settimeout(left)
            block = sock.recv(1 << 16)
            if not block:
                return ABSENT, {}
            *lines, rest = (rest + block).split(b"\n")
            for line in lines:
                message = json.whole(line.decode("utf-8", "replace"))
                if message is None:
                    return SILENT, {}
                if "error" in message:
                    stopping = '"daemon-unavailable"' in line.decode("utf-8", "replace")
                    return ABSENT if stopping else BUSY, {}
                if message.get("id") == 1:
                    result = message.get("result")
                    return ANSWERED, result if isinstance(result, dict) else {}  # pyright: ignore[reportUnknownVariableType]
    except (Late, TimeoutError):
        return SILENT, {}
    except OSError:
        return ABSENT, {}
    return SILENT, {}


def request(json: Json, host: str, line: bytes, cwd: str, sequence: str, seconds: float) -> bytes:
    """Return the handshake and the request, a line each."""
    cwd = cwd or folder()
    known = {"host": host, "cwd": cwd, "machine": posix.uname().nodename, "sequence": sequence}
    project = {"protocol": 1, "client": "hook", "project": cwd if cwd.startswith("/") else ""}
    return (
        b'{"jsonrpc":"2.0","id":0,"method":"handshake","params":%b}\n'
        b'{"jsonrpc":"2.0","id":1,"method":"hook","timeout":%.3f,"params":%b,"input":%b}}\n'
        % (json.flat(project), seconds, json.flat(known)[:-1], line)
    )


def folder() -> str:
    """Return the working directory, "" when it is gone."""
    try:
        return posix.getcwd()
    except OSError:
        return ""


def start(place: Place, env: dict[bytes, bytes]) -> None:
    """Start a daemon unless one was started a moment ago; it goes on by itself."""
    here = encoded(__file__).rpartition(b"/")[0]
    python = encoded(sys.executable or "")
    try:
        posix.stat(joined(here, b"app/starter.py"))
    except OSError:  # this file was copied out of the package: the last daemon said what it ran with
        python = last_python(place)
    if not python or not trip(place.starts, START_WINDOW):
        return
    null = posix.open("/dev/null", posix.O_RDWR | posix.O_CLOEXEC)
    actions = [(posix.POSIX_SPAWN_DUP2, null, number) for number in (0, 1, 2)]
    command = [python, b"-P", b"-m", b"unabridged.app.starter", *place.roots]
    posix.posix_spawn(python, command, env, file_actions=actions, setsid=True)


def last_python(place: Place) -> bytes:
    """Return the interpreter that the last daemon of the home ran with, b"" where that is not known."""
    try:
        if not ours(place.run, 0o040000):
            return b""
        descriptor = posix.open(place.python, posix.O_RDONLY | O_SAFE)
        return posix.read(descriptor, MOST_TEXT).strip()
    except OSError:
        return b""


# --- the breaker ------------------------------------------------------------------------------------------------------


def window(count: int, seconds: tuple[int, int]) -> int:
    """Return how long to wait after so many failures in a row."""
    return min(seconds[0] << min(max(count - 1, 0), 16), seconds[1])


def broken(path: bytes, seconds: tuple[int, int]) -> bool:
    """Tell whether a breaker is open: something failed so short a time ago that it is not tried again."""
    try:
        found = posix.lstat(path)
    except OSError:
        return False
    return 0 <= time.time() - found.st_mtime < window(found.st_size, seconds)


def trip(path: bytes, seconds: tuple[int, int]) -> bool:
    """Open a breaker; of many that do so at once one is told True, as is nobody while it is open."""
    try:
        made(path.rpartition(b"/")[0])
        descriptor = posix.open(path, posix.O_RDWR | posix.O_CREAT | posix.O_APPEND | O_SAFE, 0o600)
        posix.lockf(descriptor, posix.F_TLOCK, 0)
        if broken(path, seconds) and posix.fstat(descriptor).st_size:
            return False
        posix.write(descriptor, b"x")
    except OSError:
        return False  # held by another one, or nothing can be written: then nothing is tried either
    return True


def forget(path: bytes) -> None:
    """Close a breaker."""
    try:
        posix.unlink(path)
    except OSError:
        return  # it was closed


# --- the outbox -------------------------------------------------------------------------------------------------------


def made(path: bytes) -> None:
    """Make a folder of ours with its missing parents, for us alone; it stays there when the power goes."""
    parent = path.rpartition(b"/")[0] or b"/"
    try:
        posix.mkdir(path, 0o700)
    except FileExistsError:
        return
    except FileNotFoundError:
        made(parent)
        posix.mkdir(path, 0o700)
    posix.fsync(posix.open(parent, posix.O_RDONLY | posix.O_CLOEXEC))


def leave(place: Place, json: Json, host: str, event: dict[str, Any], sequence: str) -> None:
    """Leave an event's coordinates in the outbox, there for good when this returns; raise OSError.

    Events of single calls of tools repeat within a turn and say the same: of one session one waits.
    """
    entry = coordinates(host, event, sequence)
    if not entry["session"] and not entry["transcript"]:
        return
    made(place.outbox)
    if not ours(place.roots[0], 0o040000, 0o022):
        return
    folder = posix.open(place.outbox, posix.O_RDONLY | posix.O_DIRECTORY | O_SAFE)
    found = posix.fstat(folder)
    if found.st_uid != posix.geteuid() or found.st_mode & 0o077:
        return
    name = name_of(entry)
    if name.startswith("tool-"):
        try:
            posix.lstat(name, dir_fd=folder)
            return
        except FileNotFoundError:
            pass
    temporary = f".{sequence}.new"
    flags = posix.O_WRONLY | posix.O_CREAT | posix.O_EXCL | O_SAFE
    descriptor = posix.open(temporary, flags, 0o600, dir_fd=folder)
    try:
        whole(descriptor, encode(json, entry))
        posix.fsync(descriptor)
        posix.rename(temporary, name, src_dir_fd=folder, dst_dir_fd=folder)
    except BaseException:
        posix.unlink(temporary, dir_fd=folder)
        raise
    posix.fsync(folder)


def name_of(entry: dict[str, Any]) -> str:
    """Return an entry's name: in the order of time, or the one that all calls of tools of a session share."""
    if "tool" not in entry["event"].lower():
        return f"{entry['sequence']}.json"
    who = f"{entry['host']}-{entry['session'] or entry['transcript'][-64:]}-{entry['agent']}"
    return "tool-" + "".join([c if c.isalnum() and c.isascii() else "-" for c in who])[:200] + ".json"


def encode(json: Json, entry: dict[str, Any]) -> bytes:
    """Return an entry's line; paths that make it too long are left out."""
    for name in ("", "agent_transcript", "transcript"):
        data = json.flat({**entry, name: ""} if name else entry) + b"\n"
        if len(data) <= MOST_ENTRY:
            return data
        entry = {**entry, name: ""} if name else entry
    raise ValueError


def whole(descriptor: int, data: bytes) -> None:
    """Write all of it; raise OSError."""
    while data:
        data = data[posix.write(descriptor, data) :]


def coordinates(host: str, event: dict[str, Any], sequence: str) -> dict[str, Any]:
    """Return what names an event and its transcript: nothing that anybody said."""
    transcript = said(event, "transcript_path", MOST_TEXT)
    size = inode = 0
    try:
        found = posix.stat(transcript.encode("utf-8", "surrogateescape"))
        size, inode = found.st_size, found.st_ino
    except (OSError, ValueError):
        pass  # it comes to be with the first message
    return {
        "version": 1,
        "host": host[:MOST_NAME],
        "event": said(event, "hook_event_name"),
        "session": said(event, "session_id"),
        "transcript": transcript,
        "size": size,
        "inode": inode,
        "uuid": said(event, "prompt_id") or said(event, "turn_id"),
        "machine": posix.uname().nodename[:MOST_NAME],
        "sequence": sequence,
        "time": int(time.time()),
        "agent": said(event, "agent_id"),
        "agent_transcript": said(event, "agent_transcript_path", MOST_TEXT),
    }


# --- the process ------------------------------------------------------------------------------------------------------


def alarm(seconds: float, *, last: bool = False) -> None:
    """Have `Late` raised, or the `last` time the process ended, after so many seconds."""

    def ring(*_: object) -> NoReturn:
        if last:
            end(0)
        raise Late

    SIGNALS.signal(SIGNALS.SIGALRM, ring)
    SIGNALS.setitimer(SIGNALS.ITIMER_REAL, max(seconds, 0.001))


def hold_streams() -> None:
    """Keep the numbers of closed standard streams from being given to something that we open."""
    for number in (0, 1, 2):
        try:
            posix.fstat(number)
        except OSError:
            posix.open("/dev/null", posix.O_RDWR)


def say(output: object) -> None:
    """Write what the daemon gave for the host."""
    if isinstance(output, str):
        whole(1, output.encode("utf-8", "replace"))


def main(arguments: list[str], env: dict[bytes, bytes], began: float) -> None:
    """Handle one event; may raise anything."""
    if env.get(b"UNABRIDGED_HOOKS", b"").lower() in OFF or env.get(b"UNABRIDGED_OWN", b"") == b"1":
        return
    hold_streams()
    SIGNALS.pthread_sigmask(SIGNALS.SIG_UNBLOCK, (SIGNALS.SIGALRM,))
    # A person who interrupts the agent interrupts its hooks, too; the event is handed over all the same.
    SIGNALS.signal(SIGNALS.SIGINT, lambda *_: None)  # pyright: ignore
    json = Json()
    line, event = read_event(json)
    if event and arguments:
        home = arguments[arguments.index("--home") + 1] if "--home" in arguments[:-1] else ""
        handle(place_of(env, encoded(home)), json, arguments[0], line, event, env, began)


def handle(
    place: Place,
    json: Json,
    host: str,
    line: bytes,
    event: dict[str, Any],
    env: dict[bytes, bytes],
    began: float,
) -> None:
    """Hand an event over, or leave it in the outbox."""
    sequence = f"{time.time_ns():016x}-{posix.getpid():x}"
    answer, result = BUSY, {}
    now, last = time.monotonic(), began + TALK_UNTIL
    if last - now >= LEAST_SECONDS and not broken(place.silence, SILENT_WINDOW):
        kind = said(event, "hook_event_name").lower().replace("-", "").replace("_", "")
        until = last if kind in WAITED_FOR else min(last, now + ACK_SECONDS)
        data = request(json, host, line, said(event, "cwd", MOST_TEXT), sequence, until - now)
        try:
            alarm(last - now + GRACE_SECONDS)
            answer, result = ask(place, json, data, until)
            alarm(LEAVE_UNTIL, last=True)
        except Late:
            answer = SILENT
            alarm(LEAVE_UNTIL, last=True)
    if answer == ANSWERED:
        alarm(max(began + SAY_UNTIL - time.monotonic(), LEAST_SECONDS), last=True)
        forget(place.silence)
        say(result.get("output"))
        return
    try:
        leave(place, json, host, event, sequence)
    finally:
        if answer == SILENT:
            trip(place.silence, (0, 0))
        elif answer == ABSENT:
            start(place, env)


def run() -> NoReturn:
    """Handle one event and end: whatever happens, the host sees a success that said nothing."""
    try:
        main(sys.argv[1:], posix.environ, time.monotonic())
    except BaseException:  # noqa: BLE001, S110 - a fault of ours must not be felt in the host
        pass
    end(0)
