"""Where the world comes in: environment, home, clock, randomness, terminal."""

from __future__ import annotations

import ast
import re

from tests.repository.source import BELOW_DAEMON, Module, imported, modules, unexplained

# The only readers of the environment: the settings, and what a host runs for its hooks, which imports nothing of ours.
ENVIRONMENT_READERS = re.compile(r"daemon/config(\.py|/.*\.py)|hookclient\.py")

# path -> why it may read the environment as well.
READS_ENVIRONMENT = {
    "daemon/paths.py": "tells a client where the socket is, without what the settings import",
}

ENVIRONMENT = {"environ", "environb", "getenv", "getenvb"}

# Modules that tell the time or roll dice.
CLOCKS_AND_DICE = {"time", "random", "secrets"}

# path -> why it may import one of them although it lies below daemon.
HAS_A_CLOCK = {
    "store/clock.py": "`Store.now` is the store's clock; this is the one of a store on this machine",
}

# Calls that read clock, dice, home or terminal without such an import.
IMPURE_CALLS = re.compile(
    r"(datetime\.)*(datetime|date)\.(now|utcnow|today)|(uuid\.)?uuid[14]|(os\.)?urandom"
    r"|(pathlib\.)?Path\.(home|cwd)|os\.(path\.expanduser|path\.expandvars|getcwd|getlogin)"
    r"|print|input|getpass\.getpass|getpass|breakpoint"
)

# path -> why it may call one of them although it lies below daemon.
IMPURE: dict[str, str] = {}


def below_daemon() -> list[Module]:
    return [module for module in modules() if module.layer in BELOW_DAEMON]


def test_only_the_settings_read_the_environment() -> None:
    found: dict[str, object] = {}
    for module in modules():
        if ENVIRONMENT_READERS.fullmatch(module.path):
            continue
        reads = environment_reads(module)
        if reads:
            found[module.path] = f"line {reads}"
    assert unexplained(found, READS_ENVIRONMENT) == []


def environment_reads(module: Module) -> list[int]:
    """Return the lines that name `os.environ` or its kin, or import them from `os`."""
    lines: set[int] = set()
    for node in ast.walk(module.tree):
        if isinstance(node, ast.Attribute) and node.attr in ENVIRONMENT and ast.unparse(node.value) == "os":
            lines.add(node.lineno)
        if isinstance(node, ast.ImportFrom) and node.module == "os":
            lines |= {node.lineno for alias in node.names if alias.name in ENVIRONMENT}
    return sorted(lines)


def test_below_the_daemon_no_module_imports_a_clock_or_dice() -> None:
    found: dict[str, object] = {}
    for module in below_daemon():
        for node in ast.walk(module.tree):
            if isinstance(node, ast.Import | ast.ImportFrom) and CLOCKS_AND_DICE & set(imported(node)):
                found[module.path] = f"line {node.lineno}"
    assert unexplained(found, HAS_A_CLOCK) == []


def test_below_the_daemon_no_module_asks_the_clock_the_home_or_the_terminal() -> None:
    found: dict[str, object] = {}
    for module in below_daemon():
        for node in ast.walk(module.tree):
            if isinstance(node, ast.Call):
                name = ast.unparse(node.func)
                if IMPURE_CALLS.fullmatch(name) or name.endswith(".expanduser"):
                    found[module.path] = f"line {node.lineno}: {name}()"
    assert unexplained(found, IMPURE) == []


def test_the_patterns_find_what_they_are_for() -> None:
    impure = "datetime.now datetime.datetime.now date.today uuid.uuid4 uuid4 os.urandom Path.home print input"
    assert [call for call in impure.split() if not IMPURE_CALLS.fullmatch(call)] == []
    pure = "self.now clock.now snapshot.print uuid.UUID os.fsync Path.read_bytes"
    assert [call for call in pure.split() if IMPURE_CALLS.fullmatch(call)] == []
    assert ENVIRONMENT_READERS.fullmatch("daemon/config.py")
    assert not ENVIRONMENT_READERS.fullmatch("daemon/transport.py")
    text = "import os\nfrom os import getenv\n\n\ndef f(environ):\n    return os.environ['A'], environ['A']\n"
    assert environment_reads(Module("x.py", text, ast.parse(text))) == [2, 6]
