"""What a provider says that a request cost, read from its answer."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec


class Usage(msgspec.Struct, frozen=True):
    """Tokens of one request: input that was neither read from nor written to the cache, and the rest."""

    input: int = 0
    cache_read: int = 0
    cache_write: int = 0
    output: int = 0

    @property
    def prompt(self) -> int:
        """All tokens of the prompt, however they were billed."""
        return self.input + self.cache_read + self.cache_write


def summed(several: Iterable[Usage]) -> Usage:
    """Return what several requests used together."""
    total = Usage()
    for one in several:
        total = Usage(
            total.input + one.input,
            total.cache_read + one.cache_read,
            total.cache_write + one.cache_write,
            total.output + one.output,
        )
    return total


class _Details(msgspec.Struct):
    cached_tokens: int | None = None


class _Usage(msgspec.Struct):
    """The members of all three formats."""

    input_tokens: int | None = None
    output_tokens: int | None = None
    cache_creation_input_tokens: int | None = None
    cache_read_input_tokens: int | None = None
    input_tokens_details: _Details | None = None
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    prompt_tokens_details: _Details | None = None


_decoder = msgspec.json.Decoder(_Usage)


def usage(raw: bytes) -> Usage | None:
    """Return a `usage` object of any of the formats, None for what is none.

    OpenAI counts cached tokens among the input, Anthropic beside it. A negative count says nothing.
    """
    try:
        found = _decoder.decode(raw)
    except msgspec.DecodeError:
        return None
    whole = found.input_tokens if found.input_tokens is not None else found.prompt_tokens
    if whole is None or whole < 0:
        return None
    details = found.input_tokens_details or found.prompt_tokens_details
    cached = max(0, (details.cached_tokens if details else 0) or 0)
    output = max(0, found.output_tokens or found.completion_tokens or 0)
    if details is not None:
        return Usage(max(0, whole - cached), min(cached, whole), 0, output)
    read, written = found.cache_read_input_tokens or 0, found.cache_creation_input_tokens or 0
    return Usage(whole, max(0, read), max(0, written), output)
