"""What makes a client use the gateway, for its own process only: variables, or words of its command line."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from unabridged.gateway import configured
from unabridged.gateway.identity import AIDER, CLAUDE_CODE, CODEX, OPENCODE, PI
from unabridged.gateway.upstreams import ANTHROPIC, CHATGPT, OPENAI

# Variables in which clients keep the address of a provider; an address with a version is OpenAI's way.
ANTHROPIC_VARIABLES = ("ANTHROPIC_BASE_URL", "ANTHROPIC_API_BASE")
OPENAI_VARIABLES = ("OPENAI_BASE_URL", "OPENAI_API_BASE")
# Tells a program that it runs behind a gateway already, and where that is.
OURS = "UNABRIDGED_GATEWAY"
# Pi takes addresses from its files and from extensions only; these first words are commands of its own, without either.
PI_EXTENSION = str(Path(__file__).with_name("pi_providers.js"))
PI_PROVIDERS = "UNABRIDGED_PI_PROVIDERS"  # the addresses of those that the files name, by name, as JSON
PI_COMMANDS = frozenset({"install", "remove", "uninstall", "update", "list", "config", "auth", "mcp"})
# Hosts whose settings may lie in the project, too.
OF_PROJECTS = frozenset({CLAUDE_CODE, OPENCODE})
# Hosts by the name of their program.
NAMES = {"claude": CLAUDE_CODE, CODEX: CODEX, OPENCODE: OPENCODE, PI: PI, AIDER: AIDER}


@dataclass(frozen=True, slots=True)
class Launch:
    """A command line and an environment."""

    words: tuple[str, ...]
    environ: Mapping[str, str]


def host(words: Sequence[str]) -> str:
    """Return which host a command line starts, "" for a program that is none."""
    return NAMES.get(Path(words[0]).name.removesuffix(".exe"), "")


def upstreams(words: Sequence[str], environ: Mapping[str, str], folder: Path | None) -> dict[str, str]:
    """Return the providers' addresses by name that a client would use without us.

    `folder` is where it works, None where the user does not trust what the files of the project say.
    """
    found = dict[str, str]()
    for name, variables in ((ANTHROPIC, ANTHROPIC_VARIABLES), (OPENAI, OPENAI_VARIABLES)):
        url = next((environ[variable] for variable in variables if environ.get(variable)), "")
        if url:
            found[name] = url
    kind = host(words)
    if kind == CODEX:
        found.update(configured.codex(words, environ))
    elif kind == OPENCODE:
        found.update(configured.opencode(environ, folder))
    elif kind == PI:
        found.update(configured.pi(environ))
    elif kind == CLAUDE_CODE and (url := configured.claude(environ, folder)):
        found[ANTHROPIC] = url
    if OPENAI in found:  # Codex takes the one address for both ways to pay
        found[CHATGPT] = found[OPENAI]
    return found


def launch(words: Sequence[str], environ: Mapping[str, str], base: str, folder: Path | None) -> Launch:
    """Return how a client is started so that it asks the gateway at `base`; `folder` is as for `upstreams`."""
    changed = {**environ, OURS: base}
    changed.update(dict.fromkeys(ANTHROPIC_VARIABLES, base))
    changed.update(dict.fromkeys(OPENAI_VARIABLES, f"{base}/v1"))
    kind = host(words)
    if kind == CODEX:
        return Launch((words[0], *_codex(words, environ, base), *words[1:]), changed)
    if kind == CLAUDE_CODE and configured.claude(environ, folder) and "--settings" not in words:
        settings = json.dumps({"env": {ANTHROPIC_VARIABLES[0]: base}})
        return Launch((words[0], "--settings", settings, *words[1:]), changed)
    if kind == PI and not PI_COMMANDS.intersection(words[1:2]):
        changed[PI_PROVIDERS] = json.dumps({name: f"{base}/{name}" for name in configured.pi(environ)})
        return Launch((words[0], "-e", PI_EXTENSION, *words[1:]), changed)
    if kind == OPENCODE:
        given = environ.get("OPENCODE_CONFIG_CONTENT", "")
        changed["OPENCODE_CONFIG_CONTENT"] = _opencode(given, base, configured.opencode(environ, folder))
    return Launch(tuple(words), changed)


def _codex(words: Sequence[str], environ: Mapping[str, str], base: str) -> list[str]:
    """Return words that send Codex's own provider here, and the one that its user has chosen."""
    found = ["-c", f"openai_base_url={json.dumps(f'{base}/v1')}"]
    for name in configured.codex(words, environ):
        if name != OPENAI:
            found += ["-c", f"model_providers.{name}.base_url={json.dumps(f'{base}/{name}')}"]
    return found


def _opencode(given: str, base: str, named: Mapping[str, str]) -> str:
    """Return OpenCode's settings for this process with the addresses of all providers in them."""
    try:
        settings = json.loads(given or "{}")
    except ValueError:
        return given  # the client itself says what is wrong with it
    providers = settings.setdefault("provider", {})
    urls = {ANTHROPIC: f"{base}/v1", OPENAI: f"{base}/v1"} | {name: f"{base}/{name}" for name in named}
    for name, url in urls.items():
        providers.setdefault(name, {}).setdefault("options", {})["baseURL"] = url
    return json.dumps(settings)
