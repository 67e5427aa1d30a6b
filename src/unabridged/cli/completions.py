"""una completions: print completions for a shell, made from the table of verbs."""

from __future__ import annotations

from collections.abc import Iterable

from unabridged.cli.arguments import FLAG, PATH, Arguments, Verb
from unabridged.cli.help import listed


def run(arguments: Arguments) -> int:
    """Print the script."""
    shell = arguments.text("shell")
    script = SHELLS[shell]()
    if arguments.flag("json"):
        arguments.screen.json({"shell": shell, "script": script})
    else:
        arguments.screen.write(script)
    return 0


def _words(verb: Verb) -> list[str]:
    options = [f"--{option.name}" for option in verb.options] + ["--help"]
    return options + [choice for positional in verb.positionals for choice in positional.choices]


def _firsts(verbs: Iterable[Verb]) -> list[str]:
    return list(dict.fromkeys(verb.name.split(" ", 1)[0] for verb in verbs))


def _seconds(verbs: Iterable[Verb], first: str) -> list[str]:
    return [verb.name.split(" ", 1)[1] for verb in verbs if verb.name.startswith(first + " ")]


def bash() -> str:
    """Return a script for bash."""
    verbs = listed()
    firsts = _firsts(verbs)
    lines = [
        "# Completions of una for bash.",
        "_una() {",
        '    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} verb=${COMP_WORDS[1]} words=""',
        '    [ "$COMP_CWORD" -gt 2 ] && verb="$verb ${COMP_WORDS[2]}"',
        '    if [ "$COMP_CWORD" -eq 1 ]; then',
        f'        COMPREPLY=($(compgen -W "{" ".join([*firsts, "help", "--help", "--version"])}" -- "$word"))',
        "        return",
        "    fi",
        '    case "$verb $before" in',
    ]
    for verb in verbs:
        for option in verb.options:
            if option.choices:
                pattern = f'"{verb.name}"*" --{option.name}"'
                lines.append(f'        {pattern}) words="{" ".join(option.choices)}" ;;')
            elif option.kind == PATH:
                lines.append(
                    f'        "{verb.name}"*" --{option.name}") compopt -o default; COMPREPLY=(); return ;;'
                )
    lines += ["    esac", '    if [ -z "$words" ]; then', '        case "$verb" in']
    for first in firsts:
        actions = _seconds(verbs, first)
        for action in actions:
            verb = next(verb for verb in verbs if verb.name == f"{first} {action}")
            lines.append(f'            "{verb.name}"*) words="{" ".join(_words(verb))}" ;;')
        if actions:
            lines.append(f'            "{first}"*) words="{" ".join(actions)}" ;;')
        else:
            verb = next(verb for verb in verbs if verb.name == first)
            lines.append(f'            "{first}"|"{first} "*) words="{" ".join(_words(verb))}" ;;')
    lines += [
        "        esac",
        "    fi",
        '    COMPREPLY=($(compgen -W "$words" -- "$word"))',
        "    [ ${#COMPREPLY[@]} -eq 0 ] && compopt -o default",
        "}",
        "complete -F _una una unabridged",
    ]
    return "\n".join(lines) + "\n"


def zsh() -> str:
    """Return a script for zsh."""
    verbs = listed()
    lines = [
        "#compdef una unabridged",
        "# Completions of una for zsh.",
        "_una() {",
        "    local -a commands",
        "    commands=(",
    ]
    for first in _firsts(verbs):
        one = [verb for verb in verbs if verb.name == first]
        lines.append(
            f"        '{first}:{_plain(one[0].summary if one else ', '.join(_seconds(verbs, first)))}'"
        )
    lines += [
        "    )",
        "    if (( CURRENT == 2 )); then",
        "        _describe command commands",
        "        return",
        "    fi",
    ]
    lines += [
        "    local verb=$words[2]",
        '    (( CURRENT > 3 )) && verb="$words[2] $words[3]"',
        "    case $verb in",
    ]
    for first in _firsts(verbs):
        actions = _seconds(verbs, first)
        for action in actions:
            verb = next(verb for verb in verbs if verb.name == f"{first} {action}")
            lines.append(f"        '{verb.name}') _arguments {_specs(verb)} '*:file:_files' ;;")
        if actions:
            lines.append(f"        {first}*) _values action {' '.join(actions)} ;;")
        else:
            verb = next(verb for verb in verbs if verb.name == first)
            lines.append(f"        {first}|'{first} '*) _arguments {_specs(verb)} {_rest(verb)} ;;")
    lines += [
        "    esac",
        "}",
        'if [ "$funcstack[1]" = "_una" ]; then _una "$@"; else compdef _una una unabridged; fi',
    ]
    return "\n".join(lines) + "\n"


def _rest(verb: Verb) -> str:
    choices = [choice for positional in verb.positionals for choice in positional.choices]
    return f"'*:value:({' '.join(choices)})'" if choices else "'*:file:_files'"


def _specs(verb: Verb) -> str:
    specs: list[str] = []
    for option in verb.options:
        text = f"--{option.name}[{_plain(option.help)}]"
        if option.choices:
            text += f":{option.name}:({' '.join(option.choices)})"
        elif option.kind == PATH:
            text += f":{option.name}:_files"
        elif option.kind != FLAG:
            text += f":{option.name}:"
        specs.append(f"'{text}'")
    return " ".join([*specs, "'--help[show help]'"])


def _plain(text: str) -> str:
    """Return a text without what the shells' descriptions read: brackets, colons, back-quotes, quotes."""
    return text.translate(str.maketrans({"[": "(", "]": ")", ":": ",", "`": None, "'": "’"}))


def fish() -> str:
    """Return a script for fish."""
    verbs = listed()
    lines = ["# Completions of una for fish."]
    for command in ("una", "unabridged"):
        lines.append(f"complete -c {command} -f")
        for first in _firsts(verbs):
            one = [verb for verb in verbs if verb.name == first]
            text = _plain(one[0].summary) if one else ", ".join(_seconds(verbs, first))
            lines.append(f"complete -c {command} -n __fish_use_subcommand -a {first} -d '{text}'")
        for verb in verbs:
            lines.extend(_fish(command, verb, _seconds(verbs, verb.name.split(" ", 1)[0])))
    return "\n".join(lines) + "\n"


def _fish(command: str, verb: Verb, actions: list[str]) -> list[str]:
    first, _, action = verb.name.partition(" ")
    when = f"__fish_seen_subcommand_from {first}"
    lines: list[str] = []
    if action:
        unseen = f"{when}; and not __fish_seen_subcommand_from {' '.join(actions)}"
        lines.append(f"complete -c {command} -n '{unseen}' -a {action} -d '{_plain(verb.summary)}'")
        when = f"{when}; and __fish_seen_subcommand_from {action}"
    head = f"complete -c {command} -n '{when}'"
    for option in verb.options:
        short = f" -s {option.short}" if option.short else ""
        value = ""
        if option.choices:
            value = f" -x -a '{' '.join(option.choices)}'"
        elif option.kind == PATH:
            value = " -r -F"
        elif option.kind != FLAG:
            value = " -x"
        lines.append(f"{head} -l {option.name}{short}{value} -d '{_plain(option.help)}'")
    for positional in verb.positionals:
        if positional.choices:
            lines.append(f"{head} -a '{' '.join(positional.choices)}'")
        elif positional.kind == PATH:
            lines.append(f"{head} -F")
    return lines


SHELLS = {"bash": bash, "zsh": zsh, "fish": fish}
