"""The tools: which operations an agent is offered, under which names, with which of their fields.

Types and defaults of the arguments come from the operations' own requests; what a model must be told beside them stands
here, in as few words as do: every conversation pays for them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import msgspec

from unabridged.retrieve.relations import NAMES
from unabridged.service.operations import OPERATIONS, READ, Operation
from unabridged.service.requests import Filters, Request
from unabridged.service.tools.shapes import output_schema

MOST_HITS = 50  # of one page: more is for programs, which have the command line
MOST_SESSIONS = 200  # of one page
LEAST_TOKENS = 50  # of one passage: in fewer there is hardly a sentence
MOST_TOKENS = 20_000  # of one passage: hosts cut a tool's result at about 25,000

SCOPES = ("project", "all")
KINDS = ("text", "tool-call", "tool-result", "file", "compaction")
INTENTS = ("auto", "state", "workflow")
ROLES = ("user", "assistant", "tool", "system")

# What an argument's value is read as beside itself.
PLAIN, SESSION, DOCUMENT = "plain", "session", "document"


@dataclass(frozen=True, slots=True)
class Argument:
    """One argument of a tool.

    path: the field of the operation's request (`filters.since`: of its filters). words: what a model is told. least,
    most: the limits of a number. choices: the only values. default: instead of the request's own. means: SESSION and
    DOCUMENT also take the handle of a hit, which then stands for its session or document.
    """

    name: str
    path: str = ""
    words: str = ""
    least: int | None = None
    most: int | None = None
    choices: tuple[str, ...] = ()
    default: Any = None
    means: str = PLAIN

    @property
    def field(self) -> str:
        """The field's path."""
        return self.path or self.name


@dataclass(frozen=True, slots=True)
class Tool:
    """One tool: an operation with some of its fields. `words` says when to use it. fixed: fields that are always so."""

    name: str
    op: str
    title: str
    words: str
    arguments: tuple[Argument, ...] = ()
    fixed: dict[str, Any] = field(default_factory=dict[str, Any])

    @property
    def operation(self) -> Operation:
        """The operation."""
        return OPERATIONS[self.op]

    @property
    def reads_only(self) -> bool:
        """Whether it changes nothing."""
        return self.operation.effect == READ


_SCOPE = Argument("scope", words="all: other projects too", choices=SCOPES, default=SCOPES[0])
_CURSOR = Argument("cursor", words="`next` of the page before")
_WHERE = (
    _SCOPE,
    Argument("since", "filters.since", "date, time, or span like 7d"),
    Argument("until", "filters.until"),
    Argument("kinds", "filters.kinds", choices=KINDS),
    Argument("roles", "filters.roles", choices=ROLES),
    Argument("hosts", "filters.hosts", "claude-code, codex, pi, …, note"),
    Argument("tools", "filters.tools", "names of tools that were called"),
    Argument("path", "filters.path", "a file that the passage names, or the end of its path"),
    Argument("session", "filters.session", "a session's id, or the handle of a hit in it", means=SESSION),
)

_FAVOURS = (
    Argument("expansion", words="3-8 likely synonyms; not beside exact names"),
    Argument("working_set", words="files at hand; they decide near-ties"),
    Argument("session_context", words="what is talked of now; likewise"),
)

_RELATION = Argument("relation", words="only this, word for word; `query`: its topic or empty", choices=NAMES)

