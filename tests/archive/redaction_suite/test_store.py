"""Nothing that is written anywhere holds a credential: store, index, logs, whatever is packed within them."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import msgspec
import pytest

from tests.archive.redaction_suite.positives import positives
from tests.archive.redaction_suite.shapes import Positive
from tests.archive.redaction_suite.transcripts import (
    CALLS,
    Claude,
    lines,
    long_text,
    shown,
    write_all,
)
from tests.daemon.living import Home, environment
from tests.support.archiving import NOW, PROJECT, ROOT
from unabridged.archive.admission import plan_append
from unabridged.archive.check import check
from unabridged.archive.compress import unpack
from unabridged.archive.ingest import Ingest
from unabridged.archive.log import projects
from unabridged.archive.project import root_of
from unabridged.archive.redact.engine import Redactor
from unabridged.archive.resolve import Resolver
from unabridged.hosts.claude_code import HOST as CLAUDE
from unabridged.hosts.codex import HOST as CODEX
from unabridged.hosts.contract import Candidate, Host
from unabridged.hosts.pi import HOST as PI
from unabridged.index.feed import next_feed
from unabridged.index.indexer import Indexer
from unabridged.index.layout import FIELDS
from unabridged.index.lexical import LexicalIndex
from unabridged.schema.ids import project_id
from unabridged.schema.records import CHUNK_KIND, DOCUMENT, EVENT, GENERATION, KINDS, ORIGIN, SEGMENT
from unabridged.store.contract import Reader, Store
from unabridged.store.open import open_store

SHORTEST = 8  # characters of a secret that is looked for; shorter ones are found everywhere
SHORTEST_TERM = 10  # of a run of letters and digits that is looked for in the index
PAGE = 100_000
LEAST = 200_000  # bytes that are looked through; redaction makes a long line shorter
HOSTS: tuple[Host, ...] = (CLAUDE, CODEX, PI)

KINDS_OF_CREDENTIALS = positives()

# Known by their own shape, without what follows them in the line.
KNOWN_BY_SHAPE = {
    "github-personal-token",
    "stripe-live-key",
    "anthropic-key",
    "gitlab-personal-token",
    "json-web-token",
}


class Archive(NamedTuple):
    """A folder with a store and an index, the store open for reading."""

    home: Path
    reader: Reader
    redactions: int


def admit(store: Store, host: Host, path: Path, redactor: Redactor) -> int:
    """Import a transcript as a worker of the daemon does; return how much was redacted."""
    with path.open("rb") as file:
        head = host.head(path, iter(file))
    assert head
    root = root_of(head.cwd, host.name)
    project = project_id(root)
    work = Ingest(host, Candidate(str(path), "file"), head, root, project, redactor)
    appends = [*work.feed(path.read_bytes()), *work.finish(True)]
    for append in appends:
        store.commit(project, plan_append(append, NOW))
    return appends[-1].after.redactions


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Archive]:
    folder = tmp_path_factory.mktemp("redacted")
    home, redactor = folder / "h", Redactor.compile()
    home.mkdir(mode=0o700)
    paths = write_all(folder / "hosts", KINDS_OF_CREDENTIALS)
    store = open_store(home / "store", create=True)
    count = sum(admit(store, host, path, redactor) for host, path in zip(HOSTS, paths, strict=True))
    indexer = Indexer(home / "index")
    for project in projects(store.snapshot()):
        after = 0
        while feed := next_feed(store.snapshot(), project.id, after):
            indexer.apply(feed)
            after = feed.position
    indexer.commit()
    indexer.close()
    assert indexer.damaged == 0
    store.close()
    store = open_store(home / "store", read_only=True)
    yield Archive(home, store.snapshot(), count)
    store.close()


def wanted(kind: Positive) -> list[bytes]:
    """Return what is looked for of a kind: its secrets, line by line."""
    found = [line for secret in kind.secrets for line in re.split(r"\n|\\n", secret)]
    return [line.encode() for line in found if len(line) >= SHORTEST]


def left(places: Iterator[tuple[str, bytes]], kinds: list[Positive] = KINDS_OF_CREDENTIALS) -> list[str]:
    """Say which kinds have something left, with the places."""
    needles = [(kind.kind, needle) for kind in kinds for needle in wanted(kind)]
    assert len({kind for kind, _ in needles}) == len(kinds)
    found, size = defaultdict[str, set[str]](set), 0
    for place, data in places:
        size += len(data)
        for kind, needle in needles:
            if needle in data:
                found[kind].add(place)
    assert size > LEAST  # there was something to look through
    return [f"{kind}: {', '.join(sorted(places))}" for kind, places in sorted(found.items())]


def expect_nothing_left(
    places: Iterator[tuple[str, bytes]], kinds: list[Positive] = KINDS_OF_CREDENTIALS
) -> None:
    found = left(places, kinds)
    assert not found, "\n".join([f"{len(found)} kinds are left", *found])


def originals(reader: Reader) -> Iterator[tuple[str, bytes]]:
    """Yield every kept original, its segments unpacked."""
    for project in projects(reader):
        for origin in reader.scan(GENERATION, (project.id,), limit=PAGE):
            parts = reader.scan(SEGMENT, (project.id, origin.origin, origin.number), limit=PAGE)
            owner = reader.get(ORIGIN, (project.id, origin.origin))
            assert owner
            yield (
                f"original of {owner.host}",
                b"".join(unpack(it.codec, it.dictionary, it.data, it.size) for it in parts),
            )


def chunks(reader: Reader) -> Iterator[tuple[str, bytes]]:
    """Yield every chunk, unpacked."""
    for project in projects(reader):
        for it in reader.scan(CHUNK_KIND, (project.id,), limit=PAGE):
            yield "chunk", unpack(it.codec, it.dictionary, it.data, it.size)


def rendered(reader: Reader) -> Iterator[tuple[str, bytes]]:
    """Yield the texts of all events of a host together, then those of all documents."""
    resolver = Resolver(reader)
    for project in projects(reader):
        by_host = defaultdict[str, list[bytes]](list)
        for event in reader.scan(EVENT, (project.id,), limit=PAGE):
            by_host[event.host].append(resolver.event_bytes(event))
        for host, texts in by_host.items():
            yield f"events of {host}", b"\n".join(texts)
        documents = reader.scan(DOCUMENT, (project.id,), limit=PAGE)
        yield "documents", b"\n".join(resolver.document_bytes(document) for document in documents)


def records(reader: Reader) -> Iterator[tuple[str, bytes]]:
    """Yield every record of every kind as it is encoded: titles, paths, notes of problems are there."""
    for kind in KINDS:
        found = reader.scan(kind, (), limit=PAGE)
        yield f"records of {kind.name}", b"\n".join(msgspec.msgpack.encode(record) for record in found)


def files(folder: Path) -> Iterator[tuple[str, bytes]]:
    """Yield every file."""
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            yield str(path.relative_to(folder)), path.read_bytes()


def test_everything_was_taken_and_what_was_redacted_is_counted(archive: Archive) -> None:
    assert archive.redactions >= len(HOSTS) * len(KINDS_OF_CREDENTIALS)
    assert list(check(archive.reader, deep=True)) == []
    assert len(list(chunks(archive.reader))) > len(HOSTS)
    texts = b"\n".join(data for _, data in rendered(archive.reader))
    for words in (b"Look at everything.", b"the words between are of no interest", b"first line", b"./show"):
        assert words in texts


def test_no_file_holds_a_credential(archive: Archive) -> None:
    assert {name.split("/")[0] for name, _ in files(archive.home)} >= {"store", "index"}
    expect_nothing_left(files(archive.home))


def test_no_original_holds_a_credential_once_unpacked(archive: Archive) -> None:
    expect_nothing_left(originals(archive.reader))


@pytest.mark.parametrize("order", [1, -1, 2, -3])
def test_a_credential_goes_from_json_within_json_whatever_stands_before_it(order: int) -> None:
    """A rule that looks along a line must see that line's end however often it was escaped."""
    redactor, kinds = Redactor.compile(), KINDS_OF_CREDENTIALS[::order]
    *_, row = Claude().exchange(5, long_text(kinds))
    line, _ = redactor.line(lines(iter([row])))
    assert "first line" in json.loads(json.loads(line)["message"]["content"][0]["content"])["body"]["text"]
    expect_nothing_left(iter([("line", line)]), kinds)


