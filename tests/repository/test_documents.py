"""What the documents claim: links, folders, codes, places."""

from __future__ import annotations

import fnmatch
import re
from pathlib import Path

import pytest

from tests.repository.documents import anchors, headings, links
from tests.repository.source import ROOT, package_folders, repository_files
from unabridged import errors

ARCHITECTURE = ROOT / "ARCHITECTURE.md"
FRAGMENTS = ROOT / "changelog.d"

# A fragment is `<short-name>.<kind>.md`.
FRAGMENT_NAME = re.compile(r"[a-z0-9][a-z0-9-]*\.(added|changed|fixed|removed|security)\.md")

# Characters: one sentence or two.
FRAGMENT_MOST = 400

# Written so that this file does not find itself.
REGISTRIES = re.compile(r"registry\.npm[j]s\.org|py[p]i\.org|python[h]osted\.org|deb\.[d]ebian\.org")
MACHINE_PATHS = re.compile(r"(^|[^\w.-])/(work|farm)/|/opt/(py[p]i|whe[e]ls)")


def relative(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def text_of(path: Path) -> str:
    """Return a file's text; bytes that are no UTF-8 stand as replacement characters."""
    return path.read_text(encoding="utf-8", errors="replace")


def test_every_link_leads_somewhere() -> None:
    dead = [
        f"{relative(path)}:{line}: {target}"
        for path in repository_files(".md")
        for line, target in links(path)
        if not leads_somewhere(path, target)
    ]
    assert dead == []


def leads_somewhere(page: Path, target: str) -> bool:
    """Follow a link within the repository; one to another site is not followed."""
    if re.match(r"[a-z][a-z0-9+.-]*:", target):
        return target.startswith(("https://", "http://localhost", "http://127.0.0.1", "mailto:"))
    place, _, fragment = target.partition("#")
    file = (page.parent / place).resolve() if place else page
    if not file.exists():
        return False
    return not fragment or file.suffix != ".md" or fragment in anchors(file)


@pytest.mark.parametrize(
    ("target", "expected"),
    [
        ("other.md", True),
        ("other.md#a-heading-with-code", True),
        ("#here", True),
        ("other.md#nothing", False),
        ("missing.md", False),
        ("https://example.org/x", True),
        ("http://example.org/x", False),
    ],
)
def test_a_dead_link_is_told_from_a_live_one(tmp_path: Path, target: str, expected: bool) -> None:
    page = tmp_path / "page.md"
    page.write_text(
        f"# Here\n\n[a link]({target}) and `[no](link.md)`\n\n```\n[no](link.md)\n```\n", encoding="utf-8"
    )
    (tmp_path / "other.md").write_text("# A heading, with `code`\n", encoding="utf-8")
    assert [found for _, found in links(page)] == [target]
    assert leads_somewhere(page, target) is expected


def documented_folders() -> list[str]:
    """Return the folders that ARCHITECTURE.md has a heading for: each such heading begins with `folder/`."""
    found = [re.match(r"`([\w/*]+)/`", text) for _, text in headings(ARCHITECTURE)]
    return [match[1] for match in found if match]


def test_every_folder_has_its_heading_in_the_architecture() -> None:
    documented = documented_folders()
    missing = [
        folder
        for folder in package_folders()
        if not any(fnmatch.fnmatchcase(folder, pattern) for pattern in documented)
    ]
    assert missing == []


def test_every_heading_of_the_architecture_names_a_folder_that_exists() -> None:
    folders = package_folders()
    gone = [
        pattern
        for pattern in documented_folders()
        if not any(fnmatch.fnmatchcase(folder, pattern) for folder in folders)
    ]
    assert gone == []


def test_every_heading_of_the_architecture_asks_a_question() -> None:
    flat = [
        text for _, text in headings(ARCHITECTURE) if re.match(r"`[\w/*]+/`", text) and not text.endswith("?")
    ]
    assert flat == []


def test_every_home_and_checker_of_an_invariant_exists() -> None:
    rows = [line for line in text_of(ARCHITECTURE).splitlines() if line.startswith("|")]
    start = rows.index("| invariant | home | checker |")
    named = {name for row in rows[start + 2 :] for name in re.findall(r"`([^`]+)`", row)}
    assert len(named) > 20
    places = (ROOT, ROOT / "src" / "unabridged")
    assert sorted(name for name in named if not any(list(place.glob(name)) for place in places)) == []


def test_every_error_code_is_documented() -> None:
    page = text_of(ROOT / "docs" / "reference" / "errors.md")
    ours = {code for code, kind in errors.by_code().items() if kind.__module__ == errors.__name__}
    assert sorted(code for code in ours if f"| `{code}` |" not in page) == []


def test_an_error_code_names_one_class() -> None:
    seen: dict[str, str] = {}
    twice: list[str] = []
    pending: list[type[errors.UnabridgedError]] = [errors.UnabridgedError]
    while pending:
        kind = pending.pop()
        pending += kind.__subclasses__()
        if seen.setdefault(kind.code, kind.__name__) != kind.__name__:
            twice.append(f"{kind.__name__} and {seen[kind.code]} both have {kind.code}")
    assert twice == []


def test_the_tree_in_the_docstring_of_errors_is_the_tree() -> None:
    drawn = re.findall(r"[├└]── (\w+)", errors.__doc__ or "")
    assert drawn == descendants(errors.UnabridgedError)


def descendants(kind: type[errors.UnabridgedError]) -> list[str]:
    """Return the names of all subclasses that errors.py defines, each before its own subclasses, in written order."""
    found: list[str] = []
    for child in kind.__subclasses__():
        if child.__module__ == errors.__name__:
            found += [child.__name__, *descendants(child)]
    return found


def test_no_file_names_a_package_registry() -> None:
    assert [relative(path) for path in repository_files() if REGISTRIES.search(text_of(path))] == []


def test_no_file_names_a_path_of_one_machine() -> None:
    found = [
        f"{relative(path)}:{number}"
        for path in repository_files()
        for number, line in enumerate(text_of(path).splitlines(), start=1)
        if MACHINE_PATHS.search(line)
    ]
    assert found == []


def test_no_requirement_names_the_place_that_it_comes_from() -> None:
    for path in (ROOT / "requirements").glob("*.txt"):
        named = [line for line in text_of(path).splitlines() if not line.startswith("#")]
        assert [line for line in named if "://" in line or "file:" in line or line.startswith("-")] == [], (
            path.name
        )


def test_every_pinned_package_has_hashes() -> None:
    for name in ("build", "run", "all", "dev"):
        text = text_of(ROOT / "requirements" / f"{name}.txt")
        blocks = re.split(r"\n(?=[a-z0-9])", text)[1:]
        assert blocks
        assert [block.split()[0] for block in blocks if "--hash=sha256:" not in block] == []


def test_every_direct_dependency_is_locked() -> None:
    project = text_of(ROOT / "pyproject.toml")
    locked = {
        line.split("==")[0]
        for line in text_of(ROOT / "requirements" / "dev.txt").splitlines()
        if "==" in line
    }
    wanted = re.findall(r'^    "([A-Za-z0-9_-]+)(?:\[\w+\])?[><=]', project, flags=re.MULTILINE)
    assert len(wanted) > 20
    assert sorted(name for name in wanted if name.lower().replace("_", "-") not in locked) == []


def test_every_changelog_fragment_is_well_formed() -> None:
    wrong: list[str] = []
    for path in sorted(FRAGMENTS.iterdir()):
        if path.name == "README.md":
            continue
        text = text_of(path)
        if not FRAGMENT_NAME.fullmatch(path.name):
            wrong.append(f"{path.name}: not <short-name>.<added|changed|fixed|removed|security>.md")
        if not text.strip() or len(text) > FRAGMENT_MOST or text.lstrip().startswith(("#", "-", "*")):
            wrong.append(f"{path.name}: one or two plain sentences of at most {FRAGMENT_MOST} characters")
        if not text.rstrip().endswith((".", "`")):
            wrong.append(f"{path.name}: ends without a full stop")
    assert wrong == []
