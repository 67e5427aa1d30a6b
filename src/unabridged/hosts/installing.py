"""What it takes to put this product into a coding agent's settings, as pure functions of file contents.

A host says which files it wants and how each of them gets our part (`Target.add`) and loses it again (`Target.take`).
`plan` and `remove` turn that into edits; the command line carries them out and keeps a journal of what stood before.
"""

from __future__ import annotations

import posixpath
import re
import shlex
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any, Protocol, cast

from unabridged.errors import HostFileUnclear, InvalidInput, WouldOverwrite

USER, PROJECT = "user", "project"
MCP_NAME = "unabridged"  # by it an agent's own questions are known (`hosts.calls`)
MARK = b"unabridged"  # in every file that is wholly ours
PROGRAM = 0o755

Read = Callable[[str], bytes | None]  # a file's bytes, None where there is no file
Add = Callable[[bytes | None], bytes | None]
Take = Callable[[bytes, bytes | None], bytes | None]  # (what stands there, what stood there before us)


@dataclass(frozen=True, slots=True)
class Facts:
    """What a host's installer is told. Paths are absolute; `archive` is the home to use, "" for the usual folders.

    una: the words that run this program. hook: the file that hosts run, with `python` before it.
    """

    home: str
    env: Mapping[str, str]
    platform: str
    python: str
    hook: str
    una: tuple[str, ...]
    archive: str = ""
    scope: str = USER
    project: str = ""
    mcp_only: bool = False
    statusline: bool = True
    trust: bool = False
    version: str = ""

    def hook_words(self, host: str) -> tuple[str, ...]:
        """Return the command that a host runs for a hook, as words."""
        words = (self.python, "-I", "-S", "-E", self.hook, host)
        return (*words, "--home", self.archive) if self.archive else words

    def hook_line(self, host: str) -> str:
        """Return that command as a line for a POSIX shell.

        Without its file Python would leave with status 2, by which hosts take a prompt back, and without Python the
        shell would complain at each event: then nothing is run.
        """
        gone = f"[ ! -x {shlex.quote(self.python)} ] || [ ! -f {shlex.quote(self.hook)} ]"
        return f"{gone} || exec {shlex.join(self.hook_words(host))}"

    def una_line(self, *words: str) -> str:
        """Return a command of ours as a line for a POSIX shell, with the archive's home where it has one."""
        told = [f"UNABRIDGED_HOME={shlex.quote(self.archive)}"] if self.archive else []
        return " ".join([*told, shlex.join([*self.una, *words])])

    def mcp_words(self) -> tuple[str, ...]:
        """Return the command that serves MCP."""
        return (*self.una, "mcp")

    def mcp_env(self) -> dict[str, str]:
        """Return the variables that this command needs."""
        return {"UNABRIDGED_HOME": self.archive} if self.archive else {}


@dataclass(frozen=True, slots=True)
class Target:
    """One file that is to hold something of ours. `owned`: all of it is ours, as is the folder `root` above it."""

    path: str
    add: Add
    take: Take
    note: str
    owned: bool = False
    root: str = ""


@dataclass(frozen=True, slots=True)
class Probe:
    """Something that stands in a host's file and can be tried: find(content) gives its command lines or words.

    kind: "hook" (lines for a shell, which get a hook's input), "mcp" (words and variables of a server).
    """

    kind: str
    path: str
    find: Callable[[bytes], Sequence[Command]]


@dataclass(frozen=True, slots=True)
class Command:
    """A command as a host's file has it: a `line` for a shell, or `words` to start; `name` says where it stands."""

    name: str
    line: str = ""
    words: tuple[str, ...] = ()
    env: Mapping[str, str] = field(default_factory=dict[str, str])


