"""The table of settings: what each is called, takes, means, and who may set it (`setting` says how)."""

from __future__ import annotations

from collections.abc import Mapping

from unabridged.daemon.gatewaysettings import GATEWAY
from unabridged.daemon.pricesettings import PRICES
from unabridged.daemon.setting import Setting
from unabridged.daemon.windowsettings import WINDOW

GIB = 1 << 30
SCOPES = ("session", "project", "all")


def _not_wider(a: str, b: str) -> bool:
    return SCOPES.index(a) <= SCOPES.index(b)


def _not_turned_on(a: bool, b: bool) -> bool:
    return b or not a


def _not_turned_off(a: bool, b: bool) -> bool:
    return a or not b


def _all_of(a: tuple[str, ...], b: tuple[str, ...]) -> bool:
    return set(a) >= set(b)


_ALL = (
    Setting(
        "store.url",
        str,
        "",
        "Where the store is: empty for the embedded one under the data folder, or its URL.",
    ),
    Setting(
        "store.engine", str, "", "The embedded engine for a new store: empty for the default, or its name."
    ),
    Setting(
        "read.scope",
        str,
        "all",
        "The widest scope that any client is granted.",
        choices=SCOPES,
        tighter=_not_wider,
    ),
    Setting("projects.trusted", tuple, (), "Roots of projects whose own `.unabridged.toml` is heeded."),
    Setting("projects.separate_worktrees", bool, False, "Whether each git worktree is a project of its own."),
    Setting(
        "redaction.enabled",
        bool,
        True,
        "Whether credentials are masked before anything is stored.",
        tighter=_not_turned_off,
    ),
    Setting("redaction.literals", tuple, (), "Texts that are always masked.", tighter=_all_of),
    Setting("redaction.patterns", tuple, (), "Patterns (RE2) that are always masked.", tighter=_all_of),
    Setting("daemon.connections", int, 16, "Clients connected at once.", low=1, high=256),
    Setting("daemon.requests", int, 32, "Requests worked on at once, of all clients.", low=1, high=256),
    Setting("daemon.readers", int, 4, "Threads that answer reading requests.", low=1, high=32),
    Setting(
        "daemon.idle_seconds",
        float,
        300.0,
        "Seconds without clients, requests and growing transcripts until the daemon exits; 0: never.",
        who="client",
        high=7 * 86_400,
    ),
    Setting(
        "daemon.handshake_seconds",
        float,
        5.0,
        "Seconds that a new connection has for its handshake.",
        low=0.01,
    ),
    Setting(
        "daemon.stall_seconds",
        float,
        30.0,
        "Seconds after which a client that neither takes its answers nor ends a message is dropped.",
        low=0.01,
    ),
    Setting("daemon.drain_seconds", float, 5.0, "Seconds that active requests get when the daemon stops."),
    Setting("daemon.slow_ms", int, 250, "Milliseconds from which a request is listed as slow.", who="client"),
    Setting(
        "daemon.log_level",
        str,
        "info",
        "The least level that is logged.",
        who="client",
        choices=("debug", "info", "warning", "error"),
    ),
    Setting(
        "ingest.workers", int, 0, "Processes that read transcripts; 0: one a processor, two at most.", high=16
    ),
    Setting(
        "ingest.tail",
        bool,
        True,
        "Whether growing transcripts are followed while the daemon runs.",
        tighter=_not_turned_on,
    ),
    Setting(
        "ingest.idle_seconds",
        float,
        600.0,
        "Seconds without growth after which the last turn of a transcript counts as complete.",
        low=0.0,
    ),
    Setting(
        "search.feedback",
        bool,
        True,
        "Whether it is counted which passages are recalled after a search showed them: they then win near-ties.",
        tighter=_not_turned_on,
    ),
    Setting(
        "search.cues",
        tuple,
        (),
        "Your own words that tell a relation: `decision: beschlossen`, `failure: ging nicht`.",
    ),
    Setting(
        "semantic.enabled",
        bool,
        True,
        "Whether an installed sentence model is used; without one nothing is.",
        tighter=_not_turned_on,
    ),
    Setting(
        "semantic.model",
        str,
        "",
        "The folder of a sentence model (`model.onnx`, `tokenizer.json`); empty: what `una models install` made.",
    ),
    Setting(
        "semantic.url",
        str,
        "",
        "An address that embeds texts as the OpenAI API does; the archive's text is sent there. Empty: none is.",
    ),
    Setting("semantic.remote_model", str, "", "The model that the address is asked for."),
    Setting(
        "semantic.key_env", str, "", "The environment variable of the daemon that holds the address's key."
    ),
    Setting(
        "semantic.timeout_seconds",
        float,
        10.0,
        "Seconds that one call of the address may take.",
        low=0.1,
        high=120.0,
    ),
    Setting(
        "semantic.reranker",
        str,
        "",
        "The folder of a cross-encoder (`model.onnx`, `tokenizer.json`), which reads the best 40 passages again.",
    ),
    Setting(
        "semantic.reranker_seconds",
        float,
        0.5,
        "Seconds that it may take for a search; what it has not read by then keeps its place behind.",
        low=0.05,
        high=30.0,
    ),
    Setting(
        "semantic.disk_bytes",
        int,
        2 * GIB,
        "Bytes that the vectors may take on the disk (900 a span and 32 a token); what comes after that has none.",
        low=1 << 20,
    ),
    Setting(
        "hints.enabled",
        bool,
        True,
        "Whether agents are told, unasked, what the archive holds of a message.",
        tighter=_not_turned_on,
    ),
    Setting(
        "hints.message_tokens",
        int,
        160,
        "Tokens that one hint may have, by the strict estimate.",
        low=40,
        high=2_000,
    ),
    Setting(
        "hints.active_tokens",
        int,
        640,
        "Tokens that all hints of one live conversation may have together.",
        low=0,
        high=20_000,
    ),
    Setting(
        "hints.rest_hours",
        float,
        24.0,
        "Hours that a source rests after it was told of, in a session and its forks.",
        low=0.0,
        high=24.0 * 366,
    ),
    Setting(
        "hints.payload_days",
        float,
        7.0,
        "Days after which nothing is told of what tools took and gave.",
        low=0.0,
        high=3_660.0,
    ),
    Setting(
        "hints.conversation_days",
        float,
        30.0,
        "Days after which nothing is told of a conversation; searches find it all the same.",
        low=0.0,
        high=3_660.0,
    ),
    Setting(
        "hints.deadline_ms",
        int,
        600,
        "Milliseconds that the index has for a hint; then nothing is told.",
        low=1,
        high=10_000,
    ),
    *WINDOW,
    *GATEWAY,
    *PRICES,
    Setting(
        "disk.free_bytes",
        int,
        2 * GIB,
        "Free bytes on the store's disk below which nothing more is admitted; reads go on.",
    ),
)

SETTINGS: Mapping[str, Setting] = {setting.name: setting for setting in _ALL}
