"""What can be a name, and which names look like others."""

from __future__ import annotations

import pytest

from catalog_app.domain.names import column_name_check, name_check, name_folded
from lakeui.common.errors import InvalidValue
from lakeui.frontdoor.branches.look_alikes import look_alike
from lakeui.sql import statements as s
from lakeui.sql.parse import parse

KINDS = ("catalog", "branch", "tag", "database", "table", "view", "pipeline")
COMPOSED, DECOMPOSED = "caf\u00e9", "cafe\u0301"


@pytest.mark.parametrize("kind", [*KINDS, "column", "property"])
@pytest.mark.parametrize(
    "name",
    [
        *("", " ", " a", "a ", "a\u00a0", "a" * 256, DECOMPOSED),
        *("a\x00b", "a\nb", "a\u202eb", "a\u200bb", "\ufeffa", "a\u2028b"),
    ],
)
def test_invisible_or_indistinguishable_text_is_no_name(kind: str, name: str) -> None:
    with pytest.raises(InvalidValue, match="cannot be the name"):
        name_check(kind, name)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", [".", ".."])
def test_a_dot_is_no_name(kind: str, name: str) -> None:
    with pytest.raises(InvalidValue, match="no address leads"):
        name_check(kind, name)


@pytest.mark.parametrize("name", ["a/b", "../x", "/"])
@pytest.mark.parametrize("kind", ["catalog", "database", "table", "view"])
def test_a_slash_is_refused_where_addresses_exclude_it(kind: str, name: str) -> None:
    with pytest.raises(InvalidValue, match="no address leads"):
        name_check(kind, name)


@pytest.mark.parametrize("name", ["a//b", "/a", "a/", "a/../b", "./a"])
def test_branch_parts_are_neither_empty_nor_dots(name: str) -> None:
    with pytest.raises(InvalidValue, match="no address leads"):
        name_check("branch", name)


@pytest.mark.parametrize("name", ["a", "a" * 255, COMPOSED, "a b", "-", "#", "\U0001f600", "بيانات", "a.b", "日本"])
def test_what_people_write_is_a_name(name: str) -> None:
    for kind in (*KINDS, "column", "property"):
        name_check(kind, name)
    name_check("branch", f"x/{name}"[:255])


@pytest.mark.parametrize("name", ["__index_level_0__", "__row_id", "__address", "_row_id", "__c1", "base", "_metadata"])
def test_a_column_is_named_as_in_peoples_files(name: str) -> None:
    column_name_check(name)
    for reserved in ("__lake_0", "__LAKE_id"):
        with pytest.raises(InvalidValue, match="reserved"):
            column_name_check(reserved)


def test_every_statement_equates_both_forms_of_a_letter() -> None:
    assert name_folded(DECOMPOSED) == COMPOSED
    assert parse(f"CREATE BRANCH `{DECOMPOSED}`") == s.CreateBranch(s.BranchName(COMPOSED))
    assert parse(f"SELECT `{DECOMPOSED}` FROM d.`{DECOMPOSED}`") == parse(f"SELECT `{COMPOSED}` FROM d.`{COMPOSED}`")
    text = parse(f"SELECT '{DECOMPOSED}'")
    assert isinstance(text, s.Select)
    assert DECOMPOSED in text.query.text


def test_a_name_that_looks_like_another_is_found() -> None:
    known = ["main", "delays", "\u0440\u0430\u0443"]
    assert look_alike("m\u0430in", known) == "main"
    assert look_alike("pay", known) == "\u0440\u0430\u0443"
    assert look_alike("MAIN", known) is None
    assert look_alike("mine", known) is None


@pytest.mark.parametrize("key", ["", "k" * 256, "a\u200bb"])
def test_a_property_key_is_checked_where_set(key: str) -> None:
    for text in (
        "CREATE TABLE d.t (id INT) TBLPROPERTIES ('{}' = '1')",
        "ALTER TABLE d.t SET TBLPROPERTIES ('{}' = '1')",
    ):
        with pytest.raises(InvalidValue, match="name of a property"):
            parse(text.format(key))
    parse(f"ALTER TABLE d.t UNSET TBLPROPERTIES ('{key}')")
