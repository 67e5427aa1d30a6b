"""Command lines are read by the table, and what is wrong is named with the nearest right name."""

from __future__ import annotations

import pytest

from tests.cli.double import FOUND, Daemon, una
from unabridged.cli.parse import find_verb, own_words, parse
from unabridged.cli.verbs import DEFAULTS, VERBS, by_name
from unabridged.errors import InvalidInput


def values(verb: str, *words: str) -> dict[str, object]:
    return parse(by_name()[verb], words)


def test_options_stand_anywhere_and_take_their_value_both_ways() -> None:
    read = values("search", "--limit", "3", "flash", "--scope=all", "write", "-n", "4")
    assert read == {"limit": 4, "scope": "all", "query": ["flash", "write"]}


def test_lists_are_given_by_commas_or_by_repeating() -> None:
    assert values("search", "x", "--host", "codex,pi", "--host", "opencode")["host"] == [
        "codex",
        "pi",
        "opencode",
    ]


def test_two_dashes_end_the_options() -> None:
    assert values("search", "--json", "--", "--no-cache", "-x")["query"] == ["--no-cache", "-x"]


def test_a_word_that_is_not_utf8_is_refused() -> None:
    with pytest.raises(InvalidInput, match="not UTF-8"):
        values("search", "a\udcffb")
    assert values("search", "气压 😀")["query"] == ["气压 😀"]


@pytest.mark.parametrize(
    "words", [("import", ""), ("restore", "x", "--to", ""), ("export", "--all="), ("project show", "")]
)
def test_an_empty_path_does_not_mean_the_current_folder(words: tuple[str, ...]) -> None:
    with pytest.raises(InvalidInput, match="is empty"):
        values(*words)


def test_a_single_dash_is_text() -> None:
    assert values("note", "-")["text"] == ["-"]


@pytest.mark.parametrize(
    ("words", "says", "hints"),
    [
        (["serch", "x"], "no command `serch`", "una search"),
        (["daemon", "strat"], "no action `strat`", "una daemon start"),
        (["search", "x", "--lmit", "3"], "no option --lmit", "--limit"),
        (["search", "x", "--limit", "many"], "whole number", "--help"),
        (["search", "x", "--limit"], "needs a value", "--help"),
        (["search", "x", "--scope", "projct"], "cannot be `projct`", "`project`"),
        (["search", "x", "--host", "codex,claud-code"], "cannot be `claud-code`", "`claude-code`"),
        (["search", "x", "--json=1"], "takes no value", "--help"),
        (["search"], "needs QUERY", "--help"),
        (["search", "", "  "], "an empty QUERY", "--help"),
        (["gather", ""], "an empty QUESTION", "--help"),
        (["search", "--no-cache"], "no option --no-cache", "-- --no-cache"),
        (["grep", "a", "b"], "does not know what to do with `b`", "quotes"),
        (["status", "extra"], "does not know what to do with `extra`", "--help"),
        (["completions", "csh"], "cannot be `csh`", "bash, zsh, fish"),
        (["restore"], "needs a session and --to", "una sessions"),
        (["export"], "needs a session", "una sessions"),
        (["restore", "x", "--all", "d"], "--all takes no session", "--all DIR"),
    ],
)
def test_what_is_wrong_is_refused_with_a_way_out(words: list[str], says: str, hints: str) -> None:
    done = una(*words)
    assert done.status == 2
    assert done.out == ""
    assert done.err.startswith("error: ")
    assert says in done.err
    assert hints in done.err.split("hint: ", 1)[1]


def test_an_error_is_json_when_json_was_asked_for() -> None:
    done = una("search", "x", "--limt", "3", "--json")
    assert done.status == 2
    assert done.err == ""
    assert done.json["error"]["code"] == "invalid-input"
    assert set(done.json["error"]) == {"code", "message", "hint", "retryable", "exit_code", "details"}


