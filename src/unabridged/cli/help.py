"""Draws help from the table of verbs: the overview, one verb, the reference page."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec

from unabridged.cli.arguments import FLAG, REST, Option, Positional, Verb
from unabridged.cli.columns import wrap
from unabridged.cli.screen import Screen
from unabridged.cli.verbs import DEFAULTS, GROUPS, VERBS

EXIT_STATUS: tuple[tuple[int, str], ...] = (
    (0, "it worked"),
    (1, "a check found something wrong"),
    (2, "the request is not valid"),
    (3, "some input could not be read; the rest was taken"),
    (4, "nothing has that name"),
    (5, "refused"),
    (6, "some of the original is no longer in the archive"),
    (7, "the store failed, or a record is damaged"),
    (8, "the search index failed"),
    (9, "the daemon could not answer"),
    (10, "a sentence model cannot be used"),
    (130, "cancelled"),
    (141, "the reader of a pipe went away"),
)


def present(verb: Verb) -> bool:
    """Return whether this build holds the verb."""
    if not verb.optional:
        return True
    try:
        return find_spec(verb.module) is not None
    except ModuleNotFoundError:
        return False


def listed() -> list[Verb]:
    """Return the verbs that this build holds, in the order of their groups."""
    return [verb for group in GROUPS for verb in VERBS if verb.group == group and present(verb)]


def overview(screen: Screen) -> None:
    """Write what `una --help` shows."""
    screen.line("una: every word of your coding agents' conversations, kept, searchable, given back exactly")
    screen.line()
    screen.line("usage: una COMMAND [ARGUMENTS]      una COMMAND --help")
    verbs = listed()
    width = max(len(verb.name) for verb in verbs)
    for group in GROUPS:
        screen.line()
        screen.line(screen.style(group, "bold"))
        for verb in verbs:
            if verb.group == group:
                screen.line(f"  {screen.style(verb.name.ljust(width), 'cyan')}  {verb.summary}")
    screen.line()
    screen.line(
        "Every command takes --json, prints answers on standard output and messages on standard error."
    )
    screen.line("`una` alone shows the state of the archive; UNABRIDGED_HOME=DIR keeps everything below DIR.")


def group(first: str) -> list[Verb]:
    """Return the two-word verbs that begin with this word."""
    return [verb for verb in VERBS if verb.name.startswith(first + " ")]


def describe_group(screen: Screen, first: str) -> None:
    """Write what `una daemon --help` and its like show."""
    verbs = group(first)
    screen.line(f"usage: una {first} [{'|'.join(verb.name.split(' ', 1)[1] for verb in verbs)}]")
    screen.line()
    width = max(len(verb.name) for verb in verbs)
    for verb in verbs:
        screen.line(f"  {screen.style(verb.name.ljust(width), 'cyan')}  {verb.summary}")
    screen.line()
    screen.line(
        f"`una {first}` alone is `una {DEFAULTS[first]}`; `una {verbs[0].name} --help` tells more of one."
    )


def usage(verb: Verb) -> str:
    """Return a verb's usage line."""
    placed = [_placed(positional) for positional in verb.positionals]
    options = ["[OPTIONS]"] if verb.options else []
    last = bool(verb.positionals) and verb.positionals[-1].number == REST
    return " ".join([f"una {verb.name}", *(options + placed if last else placed + options)])


def _placed(positional: Positional) -> str:
    name = "|".join(positional.choices) if positional.choices else positional.name.upper()
    return {"1": name, "?": f"[{name}]", "*": f"[{name}…]", "+": f"{name}…", REST: f"{name}…"}[
        positional.number
    ]


def option_form(option: Option) -> str:
    """Return an option as it is typed: `-n, --limit N`."""
    short = f"-{option.short}, " if option.short else ""
    if option.kind == FLAG:
        return f"{short}--{option.name}"
    value = "|".join(option.choices) if option.choices and len(option.choices) <= 3 else option.metavar
    return f"{short}--{option.name} {value or 'VALUE'}"


def option_text(option: Option) -> str:
    """Return an option's help with its choices and default."""
    text = option.help
    if len(option.choices) > 3:
        text += f" ({', '.join(option.choices)})"
    if option.default:
        text += f" [{option.default}]"
    return text


def describe(screen: Screen, verb: Verb) -> None:
    """Write what `una VERB --help` shows."""
    for line in wrap(f"una {verb.name}: {verb.summary}", screen.width):
        screen.line(line)
    screen.line()
    screen.line(f"usage: {usage(verb)}")
    left = [(_placed(positional), positional.help) for positional in verb.positionals]
    right = [(option_form(option), option_text(option)) for option in verb.options]
    right.append(("-h, --help", "show this help"))
    width = min(max(len(form) for form, _ in left + right), 28)
    for heading, rows in (("Arguments", left), ("Options", right)):
        if not rows:
            continue
        screen.line()
        screen.line(screen.style(heading, "bold"))
        for form, text in rows:
            _row(screen, form, text, width)
    if verb.details:
        screen.line()
        for line in wrap(verb.details, screen.width):
            screen.line(line)
    if verb.examples:
        screen.line()
        screen.line(screen.style("Examples", "bold"))
        for command, what in verb.examples:
            screen.line(f"  {screen.style(command, 'cyan')}")
            if what:
                screen.line(f"      {what}")


def _row(screen: Screen, form: str, text: str, width: int) -> None:
    lines = wrap(text, max(screen.width - width - 4, 30))
    if len(form) > width:
        screen.line(f"  {screen.style(form, 'cyan')}")
        form = ""
    for line in lines:
        screen.line(f"  {screen.style(form.ljust(width), 'cyan')}  {line}")
        form = ""


def reference() -> str:
    """Return docs/reference/cli.md: every verb with its arguments, options and examples, in Markdown."""
    parts = ["# Command line\n", "Generated from the table of verbs; `una COMMAND --help` prints the same.\n"]
    parts.append("Every command takes `--help`. Answers go to standard output, messages to standard error.\n")
    for group in GROUPS:
        verbs = [verb for verb in VERBS if verb.group == group and present(verb)]
        parts.append(f"## {group}\n")
        for verb in verbs:
            parts.append(_section(verb))
    parts.append("## Exit status\n")
    parts.append(
        "| status | meaning |\n|---|---|\n" + "".join(f"| {n} | {text} |\n" for n, text in EXIT_STATUS)
    )
    return "\n".join(parts)


def _section(verb: Verb) -> str:
    lines = [f"### una {verb.name}\n", f"{verb.summary[0].upper()}{verb.summary[1:]}.\n"]
    lines.append(f"```\n{usage(verb)}\n```\n")
    rows: Sequence[tuple[str, str]] = [
        *((_placed(positional), positional.help) for positional in verb.positionals),
        *((option_form(option), option_text(option)) for option in verb.options),
    ]
    if rows:
        cells = [(form.replace("|", "\\|"), text.replace("|", "\\|")) for form, text in rows]
        lines.append("| argument | meaning |\n|---|---|\n" + "".join(f"| `{f}` | {t} |\n" for f, t in cells))
    if verb.details:
        lines.append(verb.details + "\n")
    if verb.examples:
        shown = "".join(f"{command}{f'   # {what}' if what else ''}\n" for command, what in verb.examples)
        lines.append(f"```sh\n{shown}```\n")
    return "\n".join(lines)
