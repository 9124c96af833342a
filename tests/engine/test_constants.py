"""Which expressions are worth a look at their constants, and what that costs the others: nothing."""

from __future__ import annotations

import pytest

from catalog_app.domain.schema import Column
from catalog_app.engine.analysis import constants_of
from catalog_app.engine.expressions import Expression, Role

INT = Column(id=1, name="v", type="int")
CODE = Column(id=3, name="code", type="varchar(3)")
TEXT = Column(id=2, name="name", type="string")


@pytest.mark.parametrize(
    ("text", "column", "kind"),
    [
        ("t.id = s.id", None, "boolean"),
        ("id = 5 AND (`a b` <> 1.5 OR NOT x IN (1, 2)) AND y IS NULL", None, "boolean"),
        ("s.v", INT, "int"),
        ("1", INT, "int"),
        ("'a'", TEXT, "string"),
        (" AND ".join(["a = b"] * 5000), None, "boolean"),
    ],
)
def test_nothing_in_it_can_fail(text: str, column: Column | None, kind: str) -> None:
    assert constants_of(Expression(text, Role.CONDITION, "WHERE", column=column), kind) == ""


@pytest.mark.parametrize(
    ("text", "column", "looked_at"),
    [("s.code", CODE, False), ("`a b`.code", CODE, False), ("'abcd'", CODE, True), ("upper(s.code)", CODE, True)],
)
def test_what_goes_into_a_bounded_text_is_measured(text: str, column: Column, looked_at: bool) -> None:
    found = constants_of(Expression(text, Role.VALUE, "SET", column=column), "string")
    assert ("char_length" in found) is looked_at


@pytest.mark.parametrize(
    ("text", "column", "kind"),
    [
        ("1 / 0 = id", None, "boolean"),
        ("id = 'abc'", None, "boolean"),
        ("f(1) = 1", None, "boolean"),
        ("id = 99999999999", None, "boolean"),
        ("a = b AND " * 5000 + "'", None, "boolean"),
        ("99999999999", INT, "bigint"),
        ("'a' || 'b'", TEXT, "string"),
    ],
)
def test_something_in_it_may_fail(text: str, column: Column | None, kind: str) -> None:
    assert text in constants_of(Expression(text, Role.CONDITION, "WHERE", column=column), kind)


NAMED = (("id", "int"), ("code", "string"), ("huge", "bigint"))


@pytest.mark.parametrize(
    ("text", "column", "kind", "looked_at"),
    [
        ("t.id = s.id", None, "boolean", False),
        ("t.id = s.huge", None, "boolean", False),
        ("t.id = s.code", None, "boolean", True),
        ("t.id = `CODE`", None, "boolean", True),
        ("s.id", INT, "int", False),
        ("s.code", TEXT, "string", False),
        ("s.huge", INT, "bigint", True),
        ("s.code", CODE, "string", True),
    ],
)
def test_a_possible_constant_is_checked_where_it_fails(
    text: str, column: Column | None, kind: str, looked_at: bool
) -> None:
    expression = Expression(text, Role.CONDITION if column is None else Role.VALUE, "ON", column=column)
    assert (constants_of(expression, kind, NAMED) != "") is looked_at
