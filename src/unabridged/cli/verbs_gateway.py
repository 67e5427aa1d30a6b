"""The verbs that stand between an agent and its provider."""

from __future__ import annotations

from unabridged.cli.arguments import FLAG, LIST, NUMBER, PATH, REST, TEXT, Option, Positional, Verb

_SET = "Set up"
_UPSTREAM = Option(
    "upstream",
    LIST,
    "where requests go: anthropic=URL, openai=URL, chatgpt=URL, or a further provider under a name of yours",
    "NAME=URL",
)

GATEWAY_VERBS: tuple[Verb, ...] = (
    Verb(
        "run",
        "run an agent, or any program, with its model's window kept small",
        "unabridged.gateway.running",
        (
            Positional(
                "command", "claude, codex, opencode, pi, aider or any program, and its own arguments", REST
            ),
        ),
        (_UPSTREAM,),
        (
            ("una run claude", "Claude Code, as you would start it"),
            ("una run codex exec 'why does the test fail?'", "arguments are the program's own"),
            ("una run -- python agent.py", "a program that uses a provider's SDK"),
        ),
        _SET,
        "Starts a gateway for this one process and tells the program of it; nothing of yours is edited. What the "
        "program sends passes through the gateway, which leaves out what is archived and no longer needed. The exit "
        "status is the program's.",
    ),
    Verb(
        "gateway",
        "stand between agents and their providers, until this process is ended",
        "unabridged.gateway.command",
        (),
        (
            Option("port", NUMBER, "listen there at 127.0.0.1; 0 is any free one", "N", default="0"),
            Option("port-file", PATH, "write the base URL, its token in it, to this file", "F"),
            _UPSTREAM,
            Option("host", TEXT, "whose requests these are where they do not say it", "NAME"),
            Option("until-input-ends", FLAG, "end when standard input does, too"),
            Option("json", FLAG, "print one JSON document"),
        ),
        (
            ("una gateway --port-file ~/.una-gateway", "for clients that are started later"),
            ("una gateway --upstream openai=http://127.0.0.1:8000/v1", "for a model on this machine"),
        ),
        _SET,
        "Speaks Anthropic Messages, OpenAI Responses and Chat Completions, and passes all else through. The base URL "
        "holds a token that is good for this run alone; clients that speak OpenAI's way put `/v1` behind it.",
    ),
)
