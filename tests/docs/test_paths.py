"""Each path of a file or folder that a document names is there."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.docs.pages import PAGES, ROOT, name, tokens

_PATH = re.compile(r"[\w.-]+(?:/[\w.-]+)+/?")
_TOPS = ("catalog_app", "merge_app", "lakeui", "tests", "frontend", "docs", "docker", "clients", "examples", ".ci")
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


def test_tests_name_files_that_are_there() -> None:
    """What the Makefile and tests run, list or refer to: a moved file would be left out, or end the run."""
    named = re.compile(r"(?<![\w/])tests/[\w/]+\.(?:py|toml|md|sql)\b")
    sources = [ROOT / "Makefile", *(path for path in (ROOT / "tests").rglob("*.py") if path != Path(__file__))]
    assert not {path for source in sources for path in named.findall(source.read_text()) if not (ROOT / path).exists()}


def test_a_path_that_is_not_there_is_found(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("`lakeui/nowhere.py`, `engine/reading.py`, `tests/docs`, `a/b`, `GET /api/v1/x/`")
    assert list(paths(page)) == ["lakeui/nowhere.py", "engine/reading.py", "tests/docs"]
    assert [path for path in paths(page) if not is_there(path)] == ["lakeui/nowhere.py"]
