"""What makes a client use the gateway, for its own process only: variables, or words of its command line."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from unabridged.gateway.upstreams import ANTHROPIC, CHATGPT, OPENAI

# Variables in which clients keep the address of a provider; an address with a version is OpenAI's way.
ANTHROPIC_VARIABLES = ("ANTHROPIC_BASE_URL", "ANTHROPIC_API_BASE")
OPENAI_VARIABLES = ("OPENAI_BASE_URL", "OPENAI_API_BASE")
CODEX, OPENCODE, PI = "codex", "opencode", "pi"
# Pi takes addresses from its files and from extensions only; these first words are commands of its own, without either.
PI_EXTENSION = str(Path(__file__).with_name("pi_providers.js"))
PI_COMMANDS = frozenset({"install", "remove", "uninstall", "update", "list", "config", "auth", "mcp"})
NAMES = {"claude": "claude-code", CODEX: "codex", OPENCODE: "opencode", PI: "pi", "aider": "aider"}


@dataclass(frozen=True, slots=True)
class Launch:
    """A command line and an environment."""

    words: tuple[str, ...]
    environ: Mapping[str, str]


def host(words: Sequence[str]) -> str:
    """Return which host a command line starts, "" for a program that is none."""
    return NAMES.get(Path(words[0]).name.removesuffix(".exe"), "")


def upstreams(words: Sequence[str], environ: Mapping[str, str]) -> dict[str, str]:
    """Return the providers' addresses by name that a client would use without us."""
    del words
    found = dict[str, str]()
    for name, variables in ((ANTHROPIC, ANTHROPIC_VARIABLES), (OPENAI, OPENAI_VARIABLES)):
        url = next((environ[variable] for variable in variables if environ.get(variable)), "")
        if url:
            found[name] = url
    if OPENAI in found:  # Codex takes the one address for both ways to pay
        found[CHATGPT] = found[OPENAI]
    return found


def launch(words: Sequence[str], environ: Mapping[str, str], base: str) -> Launch:
    """Return how a client is started so that it asks the gateway at `base`."""
    changed = {**environ}
    changed.update(dict.fromkeys(ANTHROPIC_VARIABLES, base))
    changed.update(dict.fromkeys(OPENAI_VARIABLES, f"{base}/v1"))
    kind = host(words)
    if kind == CODEX:
        return Launch((words[0], "-c", f"openai_base_url={json.dumps(f'{base}/v1')}", *words[1:]), changed)
    if kind == PI and not PI_COMMANDS.intersection(words[1:2]):
        return Launch((words[0], "-e", PI_EXTENSION, *words[1:]), changed)
    if kind == OPENCODE:
        changed["OPENCODE_CONFIG_CONTENT"] = _opencode(environ.get("OPENCODE_CONFIG_CONTENT", ""), base)
    return Launch(tuple(words), changed)


def _opencode(given: str, base: str) -> str:
    """Return OpenCode's settings for this process with both providers' addresses in them."""
    try:
        settings = json.loads(given or "{}")
    except ValueError:
        return given  # the client itself says what is wrong with it
    providers = settings.setdefault("provider", {})
    for name in (ANTHROPIC, OPENAI):
        providers.setdefault(name, {}).setdefault("options", {})["baseURL"] = f"{base}/v1"
    return json.dumps(settings)
