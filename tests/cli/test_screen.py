"""Tables, widths, progress: drawn for who looks."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.double import Stream
from unabridged.cli import human
from unabridged.cli.columns import columns_of, cut, pad
from unabridged.cli.facts import shown
from unabridged.cli.passage import mark
from unabridged.cli.progress import Progress, describe
from unabridged.cli.screen import Screen, standard
from unabridged.cli.table import draw
from unabridged.errors import UnabridgedError


def screen(terminal: bool = False, **environ: str) -> tuple[Screen, Stream, Stream]:
    out, err = Stream(terminal), Stream(terminal)
    return Screen(environ, out, err), out, err


@pytest.mark.parametrize(
    ("environ", "width"),
    [
        ({"COLUMNS": "100"}, 100),
        ({"COLUMNS": "10"}, 40),
        ({"COLUMNS": "1000"}, 160),
        ({}, 80),
        ({"COLUMNS": "x"}, 80),
    ],
)
def test_the_width_is_what_the_terminal_says_within_bounds(environ: dict[str, str], width: int) -> None:
    assert screen(True, **environ)[0].width == width


@pytest.mark.parametrize(
    ("terminal", "environ", "coloured"),
    [
        (True, {}, True),
        (False, {}, False),
        (True, {"NO_COLOR": "1"}, False),
        (True, {"NO_COLOR": ""}, True),
        (True, {"TERM": "dumb"}, False),
    ],
)
def test_colour_is_for_terminals_that_want_it(
    terminal: bool, environ: dict[str, str], coloured: bool
) -> None:
    assert (screen(terminal, **environ)[0].style("x", "red") != "x") is coloured


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full here")
def test_output_that_cannot_be_written_is_an_error_of_its_own() -> None:
    with open("/dev/full", "w", encoding="utf-8") as full:  # noqa: PTH123 - a device
        out = Screen({}, full, Stream(False))
        out.line("x")
        with pytest.raises(UnabridgedError, match="the output cannot be written"):
            out.flush()
        out.line("what follows goes nowhere")
        out.flush()


def test_streams_that_were_closed_before_take_everything(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdout", None)
    monkeypatch.setattr("sys.stderr", None)
    out = standard({})
    out.line("x")
    out.note("y")
    assert not out.terminal


def test_nothing_done_of_nothing_known_is_not_counted() -> None:
    assert (
        describe("importing", {"label": "looking", "done": 0, "total": 0, "detail": "0 of 0 files"}, 3.0)
        == "looking"
    )


def test_wide_characters_take_two_columns_and_combining_ones_none() -> None:
    assert [columns_of(text) for text in ("abc", "数据", "ﾃｽﾄ", "n\u0303o", "")] == [3, 4, 3, 2, 0]
    assert cut("数据库迁移", 5) == "数据…"
    assert pad("数据", 6) == "数据  "
    assert pad("7", 3, right=True) == "  7"


def test_a_table_is_cut_on_a_narrow_terminal_and_never_in_a_pipe() -> None:
    rows = [("1", "a" * 60), ("20", "b")]
    narrow, out, _ = screen(True, COLUMNS="40", NO_COLOR="1")
    draw(narrow, ("n", "text"), rows, right=(0,), flexible=1)
    assert [len(line) for line in out.bytes().decode().splitlines()] == [8, 40, 5]
    piped, out, _ = screen()
    draw(piped, ("n", "text"), rows, right=(0,), flexible=1)
    assert out.bytes().decode().splitlines() == [" n  text", " 1  " + "a" * 60, "20  b"]


class Clock:
    """A clock that is set by hand."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def steps(clock: Clock, *times: float) -> Iterator[int]:
    for at in times:
        clock.now = at
        yield int(at * 1_000_000)


def test_short_work_shows_no_progress() -> None:
    there, _, err = screen(True)
    clock = Clock()
    with Progress(there, "importing", clock) as progress:
        for done in steps(clock, 0.1, 0.5, 0.99):
            progress.update({"done": done, "total": 10_000_000})
    assert err.bytes() == b""


def test_a_terminal_has_one_line_that_is_redrawn_and_cleared() -> None:
    there, out, err = screen(True, COLUMNS="100")
    clock = Clock()
    with Progress(there, "importing", clock) as progress:
        for done in steps(clock, 1.0, 1.05, 2.0):
            progress.update({"done": done, "total": 10_000_000, "detail": "a\x1b.jsonl"})
    text = err.bytes().decode()
    assert text.count("\r\x1b[K") == 3
    assert "\n" not in text
    assert "importing · 20 % · 2.0 MB of 10.0 MB · 1.0 MB/s · 8.0 s left · a\\x1b.jsonl" in text
    assert text.endswith("\r\x1b[K")
    assert out.bytes() == b""


def test_elsewhere_a_line_is_written_every_few_seconds() -> None:
    there, _, err = screen()
    clock = Clock()
    with Progress(there, "importing", clock) as progress:
        for done in steps(clock, 1, 2, 3, 4, 5, 6.5, 8, 12):
            progress.update({"done": done, "total": 0})
    lines = err.bytes().decode().splitlines()
    assert len(lines) == 3
    assert lines[0] == "importing · 1.0 MB · 1.0 MB/s"


def test_progress_in_other_units_and_phases_is_told() -> None:
    news = {"done": 50, "total": 200, "unit": "sessions", "label": "exporting"}
    assert describe("x", news, 10.0) == "exporting · 25 % · 50 of 200 sessions · 5 sessions/s · 30.0 s left"
    news = {"phase": "verify", "check": "segments", "records": 5000}
    assert describe("verifying", news, 2.0) == "verifying · 5,000 records · 2,500 records/s · segments"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0 B"),
        (999, "999 B"),
        (1000, "1.0 kB"),
        (55_000, "55.0 kB"),
        (123_456_789, "123 MB"),
        (4.2e9, "4.2 GB"),
    ],
)
def test_sizes_have_units(value: float, text: str) -> None:
    assert human.size(value) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0004, "0 ms"),
        (0.04, "40 ms"),
        (2.34, "2.3 s"),
        (245, "4 min 05 s"),
        (11_520, "3 h 12 min"),
        (443_000, "5 d 03 h"),
    ],
)
def test_spans_have_units(value: float, text: str) -> None:
    assert human.span(value) == text


def test_facts_are_read_by_their_names() -> None:
    assert shown("bytes_on_disk", 5) == "5 B"
    assert shown("free_bytes", 5_000_000) == "5.0 MB"
    assert shown("uptime_seconds", 75.0) == "1 min 15 s"
    assert shown("pid", 12345) == "12345"
    assert shown("events", 12345) == "12,345"
    assert shown("ok", True) == "yes"
    assert shown("since", "2026-11-03T09:14:02.000000Z") == "2026-11-03 09:14 UTC"
    assert shown("paths", ["/a", "/b"]) == "/a, /b"
    assert shown("workers", [4711, 4712]) == "4711, 4712"
    assert shown("started", 1_767_225_600) == "2026-01-01 00:00 UTC"
    assert shown("last_growth", 0) == ""
    assert shown("store", 5_000_000, sizes=True) == "5.0 MB"
    assert shown("roots", [{"path": "/a", "exists": True}]) == "path /a  exists yes"


def test_terms_are_marked_whatever_their_case_and_overlap() -> None:
    there, _, _ = screen(True)
    assert (
        mark(there, "Flash flashing", ["flash", "flashing"]) == "\x1b[1mFlash\x1b[0m \x1b[1mflashing\x1b[0m"
    )
    plain, _, _ = screen()
    assert mark(plain, "flash", ["flash"]) == "flash"