def test_no_chunk_holds_a_credential_once_unpacked(archive: Archive) -> None:
    expect_nothing_left(chunks(archive.reader))


def test_no_event_or_document_holds_a_credential(archive: Archive) -> None:
    expect_nothing_left(rendered(archive.reader))


def test_no_record_holds_a_credential(archive: Archive) -> None:
    expect_nothing_left(records(archive.reader))


def test_no_dictionary_of_the_index_holds_a_credential(archive: Archive) -> None:
    with LexicalIndex.open(archive.home / "index") as index:
        terms = "\n".join(term for field in FIELDS for term, _ in index.terms(field))
    assert len(terms) > PAGE // 100
    found = set[str]()
    for kind in KINDS_OF_CREDENTIALS:
        for needle in wanted(kind):
            # A run without digits is a word, "production" in a Braintree token for one.
            runs = [run for run in re.findall(r"[a-z0-9]+", needle.decode().lower()) if re.search(r"\d", run)]
            if any(len(run) >= SHORTEST_TERM and run in terms for run in runs):
                found.add(kind.kind)
    assert not found, f"{len(found)} kinds are left: {sorted(found)}"


@pytest.mark.parametrize("host", ["claude", "codex", "pi"])
def test_what_a_sensitive_file_held_is_nowhere(archive: Archive, host: str) -> None:
    reader = archive.reader
    everything = [
        *files(archive.home),
        *originals(reader),
        *chunks(reader),
        *rendered(reader),
        *records(reader),
    ]
    count = len(CALLS) + (host != "codex")
    held = [text for text in shown(host)[:count] for _, data in everything if text.encode() in data]
    assert held == []


