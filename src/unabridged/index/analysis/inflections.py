"""Other forms of an English word: `migrations`, `migrated`, `migrate` of `migration`.

Nothing is stemmed in the index: a word is looked for in the forms that share its stem (Snowball's English stemmer,
M. F. Porter, "Snowball: a language for stemming algorithms", 2001). That costs the import nothing, identifiers are
never touched, and the exact form can count more.
"""

from __future__ import annotations

from functools import lru_cache

from tantivy import Filter, TextAnalyzerBuilder, Tokenizer

SHORTEST = 3  # letters; a shorter word has no other forms worth the look-up
LONGEST = 24  # letters; a longer word is no English word
MEMORY = 4096  # words whose forms are remembered

_VOWELS = "aeiouy"
_ENDINGS = (
    *(
        "",
        "s",
        "ed",
        "ing",
        "e",
        "es",
        "er",
        "ers",
        "ion",
        "ions",
        "y",
        "ies",
        "ied",
        "or",
        "ors",
        "d",
        "ation",
    ),
    *("ations", "ment", "ments", "ly", "able", "ive", "al", "ity", "ying", "ness"),
)
_stemmer = TextAnalyzerBuilder(Tokenizer.whitespace()).filter(Filter.stemmer("english")).build()


@lru_cache(MEMORY)
def inflections(word: str) -> tuple[str, ...]:
    """Return the other forms of a lower-case word, most likely first; none of what is no plain English word."""
    if not (SHORTEST <= len(word) <= LONGEST and word.isascii() and word.isalpha()):
        return ()
    (stem,) = _stemmer.analyze(word)
    roots = [stem]
    if stem[-1] == "i":
        roots.append(stem[:-1] + "y")
        roots.append(stem[:-1])
    if word.endswith("e"):
        roots.append(word[:-1])
    if len(stem) > 2 and stem[-1] not in _VOWELS and stem[-2] in _VOWELS:
        roots.append(stem + stem[-1])
    candidates = dict.fromkeys(root + ending for root in roots for ending in _ENDINGS)
    candidates.pop(word, None)
    stems = _stemmer.analyze(" ".join(candidates))
    return tuple(form for form, other in zip(candidates, stems, strict=True) if other == stem)
