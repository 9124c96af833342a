"""Documents are written in short sentences and in the words of docs/glossary.md."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.docs.language import LONGEST, is_short_on_average, misspelled, reading_ease, too_long, wrong_words
from tests.docs.pages import GENERATED, PAGES, ROOT, name, sentences, texts, words

README_LONGEST, README_EASE = 22, 60
TASK_LONGEST = 25
"""Words of a sentence of the tutorial and of pages about one task."""
LONGEST_NAME = 8
"""Words of a test's name, which says its rule."""
_TEST = re.compile(r"\bdef test_(\w+)\(")
_DESTINATION = re.compile(r"\bdestinations?\b", re.IGNORECASE)
"""A name in REST and SQL, which code spans hold."""


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_sentences_are_short(page: Path) -> None:
    if name(page) in GENERATED:
        return
    found = list(sentences(page))
    longest = TASK_LONGEST if name(page).startswith(("docs/howto/", "docs/tutorial")) else LONGEST
    long = [f"{name(page)}:{line}: {text}" for line, text in found if len(words(text)) > longest]
    assert not long, "\n".join(long)
    assert is_short_on_average([text for _, text in found])


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_words_are_those_of_the_field(page: Path) -> None:
    if name(page) == "docs/glossary.md":
        return
    found = [
        f"{name(page)}:{line}: {wrong}"
        for line, text in texts(page)
        for wrong in [*wrong_words(text), *misspelled(text)]
    ]
    if name(page) not in GENERATED:
        found += [f"{name(page)}:{line}: write target" for line, text in texts(page) if _DESTINATION.search(text)]
    assert not found, "\n".join(found)


def broken_tables(lines: list[str]) -> list[int]:
    """Numbers of lines that begin a table without a head: a blank line cut it off."""
    starts = [
        number
        for number, (before, line, after) in enumerate(zip(["", *lines], lines, [*lines[1:], ""], strict=False), 1)
        if line.startswith("|") and not before.startswith("|") and not after.startswith("|--")
    ]
    return [number for number in starts if sum(line.startswith("```") for line in lines[:number]) % 2 == 0]


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_tables_are_whole(page: Path) -> None:
    assert broken_tables(page.read_text().splitlines()) == []


def test_the_readme_is_read_once() -> None:
    found = [text for _, text in sentences(ROOT / "README.md")]
    assert reading_ease(found) >= README_EASE
    assert max(len(words(text)) for text in found) <= README_LONGEST


def test_what_the_checks_refuse() -> None:
    assert too_long([" ".join(["word"] * (LONGEST + 1))])
    assert not is_short_on_average([" ".join(["word"] * 19)])
    assert wrong_words("The branch is told of it.")
    assert broken_tables(["| a |", "|---|", "| b |", "", "| c |", "```", "| d |", "```"]) == [5]
    assert misspelled("Open a merge-request.") == ["merge-request: write merge request"]
    assert reading_ease(["The cat sat on the mat."]) > 100
    assert reading_ease(["Characteristically incomprehensible organisational terminology proliferates."]) < 0


def names_of_tests() -> list[tuple[Path, str]]:
    paths = sorted((ROOT / "tests").rglob("*.py"))
    return [(path.relative_to(ROOT), found) for path in paths for found in _TEST.findall(path.read_text())]


def test_names_of_tests_are_short() -> None:
    long = [f"{path}: {found}" for path, found in names_of_tests() if len(found.split("_")) > LONGEST_NAME]
    assert not long, "\n".join(long)


def test_names_of_tests_use_the_same_words() -> None:
    found = [f"{path}: {name}" for path, name in names_of_tests() if wrong_words(name.replace("_", " "))]
    assert not found, "\n".join(found)
