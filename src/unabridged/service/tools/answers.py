"""Answers of operations as a model reads them.

Two forms of one answer: a text in which everything archived is quoted line by line, and an object for programs. Some
hosts show a model the one, some the other, so both say that what they hold is historical.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from unabridged.errors import UnabridgedError
from unabridged.hosts.calls import OWN_KEY
from unabridged.retrieve.envelope import LABEL, attributes, quote
from unabridged.service.tools.table import SCOPES, Tool

SHORT_ID = 12  # characters of a session's id: what `session` takes, and unique on any one machine

MINUTES = 16  # characters of a time in ISO 8601 up to its minutes
TOOL_CHARS = 24  # of a tool's name beside a text

Answer = Mapping[str, Any]


def text(tool: Tool, answer: Answer) -> str:
    """Return an answer as text. It begins with this product's own mark, by which it is known when it is archived."""
    facts, body = _TEXTS[tool.op](answer)
    said = attributes({"tool": tool.name, **facts})
    return f"<unabridged{said}>\n{body}\n</unabridged>" if body else f"<unabridged{said}/>"


def structured(tool: Tool, answer: Answer) -> dict[str, Any]:
    """Return an answer as an object: what later calls need, and the same texts as the text has.

    Its first key is this product's own mark, by which it is known when it is archived.
    """
    return {OWN_KEY: tool.name, **_OBJECTS[tool.op](answer)}


def error_text(error: UnabridgedError) -> str:
    """Return an error as text: what is wrong, then what can be done."""
    return f"{error.code}: {error.message}" + (f"\n{error.advice}" if error.advice else "")


def error_object(error: UnabridgedError) -> dict[str, Any]:
    """Return an error as an object."""
    facts = error.to_dict()
    return {"error": {name: facts[name] for name in ("code", "message", "hint", "retryable", "details")}}


# --- hits ---------------------------------------------------------------------------------------------------------


def _hits_text(answer: Answer) -> tuple[dict[str, str], str]:
    hits = answer["hits"]
    facts = {"status": answer["status"], "hits": str(len(hits)), "next": answer["next"]}
    notes = _completeness(answer)
    lines = [LABEL] if hits else []
    for hit in hits:
        said = attributes({name: str(value) for name, value in _hit_facts(hit).items()})
        lines.append(f"<hit{said}>\n{quote(hit.get('excerpt') or hit['snippet'])}\n</hit>")
    return facts, "\n".join([*lines, *notes])


def _hit_facts(hit: Answer) -> dict[str, Any]:
    """Return where a hit is, without what is empty or usual."""
    facts = {
        "handle": hit["handle"],
        "time": hit["time"],
        "role": hit.get("role", ""),
        "kind": hit["kind"],
        "tool": hit.get("tool", ""),
        "band": hit["band"],
        "host": hit["host"],
        "session": hit["session"][:SHORT_ID],
        "tokens": hit.get("tokens") or "",
        "similar": hit.get("similar") or "",
        "superseded": "yes" if hit.get("superseded") else "",
        "replaced_by": hit.get("replaced_by", ""),
    }
    return {name: value for name, value in facts.items() if value}


def _hits_object(answer: Answer) -> dict[str, Any]:
    return {
        "label": LABEL,
        "status": answer["status"],
        "hits": [
            {**_hit_facts(hit), "snippet": hit.get("excerpt") or hit["snippet"]} for hit in answer["hits"]
        ],
        "next": answer["next"],
        "notes": _completeness(answer),
    }


_RELATION_TOLD = {
    "resolved": "{} is resolved: the first is it.",
    "ambiguous": "{} is ambiguous: it may be any of these.",
    "not-found": "{}: none is certain, do not guess it.",
}


def _completeness(answer: Answer) -> list[str]:
    """Return in sentences how complete an answer is: none when there is nothing to say."""
    account: Answer = answer.get("account") or {}
    status, told = answer["status"], list[str]()
    if status == "index-behind":
        told.append(
            f"The index is {account.get('behind', 0)} log entries behind: the newest text may be missing."
        )
    elif status == "partial":
        told.append("Some passages could not be read.")
    elif status == "failed":
        told.append("The search failed: nothing is known of what the archive holds. See `status`.")
    elif status == "empty":
        told.append(
            "Nothing found. By meaning: rephrase once. An exact name, error or path: look at the live state."
        )
        if account.get("scope") == SCOPES[0] and not account.get("narrowed"):
            told.append("Only this project was searched: `scope` all looks at the others, too.")
    relation: Answer = account.get("relation") or {}
    if relation:
        status = relation["status"] if relation["told"] else "not-found"
        told.append(_RELATION_TOLD[status].format(relation["relation"]))
    if account.get("narrowed"):
        told.append("The scope was narrowed to what is granted.")
    return told


