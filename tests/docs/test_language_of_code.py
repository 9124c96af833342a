"""Docstrings, comments, texts of errors and strings of the pages are written as documents are."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path

import pytest

from tests.docs import strings
from tests.docs.language import all_sentences, is_short_on_average, misspelled, too_long, wrong_words
from tests.docs.pages import ROOT
from tests.docs.strings import Text

_PYTHON = ("catalog_app", "lakeui", "merge_app", "clients/python/src")


def _python() -> Iterator[Path]:
    for top in _PYTHON:
        yield from (path for path in sorted((ROOT / top).rglob("*.py")) if "migrations" not in path.parts)


def _pages() -> Iterator[Path]:
    source = ROOT / "frontend" / "src"
    files = (path for suffix in ("*.ts", "*.tsx") for path in sorted(source.rglob(suffix)))
    yield from (path for path in files if ".test." not in path.name and path.name != "schema.d.ts")


def _data() -> Iterator[Path]:
    for top in _PYTHON:
        yield from sorted((ROOT / top).rglob("*.toml"))


KINDS: Mapping[str, tuple[Callable[[Iterable[Path]], Iterator[Text]], Callable[[], Iterator[Path]]]] = {
    "docstrings": (strings.docstrings, _python),
    "messages": (strings.messages, _python),
    "data": (strings.data_texts, _data),
    "pages": (strings.page_strings, _pages),
}
"""Kinds of texts: what finds them, in which files."""


@cache
def texts_by_folder(kind: str) -> dict[str, list[Text]]:
    find, files = KINDS[kind]
    found: dict[str, list[Text]] = defaultdict(list)
    for text in find(files()):
        found["/".join(text.path.relative_to(ROOT).parent.parts[:2])].append(text)
    return found


def faults(texts: Iterable[Text]) -> list[str]:
    return [
        f"{text.place}: {fault}"
        for text in texts
        for fault in [*too_long(all_sentences(text.content)), *wrong_words(text.content), *misspelled(text.content)]
    ]


@pytest.mark.parametrize("kind", KINDS)
def test_sentences_and_words_are_those_of_documents(kind: str) -> None:
    found = [fault for texts in texts_by_folder(kind).values() for fault in faults(texts)]
    assert not found, "\n".join(found)


@pytest.mark.parametrize("kind", KINDS)
def test_sentences_are_short_on_average(kind: str) -> None:
    for folder, texts in texts_by_folder(kind).items():
        found = [sentence for text in texts for sentence in all_sentences(text.content)]
        assert is_short_on_average(found), folder


def _tests() -> Iterator[Path]:
    # This folder has the words that it refuses.
    yield from (path for path in sorted((ROOT / "tests").rglob("*.py")) if path.parent != ROOT / "tests" / "docs")


def test_comments_and_tests_use_the_same_words() -> None:
    pages = [*_pages(), *sorted((ROOT / "frontend" / "e2e").rglob("*.ts"))]
    texts = [
        *strings.docstrings(_tests()),
        *strings.comments([*_python(), *_tests()]),
        *strings.page_comments(pages),
    ]
    found = [f"{text.place}: {fault}" for text in texts for fault in wrong_words(text.content)]
    assert not found, "\n".join(found)


def test_each_kind_is_found(tmp_path: Path) -> None:
    code = tmp_path / "code.py"
    code.write_text(
        '"""A docstring."""\n# A comment.\nraise ValueError(f"There is no {name} in it.")\n"""What it says."""\n'
        "if a:\n    pass\nelse:\n    x = '#' + \"#\" + r'\\'#' + \"\"\"# '\n# \"\"\"  # Another.\n    'Said inside.'\n"
    )
    page = tmp_path / "page.tsx"
    page.write_text('/** A page. */ <p>Nobody may change this branch.</p> const text = "It was told so by others.";')
    assert {text.content for text in strings.docstrings([code])} == {"A docstring.", "What it says.", "Said inside."}
    assert [text.content for text in strings.messages([code])] == ["There is no X in it."]
    assert [text.content for text in strings.comments([code])] == ["# A comment.", "# Another."]
    assert [text.content for text in strings.page_comments([page])] == ["/** A page. */"]
    assert {text.content for text in strings.page_strings([page])} == {
        "Nobody may change this branch.",
        "It was told so by others.",
    }
