"""Reads a command line by the table of verbs.

Options stand anywhere behind the verb, as `--name value`, `--name=value` or `-n value`; `--` ends them. What is not in
the table is refused with the nearest name that is.
"""

from __future__ import annotations

from unabridged.cli.arguments import FLAG, LIST, NUMBER, PATH, REST
from unabridged.cli.verbs import DEFAULTS, by_name
from unabridged.errors import InvalidInput

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

    from unabridged.cli.arguments import Option, Positional, Verb

HELP_WORDS = {"--help", "-h"}


def nearest(word: str, names: Iterable[str]) -> str:
    """Return the name that looks most like the word, or an empty string."""
    import difflib

    found = difflib.get_close_matches(word, list(names), 1, 0.5)
    return found[0] if found else ""


def find_verb(words: Sequence[str]) -> tuple[Verb, int]:
    """Return the verb that the words name and how many words name it."""
    verbs = by_name()
    first = words[0]
    if len(words) > 1 and f"{first} {words[1]}" in verbs:
        return verbs[f"{first} {words[1]}"], 2
    if first in verbs:
        return verbs[first], 1
    if first in DEFAULTS:
        following = [word for word in words[1:] if not word.startswith("-")]
        if not following:
            return verbs[DEFAULTS[first]], 1
        actions = [name.split(" ", 1)[1] for name in verbs if name.startswith(first + " ")]
        close = nearest(following[0], actions)
        raise InvalidInput(
            f"`una {first}` has no action `{following[0]}`",
            hint=f"Did you mean `una {first} {close}`?" if close else f"It has: {', '.join(actions)}.",
        )
    close = nearest(first, [*verbs, *DEFAULTS])
    raise InvalidInput(
        f"there is no command `{first}`",
        hint=f"Did you mean `una {close}`? " * bool(close) + "`una --help` lists them all.",
    )


def parse(verb: Verb, words: Sequence[str]) -> dict[str, Any]:
    """Return the values that the words behind a verb give; `InvalidInput` names what is wrong with them."""
    values: dict[str, Any] = {}
    rest: list[str] = []
    for word in words:
        if not word.isascii():
            _check_text(word)
    queue = list(words)
    while queue:
        word = queue.pop(0)
        if word == "--":
            rest.extend(queue)
            break
        if len(word) < 2 or not word.startswith("-"):
            rest.append(word)
            if takes_rest(verb):
                rest.extend(queue)
                break
            continue
        name, equals, value = word.partition("=")
        option = _option(verb, name)
        if option.kind == FLAG:
            if equals:
                raise _wrong(verb, f"--{option.name} takes no value")
            values[option.name] = True
            continue
        if not equals:
            if not queue:
                raise _wrong(verb, f"--{option.name} needs a value")
            value = queue.pop(0)
        _store(verb, option, value, values)
    _place(verb, rest, values)
    return values


def takes_rest(verb: Verb) -> bool:
    """Tell whether what follows a verb's first word without a dash is another program's command line."""
    return any(positional.number == REST for positional in verb.positionals)


def own_words(verb: Verb, words: Sequence[str]) -> Sequence[str]:
    """Return the words behind a verb that are read as its own, without what stands behind `--`."""
    ends = words.index("--") if "--" in words else len(words)
    if takes_rest(verb):
        options, at = {f"--{option.name}" for option in verb.options if option.kind != FLAG}, 0
        while at < ends and words[at].startswith("-"):
            at += 2 if words[at] in options else 1
        ends = min(ends, at)
    return words[:ends]


def _check_text(word: str) -> None:
    try:
        word.encode()
    except UnicodeEncodeError as error:
        raise InvalidInput(
            "an argument is not UTF-8", hint="A file whose name is not UTF-8 must be renamed first."
        ) from error


def _option(verb: Verb, name: str) -> Option:
    for option in verb.options:
        if name == f"--{option.name}" or (option.short and name == f"-{option.short}"):
            return option
    close = nearest(name, [f"--{option.name}" for option in verb.options])
    hint = f"Did you mean {close}? " if close else ""
    if verb.positionals:
        hint += f"Text that begins with a dash goes behind `--`: una {verb.name} -- {name}"
    raise _wrong(verb, f"`una {verb.name}` has no option {name}", hint.strip())


def _store(verb: Verb, option: Option, value: str, values: dict[str, Any]) -> None:
    if option.kind == LIST:
        items = [item for item in value.split(",") if item]
        for item in items:
            _choose(verb, f"--{option.name}", item, option.choices)
        values.setdefault(option.name, []).extend(items)
        return
    _choose(verb, f"--{option.name}", value, option.choices)
    if option.kind == PATH and not value:
        raise _wrong(verb, f"--{option.name} is empty")
    if option.kind != NUMBER:
        values[option.name] = value
        return
    digits = value.replace("_", "").replace(",", "")
    if not (digits.isascii() and digits.isdecimal()):
        raise _wrong(verb, f"--{option.name} takes a whole number, not `{value}`")
    values[option.name] = int(digits)


def _choose(verb: Verb, what: str, value: str, choices: tuple[str, ...]) -> None:
    if choices and value not in choices:
        close = nearest(value, choices)
        hint = f"Did you mean `{close}`? " if close else ""
        raise _wrong(verb, f"{what} cannot be `{value}`", f"{hint}It takes: {', '.join(choices)}.")


def _place(verb: Verb, rest: list[str], values: dict[str, Any]) -> None:
    for positional in verb.positionals:
        if positional.number in ("*", "+", REST):
            if positional.number != "*" and not rest:
                raise _missing(verb, positional)
            for value in rest:
                _check_path(verb, positional, value)
            values[positional.name] = rest
            return
        if not rest:
            if positional.number == "?":
                continue
            raise _missing(verb, positional)
        value = rest.pop(0)
        _choose(verb, positional.name.upper(), value, positional.choices)
        _check_path(verb, positional, value)
        values[positional.name] = value
    if rest:
        hint = "Put quotes around an argument that holds spaces." if verb.positionals else ""
        raise _wrong(verb, f"`una {verb.name}` does not know what to do with `{rest[0]}`", hint)


def _check_path(verb: Verb, positional: Positional, value: str) -> None:
    """Refuse an empty path, which would mean the current folder: it comes from a variable that is not set."""
    if positional.kind == PATH and not value:
        raise _wrong(verb, f"{positional.name.upper()} is empty")


def _missing(verb: Verb, positional: Positional) -> InvalidInput:
    meant = ", ".join(positional.choices) or positional.help
    return _wrong(verb, f"`una {verb.name}` needs {positional.name.upper()}: {meant}")


def _wrong(verb: Verb, message: str, hint: str = "") -> InvalidInput:
    return InvalidInput(message, hint=hint or f"`una {verb.name} --help` shows what it takes.")
