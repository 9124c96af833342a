"""A value that has no place in its type is marked where the statement says it."""

from __future__ import annotations

import pytest

from lakeui.common.errors import InvalidValue
from tests.support.lake import Lake

MERGE = "MERGE INTO d.o AS t USING d.o AS s ON t.id = s.id WHEN MATCHED THEN UPDATE SET"
PLACED = [
    (
        "SELECT id,\n  cast(name as decimal(10,2)) FROM d.o",
        "cast(name as decimal(10,2))",
        "name: 'abc' is not a DECIMAL",
    ),
    ("SELECT name::int FROM d.o", "name::int", "name: 'abc' is not an INT (line 1, column 8)."),
    ("SELECT * FROM d.o WHERE name > 5", "name > 5", "name: 'abc' is not a BIGINT"),
    ("SELECT id / 0 FROM d.o", "id / 0", "Division by zero (line 1, column 8)."),
    ("INSERT INTO d.o VALUES (1, CAST('abc' AS DECIMAL(10,2)), 'x')", "CAST('abc' AS DECIMAL(10,2))", "in VALUES"),
    ("INSERT INTO d.o VALUES (1, 123456789012, 'x')", "123456789012", "does not fit into DECIMAL(10,2) (line 1"),
    ("INSERT INTO d.o SELECT id, CAST(name AS DECIMAL(10,2)), 'x' FROM d.o", "CAST(name AS DECIMAL(10,2))", "name: "),
    (
        "UPDATE d.o SET amount = CAST('abc' AS DECIMAL(10,2))",
        "CAST('abc' AS DECIMAL(10,2))",
        "SET amount: 'abc' is not",
    ),
    (
        "UPDATE d.o SET id = 99999999999",
        "99999999999",
        "SET id: 99999999999 does not fit into INT (line 1, column 21).",
    ),
    ("DELETE FROM d.o WHERE amount = 'abc'", "amount = 'abc'", "WHERE: 'abc' is not a DOUBLE (line 1, column 23)."),
    (f"{MERGE} amount = CAST(s.name AS DECIMAL(10,2))", "CAST(s.name AS DECIMAL(10,2))", "s.name: 'abc' is not a"),
]


@pytest.mark.parametrize(("statement", "near", "said"), PLACED)
def test_a_refused_value_has_its_place(lake: Lake, statement: str, near: str, said: str) -> None:
    lake.sql("CREATE TABLE d.o (id INT, amount DECIMAL(10,2), name STRING)")
    lake.sql("INSERT INTO d.o VALUES (1, 1.5, 'abc')")
    with pytest.raises(InvalidValue) as caught:
        lake.sql(statement)
    assert said in caught.value.message
    assert caught.value.details["near"] == near
    line, column = caught.value.details["line"], caught.value.details["column"]
    assert statement.split("\n")[line - 1][column - 1 :].startswith(near)
