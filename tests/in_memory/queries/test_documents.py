"""Every statement of the documents runs, block by block, on the tables that the page speaks of."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from lakeui.api.sql.conversation import Conversation
from lakeui.common.errors import LakeError
from lakeui.sql.scripts import script_split
from lakeui.tasks.statements import statement_run
from merge_app.jobs.context import Context
from tests.docs.pages import GENERATED, PAGES, ROOT, name
from tests.docs.snippets import blocks, limits
from tests.support.lake import Lake

SETUP: dict[str, tuple[str, ...]] = {
    "docs/howto/other-engines.md": ("CREATE DATABASE flights", "CREATE TABLE flights.flights (id INT)"),
    "docs/internals/merge.md": ("CREATE DATABASE shop", "CREATE TABLE shop.orders (id INT)"),
    "docs/reference/merge-into.md": (
        "CREATE TABLE d.t (id INT, v INT)",
        "CREATE TABLE d.s (id INT, v INT, f STRING)",
        "INSERT INTO d.t VALUES (1, 1)",
        "INSERT INTO d.s VALUES (1, 2, 'p'), (1, 3, 'q')",
    ),
    "docs/reference/sql.md": (
        "CREATE TABLE d.t (id INT, v INT)",
        "INSERT INTO d.t VALUES (1, 1), (2, 2)",
        "CREATE BRANCH b FROM main",
    ),
}
"""By page, the statements before its own."""
_FILES = re.compile(r"\bFROM\s+(PARQUET\s|ICEBERG\s|DELTA\s)?'")
"""Statements on files of others: ``tests/takeover`` runs these forms."""


_WRITTEN = [page for page in PAGES if name(page) not in GENERATED - {"docs/reference/table-properties.md"}]
_BLOCK = re.compile(r"^ *```sql *$", re.MULTILINE)
"""Where a block begins. To read a page costs more, and each worker of the tests would read all of them."""


def _blocks() -> list[Any]:
    return [
        pytest.param(page, number, id=f"{name(page)} {number}")
        for page in _WRITTEN
        for number in range(1, len(_BLOCK.findall(page.read_text())) + 1)
    ]


def _conversation(lake: Lake) -> Conversation:
    session = {"catalog": lake.catalog, "branch": "main", "transaction": None, "bypass_reason": ""}
    return Conversation(session, lambda said: statement_run(said, user=None, scopes=None, context=Context()))


def test_every_block_is_counted() -> None:
    counted = [(parameter.values[0], parameter.values[1]) for parameter in _blocks()]
    assert counted == [(page, number) for page in _WRITTEN for number, _ in enumerate(blocks(page), 1)]


@pytest.mark.parametrize(("page", "number"), _blocks())
def test_its_statements_run(lake: Lake, page: Path, number: int) -> None:
    block = blocks(page)[number - 1]
    own = [statement.text for statement in script_split(block) if not _FILES.search(statement.text)]
    conversation = _conversation(lake)
    for text in (*SETUP.get(name(page), ()), *own):
        conversation.say(re.sub(r"\bCATALOG lake\b", f"CATALOG {lake.catalog}", text), lambda _: None)


@pytest.mark.parametrize(("text", "code"), limits(ROOT / "docs" / "reliability.md"))
def test_a_limit_is_refused_as_it_says(lake: Lake, text: str, code: str) -> None:
    conversation = _conversation(lake)
    *before, last = [part for part in text.split(";\n") if part.strip()]
    for statement in before:
        conversation.say(statement, lambda _: None)
    with pytest.raises(LakeError) as refusal:
        conversation.say(last, lambda _: None)
    assert refusal.value.code == code
