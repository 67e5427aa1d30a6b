"""Names, numbers, scripts and signs that searches have lost elsewhere: each must bring its own passage first.

One corpus holds a passage for every case and, for most, passages that differ by one letter, digit or separator.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.index.filling import Shelf

COMMIT_40 = "9f1c2e7ab4d05836c1e2f3a4b5c6d7e8f9012345"

# What a passage is about → the passage. A query for any of `CASES` must bring its passage.
PASSAGES = {
    "chain": "The worker now calls foo_bar.baz() and retries once when the lock is taken.",
    "chain-near": "We renamed foo_qux.bar() because the old order of arguments was confusing.",
    "chain-parts": "A foo and a bar walked into a room; nothing else happened in this test.",
    "camel": "The handler looks the account up with getUserById and caches the result for a minute.",
    "camel-near": "Use getUserByEmail when the login form sends an address, never for tokens.",
    "camel-words": "Give the user a way to get their data, sorted by date.",
    "parser": "HttpRequestParser drops the body when the length header is missing.",
    "parser-near": "HttpResponseParser keeps the body in any case, even when a header is missing.",
    "xml": "The legacy page still uses XMLHttpRequest2 to upload large files.",
    "xml-near": "A plain XMLHttpRequest is enough for the small form.",
    "vector": "Profiling shows std::vector<int>::push_back reallocating in the inner loop.",
    "vector-near": "std::list<int>::push_front was never slow in the outer loop.",
    "path": "The traceback begins in /usr/local/lib/x.py at line 12.",
    "path-near": "Another module, /usr/local/lib/y.py, was imported first.",
    "rust-error": "cargo stops with E0599 since the method is private now.",
    "rust-error-near": "cargo stops with E0598 since the field is private now.",
    "ts-error": "tsc reports TS2345 for the second argument of the callback.",
    "ts-error-near": "tsc reports TS2344 for the first argument of the callback.",
    "sqlstate": "The migration failed with SQLSTATE 42P01, the relation does not exist.",
    "sqlstate-near": "Another run failed with SQLSTATE 23505, a duplicate key.",
    "decision": "DEC-0054 says that the gateway never removes what is not durable.",
    "decision-near": "DEC-0045 says that the gateway never retries a write.",
    "ticket": "Work on bd-q3fy is blocked until the schema settles.",
    "ticket-near": "Work on bd-q3fx is done and waits for a review.",
    "dunder": "The package's __init__ exports nothing, on purpose.",
    "dunder-near": "The package's __main__ starts the server.",
    "snake": "apply_secrets runs after the containers are built.",
    "snake-near": "Secrets do not apply to the staging containers, the docs say how to build them.",
    "flag": "Build with --no-cache when the base image has changed.",
    "flag-near": "The cache has no entry for this image; build it with --cache-from instead.",
    "branch": "Everything for the new form is on feature/login-v2 now.",
    "branch-near": "Everything for the old form is on feature/login-v1 still.",
    "short-commit": "The regression came in with 3f2a9bc, as the bisect shows.",
    "short-commit-near": "Reverting 3f2a9bd did not help at all.",
    "long-commit": f"Deployed {COMMIT_40} to the staging cluster.",
    "hex": "The register holds 0x7ffe after the reset.",
    "hex-near": "The register holds 0x7fff before the reset.",
    "version": "Pinned to v1.2.3-rc.1 until the final release is out.",
    "version-near": "Pinned to v1.2.3-rc.2 in the other repository.",
    "remote": "rsync copies to user@host:path over the slow link.",
    "remote-near": "rsync copies from admin@server:folder over the fast link.",
    "url": "The report is at https://example.com/reports/daily?from=2026-01-01&team=core for everybody.",
    "url-near": "The index is at https://example.com/reports/weekly for everybody.",
    "chinese": "数据库迁移失败了,需要先回滚再重新执行。",
    "chinese-near": "数量统计任务已经完成,仓库清理也结束了。",
    "kana": "設定画面のテストが落ちるので、キーを直した。",
    "kana-near": "設定画面のデザインを変えて、色を直した。",
    "hangul": "데이터베이스 마이그레이션이 실패해서 되돌렸다.",
    "glued": "编译报错E0425出现在第三个模块,修复方法见下。",
    "cyrillic": "Вчера мы запустили миграцию базы и проверили журнал.",
    "cyrillic-near": "Вчера мы обновили журнал и проверили почту.",
    "diaeresis": "That was a naïve approach to locking.",
    "accent": "Die größte Änderung betrifft den Café-Dienst.",
    "emoji": "Shipped the release 🚀 without a hitch.",
    "emoji-near": "Fixed the release 🔧 after a hitch.",
    "logic": "The mask combines AND OR NOT gates into one table.",
    "plural": "Two migrations of the ledger ran overnight.",
}

CASES = {
    "foo_bar.baz()": "chain",
    "foo_bar": "chain",
    "baz": "chain",
    "getUserById": "camel",
    "getuserbyid": "camel",
    "user by id": "camel",
    "HttpRequestParser": "parser",
    "http request parser": "parser",
    "XMLHttpRequest2": "xml",
    "std::vector<int>::push_back": "vector",
    "push_back": "vector",
    "/usr/local/lib/x.py": "path",
    "x.py": "path",
    "E0599": "rust-error",
    "e0599": "rust-error",
    "TS2345": "ts-error",
    "SQLSTATE 42P01": "sqlstate",
    "42P01": "sqlstate",
    "DEC-0054": "decision",
    "dec-0054": "decision",
    "bd-q3fy": "ticket",
    "__init__": "dunder",
    "apply_secrets": "snake",
    "--no-cache": "flag",
    "feature/login-v2": "branch",
    "login-v2": "branch",
    "3f2a9bc": "short-commit",
    COMMIT_40: "long-commit",
    COMMIT_40[:7]: "long-commit",
    "0x7ffe": "hex",
    "0x7FFE": "hex",
    "v1.2.3-rc.1": "version",
    "user@host:path": "remote",
    "https://example.com/reports/daily?from=2026-01-01&team=core": "url",
    "数据库迁移": "chinese",
    "库": "chinese",
    "テスト": "kana",
    "ﾃｽﾄ": "kana",
    "ｷｰ": "kana",
    "마이그레이션": "hangul",
    "베이": "hangul",
    "E0425": "glued",
    "миграцию": "cyrillic",
    "МИГРАЦИЮ": "cyrillic",
    "naïve": "diaeresis",
    "naive": "diaeresis",
    "nai\u0308ve": "diaeresis",
    "grösste": "accent",
    "cafe": "accent",
    "🚀": "emoji",
    "migration ledger": "plural",
    "ｇｅｔＵｓｅｒＢｙＩｄ": "camel",
}

IN_PROSE = (
    "what did we say about {} the other day",
    "please find where {} came up, I think that it was in a long session",
    "{} again: do you remember why?",
)

NAMES = list(PASSAGES)


@pytest.fixture(scope="module")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shelf]:
    filled = Shelf(tmp_path_factory.mktemp("identifiers") / "index", list(PASSAGES.values()))
    yield filled
    filled.index.close()


@pytest.mark.parametrize(("query", "passage"), CASES.items())
def test_an_identifier_as_the_whole_query_brings_its_passage_first(
    shelf: Shelf, query: str, passage: str
) -> None:
    assert shelf.find(query)[:1] == [NAMES.index(passage) + 1]


@pytest.mark.parametrize("sentence", IN_PROSE)
@pytest.mark.parametrize(("query", "passage"), CASES.items())
def test_an_identifier_inside_prose_brings_its_passage_among_the_first_three(
    shelf: Shelf, query: str, passage: str, sentence: str
) -> None:
    assert NAMES.index(passage) + 1 in shelf.find(sentence.format(query))


def test_any_two_neighbouring_characters_of_a_chinese_word_find_it(shelf: Shelf) -> None:
    word = "数据库迁移"
    for at in range(len(word) - 1):
        assert shelf.find(word[at : at + 2])[:1] == [NAMES.index("chinese") + 1]


@pytest.mark.parametrize(
    "query", ["", " \n\t", "*", "(", ")", "...", "?!", "\0", "\\", "'", "—", "─│┌", "\ud800", "~~"]
)
def test_a_query_without_anything_to_look_for_finds_nothing(shelf: Shelf, query: str) -> None:
    assert shelf.find(query) == []


@pytest.mark.parametrize(
    ("query", "passage"),
    [
        ("AND OR NOT", "logic"),
        ('"unbalanced E0599', "rust-error"),
        ("E0599 (", "rust-error"),
        ("E0599 AND", "rust-error"),
        ("NOT E0599", "rust-error"),
        ("-E0599", "rust-error"),
        ("E0599*", "rust-error"),
        ("E0\0E0599\0", "rust-error"),
        ("field:E0599", "rust-error"),
        ("E0599^2~1 [a TO b]", "rust-error"),
        ("\ud83dE0599\udc00", "rust-error"),
    ],
)
def test_no_character_is_an_operator_in_a_plain_query(shelf: Shelf, query: str, passage: str) -> None:
    assert shelf.find(query)[:1] == [NAMES.index(passage) + 1]


def test_a_very_long_paste_finds_the_passage_that_its_one_name_stands_in(shelf: Shelf) -> None:
    paste = "the quick brown fox looked at the log and saw nothing of interest at all\n" * 1_500
    assert len(paste) > 100_000
    assert shelf.find("apply_secrets " + paste)[:1] == [NAMES.index("snake") + 1]


def test_every_passage_is_found_by_its_own_text(shelf: Shelf) -> None:
    for number, text in enumerate(PASSAGES.values(), 1):
        assert shelf.find(text)[:1] == [number]
