"""A suite's conversations as transcripts of a host, so that they pass through the whole product."""

from __future__ import annotations

import hashlib
import json
import uuid
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from unabridged.eval.suite import Conversation, Session, Turn

HOST = "claude-code"
EPOCH = 1_600_000_000.0  # seconds; when conversations without dates begin
DAY = 86_400.0
ARGUMENTS = {
    "Read": "file_path",
    "Edit": "file_path",
    "Write": "file_path",
    "Grep": "pattern",
}  # else: command


class Written:
    """One conversation on disk: the folder that it was held in, and what its source keys name."""

    def __init__(self, folder: Path, conversation: Conversation) -> None:
        """Write the transcripts below `folder`."""
        self.project = str(folder / "projects" / (conversation.folder or _safe(conversation.name)))
        self.files = list[Path]()
        self._turns = dict[str, str]()  # uuid → key
        self._sessions = dict[str, str]()  # uuid of the session → key
        Path(self.project).mkdir(parents=True)
        place = folder / "transcripts" / _safe(conversation.name)
        place.mkdir(parents=True)
        for number, session in enumerate(conversation.sessions):
            name = _uuid(conversation.name, session.key, str(number))
            self._sessions[name] = session.key
            path = place / f"{name}.jsonl"
            start = session.started or EPOCH + number * DAY
            rows = self._rows(name, session, start)
            path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
            self.files.append(path)

    def turn_of(self, source_key: str) -> str:
        """Return the key of the turn that a source key names, "" where there is none."""
        return self._turns.get(source_key.split(":", 2)[-1].split("#")[0].split("~")[0], "")

    def session_of(self, host_session: str) -> str:
        """Return the key of a host's session."""
        return self._sessions.get(host_session, "")

    def host_session(self, key: str) -> str:
        """Return the host's name of a session; raise `KeyError` for a key that is none."""
        return {name: host for host, name in self._sessions.items()}[key]

    def _rows(self, name: str, session: Session, start: float) -> Iterator[dict[str, object]]:
        before: str | None = None
        called = ""
        for at, turn in enumerate(session.turns):
            if not turn.spoken and turn.role != "result":
                continue
            own = _uuid(name, turn.key, str(at))
            self._turns[own] = turn.key
            if turn.role == "call":
                called = own
            yield _row(self.project, name, turn, own, before, called, turn.at or start + at * session.gap)
            before = own


class Growing:
    """The transcript of a live session, which grows by a message at a time; it may begin as a copy of another."""

    def __init__(
        self, place: Path, project: str, key: str, started: float, copied: Growing | None = None
    ) -> None:
        """Write the transcript below `place`, with the rows of `copied` as a host's fork has them."""
        self.name = _uuid("live", project, key)
        self.path = place / f"{self.name}.jsonl"
        self._project, self._started = project, started
        self.rows = list[dict[str, object]]()
        if copied is not None:
            for row in copied.rows:
                origin = {"sessionId": copied.name, "messageUuid": row["uuid"]}
                self.rows.append({**row, "sessionId": self.name, "forkedFrom": origin})
        self._write()

    def key_of(self, turn: Turn) -> str:
        """Return the host's id that a turn will have."""
        return _uuid(self.name, turn.key)

    def say(self, *turns: Turn, gap: float) -> None:
        """Add turns, `gap` seconds apart."""
        for turn in turns:
            before = str(self.rows[-1]["uuid"]) if self.rows else None
            moment = self._started + len(self.rows) * gap
            self.rows.append(_row(self._project, self.name, turn, self.key_of(turn), before, "", moment))
        self._write()

    def _write(self) -> None:
        self.path.write_text("".join(json.dumps(row) + "\n" for row in self.rows), encoding="utf-8")


def _row(
    project: str, session: str, turn: Turn, own: str, before: str | None, called: str, moment: float
) -> dict[str, object]:
    return {
        "parentUuid": before,
        "isSidechain": False,
        "userType": "external",
        "cwd": project,
        "sessionId": session,
        "type": "assistant" if turn.role in ("assistant", "call") else "user",
        "message": _message(turn, own, called),
        "uuid": own,
        "timestamp": datetime.fromtimestamp(moment, UTC).isoformat(),
    }


def _message(turn: Turn, name: str, called: str) -> dict[str, object]:
    if turn.role == "user":
        return {"role": "user", "content": turn.text}
    if turn.role == "result":
        block: dict[str, object] = {
            "type": "tool_result",
            "tool_use_id": f"toolu_{called[:8]}",
            "content": turn.text,
        }
        return {"role": "user", "content": [block | ({"is_error": True} if turn.given == "error" else {})]}
    blocks: list[dict[str, object]] = [{"type": "text", "text": turn.text}]
    if turn.role == "call":
        given = {ARGUMENTS.get(turn.tool, "command"): turn.given} | (
            {"content": turn.text} if turn.text else {}
        )
        blocks = [{"type": "tool_use", "id": f"toolu_{name[:8]}", "name": turn.tool, "input": given}]
    return {"role": "assistant", "id": f"msg_{name[:8]}", "content": blocks}


def _uuid(*parts: str) -> str:
    digest = hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).digest()
    return str(uuid.UUID(bytes=digest[:16], version=4))


def _safe(name: str) -> str:
    return hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:16]
