"""Pages of docs/reference are what the code says today, and have all of it."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from drf_spectacular.plumbing import get_doc

from catalog_app.domain.table_properties import KNOWN
from catalog_app.rules.codes import VerdictCode
from lakeui.api.http.base import ApiView
from lakeui.reference.pages import COMMAND, DATA, FOLDER, PAGES
from lakeui.reference.properties import DOES
from tests.docs.pages import GENERATED, ROOT, anchors
from tests.support import story_pages

_CODE = re.compile(r'code, status, title = "([A-Z_]+)"')
_SOURCES = ("catalog_app", "merge_app", "lakeui")


@pytest.mark.parametrize("name", PAGES)
def test_the_page_is_up_to_date(name: str) -> None:
    assert (FOLDER / name).read_text(encoding="utf-8") == PAGES[name](), f"Bring it up to date: {COMMAND}"


@pytest.mark.parametrize("path", DATA, ids=lambda path: path.name)
def test_the_data_is_up_to_date(path: Path) -> None:
    assert path.read_text(encoding="utf-8") == DATA[path](), f"Bring it up to date: {COMMAND}"


def test_every_story_is_listed() -> None:
    page = story_pages.PAGE.read_text(encoding="utf-8")
    assert page == story_pages.text_with(page), "Bring it up to date: python -m tests.support.story_pages"


def test_every_generated_page_is_known_to_the_checks() -> None:
    assert {f"docs/reference/{name}" for name in PAGES} == GENERATED


def test_every_verdict_has_an_anchor() -> None:
    assert {code.value.lower() for code in VerdictCode} <= anchors(FOLDER / "merge-rules.md")


def test_every_error_that_the_code_declares_is_listed() -> None:
    sources = (path for folder in _SOURCES for path in (ROOT / folder).rglob("*.py"))
    declared = {code for path in sources for code in _CODE.findall(Path(path).read_text(encoding="utf-8"))}
    listed = set(re.findall(r"^\| `([A-Z_]+)` \|", (FOLDER / "errors.md").read_text(encoding="utf-8"), re.MULTILINE))
    assert declared <= listed


def test_no_operation_says_what_its_view_inherits() -> None:
    document = json.loads((ROOT / "frontend" / "openapi.json").read_text(encoding="utf-8"))
    operations = [operation for methods in document["paths"].values() for operation in methods.values()]
    inherited = get_doc(ApiView)
    assert inherited
    assert not [operation["operationId"] for operation in operations if operation.get("description") == inherited]


def test_every_property_says_what_it_does() -> None:
    assert set(DOES) == set(KNOWN)
