"""Plots of what sessions cost."""

from __future__ import annotations

import importlib.machinery
import importlib.util
import re
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.cli.double import Daemon, una
from tests.eval.test_economy import PRICES, SESSION, written
from unabridged.cli.columns import columns_of
from unabridged.errors import InvalidInput
from unabridged.eval import economy, plotting
from unabridged.eval.plotting import Figure, Line

ROOT = Path(__file__).resolve().parents[2]
SVG = "{http://www.w3.org/2000/svg}"


def curves(folder: Path, *turns: int) -> economy.Curves:
    made = economy.Curves()
    paths = [written(folder / f"{SESSION[:-1]}{at}.jsonl", count) for at, count in enumerate(turns)]
    economy.run([str(path) for path in paths], 0, PRICES, lambda text: None, made)
    return made


def test_each_request_has_a_point_and_sessions_follow_one_another(tmp_path: Path) -> None:
    made = curves(tmp_path, 10, 20)
    assert made.requests == 60
    assert made.borders == [20]
    assert list(made.points) == ["none", "sliding", "compaction", "epoch"]
    for points in made.points.values():
        assert [one.request for one in points] == list(range(60))
        costs = [one.cost for one in points]
        assert costs == sorted(costs)
        assert costs[0] > 0


def test_the_last_point_is_what_the_report_says(tmp_path: Path) -> None:
    made = economy.Curves()
    paths = [str(written(tmp_path / f"{SESSION}.jsonl", 90))]
    report = economy.run(paths, 40_000, PRICES, lambda text: None, made)
    for name, points in made.points.items():
        found = report["total"]["5m"][name]
        assert points[-1].cost == pytest.approx(found["cost"])
        assert len(points) == found["requests"]
        assert max(one.tokens for one in points) == found["largest"]


@pytest.mark.parametrize("width", [40, 80, 160])
def test_a_plot_keeps_to_the_width_of_the_terminal_with_and_without_colours(
    tmp_path: Path, width: int
) -> None:
    figures = plotting.figures(curves(tmp_path, 30), 200_000)

    def coloured(text: str, *styles: str) -> str:
        return f"\x1b[31m{text}\x1b[0m"

    plain = list(plotting.drawn(figures, width, lambda text, *styles: text))
    colours = list(plotting.drawn(figures, width, coloured))
    assert len(plain) == len(colours)
    for line in plain:
        assert columns_of(line) <= width
        assert "\x1b" not in line
    assert "".join(plain).count("e") > 20
    assert any(re.search("[\u2801-\u28ff]", line) for line in colours)
    for line in colours:
        assert columns_of(re.sub(r"\x1b\[\d+m", "", line)) <= width


def test_a_curve_that_rises_rises() -> None:
    figure = Figure("t", (Line("epoch", ((0.0, 0.0), (9.0, 90.0))),))
    lines = list(plotting.drawn([figure], 40, lambda text, *styles: text))[1 : 1 + plotting.ROWS]
    places = [line.index("e", plotting.LABEL + 2) for line in lines]
    assert places == sorted(places, reverse=True)
    assert places[0] - places[-1] > 15
    assert lines[0].strip().startswith("90 ")


def test_a_session_of_one_request_or_none_is_drawn(tmp_path: Path) -> None:
    assert list(plotting.drawn(plotting.figures(economy.Curves(), 1), 80, lambda text, *styles: text))
    for figure in (Figure("t", (Line("epoch", ((0.0, 0.0),)),)), Figure("t", ())):
        assert list(plotting.drawn([figure], 80, lambda text, *styles: text))
        ElementTree.fromstring(plotting.svg([figure]))


def test_the_svg_has_a_curve_for_each_policy_inside_its_frame(tmp_path: Path) -> None:
    root = ElementTree.fromstring(plotting.svg(plotting.figures(curves(tmp_path, 10, 12), 200_000)))
    panels = root.findall(f"{SVG}g")
    assert len(panels) == 2
    for panel in panels:
        paths = [path for path in panel.findall(f"{SVG}path") if path.get("fill") == "none"]
        assert len(paths) == 4
        for path in paths:
            numbers = [float(one) for one in re.findall(r"[\d.]+", path.get("d") or "")]
            assert len(numbers) == 2 * 44
            assert all(plotting.LEFT <= x <= plotting.WIDTH - plotting.RIGHT for x in numbers[::2])
            assert all(plotting.TOP - 0.1 <= y <= plotting.HEIGHT - plotting.BOTTOM for y in numbers[1::2])


def test_the_verb_draws_here_or_into_a_file(tmp_path: Path) -> None:
    transcript = str(written(tmp_path / f"{SESSION}.jsonl", 8))
    here = una("eval", "economy", transcript, "--plot", "-", daemon=Daemon())
    assert "tokens of each prompt" in here.out
    file = tmp_path / "out.svg"
    there = una("eval", "economy", transcript, "--plot", str(file), "--json", daemon=Daemon())
    assert there.json["n"] == 1
    ElementTree.fromstring(file.read_text())


def test_a_picture_of_another_kind_is_refused_before_anything_is_replayed(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput):
        plotting.check("out.png")
    done = una("eval", "economy", str(tmp_path / "none.jsonl"), "--plot", "out.png", daemon=Daemon())
    assert done.status == 2
    assert ".svg" in done.err


def test_prices_of_the_settings_go_before_the_table(tmp_path: Path) -> None:
    transcript = str(written(tmp_path / f"{SESSION}.jsonl", 4))
    home = tmp_path / "home"
    environ = {"UNABRIDGED_HOME": str(home)}
    plain = una("eval", "economy", transcript, "--json", environ=environ)
    assert plain.json["total"]["5m"]["epoch"]["cost"] > 0
    file = Path(una("config", "path", environ=environ).out.strip())
    file.parent.mkdir(parents=True, exist_ok=True)
    zero = "\n".join(f"{name} = 0" for name in ("input", "cache_read", "cache_write", "cache_write_hour"))
    file.write_text(f'[prices."*"]\n{zero}\n')
    free = una("eval", "economy", transcript, "--json", environ=environ)
    assert free.json["total"]["5m"]["epoch"]["cost"] == 0


def test_the_picture_of_the_documents_is_what_the_code_draws() -> None:
    loader = importlib.machinery.SourceFileLoader("plot_script", str(ROOT / "scripts" / "plot"))
    spec = importlib.util.spec_from_loader("plot_script", loader)
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
    assert module.main(["--check"]) == 0, "run scripts/plot"
