"""Exports read well, hide nothing, run nothing, can be checked."""

from __future__ import annotations

import hashlib
import json
import os
from html.parser import HTMLParser
from pathlib import Path

import pytest

from tests.cli.double import EVENTS, HOSTILE, SESSION, Daemon, una

MARKUP = "</pre><script>alert(1)</script><img src=x onerror=alert(2)> & \" '"
FENCES = "before\n```\ninside\n````\n# not a heading\n"


def daemon(*texts: str, title: str = "Flash") -> Daemon:
    events = [{**EVENTS[n % 2], "seq": n, "text": text} for n, text in enumerate(texts)]
    pages = {"": {"events": events[:1], "next": "c"}, "c": {"events": events[1:], "next": ""}}
    return Daemon(
        show=lambda asked: {"session": {**SESSION, "title": title}, **pages[asked.get("cursor", "")]},
        sessions={"sessions": [{**SESSION, "title": title}], "next": ""},
    )


class Page(HTMLParser):
    """What a browser would see of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[str] = []
        self.text = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += [f"{tag}.{name}" for name, _ in attrs]

    def handle_data(self, data: str) -> None:
        self.text += data


def test_html_shows_markup_as_text_and_holds_no_script() -> None:
    done = una("export", "x", "--format", "html", daemon=daemon(MARKUP, "second", title=MARKUP))
    page = Page(done.out)
    assert MARKUP in page.text
    assert set(page.tags) <= {
        *("html", "head", "meta", "title", "style", "body", "h1", "h2", "p", "section", "pre"),
    }
    assert not any("src" in name or ".on" in name for name in page.attributes)
    assert "default-src 'none'" in done.out
    assert "prefers-color-scheme: dark" in done.out
    assert "http" not in done.out.replace("http-equiv", "")


def test_html_makes_control_characters_visible() -> None:
    done = una("export", "x", "--format", "html", daemon=daemon(HOSTILE, "b"))
    assert "\x1b" not in done.out
    assert "\u202e" not in done.out
    assert "\\u202e" in done.out


def test_markdown_keeps_what_was_said_inside_its_frames() -> None:
    done = una("export", "x", daemon=daemon("# a heading\n</div>", FENCES, title="*x* [y](z)"))
    lines = done.out.splitlines()
    assert lines[0] == "# \\*x\\* \\[y\\](z)"
    assert "> # a heading" in lines
    assert "> </div>" in lines
    assert lines.count("`````") == 2
    assert FENCES in done.out
    headings = [line for line in _outside(lines) if line.startswith("#")]
    assert len(headings) == 3


def _outside(lines: list[str]) -> list[str]:
    found: list[str] = []
    fenced = False
    for line in lines:
        if line == "`````":
            fenced = not fenced
        elif not fenced:
            found.append(line)
    return found


def test_jsonl_has_a_versioned_head_and_every_event_exactly() -> None:
    done = una("export", "x", "--format", "jsonl", daemon=daemon(HOSTILE, "b"))
    head, *events = done.lines
    assert (head["format"], head["version"]) == ("unabridged-export", 1)
    assert head["session"]["host_session"] == SESSION["host_session"]
    assert [event["text"] for event in events] == [HOSTILE, "b"]


def test_reasoning_is_exported_only_when_asked_for() -> None:
    for words, wanted in (([], None), (["--reasoning"], True)):
        double = daemon("a", "b")
        una("export", "x", *words, daemon=double)
        assert all(asked.get("reasoning") is wanted for _, asked in double.asked)


def test_a_file_is_written_once_and_described(tmp_path: Path) -> None:
    target = tmp_path / "s.md"
    done = una("export", "x", "--to", str(target), "--json", daemon=daemon("a", "b"))
    data = target.read_bytes()
    assert done.json["sha256"] == hashlib.sha256(data).hexdigest()
    assert done.json["bytes"] == len(data)
    assert una("export", "x", "--to", str(target), daemon=daemon("a", "b")).status == 5
    assert una("export", "x", "--to", str(target), "--force", daemon=daemon("c", "d")).status == 0
    assert target.read_bytes() != data


@pytest.mark.parametrize(
    ("name", "form", "begins"),
    [
        ("x.html", (), "<!doctype html>"),
        ("x.JSONL", (), '{"format"'),
        ("x.md", (), "# "),
        ("x", (), "# "),
        ("x.html", ("--format", "jsonl"), '{"format"'),
    ],
)
def test_a_file_is_written_as_its_name_ends(
    tmp_path: Path, name: str, form: tuple[str, ...], begins: str
) -> None:
    assert una("export", "x", "--to", str(tmp_path / name), *form, daemon=daemon("a", "b")).status == 0
    assert (tmp_path / name).read_text().startswith(begins)


def test_json_without_a_file_is_refused() -> None:
    assert una("export", "x", "--json", daemon=daemon("a", "b")).status == 2


def test_all_sessions_come_with_a_manifest_whose_hashes_are_right(tmp_path: Path) -> None:
    for form, index in (("jsonl", ""), ("html", "index.html"), ("markdown", "README.md")):
        folder = tmp_path / form
        done = una("export", "--all", str(folder), "--format", form, "--json", daemon=daemon("a", "b"))
        assert done.status == 0
        manifest = json.loads((folder / "manifest.json").read_text())
        assert manifest["format"] == "unabridged-export"
        assert manifest["version"] == 1
        for facts in manifest["files"]:
            data = (folder / facts["path"]).read_bytes()
            assert facts["sha256"] == hashlib.sha256(data).hexdigest()
            assert facts["bytes"] == len(data)
        written = {os.path.relpath(path, folder) for path in folder.rglob("*") if path.is_file()}
        assert written == {facts["path"] for facts in manifest["files"]} | {"manifest.json"}
        assert not index or index in written