TOOLS = (
    Tool(
        "search",
        "search",
        "Search past conversations",
        "Find passages of past conversations by words, names, errors or paths. Any text is a valid query; "
        "quotes mean a phrase. Use it before asking the user what was said or decided, and when context was compacted "
        "away. Not for the current state of code. Hits are excerpts: `recall` their handles.",
        (
            Argument("query"),
            Argument("limit", least=1, most=MOST_HITS),
            _RELATION,
            *_WHERE,
            *_FAVOURS,
            _CURSOR,
        ),
    ),
    Tool(
        "grep",
        "grep",
        "Match past conversations exactly",
        "Find every place where past conversations match a regular expression (RE2) or a literal, oldest first. For "
        "exact strings, and to know that there are no others.",
        (
            Argument("pattern"),
            Argument("literal"),
            Argument("ignore_case"),
            Argument("limit", least=1, most=MOST_HITS, default=20),
            *_WHERE,
            _CURSOR,
        ),
    ),
    Tool(
        "recall",
        "recall",
        "Read a passage word for word",
        "Give the exact text at a handle (or locator, document, event id, source key), as it was written. `next` and "
        "`before` of the answer are targets that continue it.",
        (
            Argument("target"),
            Argument("neighbors", words="windows before and after", least=0, most=32),
            Argument("max_tokens", least=LEAST_TOKENS, most=MOST_TOKENS),
            Argument("whole", words="the complete turn, if it fits"),
        ),
        {"envelope": True},
    ),
    Tool(
        "gather",
        "gather",
        "Gather evidence for a question",
        "Bring together what answers a question over several turns: exact passages with what was said around them, "
        "oldest first, within a token budget. First choice for why and how something was decided, done or changed. "
        "`conflicts` name a later passage that takes an earlier one back.",
        (
            Argument("query"),
            Argument(
                "intent",
                words="state: hits alone; workflow: tool calls and what followed, too",
                choices=INTENTS,
            ),
            Argument("limit", words="hits", least=1, most=10),
            Argument("relation", choices=NAMES),
            Argument("max_tokens", least=150, most=MOST_TOKENS),
            _SCOPE,
            Argument("since", "filters.since"),
            Argument("until", "filters.until"),
            Argument("session", "filters.session", means=SESSION),
            *_FAVOURS,
            _CURSOR,
        ),
    ),
    Tool(
        "traverse",
        "traverse",
        "Read a conversation around a passage",
        "Read on before and after a handle (or any target of `recall`), in order: what led to it, what came of it. "
        "`before` and `next` of the answer are cursors.",
        (
            Argument("target"),
            Argument("before", words="steps", least=0, most=128),
            Argument("after", words="steps", least=0, most=128),
            Argument("max_tokens", least=150, most=MOST_TOKENS),
            Argument("kinds", choices=KINDS),
            Argument("roles", choices=ROLES),
            Argument("cursor"),
        ),
    ),
    Tool(
        "sessions",
        "sessions",
        "List past sessions",
        "List archived sessions, the latest first: titles, times, hosts, ids for `session` elsewhere.",
        (
            Argument("host", words="claude-code, codex, opencode, pi, …"),
            _SCOPE,
            Argument("limit", least=1, most=MOST_SESSIONS, default=20),
            _CURSOR,
        ),
    ),
    Tool(
        "remember",
        "note",
        "Keep a note",
        "Archive a note that later sessions of this project find by search: a decision with its reason, a lesson, a "
        "fact that cost effort. Conversations are archived by themselves: do not copy them. Never secrets.",
        (
            Argument("text"),
            Argument("title"),
            Argument(
                "subject",
                "subject_key",
                "what it is about; a newer note of the same subject replaces the older",
            ),
            Argument("supersedes", words="the note that it replaces: document id or handle", means=DOCUMENT),
        ),
    ),
    Tool(
        "correct",
        "correct",
        "Correct a note or passage",
        "Archive what is true instead of a note or passage that was wrong or no longer holds. Both are kept; searches "
        "prefer the correction.",
        (
            Argument("target", words="what is wrong"),
            Argument("text", words="the truth, to be understood by itself"),
        ),
    ),
    Tool(
        "status",
        "status",
        "State of the archive",
        "Tell what is archived and whether search is up to date. Use it when results are missing or stale.",
    ),
)

BY_NAME = {tool.name: tool for tool in TOOLS}

# Claude Code shows its model the names of a server's tools alone, until it looks one up. It is to have those that find
# something, and give it back, at hand: under 1,800 tokens of a prompt's beginning, which the provider caches.
LOADED = frozenset(("search", "gather", "recall"))
LOADED_KEY = "anthropic/alwaysLoad"


def type_of(tool: Tool, argument: Argument) -> Any:
    """Return the Python type of an argument: that of the request's field."""
    return _field(tool, argument).type


def required(tool: Tool, argument: Argument) -> bool:
    """Tell whether a call must give the argument."""
    return _field(tool, argument).required


def listing(tool: Tool) -> dict[str, Any]:
    """Return a tool in the protocol's own form."""
    beside = {"_meta": {LOADED_KEY: True}} if tool.name in LOADED else {}
    marks: dict[str, Any] = {"openWorldHint": False, "readOnlyHint": tool.reads_only}
    if not tool.reads_only:  # what only reads destroys nothing: there the protocol gives the mark no meaning
        marks["destructiveHint"] = False
    return {
        "name": tool.name,
        "title": tool.title,
        "description": tool.words,
        "inputSchema": input_schema(tool),
        "outputSchema": output_schema(tool.op),
        "annotations": marks,
        **beside,
    }


def input_schema(tool: Tool) -> dict[str, Any]:
    """Return the JSON Schema of a tool's arguments."""
    properties = {argument.name: _property(tool, argument) for argument in tool.arguments}
    schema: dict[str, Any] = {"type": "object", "properties": properties, "additionalProperties": False}
    needed = [argument.name for argument in tool.arguments if required(tool, argument)]
    if needed:
        schema["required"] = needed
    return schema


def _property(tool: Tool, argument: Argument) -> dict[str, Any]:
    schema = msgspec.json.schema(type_of(tool, argument))
    if argument.choices:
        holder = schema["items"] if schema["type"] == "array" else schema
        holder["enum"] = list(argument.choices)
    if argument.least is not None:
        schema["minimum"] = argument.least
    if argument.most is not None:
        schema["maximum"] = argument.most
    default = argument.default if argument.default is not None else _field(tool, argument).default
    if default not in (msgspec.NODEFAULT, "", False):
        schema["default"] = default
    if argument.words:
        schema["description"] = argument.words
    return schema


def _field(tool: Tool, argument: Argument) -> msgspec.structs.FieldInfo:
    outer, _, inner = argument.field.partition(".")
    owner: type[Request] = Filters if inner else tool.operation.request
    for known in msgspec.structs.fields(owner):
        if known.name == (inner or outer):
            return known
    raise LookupError(f"{tool.op} has no field {argument.field}")
