"""The providers that a client's own settings name: read, never changed, so that requests to them pass the gateway too.

What cannot be read is left to the client, which says itself what is wrong with it. A project's files are read only
where a folder is given: whoever wrote them would else choose who gets the user's credentials.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, cast

MOST_BYTES = 4 << 20  # of a settings file
_COMMENT = re.compile(r'("(?:[^"\\]|\\.)*")|//[^\n]*|/\*.*?\*/', re.DOTALL)
_LAST_COMMA = re.compile(r'("(?:[^"\\]|\\.)*")|,(?=\s*[\]}])')
_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")

Table = Mapping[str, Any]


def codex(words: Sequence[str], environ: Mapping[str, str]) -> dict[str, str]:
    """Return the address that Codex would ask, by its provider: its own (`openai`), or the one that is chosen."""
    settings = _toml(_home(environ, "CODEX_HOME", ".codex") / "config.toml")
    chosen = _text(settings, "model_provider")
    given = list(pairwise(words))
    for flag, value in given:
        if flag in ("-p", "--profile"):
            chosen = _text(_table(_table(settings, "profiles"), value), "model_provider") or chosen
    for flag, value in given:
        name, equals, said = value.partition("=")
        if flag in ("-c", "--config") and equals and name.strip() == "model_provider":
            chosen = said.strip().strip("\"'")
    if not chosen or chosen == "openai":
        url = _text(settings, "openai_base_url")
        return {"openai": url} if url else {}
    url = _text(_table(_table(settings, "model_providers"), chosen), "base_url")
    return {chosen: url} if url and _NAME.fullmatch(chosen) else {}


def claude(environ: Mapping[str, str], folder: Path | None) -> str:
    """Return the address that Claude Code's settings name, "" where they name none; the last file wins."""
    files = [_home(environ, "CLAUDE_CONFIG_DIR", ".claude") / "settings.json"]
    if folder is not None:
        files += [folder / ".claude/settings.json", folder / ".claude/settings.local.json"]
    found = [_text(_table(_json(file), "env"), "ANTHROPIC_BASE_URL") for file in files]
    return next((url for url in reversed(found) if url), "")


def opencode(environ: Mapping[str, str], folder: Path | None) -> dict[str, str]:
    """Return the addresses of all providers that OpenCode's settings name, by their names; the last file wins."""
    found = dict[str, str]()
    for settings in _opencode_settings(environ, folder):
        providers = _table(settings, "provider")
        for name in providers:
            url = _text(_table(_table(providers, name), "options"), "baseURL")
            if url.startswith("http") and _NAME.fullmatch(name):
                found[name] = url
    return found


def pi(environ: Mapping[str, str]) -> dict[str, str]:
    """Return the addresses of all providers that Pi's own file of models names, by their names."""
    folder = environ.get("PI_CODING_AGENT_DIR") or Path(environ.get("HOME", "/")) / ".pi/agent"
    providers = _table(_json(Path(folder) / "models.json"), "providers")
    urls = {name: _text(_table(providers, name), "baseUrl") for name in providers}
    return {name: url for name, url in urls.items() if url.startswith("http") and _NAME.fullmatch(name)}


def _opencode_settings(environ: Mapping[str, str], folder: Path | None) -> Iterator[Table]:
    config = Path(environ.get("XDG_CONFIG_HOME") or Path(environ.get("HOME", "/")) / ".config") / "opencode"
    names = ("config.json", "opencode.json", "opencode.jsonc")
    yield from (_json(config / name) for name in names)
    if environ.get("OPENCODE_CONFIG"):
        yield _json(Path(environ["OPENCODE_CONFIG"]))
    for parent in reversed((folder, *folder.parents)) if folder is not None else ():
        yield from (_json(parent / name) for name in names[1:])
    yield _parsed(environ.get("OPENCODE_CONFIG_CONTENT", ""))


def _home(environ: Mapping[str, str], variable: str, usual: str) -> Path:
    return Path(environ.get(variable) or Path(environ.get("HOME", "/")) / usual)


def _toml(path: Path) -> Table:
    try:
        return tomllib.loads(_read(path))
    except (tomllib.TOMLDecodeError, RecursionError):
        return {}


def _json(path: Path) -> Table:
    return _parsed(_read(path))


def _parsed(text: str) -> Table:
    """Return an object of JSON that may have comments and commas too many."""
    plain = _LAST_COMMA.sub(lambda match: match[1] or "", _COMMENT.sub(lambda match: match[1] or "", text))
    try:
        found: object = json.loads(plain or "{}")
    except (ValueError, RecursionError):
        return {}
    return cast("Table", found) if isinstance(found, dict) else {}


def _read(path: Path) -> str:
    try:
        if not path.is_file() or path.stat().st_size > MOST_BYTES:
            return ""
        return path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError):
        return ""


def _table(table: Table, name: str) -> Table:
    found: object = table.get(name)
    return cast("Table", found) if isinstance(found, dict) else {}


def _text(table: Table, name: str) -> str:
    found = table.get(name)
    return found if isinstance(found, str) else ""
