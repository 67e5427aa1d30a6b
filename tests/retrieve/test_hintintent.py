"""Is a message about history, about what is at hand, or about something that may have a history?"""

from __future__ import annotations

import tomllib
from importlib.resources import files

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unabridged.retrieve import hintcues
from unabridged.retrieve.hintintent import PASTE, asks_of_history, intent_of, prose

TABLES = tomllib.loads((files("unabridged.retrieve") / "hintcues.toml").read_text("utf-8")).keys() - {"words"}

TOLD = {table: hintcues.told(table) for table in TABLES}
ASKS_FOR_HISTORY = (
    "What did we decide about the payment webhook retries?",
    "Why did we choose LEDGER_COPY_RULE?",
    "What was decided about PANEL_GRID_MODE earlier?",
    "As we discussed, use the ring buffer for the telemetry queue.",
    "What was that error from last week with the flash write timeout?",
    "Apply the fix you used for the websocket reconnect storm.",
    "Remind me how the ledger snapshots are pruned.",
    "Continue where we left off",
    "What were we working on yesterday?",
    "Pick up where we stopped on the tokenizer rewrite.",
    "How did you fix the flaky scheduler test?",
    "Which port did we say the gateway listens on?",
    "Do you remember the trick for resetting the staging cluster?",
    "Have we ever run into EADDRINUSE in the supervisor?",
    "what was the reason for dropping Kafka",
    "Which library did we pick for parsing cron expressions?",
    "Last time we talked about sharding, what was the key?",
    "Deploy it the same way we did last week with the canary script",
    "why was protobuf rejected for the event bus?",
    "I mentioned a naming convention for the migrations, use it here",
    "Did we ever settle the argument over UUIDs versus ULIDs?",
    "What happened with the Postgres vacuum issue?",
    "Look through our previous conversations for the OAuth scopes decision",
    "You suggested a backoff formula for uploads, what was it?",
    "Where did we put the fixture generator?",
    "Warum haben wir uns für Kafka entschieden?",
    "Почему мы выбрали Postgres для очереди?",
    "我们上次关于数据库迁移决定了什么？",
    "What did we decide about caching, and does the code follow it?",
    "Actually, what did we decide about the retry limit?",
    "use the approach we agreed on for the importer",
    "What's the rationale behind our sharding key?",
    "what broke the nightly export?",
    "that upload stall, what was the remedy?",
    "Which calendar won, and who signed it off?",
    "Number the invoices as agreed.",
    "where's the cache dir again?",
    "Was there a reason we didn't shard the ledger?",
    "Why did we keep the threshold below 5?",
)
MAY_HAVE_A_HISTORY = (
    "Sealed ledger segments.",
    "Tenant shard index rebuilding.",
    "Checkpoints and incremental vacuum.",
    "Let's work on the webhook retry queue.",
    "Add exponential backoff to the upload_blob function.",
    "How does our tenant shard index rebuilding work?",
    "Refactor the ledger snapshot pruner",
    "I'd like to revisit the tokenizer rewrite",
    "Implement the canary rollout for the ingest gateway",
    "Why is the ingest gateway so slow under load?",
    "We need to rename TabletMerger",
)
WANTS_NONE = (
    "Run the tests",
    "What's in this file now?",
    "What's the current value of MAX_RETRIES?",
    "How do I reverse a list in Python?",
    "What does CRDT stand for?",
    "What does the code do with FLUSH_GATE at the moment?",
    "Correction: the ledger never copies its segments.",
    "Which files are uncommitted right now?",
    "Repeat the FLUSH_GATE paragraph from above.",
    "That file.",
    "Thanks, looks good!",
    "ok commit it",
    "git status",
    "Show me the contents of src/foo.py",
    "Is the daemon running?",
    "What is a Bloom filter?",
    "How does a Bloom filter work?",
    "What's the difference between TCP and UDP?",
    "Explain monads",
    "What does E0599 mean?",
    "Write me a haiku about autumn leaves",
    "I know we talked about this last week, but what's in config.yaml right now?",
    "We discussed the port earlier, but what is it set to now?",
    "No, use 3 retries instead.",
    "From now on use tabs.",
    "/clear",
    "What did you just change?",
    "undo your last change",
    "list all the open branches",
    "how many tests are failing?",
    "where is parse_header defined?",
    "open the file src/main.rs",
    "Can you explain this function?",
    "what's failing",
    "please fix this error",
    "Read the README and tell me what it says about installation.",
    "does the build pass?",
    "How can I use asyncio.gather with a timeout?",
    "Which port is the server listening on currently?",
    "Hello",
    "continue",
    "what does src/parser.py do?",
    "Is v2.3.0 pushed?",
    "who changed the reset form last?",
    "Forget how we did the keys before; propose a design from scratch.",
    "Which jobs failed today?",
    "zstd vs gzip, which is faster?",
)