# --- several passages of conversations ----------------------------------------------------------------------------


def _gather_text(answer: Answer) -> tuple[dict[str, str], str]:
    pieces = answer["evidence"]
    facts = {
        "status": answer["status"],
        "evidence": str(len(pieces)),
        "truncated": "yes" if answer["truncated"] else "",
        "next": answer["next"],
    }
    lines = [LABEL] if pieces else []
    lines += [_piece_text("evidence", item) for item in pieces]
    for item in answer.get("conflicts") or ():
        said = attributes({name: str(item[name]) for name in ("later", "earlier", "by")})
        words = [quote(item[name]) for name in ("cue", "shared") if item[name]]
        lines.append("\n".join([f"<conflict{said}>", *words, "</conflict>"]))
    return facts, "\n".join([*lines, *_completeness(answer)])


def _gather_object(answer: Answer) -> dict[str, Any]:
    names = ("later", "earlier", "by", "shared", "cue")
    return {
        "label": LABEL,
        "status": answer["status"],
        "evidence": [_piece_object(item) for item in answer["evidence"]],
        "truncated": answer["truncated"],
        "next": answer["next"],
        "conflicts": [{name: item[name] for name in names} for item in answer.get("conflicts") or ()],
        "notes": _completeness(answer),
    }


def _traverse_text(answer: Answer) -> tuple[dict[str, str], str]:
    steps = answer["steps"]
    facts = {
        "status": answer["status"],
        "host": answer.get("host", ""),
        "session": answer["session"][:SHORT_ID],
        "steps": str(len(steps)),
        "before": answer["before"],
        "next": answer["next"],
    }
    if answer["status"] != "resolved":
        return facts, f"No conversation is given: {answer['status']}."
    return facts, "\n".join([LABEL, *(_piece_text("step", item) for item in steps)])


def _traverse_object(answer: Answer) -> dict[str, Any]:
    return {
        "label": LABEL,
        "status": answer["status"],
        "session": answer["session"][:SHORT_ID],
        "steps": [_piece_object(item) for item in answer["steps"]],
        "before": answer["before"],
        "next": answer["next"],
    }


def _piece_text(tag: str, item: Answer) -> str:
    facts = {name: "yes" if value is True else str(value) for name, value in _piece_facts(item).items()}
    return f"<{tag}{attributes(facts)}>\n{quote(item['text'])}\n</{tag}>"


def _piece_object(item: Answer) -> dict[str, Any]:
    return {**_piece_facts(item), "text": item["text"]}


def _piece_facts(item: Answer) -> dict[str, Any]:
    """Return where a piece is, in the few tokens that its budget has for it (`evidence.HEAD_TOKENS`)."""
    omitted: Mapping[str, int] = item.get("omitted") or {}
    facts = {
        "handle": item["handle"],
        "time": item["time"][:MINUTES],
        "role": item.get("role", ""),
        "kind": "" if item["kind"] == "text" else item["kind"],
        "tool": item.get("tool", "")[:TOOL_CHARS],
        "session": item["session"][:SHORT_ID],
        "hit": not item.get("distance"),
        "replaced_by": item.get("replaced_by", ""),
        "omitted": sum(omitted.values()),
    }
    return {name: value for name, value in facts.items() if value}


# --- one passage --------------------------------------------------------------------------------------------------


def _recall_text(answer: Answer) -> tuple[dict[str, str], str]:
    facts = {
        "status": answer["status"],
        "session": answer["session"][:SHORT_ID],
        "tokens": str(answer.get("tokens") or ""),
        "omitted": _omitted(answer),
        "redactions": str(answer.get("redactions") or ""),
        "replaced_by": answer.get("replaced_by_handle") or answer.get("replaced_by", ""),
        "before": answer.get("before", ""),
        "next": answer["next"],
    }
    return facts, answer.get("envelope", "") or f"No passage is given: {answer['status']}."