@pytest.mark.slow
def test_nothing_that_a_daemon_writes_holds_a_credential(tmp_path: Path) -> None:
    """The same transcripts through the daemon: its logs, what its workers leave, what a compaction has not reached."""
    kinds = KINDS_OF_CREDENTIALS[::4]
    paths = write_all(tmp_path / "hosts", kinds)
    home = Home(tmp_path / "h")
    home.configure(disk={"free_bytes": 0}, daemon={"log_level": "debug"})
    (tmp_path / "user").mkdir()
    try:
        with environment(HOME=str(tmp_path / "user")):
            client = home.connect()
            answer = client.call("import", {"paths": [str(path) for path in paths]}, timeout=120)
            for kind in kinds[:3]:
                hits = client.call("search", {"query": kind.secrets[0]})["hits"]
                assert kind.secrets[0] not in json.dumps(hits)
    finally:
        home.end()
    assert {problem["code"] for problem in answer["problems"]} <= {"not-json", "unfinished-line"}
    assert answer["sessions"] == len(HOSTS)
    store = open_store(home.layout.store, read_only=True)
    reader = store.snapshot()
    packed = [*originals(reader), *chunks(reader), *rendered(reader), *records(reader)]
    everything = [*files(home.folder), *packed]
    store.close()
    assert {name.split("/")[0] for name, _ in files(home.folder)} >= {"store", "index", "logs"}
    expect_nothing_left(iter(everything), kinds)
    held = [text for host in ("claude", "codex", "pi") for text in shown(host)]
    assert [text for text in held for _, data in everything if text.encode() in data] == []


@pytest.mark.parametrize("cut", ["within", "before the quote", "before the end"])
def test_a_line_that_was_cut_at_a_credential_leaves_nothing_of_it_once_it_is_whole(
    tmp_path: Path, cut: str
) -> None:
    """The host is caught in the middle of writing a line, then goes on."""
    redactor = Redactor.compile()
    for number, kind in enumerate(kind for kind in KINDS_OF_CREDENTIALS if kind.kind in KNOWN_BY_SHAPE):
        rows = Claude()
        secret = kind.secrets[0]
        data = lines(iter([rows.user("before"), rows.user(f"now {secret}"), rows.user("after")]))
        at = data.index(secret.encode())
        at += {
            "within": len(secret) * 2 // 3,
            "before the quote": len(secret),
            "before the end": len(secret) + 9,
        }[cut]
        store = open_store(tmp_path / f"{number}", create=True)
        candidate, head = (
            Candidate("/t/x.jsonl", "file"),
            CLAUDE.head(Path("/t/x.jsonl"), data.splitlines(True)),
        )
        work = Ingest(CLAUDE, candidate, head, ROOT, PROJECT, redactor)
        for append in [*work.feed(data[:at]), *work.finish(True)]:
            store.commit(PROJECT, plan_append(append, NOW))
        prior = store.snapshot().scan(GENERATION, (PROJECT,), limit=1)[0]
        if cut != "within":
            assert secret.encode() not in b"".join(text for _, text in originals(store.snapshot())), kind.kind
        work = Ingest(CLAUDE, candidate, head, ROOT, PROJECT, redactor, prior)
        for append in [*work.feed(data[prior.source_offset :]), *work.finish(True)]:
            store.commit(PROJECT, plan_append(append, NOW))
        kept = b"\n".join(text for _, text in [*originals(store.snapshot()), *rendered(store.snapshot())])
        assert b"after" in kept
        assert secret[len(secret) // 3 :].encode() not in kept, kind.kind
        assert secret[: len(secret) * 2 // 3].encode() not in kept, kind.kind
        store.close()