@pytest.mark.parametrize("message", ASKS_FOR_HISTORY)
def test_a_message_that_asks_for_history_or_refers_to_it_is_historical(message: str) -> None:
    assert intent_of(message).kind == "historical"


@pytest.mark.parametrize("message", MAY_HAVE_A_HISTORY)
def test_a_message_that_names_a_matter_may_have_a_history(message: str) -> None:
    assert intent_of(message).kind == "implicit"


@pytest.mark.parametrize("message", WANTS_NONE)
def test_the_present_general_knowledge_and_corrections_want_no_history(message: str) -> None:
    assert intent_of(message).kind == "none"


def test_what_wants_no_history_is_told_apart() -> None:
    reasons = {
        "Which files are modified right now?": "current-state",
        "What does CRDT stand for?": "general-knowledge",
        "Correction: the buffer is never copied.": "correction",
        "Repeat the paragraph from above.": "already-visible",
        "Thanks!": "no-words",
        "/compact": "not-prose",
        "<unabridged-hint>x</unabridged-hint>": "not-prose",
        "x" * (PASTE + 1): "too-long",
    }
    assert {message: intent_of(message).reason for message in reasons} == reasons


def test_what_is_asked_of_decides_and_not_what_is_mentioned_beside_it() -> None:
    mixed = "What did we decide about the ledger cache, and is it running right now?"
    assert intent_of(mixed).kind == "historical"
    assert intent_of("We talked about the ledger cache, but is it running right now?").kind == "none"


def test_code_and_quotations_are_not_what_a_person_says() -> None:
    quoted = "Add a test.\n> why did we choose polling\n```\nwhy did we choose polling\n```\n"
    assert intent_of(quoted).kind == "none"


def test_words_of_talk_are_not_looked_for() -> None:
    found = intent_of("Please remind me what we decided last week about the `retry_queue` of the importer")
    assert [(word.source, word.rank) for word in found.words] == [
        ("retry_queue", "name"),
        ("importer", "telling"),
    ]
    assert found.wants == "decision"


@given(st.text(max_size=300))
def test_any_text_is_a_message(message: str) -> None:
    found = intent_of(message)
    assert found.kind in ("historical", "implicit", "none")
    assert bool(found.words) or found.kind == "none" or found.resumes


@given(st.one_of(st.sampled_from((*ASKS_FOR_HISTORY, *MAY_HAVE_A_HISTORY)), st.text(max_size=300)))
def test_whether_a_message_asks_of_history_is_what_its_intent_says(message: str) -> None:
    found = intent_of(message)
    assert asks_of_history(message) == (found.kind == "historical" or found.reason == "declined")


@pytest.mark.parametrize(
    ("message", "said"),
    [
        ("Look at this:\n> quoted", "Look at this:"),
        ("Look at this:\n    x = 1", "Look at this:"),
        ("Look at this:\n\tx = 1", "Look at this:"),
        ("> quoted", ""),
        ("Run ```x = 1``` now", "Run   now"),
        ("<note>put in</note> Go on", "Go on"),
        ("a > b, a < b, a </ b", "a > b, a < b, a </ b"),
    ],
)
def test_what_is_set_off_in_a_message_is_not_what_a_person_says(message: str, said: str) -> None:
    assert prose(message) == said


@pytest.mark.parametrize("table", sorted(TABLES))
def test_the_quick_look_at_a_text_finds_every_cue(table: str) -> None:
    told, exact = hintcues.told(table), hintcues.compiled(table)
    messages = (*ASKS_FOR_HISTORY, *MAY_HAVE_A_HISTORY, *WANTS_NONE)
    for message in (*messages, *(f"\x0b{message}\x1f" for message in messages)):
        for text in (
            message,
            message.upper(),
            f"{message}\n",
            f"Well.\n{message}",
            message.replace(" ", "\x0b"),
        ):
            assert told(text) == (exact.search(text) is not None)


@given(st.text(alphabet=st.characters(codec="ascii"), max_size=300), st.sampled_from(sorted(TABLES)))
def test_the_quick_look_at_any_text_finds_every_cue(text: str, table: str) -> None:
    assert TOLD[table](text) == (hintcues.compiled(table).search(text) is not None)


@pytest.mark.parametrize("table", sorted(TABLES))
def test_every_table_of_cues_is_patterns_of_words_in_several_languages(table: str) -> None:
    assert hintcues.compiled(table, ("en",)).pattern
    assert "@" not in hintcues.compiled(table).pattern
    assert hintcues.compiled(table).search("") is None


@pytest.mark.parametrize(
    "message",
    [
        "Warum haben wir uns für die Warteschlange entschieden?",
        "Pourquoi avons-nous choisi cette file d'attente ?",
        "¿Por qué elegimos esa cola?",
        "Почему мы выбрали эту очередь?",
        "我们上次为什么决定用这个队列？",
        "前回、キューについて決めたことは？",
    ],
)
def test_history_is_asked_for_in_other_languages(message: str) -> None:
    assert intent_of(message).kind == "historical"
