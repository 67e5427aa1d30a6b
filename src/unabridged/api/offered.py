"""Which operations are methods, and how: what `scripts/reference` writes `methods.py` from, beside the one table."""

from __future__ import annotations

# operation → its method, where Python has another use for the name, or none for a name with a dot in it.
NAMES = {
    "import": "import_",
    "window.show": "window_show",
    "window.explain": "window_explain",
    "window.rotate": "window_rotate",
}

# operation → why it is no method. Every other one is.
NOT_OFFERED = {
    "ping": "`status` answers the same, with more",
    "daemon.status": "`status` has all of it under `daemon`",
    "mcp": "its answer is of use to `una mcp` alone",
    "window.open": "a program that keeps a window of its own uses `Window`",
    "capture": "a program that keeps a window of its own uses `Window`",
    "window.asked": "it is the gateway's own memory",
    "window.save": "a program that keeps a window of its own uses `Window`",
    "shutdown": "the daemon serves others as well; `una daemon stop` is for people",
}

# operation → fields that may be given by position although they have a default; those without one always may.
BY_POSITION = {"import": ("paths",), "index": ("action",), "project": ("action",), "doctor": ()}

# Fields that are converted before they are sent → (the function of `places` that does it, what a caller may give).
# A name alone is that field of any operation; `operation.field` wins.
CONVERTED = {
    "project": ("project_at", "str | PathLike[str]"),
    "import.paths": ("absolute_all", "Sequence[str | PathLike[str]]"),
    "import.env": ("moved", "Mapping[str, str] | None"),
    "notify.path": ("absolute", "str | PathLike[str]"),
    "project.path": ("absolute", "str | PathLike[str]"),
    "project.other": ("absolute", "str | PathLike[str]"),
}

# operation → what its answer holds a page of, where `next` leads to the following page; "": each page is one answer.
PAGED = {
    "search": "hits",
    "grep": "hits",
    "gather": "evidence",
    "traverse": "steps",
    "recall": "",
    "show": "events",
    "sessions": "sessions",
}

# operation → the field that makes a repeated request answer the first outcome: such a request is sent again when a
# connection broke, under a value made for it.
ONCE = {"note": "request", "correct": "request"}
