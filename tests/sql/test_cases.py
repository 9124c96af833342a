"""The case files: what is allowed comes back the same, what is refused is refused by the right error."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from sqlglot import exp

from lakeui.common import errors
from lakeui.sql.allowlist import check
from lakeui.sql.dialect import read_query, write
from lakeui.sql.parse import parse
from lakeui.sql.query import build_query
from lakeui.sql.statements import Select

CASES = Path(__file__).with_name("cases")


def lines(name: str) -> list[str]:
    found = [line for line in (CASES / name).read_text(encoding="utf-8").splitlines() if line and line[:2] != "--"]
    assert len(found) > 40
    return found


def unquoted(tree: exp.Expr) -> exp.Expr:
    """The tree without the one thing that writing changes: which names are in backticks."""
    copy = tree.copy()
    for name in copy.find_all(exp.Identifier):
        name.set("quoted", True)
    for node in copy.walk():
        node.comments = None
    return copy


@pytest.mark.parametrize("text", lines("roundtrip.sql"))
def test_what_is_written_reads_as_what_was_checked(text: str) -> None:
    tree = read_query(text)
    check(tree)
    written = write(tree)
    again = read_query(written)
    check(again)
    assert unquoted(again) == unquoted(tree)
    assert write(again) == written


@pytest.mark.parametrize("text", lines("roundtrip.sql"))
def test_no_managed_table_stays_in_text_for_spark(text: str) -> None:
    statement = parse(text)
    assert isinstance(statement, Select)
    query = statement.query
    tree = read_query(query.text)
    known = {reference.placeholder for reference in query.tables}
    common = {item.alias for item in tree.find_all(exp.CTE)}
    assert len(known) == len(re.findall(r"\b(?:db|c\.db)\.[tuvwxy]\b(?!\.)", text))
    for table in tree.find_all(exp.Table):
        assert isinstance(table.this, exp.Anonymous) or table.name in known | common
        assert not table.db
        assert not table.args.get("version")


@pytest.mark.parametrize("text", lines("roundtrip.sql"))
def test_a_query_read_twice_is_the_same_value(text: str) -> None:
    assert build_query(text) == build_query(text + "  -- again")


@pytest.mark.parametrize("case", lines("refused.sql"))
def test_refusals(case: str) -> None:
    name, text = (part.strip() for part in case.split("|", 1))
    with pytest.raises(getattr(errors, name)) as caught:
        parse(text)
    assert caught.value.code == getattr(errors, name).code
    assert caught.value.remedy