@pytest.mark.parametrize("group", sorted(DEFAULTS))
def test_a_group_alone_runs_its_default(group: str) -> None:
    verb, count = find_verb([group, "--json"])
    assert (verb.name, count) == (DEFAULTS[group], 1)


# Whatever `mcp` and `window serve` write is a message, and what `run` does is its program's: none has a second form.
SPEAKS_A_PROTOCOL = {"mcp", "run", "window serve"}


def test_every_verb_of_the_table_is_well_formed() -> None:
    names = [verb.name for verb in VERBS]
    assert len(set(names)) == len(names)
    for verb in VERBS:
        assert verb.summary, verb.name
        assert verb.summary[0].islower(), verb.name
        assert not verb.summary.endswith("."), verb.name
        assert verb.examples, verb.name
        options = [option.name for option in verb.options]
        assert len(set(options)) == len(options), verb.name
        assert "json" in options or verb.name in SPEAKS_A_PROTOCOL, verb.name
        shorts = [option.short for option in verb.options if option.short]
        assert len(set(shorts)) == len(shorts), verb.name
        assert not any(positional.number in "*+" for positional in verb.positionals[:-1]), verb.name


def test_the_query_and_the_filters_reach_the_daemon() -> None:
    daemon = Daemon(search=FOUND)
    una(
        *(
            "search",
            "why",
            "flash",
            "--limit",
            "3",
            "--scope",
            "all",
            "--kind",
            "text,note",
            "--host",
            "codex",
        ),
        *("--since", "7d", "--no-side", "--branch", "current", "--semantic", "never", "--per-session", "1"),
        *("--path", "a.c", "--session", "5e551090", "--cursor", "c1", "--operators", "--explain"),
        daemon=daemon,
    )
    assert daemon.asked == [
        (
            "search",
            {
                "query": "why flash",
                "limit": 3,
                "scope": "all",
                "semantic": "never",
                "per_session": 1,
                "cursor": "c1",
                "operators": True,
                "explain": True,
                "filters": {
                    "kinds": ["text", "note"],
                    "hosts": ["codex"],
                    "since": "7d",
                    "side": False,
                    "branch": "current",
                    "path": "a.c",
                    "session": "5e551090",
                },
            },
        )
    ]


def test_what_is_sent_is_what_the_requests_take() -> None:
    msgspec = pytest.importorskip("msgspec")
    from unabridged.service.requests import GrepRequest, SearchRequest

    daemon = Daemon(search=FOUND, grep=FOUND)
    una("search", "x", "--limit", "3", "--kind", "text", "--no-side", "--explain", daemon=daemon)
    una("grep", "x", "-F", "-i", "-n", "3", "--role", "user", "--cursor", "c", daemon=daemon)
    for (_, asked), request in zip(daemon.asked, (SearchRequest, GrepRequest), strict=True):
        assert msgspec.convert(asked, request).limit == 3


def test_a_bad_name_raises_before_anything_is_called() -> None:
    with pytest.raises(InvalidInput):
        find_verb(["nothing-like-it"])


def test_what_follows_a_program_is_the_programs_own() -> None:
    run, _ = find_verb(["run"])
    assert parse(run, ["claude", "--model", "x", "--", "-p"])["command"] == [
        "claude",
        "--model",
        "x",
        "--",
        "-p",
    ]
    assert parse(run, ["--upstream", "a=http://x", "--", "-odd", "--json"]) == {
        "upstream": ["a=http://x"],
        "command": ["-odd", "--json"],
    }
    with pytest.raises(InvalidInput):
        parse(run, [])


def test_a_programs_own_call_for_help_reaches_it() -> None:
    run, _ = find_verb(["run"])
    assert "--help" not in own_words(run, ["claude", "--help"])
    assert "--help" not in own_words(run, ["--upstream", "a=http://x", "claude", "--help"])
    assert "--help" in own_words(run, ["--help"])
    assert "--help" in own_words(run, ["--upstream", "a=http://x", "--help"])
