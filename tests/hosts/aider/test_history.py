"""A history is cut into what a person, the model and aider said; nothing is taken for something else."""

from __future__ import annotations

import json
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from tests.hosts.aider.written import History, history, sessions
from unabridged.hosts.aider import HOST
from unabridged.hosts.aider.history import messages

LINES = st.lists(
    st.sampled_from(["", "#### a  ", "#### a", "> b  ", "> b", "c", "  ", "####   ", "# d", "\ufffd\r"]),
    max_size=12,
)


def test_headings_and_quotations_of_the_model_are_the_models(tmp_path: Path) -> None:
    start = "/opt/aider --model openai/gpt-x\nAider v0.86.2\nModel: openai/gpt-x with diff edit format"
    assert sessions(history(tmp_path).path) == [
        [
            ("tool", f"{start}\nAdded a.py to the chat."),
            ("user", "Why does a.py fail?\n\n    x = 1\nIt worked yesterday."),
            ("assistant", "#### Cause\n\n> It divides by zero.\n\n# a.py\n```\nx = 1\n```"),
            ("tool", "Tokens: 1.2k sent, 80 received.\nApplied edit to a.py\nCommit 1a2b3c4 fix: no zero"),
            ("user", "/run pytest"),
            ("tool", "1 passed\nAdd 0.1k tokens of command output to the chat? (Y)es/(N)o [Yes]: y"),
            ("user", "/ask what else could fail?"),
            ("assistant", "Nothing."),
        ],
        [("tool", start), ("user", "Hello"), ("assistant", "Hello.")],
    ]


def test_a_paste_of_thousands_of_lines_is_one_message(tmp_path: Path) -> None:
    paste = "\n".join(f"line {number}" for number in range(6_405))
    made = History(tmp_path).start("2026-11-28 09:10:11").user(paste)
    assert [text for role, text in sessions(made.path)[0] if role == "user"] == [paste]


def test_where_an_editor_took_the_spaces_away_the_marks_tell(tmp_path: Path) -> None:
    made = history(tmp_path)
    text = "\n".join(line.rstrip() for line in made.path.read_text().split("\n"))
    made.path.write_text(text)
    roles = [role for role, _ in sessions(made.path)[1]]
    assert roles == ["tool", "user", "assistant"]


def test_output_of_several_lines_in_one_piece_is_aiders(tmp_path: Path) -> None:
    made = History(tmp_path).start("2026-11-28 09:10:11")
    made._append("> Traceback:\n  File a.py\nZeroDivisionError  \n")
    made.model("I see.")
    assert sessions(made.path)[0][0][1].endswith("Traceback:\n  File a.py\nZeroDivisionError")
    assert sessions(made.path)[0][1] == ("assistant", "I see.")


def test_line_ends_of_windows_and_bytes_that_are_no_text_are_read(tmp_path: Path) -> None:
    made = history(tmp_path)
    before = sessions(made.path)
    made.path.write_bytes(b"\xef\xbb\xbf" + made.path.read_bytes().replace(b"\n", b"\r\n"))
    assert HOST.sniff(made.path.read_bytes(), tmp_path / "renamed.txt")
    assert [[text.replace("\r", "") for _, text in session] for session in sessions(made.path)] == [
        [text for _, text in session] for session in before
    ]
    made.path.write_bytes(made.path.read_bytes().replace(b"Nothing.", b"No\xff."))
    assert ("assistant", "No\ufffd.") in sessions(made.path)[0]


@given(LINES)
def test_every_line_is_in_one_message(lines: list[str]) -> None:
    data = [line.encode() + b"\n" for line in lines]
    found = list(messages(data))
    assert [line for message in found for line in message.lines] == [line.encode() for line in lines]
    at = 2
    for message in found:
        assert message.line == at
        at += len(message.lines)


@given(LINES)
def test_what_is_said_grows_at_its_end_only(lines: list[str]) -> None:
    data = [line.encode() + b"\n" for line in lines]
    whole = [(message.line, message.kind) for message in messages(data)]
    for size in range(len(data)):
        part = [(message.line, message.kind) for message in messages(data[:size])]
        # The last of them may go on, and blank lines may turn out to stand inside what the model says.
        assert part[:-2] == whole[: max(0, len(part) - 2)]


def test_lines_that_aider_would_not_write_keep_their_markdown(tmp_path: Path) -> None:
    made = History(tmp_path).start("2026-11-28 09:10:11").user("hello")
    made._append("\n   deep answer\n")
    (stream,) = HOST.streams(made.path)
    lines, _ = HOST.rows(made.path, stream.name, b"")
    kept = {row["text"]: row.get("markdown") for row in map(json.loads, lines) if row["text"]}
    assert kept["hello"] is None
    assert kept["deep answer"] == "   deep answer"
