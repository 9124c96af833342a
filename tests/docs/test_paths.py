"""Each path of a file or folder that a document names is there."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.docs.pages import PAGES, ROOT, name, tokens

_PATH = re.compile(r"[\w.-]+(?:/[\w.-]+)+/?")
_TOPS = ("catalog_app", "merge_app", "lakeui", "tests", "frontend", "docs", "docker", "clients", "examples", ".ci")
_TEST = re.compile(r"(tests/[\w/]+\.py)::(test_\w+)(?:\[.*\])?")
_SHORT = ("catalog_app", "merge_app", "lakeui", "frontend", "tests")
"""Pages of internals leave these out: ``engine/reading.py`` is below one of them."""


def paths(page: Path) -> Iterator[str]:
    """The pieces of code that look like paths of this repository: below a top folder, or of a Python file."""
    for token in tokens(page):
        for child in token.children or ():
            if child.type == "code_inline" and _PATH.fullmatch(child.content):
                top = child.content.partition("/")[0]
                if top in _TOPS or child.content.endswith(".py"):
                    yield child.content


def is_there(path: str) -> bool:
    return any((ROOT / folder / path).exists() for folder in ("", *_SHORT))


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_paths_are_there(page: Path) -> None:
    assert not [path for path in paths(page) if not is_there(path)]


def named_tests(page: Path) -> Iterator[tuple[str, str]]:
    """The tests that a document names: the file, and the function."""
    for token in tokens(page):
        for child in token.children or ():
            found = _TEST.fullmatch(child.content) if child.type == "code_inline" else None
            if found is not None:
                yield found[1], found[2]


def has_test(path: str, function: str) -> bool:
    return (ROOT / path).exists() and f"def {function}(" in (ROOT / path).read_text()


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_tests_that_pages_name_are_there(page: Path) -> None:
    assert not [found for found in named_tests(page) if not has_test(*found)]


def test_tests_name_files_that_are_there() -> None:
    """What the Makefile and tests run, list or refer to: a moved file would be left out, or end the run."""
    named = re.compile(r"(?<![\w/])tests/[\w/]+\.(?:py|toml|md|sql)\b")
    sources = [ROOT / "Makefile", *(path for path in (ROOT / "tests").rglob("*.py") if path != Path(__file__))]
    found = {path for source in sources for path in named.findall(source.read_text())}
    assert not {path for path in found if not (ROOT / path).exists()}


def test_a_path_that_is_not_there_is_found(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(
        "`lakeui/nowhere.py`, `engine/reading.py`, `tests/docs`, `a/b`, `GET /api/v1/x/`, `tests/docs/x.py::test_y[1]`"
    )
    assert list(paths(page)) == ["lakeui/nowhere.py", "engine/reading.py", "tests/docs"]
    assert [path for path in paths(page) if not is_there(path)] == ["lakeui/nowhere.py"]
    assert list(named_tests(page)) == [("tests/docs/x.py", "test_y")]
    assert not has_test("tests/docs/test_paths.py", "test_y")