@dataclass(frozen=True, slots=True)
class Edit:
    """One file's change: `before` is what stands there, None: nothing; `after` None: it goes.

    `original` is what stands there without anything of ours.
    """

    path: str
    before: bytes | None
    after: bytes | None
    original: bytes | None
    note: str
    spare: bool = False  # a person's own change of a file of ours: a copy is to be kept

    @property
    def changes(self) -> bool:
        """Whether there is anything to do."""
        return self.before != self.after


@dataclass(frozen=True, slots=True)
class Plan:
    """What an installation does: `edits`, what a person should know (`notes`), what they have to do (`steps`)."""

    edits: tuple[Edit, ...]
    notes: tuple[str, ...] = ()
    steps: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Kept:
    """What the journal has of a file: `before` us, and the digest of what we wrote ("" where that is not known)."""

    before: bytes | None
    after: str


class Installer(Protocol):
    """One host's installer; `installing.plan` and the command line need no more of it."""

    @property
    def name(self) -> str:
        """The host's name."""
        ...

    @property
    def title(self) -> str:
        """The host's name as people write it."""
        ...

    @property
    def scopes(self) -> Sequence[str]:
        """The scopes that it has settings for."""
        ...

    @property
    def one_scope(self) -> bool:
        """Whether its hooks would run twice where it is installed in two scopes."""
        ...

    def replaces(self, facts: Facts) -> str:
        """Return a pattern of what it puts something else in place of in what it is told; "" for nothing."""
        ...

    def present(self, facts: Facts, exists: Callable[[str], bool]) -> bool:
        """Tell whether its configuration is on this machine."""
        ...

    def programs(self) -> tuple[str, ...]:
        """Return the names of its commands."""
        ...

    def targets(self, facts: Facts, read: Read) -> tuple[Target, ...]:
        """Return the files that an installation wants."""
        ...

    def notes(self, facts: Facts, read: Read) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Return what a person should know, and what is left for them to do."""
        ...

    def probes(self, facts: Facts) -> tuple[Probe, ...]:
        """Return what can be tried of an installation."""
        ...

    def listing(self, facts: Facts) -> tuple[tuple[str, ...], str]:
        """Return a command of the host's own that names what it has loaded, and how we are named; ((), "") for none."""
        ...

    def troubles(self, facts: Facts, read: Read) -> tuple[tuple[str, str], ...]:
        """Return what keeps an installation from working, each with what helps."""
        ...


@contextmanager
def naming(path: str) -> Generator[None]:
    """Have what is wrong with a file's content name that file."""
    try:
        yield
    except HostFileUnclear as error:
        if "path" in error.details:
            raise
        raise HostFileUnclear(
            f"{path}: {error.message}", hint=error.advice, path=path, **error.details
        ) from error


def check_told(installer: Installer, facts: Facts) -> None:
    """Refuse paths that an agent would change: with a variable's value in it, it would lead to another archive.

    Raises `InvalidInput`.
    """
    pattern = installer.replaces(facts)
    for word in (*facts.mcp_words(), *facts.hook_words(installer.name), *facts.mcp_env().values()):
        if pattern and (found := re.search(pattern, word)):
            raise InvalidInput(
                f"{installer.title} takes `{found[0]}` in a path for a variable",
                path=word,
                hint="Use a folder without such characters in its name.",
            )


def digest(data: bytes | None) -> str:
    """Return what a journal keeps of a content; "" of none."""
    return sha256(data).hexdigest() if data is not None else ""


def owned(path: str, content: bytes, note: str, root: str = "") -> Target:
    """Return the target of a file that is wholly ours."""

    def add(current: bytes | None) -> bytes:
        if current is not None and MARK not in current:
            raise WouldOverwrite(
                "a file that is not ours stands where one of ours belongs",
                path=path,
                hint="Move it away; then run the command again.",
            )
        return content

    def take(current: bytes, before: bytes | None) -> bytes | None:
        del current, before
        return None

    return Target(path, add, take, note, owned=True, root=root)


