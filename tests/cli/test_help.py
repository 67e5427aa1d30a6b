"""Help, reference and completions come from one table and leave nothing out."""

from __future__ import annotations

import shutil
import subprocess

import pytest

from tests.cli.double import una
from unabridged.cli.completions import SHELLS
from unabridged.cli.help import EXIT_STATUS, listed, present, reference
from unabridged.cli.verbs import DEFAULTS, GROUPS, VERBS
from unabridged.errors import UnabridgedError, by_code


def test_the_overview_lists_every_verb_of_this_build() -> None:
    shown = una("--help").out
    for verb in VERBS:
        assert (f"  {verb.name} " in shown) is present(verb), verb.name
    assert [verb for verb in VERBS if verb.group not in GROUPS] == []


@pytest.mark.parametrize("verb", VERBS, ids=lambda verb: verb.name)
def test_the_help_of_a_verb_has_its_arguments_and_examples(verb) -> None:
    for words in ([*verb.name.split(), "--help"], [*verb.name.split(), "-h"], ["help", *verb.name.split()]):
        done = una(*words)
        assert done.status == 0
        for option in verb.options:
            assert f"--{option.name}" in done.out
        for positional in verb.positionals:
            assert positional.help.split()[0] in done.out
        for command, _ in verb.examples:
            assert command in done.out


def test_help_asks_no_daemon_even_behind_other_arguments() -> None:
    done = una("search", "x", "--limit", "3", "--help")
    assert (done.status, done.asked) == (0, [])
    assert "usage: una search" in done.out


def test_a_query_about_help_is_a_query() -> None:
    from tests.cli.double import FOUND, Daemon

    daemon = Daemon(search=FOUND)
    una("search", "--", "--help", daemon=daemon)
    assert daemon.asked == [("search", {"query": "--help"})]


@pytest.mark.parametrize("first", sorted(DEFAULTS))
def test_the_help_of_a_group_lists_its_actions(first: str) -> None:
    shown = una(first, "--help").out
    for verb in VERBS:
        if verb.name.startswith(first + " "):
            assert verb.name in shown


def test_help_fits_the_width_of_the_terminal() -> None:
    for verb in VERBS:
        shown = una(
            *verb.name.split(), "--help", terminal=True, environ={"COLUMNS": "60", "NO_COLOR": "1"}
        ).out
        examples = {f"  {command}" for command, _ in verb.examples}
        long = [line for line in shown.splitlines() if len(line) > 72 and line not in examples]
        assert long == [], verb.name


def test_the_reference_has_every_verb_and_option() -> None:
    page = reference()
    for verb in listed():
        section = page.split(f"### una {verb.name}\n", 1)[1].split("\n### ", 1)[0]
        for option in verb.options:
            assert f"--{option.name}" in section


def test_every_exit_status_of_the_error_tree_is_explained() -> None:
    explained = {status for status, _ in EXIT_STATUS}
    ours = [error for error in by_code().values() if issubclass(error, UnabridgedError)]
    assert {error.exit_code for error in ours} <= explained


def test_every_example_of_the_table_is_a_command_that_parses() -> None:
    import shlex

    from unabridged.cli.parse import find_verb, parse

    for verb in VERBS:
        for command, _ in verb.examples:
            if command.startswith("una ") and command != "una":
                words = shlex.split(command.split(" > ")[0])[1:]
                found, count = find_verb(words)
                assert found.name == verb.name
                parse(found, words[count:])


@pytest.mark.parametrize("shell", sorted(SHELLS))
def test_completions_name_every_verb_and_option(shell: str) -> None:
    script = una("completions", shell).out
    assert una("completions", shell, "--json").json == {"shell": shell, "script": script}
    for verb in listed():
        for word in verb.name.split():
            assert word in script
        for option in verb.options:
            assert option.name in script


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completions_are_valid_for_their_shell(shell: str) -> None:
    program = shutil.which(shell)
    if program is None:
        pytest.skip(f"{shell} is not installed")
    check = subprocess.run([program, "-n"], input=SHELLS[shell]().encode(), capture_output=True, check=False)
    assert (check.returncode, check.stderr) == (0, b"")


@pytest.mark.parametrize(
    ("line", "word", "expected"),
    [
        (["una", "sea"], 1, ["search"]),
        (["una", "daemon", ""], 2, ["status", "start", "stop", "restart", "logs", "login"]),
        (["una", "search", "--sco"], 2, ["--scope"]),
        (["una", "search", "x", "--scope", ""], 4, ["session", "project", "all"]),
        (["una", "daemon", "stop", "--fo"], 3, ["--force"]),
        (["una", "completions", "b"], 2, ["bash"]),
    ],
)
def test_bash_completes_what_can_follow(line: list[str], word: int, expected: list[str]) -> None:
    bash = shutil.which("bash")
    if bash is None:
        pytest.skip("bash is not installed")
    words = " ".join(f"'{part}'" for part in line)
    probe = f'COMP_WORDS=({words}); COMP_CWORD={word}; compopt() {{ :; }}; _una; printf "%s\\n" "${{COMPREPLY[@]}}"'
    script = SHELLS["bash"]() + probe
    done = subprocess.run([bash, "--norc"], input=script.encode(), capture_output=True, check=False)
    assert done.stderr == b""
    assert done.stdout.decode().split() == expected
