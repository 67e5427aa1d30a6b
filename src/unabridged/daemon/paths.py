"""Where everything lies: all that a client must know before it can connect.

Imports nothing but `os` and `sys`, since every start of a client pays for it. Paths are plain strings.
"""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

APPLICATION = "unabridged"
HOME_VARIABLE = "UNABRIDGED_HOME"
ERRORS = "daemon.err"
# glibc: blocks above 1 MiB go back to the system when they are let go of, and that limit is not raised by itself, so
# that after one very long line a process is as small as before; two arenas, since each keeps gaps of its own.
MALLOC = {
    "MALLOC_ARENA_MAX": "2",
    "MALLOC_MMAP_THRESHOLD_": str(1 << 20),
    "MALLOC_TRIM_THRESHOLD_": str(4 << 20),
}
# The hosts' own variables that move their sessions: the daemon may have been started without them.
HOST_VARIABLES = (
    "AIDER_CHAT_HISTORY_FILE",
    "APPDATA",
    "CLAUDE_CONFIG_DIR",
    "CLINE_DATA_DIR",
    "CLINE_DIR",
    "CLINE_MCP_SETTINGS_PATH",
    "CLINE_SESSION_DATA_DIR",
    "CODEX_HOME",
    "GEMINI_CLI_HOME",
    "OPENCODE_DB",
    "PI_CODING_AGENT_DIR",
    "PI_CODING_AGENT_SESSION_DIR",
    "XDG_CONFIG_HOME",
    "XDG_DATA_HOME",
)
# Bytes; a Unix socket's address holds 108 on Linux and 104 on macOS, its terminating NUL included.
MAX_SOCKET_BYTES = 100
HASH_CHARS = 16  # hexadecimal; 64 bits keep one user's homes apart


class Layout:
    """The folders and files of one home. `data` is the root that the store, its lock and its socket lie under."""

    __slots__ = ("config", "config_file", "data", "state")

    def __init__(self, data: str, config: str, state: str) -> None:
        """Take the three roots: what must be kept, what a person edits, what may be lost (logs)."""
        self.data = data
        self.config = config
        self.config_file = os.path.join(config, "config.toml")
        self.state = state

    @property
    def store(self) -> str:
        """The folder of the embedded store."""
        return os.path.join(self.data, "store")

    @property
    def index(self) -> str:
        """The folder of the search index."""
        return os.path.join(self.data, "index")

    @property
    def run(self) -> str:
        """The folder of lock and socket, beside the store so that all clients agree whatever their environment is."""
        return os.path.join(self.data, "run")

    @property
    def lock(self) -> str:
        """The owner file, locked while a daemon runs."""
        return os.path.join(self.run, "daemon.lock")

    @property
    def start_lock(self) -> str:
        """The file that starters of a daemon queue at."""
        return os.path.join(self.run, "start.lock")

    @property
    def socket(self) -> str:
        """The socket: in the run folder, or in the user's runtime directory when that path is too long."""
        return _socket_at(os.path.join(self.run, "daemon.sock"))

    @property
    def mcp_socket(self) -> str:
        """The socket of the process that speaks MCP for this home, placed like the daemon's own."""
        return _socket_at(os.path.join(self.run, "mcp.sock"))

    @property
    def logs(self) -> str:
        """The folder of logs."""
        return os.path.join(self.state, "logs")

    @property
    def errors(self) -> str:
        """What the daemon and its workers write to their error streams: traces of faults, hardly ever anything."""
        return os.path.join(self.logs, ERRORS)

    @property
    def outbox(self) -> str:
        """The folder where hooks leave their events while no daemon answers."""
        return os.path.join(self.data, "outbox")

    @property
    def installations(self) -> str:
        """The folder that notes what was installed into agents."""
        return os.path.join(self.data, "install")

    @property
    def models(self) -> str:
        """The folder of installed models."""
        return os.path.join(self.data, "models")

    @property
    def keys(self) -> str:
        """The folder of the installation's keys."""
        return os.path.join(self.data, "keys")


def environment() -> Mapping[str, str]:
    """Return the process's environment."""
    return os.environ


def forget(name: str) -> None:
    """Take a variable out of the process's environment: what it starts does not get it."""
    os.environ.pop(name, None)


def hosts_moved(env: Mapping[str, str]) -> dict[str, str]:
    """Return the variables of an environment that move a host's sessions."""
    return {name: env[name] for name in HOST_VARIABLES if env.get(name)}


def thrifty() -> dict[str, str]:
    """Return the process's environment with settings of the C library that keep a process of ours small."""
    return {**os.environ, **MALLOC}


def layout(env: Mapping[str, str], platform: str = sys.platform) -> Layout:
    """Return where everything lies: below UNABRIDGED_HOME, else in the user's usual folders."""
    home = env.get(HOME_VARIABLE, "")
    if home:
        root = os.path.abspath(os.path.expanduser(home))
        return Layout(root, root, root)
    if platform == "win32":
        return _usual_folders()
    user = env.get("HOME", "")
    if not os.path.isabs(user):  # unset, empty, or from where nobody stands
        user = _home_of_account()
    if platform == "darwin":
        root = os.path.join(user, "Library", "Application Support")
        usual = (root, root, root)
    else:
        usual = tuple(
            os.path.join(user, *part) for part in ((".local", "share"), (".config",), (".local", "state"))
        )
    names = ("XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME")
    # A relative value must be ignored, says the XDG base directory specification.
    chosen = [env[name] if os.path.isabs(env.get(name, "")) else path for name, path in zip(names, usual)]  # noqa: B905
    return Layout(*(os.path.join(path, APPLICATION) for path in chosen))


def _home_of_account() -> str:
    """Return the home that the system's list of users has."""
    import pwd  # hardly ever needed

    try:
        return pwd.getpwuid(os.getuid()).pw_dir
    except KeyError:
        return "/"


def _usual_folders() -> Layout:
    import platformdirs  # no client on the platforms with a fast start needs it

    folders = platformdirs.PlatformDirs(APPLICATION, appauthor=False)
    return Layout(folders.user_data_dir, folders.user_config_dir, folders.user_state_dir)


def _socket_at(path: str) -> str:
    return path if len(os.fsencode(path)) <= MAX_SOCKET_BYTES else _short_socket(path)


def _short_socket(path: str) -> str:
    """Name the socket by a hash, in the user's runtime directory (found without the environment, so that all agree)."""
    import hashlib  # costs more than the rest of the module, and few paths are that long

    user = os.getuid()
    runtime = f"/run/user/{user}"
    folder = os.path.join(runtime, APPLICATION) if os.path.isdir(runtime) else f"/tmp/{APPLICATION}-{user}"
    return os.path.join(folder, f"{hashlib.sha256(os.fsencode(path)).hexdigest()[:HASH_CHARS]}.sock")