def _omitted(answer: Answer) -> str:
    left_out: Answer = answer["omitted"]
    if not left_out:
        return ""
    return f"{left_out.get('before', 0)} bytes before, {left_out.get('after', 0)} after"


def _recall_object(answer: Answer) -> dict[str, Any]:
    names = ("status", "text", "document", "version", "bytes", "source_keys", "session", "time", "omitted")
    more = ("host", "kind", "title", "tokens", "redactions", "before", "next")
    by = answer.get("replaced_by_handle") or answer.get("replaced_by")
    return {
        "label": LABEL,
        **{name: answer[name] for name in names},
        **{name: answer[name] for name in more if answer.get(name)},
        **({"replaced_by": by} if by else {}),
    }


# --- lists and states ---------------------------------------------------------------------------------------------


def _sessions_text(answer: Answer) -> tuple[dict[str, str], str]:
    rows = answer["sessions"]
    lines = [LABEL] if rows else ["No session is archived here. `scope` all lists those of other projects."]
    for row in rows:
        said = attributes(
            {name: str(value) for name, value in _session_facts(row).items() if name != "title"}
        )
        lines.append(f"<session{said}>\n{quote(row['title'])}\n</session>")
    return {"sessions": str(len(rows)), "next": answer["next"]}, "\n".join(lines)


def _session_facts(row: Answer) -> dict[str, Any]:
    names = ("host", "host_session", "started", "ended", "events", "relation", "cwd", "title")
    return {"session": row["session"][:SHORT_ID], **{name: row[name] for name in names if row.get(name)}}


def _sessions_object(answer: Answer) -> dict[str, Any]:
    rows = [_session_facts(row) for row in answer["sessions"]]
    return {"label": LABEL, "sessions": rows, "next": answer["next"]}


def _note_text(answer: Answer) -> tuple[dict[str, str], str]:
    return {"handle": answer["handle"]}, "Kept. Later sessions of this project find it by search."


def _note_object(answer: Answer) -> dict[str, Any]:
    return {name: answer[name] for name in ("handle", "document", "version", "event", "replayed")}


def _correct_text(answer: Answer) -> tuple[dict[str, str], str]:
    facts = {"handle": answer["handle"], "corrects": answer["corrects_handle"]}
    return facts, "Kept beside what it corrects, which is marked from now on. Searches prefer it."


def _correct_object(answer: Answer) -> dict[str, Any]:
    return {**_note_object(answer), "corrects": answer["corrects_handle"]}


def _status_object(answer: Answer) -> dict[str, Any]:
    store, index = answer["store"], answer["index"]
    return {
        "ok": answer["ok"],
        "version": answer["version"],
        "archive": {name: store.get(name, 0) for name in ("projects", "documents", "events")},
        "index": {name: index.get(name) for name in ("state", "behind", "windows")},
        "problems": [
            {name: item.get(name, "") for name in ("code", "message", "hint")} for item in answer["problems"]
        ],
    }


def _status_text(answer: Answer) -> tuple[dict[str, str], str]:
    facts = _status_object(answer)
    archive, index = facts["archive"], facts["index"]
    lines = [
        f"{archive['events']} events of {archive['projects']} projects are archived.",
        f"The index is {index['state']}"
        + (f", {index['behind']} log entries behind." if index["behind"] else "."),
    ]
    for problem in facts["problems"]:
        lines.append(quote(f"{problem['code']}: {problem['message']} {problem['hint']}".rstrip()))
    return {"ok": "yes" if answer["ok"] else "no", "version": answer["version"]}, "\n".join(lines)


_TEXTS: Mapping[str, Callable[[Answer], tuple[dict[str, str], str]]] = {
    "search": _hits_text,
    "grep": _hits_text,
    "gather": _gather_text,
    "traverse": _traverse_text,
    "recall": _recall_text,
    "sessions": _sessions_text,
    "note": _note_text,
    "correct": _correct_text,
    "status": _status_text,
}
_OBJECTS: Mapping[str, Callable[[Answer], dict[str, Any]]] = {
    "search": _hits_object,
    "grep": _hits_object,
    "gather": _gather_object,
    "traverse": _traverse_object,
    "recall": _recall_object,
    "sessions": _sessions_object,
    "note": _note_object,
    "correct": _correct_object,
    "status": _status_object,
}