def plan(
    targets: Sequence[Target], read: Read, kept: Mapping[str, Kept], others: Sequence[Target] = ()
) -> tuple[Edit, ...]:
    """Return the edits that bring every target up to date, and take our part out where it is wanted no more.

    kept: what the journal has, by path. others: targets of this host that are not wanted now.
    """
    wanted = {target.path for target in targets}
    edits = [_added(target, read(target.path), kept.get(target.path)) for target in targets]
    unwanted = {path: entry for path, entry in kept.items() if path not in wanted}
    rest = remove([target for target in others if target.path in unwanted], read, unwanted)
    return (*edits, *rest)


def _added(target: Target, current: bytes | None, entry: Kept | None) -> Edit:
    with naming(target.path):
        original = without(target, current, entry)
        after = target.add(original)
    return Edit(target.path, current, after, original, target.note, _changed(target, current, entry))


def _changed(target: Target, current: bytes | None, entry: Kept | None) -> bool:
    """Tell whether somebody else has changed a file that is wholly ours."""
    return target.owned and entry is not None and current is not None and digest(current) != entry.after


def without(target: Target, current: bytes | None, entry: Kept | None) -> bytes | None:
    """Return a file's content without our part; `entry` is what a journal has of it."""
    if entry is not None and digest(current) in (entry.after, digest(entry.before)):
        return entry.before
    if current is None:
        return None
    if target.owned and MARK not in current:
        return current
    return target.take(current, entry.before if entry is not None else None)


def remove(targets: Sequence[Target], read: Read, kept: Mapping[str, Kept]) -> tuple[Edit, ...]:
    """Return the edits that undo an installation: what stood before comes back, or only our part goes.

    Of several targets of one path the first is taken: it takes out what the others put in, and more.
    """
    edits: list[Edit] = []
    known = {target.path: target for target in reversed(targets)}
    for path, entry in kept.items():
        current, target = read(path), known.get(path)
        if digest(current) == entry.after:
            after = entry.before
        else:
            with naming(path):
                after = without(target, current, entry) if target is not None else current
        note = "as it was before" if after == entry.before else "without our part"
        spare = target is not None and _changed(target, current, entry)
        edits.append(Edit(path, current, after, after, note, spare))
    for path, target in known.items():
        current = read(path)
        if path in kept or current is None or (target.owned and MARK not in current):
            continue
        with naming(path):
            after = target.take(current, None)
        edits.append(Edit(path, current, after, after, "without our part"))
    return tuple(edits)


def mcp_entry(facts: Facts, **more: Any) -> dict[str, Any]:
    """Return the entry of a server that a host starts, in the form that most hosts share."""
    words = facts.mcp_words()
    entry: dict[str, Any] = {"command": words[0], "args": list(words[1:])}
    if facts.mcp_env():
        entry["env"] = facts.mcp_env()
    return {**entry, **more}


def is_our_server(entry: Any) -> bool:
    """Tell whether an entry starts our server, in the form that most hosts share."""
    return _is_una(server_words(entry))


def was_installed(entry: Any) -> bool:
    """Tell whether `una install` made an entry: it names the whole path, which a person hardly does."""
    words = server_words(entry)
    alone = len(words) == 2 and posixpath.basename(words[0]) == "una"
    by_python = words[1:] in (("-m", "unabridged", "mcp"), ("-P", "-m", "unabridged", "mcp"))
    return words[-1:] == ("mcp",) and words[0].startswith("/") and (alone or by_python)


def server_words(entry: Any) -> tuple[str, ...]:
    """Return the words that a server is started with: `command` and `args`, or `command` as a list."""
    if not isinstance(entry, dict):
        return ()
    found = cast("dict[str, Any]", entry)
    command, given = found.get("command"), found.get("args")
    more = cast("list[Any]", given) if isinstance(given, list) else []
    words = cast("list[Any]", command) if isinstance(command, list) else [command, *more]
    return tuple(str(word) for word in words if word is not None)


def _is_una(words: Sequence[str]) -> bool:
    return words[-1:] == ("mcp",) and any("una" in word for word in words)
