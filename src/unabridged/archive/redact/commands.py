"""Tool calls whose result shows a secret: reads of sensitive files, commands that print credentials."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from typing import Any

import msgspec

from unabridged.archive.redact.files import (
    AUTOMATON_BYTES,
    SUSPECT,
    listed,
    sensitive_path,
    suspicious,
)
from unabridged.archive.redact.pattern import text_finder
from unabridged.archive.redact.shellwords import words_of

MAX_ARGUMENTS = 262_144  # characters of a call's arguments that are looked at
MAX_PARSED = (
    16_384  # characters of a command that are parsed with its quotes; longer ones are split at separators
)
MAX_DEPTH = 6  # levels of arguments, and of commands within commands

# A result of these tells that a file is there, not what it says.
_SILENT_TOOLS = re.compile(
    r"(?i)(?:^|[_.:/-])(?:ls|list|glob|find|stat|exists|delete|remove|mkdir|move|rename|watch|todo)"
)
_COMMAND_KEYS = frozenset(("command", "cmd", "script", "commands", "shell_command", "args", "code", "input"))
_PATH_KEYS = listed(
    "file_path filepath path paths file files filename target_file targetfile absolute_path absolutepath uri url "
    "notebook_path relative_path relative_workspace_path glob include pattern_path source src"
)
_SHELLS = listed("sh bash zsh dash fish ksh pwsh powershell cmd eval")
_REMOTES = listed("ssh docker podman kubectl oc sudo su doas nsenter chroot")
_PRINTERS = listed(
    "cat less more most head tail bat batcat nl tac rev sed awk gawk mawk grep egrep fgrep zgrep rg ag ack cut "
    "sort uniq strings xxd od hexdump hd base64 base32 jq yq xq dasel tomlq diff sdiff colordiff comm paste "
    "column fold fmt pr tr type gc get-content view vi vim nano ed openssl keytool pygmentize glow csvlook perl "
    "ruby python python3 node deno bun php tsx dotenv dotenvx printf echo dd tee pv zcat gzcat xmllint envsubst "
    "cmp"
)
_FINDERS = listed("find fd fdfind ls locate")
_TERMINALS = listed("/dev/stdout /dev/stderr /dev/tty /dev/fd/1 /dev/fd/2 /proc/self/fd/1")
_INTERPRETERS = listed("perl ruby python python3 node deno bun php tsx")
_SEPARATORS = re.compile(r"\|\||&&|;;|[;|&\n]")
# Sets variables from a file and prints nothing: `export $(grep -v '^#' .env | xargs)`.
_SILENT_SUBSTITUTION = re.compile(
    r"\b(?:export|env|declare(?: -\w+)?|local|set -a *[;&]+ *(?:\.|source))\s+(?:\$\([^()]*\)|`[^`]*`)"
)
_SUBSTITUTION = re.compile(r"\$\(|`|\)|<\(")
_SUBSTITUTED = re.compile(r"\$\(([^()]+)\)|`([^`]+)`")
# Of these the first word that is no option is a pattern or a program, not a file.
_PATTERN_FIRST = listed("grep egrep fgrep zgrep rg ag ack sed awk gawk mawk jq yq")
_HERE_DOCUMENT = re.compile(r"<<-?[ \t]*['\"]?(\w+)")
_WORDS = re.compile(r"[\s'\"`=:<>|;&(),{}\[\]]+")
_QUOTED = re.compile(r"['\"]([^'\"\s]{2,256})['\"]")
_CREDENTIALS = "|".join(
    (
        r"\bgh auth token\b|\bgh auth status [^\n]*(?:-t\b|--show-token)",
        r"\bgcloud auth (?:application-default )?print-(?:access|identity)-token|\bgcloud secrets versions access",
        r"\baws secretsmanager get-secret-value|\baws ssm get-parameters?\b[^\n]*--with-decryption",
        r"\baws configure (?:get|export-credentials)|\baws sts (?:assume-role|get-session-token)",
        r"\baws ecr get-login-password|\baz account get-access-token|\baz storage account keys list",
        r"\baz keyvault secret show|\boc whoami -t\b|\bkubectl (?:\S+ )*create token\b",
        r"\bkubectl (?:\S+ )*get secrets?\b[^\n]* (?:-o|--output|--template)",
        r"\bvault (?:kv get|read|token lookup|print token)\b|\bop (?:read|item get)\b|\bbw get\b",
        r"(?:^|[;&|\n(\"']) *pass (?:show|-c)\b|\bsecret-tool lookup\b|\bchamber read\b|\bdoppler secrets\b",
        r"\bsecurity find-(?:generic|internet)-password\b|\bheroku (?:config|auth:token)\b",
        r"\bsops (?:-d\b|--decrypt|decrypt|exec-env)|\bage (?:-d\b|--decrypt)|\bansible-vault (?:view|decrypt)\b",
        r"\bgpg2? (?:[^\n;|&]* )?(?:-d\b|--decrypt|--export-secret)|\bgit credential fill\b",
        r"\bdocker-credential-\w+ get\b|\bfly(?:ctl)? tokens\b|\bpulumi config get\b|\bwg genkey\b",
    )
)
_shows_credential = text_finder(_CREDENTIALS, AUTOMATON_BYTES)
# The beginning of a list of words, too: these are always taken apart, since as one command line they may say what no
# part says.
_may_show = text_finder(f'\\["|{_CREDENTIALS}|{SUSPECT}', AUTOMATON_BYTES)


def may_show(rendering: bytes) -> bool:
    """Tell whether a call's rendering, or its beginning, may be of one that `masks_output`; false: it is not.

    One look at the text spares nearly every call being taken apart.
    """
    if rendering[-1:] >= b"\x80":  # maybe cut within a character, behind which no word would seem to end
        rendering = rendering.decode("utf-8", "ignore").encode()
    return _may_show(rendering, 0, len(rendering)) >= 0


def masks_output(tool: str, arguments_text: str) -> bool:
    """Tell whether the result of a tool call has to be masked because it shows a sensitive file.

    `arguments_text`: the call's arguments as JSON, or a bare command line or path.
    """
    text = arguments_text[:MAX_ARGUMENTS]
    try:
        arguments = msgspec.json.decode(text.encode("utf-8", "surrogatepass"))
    except (msgspec.DecodeError, RecursionError):
        return _shows(text, 0) or sensitive_path(text)
    if isinstance(arguments, str):
        return _shows(arguments, 0) or sensitive_path(arguments)
    silent = _SILENT_TOOLS.search(tool) is not None
    return any(_argument_shows(key, value, silent) for key, value in _leaves("", arguments, 0))


def _argument_shows(key: str, value: str, silent: bool) -> bool:
    if key in _COMMAND_KEYS and _shows(value, 0):
        return True
    return key in _PATH_KEYS and not silent and sensitive_path(_bare(value))


def _bare(path: str) -> str:
    return path.removeprefix("file://").split("?", 1)[0]


def _leaves(key: str, value: Any, depth: int) -> Iterator[tuple[str, str]]:
    """Yield (key, string) for every string among the arguments; a list of words is one command line."""
    if isinstance(value, str):
        yield key, value
    elif depth < MAX_DEPTH and isinstance(value, dict):
        for name, inner in value.items():  # pyright: ignore[reportUnknownVariableType]
            yield from _leaves(str(name).lower(), inner, depth + 1)  # pyright: ignore[reportUnknownArgumentType]
    elif depth < MAX_DEPTH and isinstance(value, list):
        words: list[Any] = value  # pyright: ignore[reportUnknownVariableType]
        if key in _COMMAND_KEYS and words and all(isinstance(word, str) for word in words):
            yield key, shlex.join(words)
        else:
            for inner in words:
                yield from _leaves(key, inner, depth + 1)


def _shows(command: str, depth: int) -> bool:
    """Tell whether a shell command prints a sensitive file or a credential."""
    data = command.encode("utf-8", "replace")
    if _shows_credential(data, 0, len(data)) >= 0:
        return True
    command = _without_documents(command)
    if not suspicious(
        command
    ):  # nor will it be without the parts that print nothing: they end and begin at an edge
        return False
    command = _SILENT_SUBSTITUTION.sub(" ", command)
    if not suspicious(command) or not any(sensitive_path(word) for word in _WORDS.split(command)):
        return False
    if depth < MAX_DEPTH:
        for match in _SUBSTITUTED.finditer(command):
            if _shows(match.group(1) or match.group(2), depth + 1):
                return True
    return _any_shows(list(_parts(command)), depth)


def _any_shows(parts: list[list[str]], depth: int) -> bool:
    """Tell whether one of the simple commands shows a sensitive file, named by itself or by the one before it."""
    files = ""  # the variable that a loop sets to sensitive files
    for at, words in enumerate(parts):
        if _part_shows(words, depth):
            return True
        named = any(map(sensitive_path, words))
        if named and words[0] == "for" and len(words) > 2:
            files = words[1]
        if files and any(word in (f"${files}", f"${{{files}}}") for word in words) and _prints(words):
            return True
        if named and words[0] in _FINDERS and at + 1 < len(parts):
            piped = parts[at + 1]
            if piped[:1] == ["xargs"] and _prints(piped):
                return True
        if named and _hands_over(words):
            return True
    return False


def _prints(words: list[str]) -> bool:
    return any(word.rsplit("/", 1)[-1].lower() in _PRINTERS for word in words)


def _hands_over(words: list[str]) -> bool:
    """Tell whether a command gives a file it names to a printer, or copies it to the terminal."""
    if words[0] in ("find", "fd", "fdfind"):
        for at, word in enumerate(words):
            if word in ("-exec", "-execdir", "-ok", "-x", "-X", "--exec"):
                return _prints(words[at + 1 :])
    return words[0] in ("cp", "install", "ln", "scp", "rsync") and any(word in _TERMINALS for word in words)


def _without_documents(command: str) -> str:
    """Cut out here-documents: they are written, not read."""
    if "<<" not in command:
        return command
    kept: list[str] = []
    at = 0
    while True:
        begin = _HERE_DOCUMENT.search(command, at)
        line = command.find("\n", begin.end()) if begin is not None else -1
        if begin is None or line < 0:
            return "".join((*kept, command[at:]))
        kept.append(command[at : begin.start()])
        kept.append(command[begin.end() : line + 1])
        end = command.find("\n" + begin.group(1), line - 1)
        if end < 0:
            return "".join(kept)
        at = end + 1 + len(begin.group(1))


def _parts(command: str) -> Iterator[list[str]]:
    """Yield the words of each simple command; quotes keep separators within words."""
    if len(command) > MAX_PARSED:
        yield from (part.replace("'", " ").replace('"', " ").split() for part in _SEPARATORS.split(command))
        return
    words: list[str] = []
    try:
        for word in words_of(_SUBSTITUTION.sub(" ; ", command)):
            if word and not word.strip(";|&\n"):
                yield words
                words = []
            else:
                words.append(word)
    except ValueError:  # a quote that does not close
        for part in _SEPARATORS.split(command):
            yield part.replace("'", " ").replace('"', " ").split()
        return
    yield words


def _part_shows(words: list[str], depth: int) -> bool:
    printer = ""
    pattern_ahead = False
    for at, word in enumerate(words):
        before = words[at - 1] if at else ""
        name = word.rsplit("/", 1)[-1].lower().removesuffix(".exe")
        if before.startswith("<") and not before.startswith("<<"):
            return sensitive_path(word)
        if before.startswith(">"):
            continue
        if pattern_ahead and not word.startswith("-"):
            pattern_ahead = False
            continue
        if printer and _names_secret(word, printer):
            return True
        inner = ""
        if name in _SHELLS:
            inner = " ".join(rest for rest in words[at + 1 :] if not rest.startswith("-"))
        elif " " in word and any(earlier in _REMOTES for earlier in words[:at]):
            inner = word
        if inner and depth < MAX_DEPTH and _shows(inner, depth + 1):
            return True
        if name in _PRINTERS and not printer:
            printer = name
            pattern_ahead = name in _PATTERN_FIRST and not any(w in ("-e", "-f") for w in words[at:])
        elif name == "git":
            printer = _git_printer(words[at + 1 :])
    return False


def _git_printer(words: list[str]) -> str:
    shows = {"show", "diff", "blame", "cat-file", "grep", "stash"}
    if "log" in words[:4]:
        patch = any(word in ("-p", "-u", "--patch", "-c", "--cc") or word.startswith("-L") for word in words)
        return "git" if patch else ""
    return "git" if any(word in shows for word in words[:4]) else ""


def _names_secret(word: str, printer: str) -> bool:
    if printer in _INTERPRETERS and (" " in word or "(" in word):
        return any(sensitive_path(match.group(1)) for match in _QUOTED.finditer(word))
    if printer in ("echo", "printf"):
        return False
    if printer == "git":
        word = word.rsplit(":", 1)[-1]
    if word.startswith("-"):
        word = word.partition("=")[2]
    return sensitive_path(word)
