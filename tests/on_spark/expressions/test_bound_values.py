"""Values of parameters on Spark: what comes back is what was sent."""

from __future__ import annotations

from typing import Any

import pytest

from lakeui.common.errors import LakeError
from lakeui.frontdoor import Session, StatementResult, execute
from lakeui.sql.parameters import parameters_read
from tests.in_memory.queries.test_bound_statements import EVIL
from tests.support.lake import Lake


def run(lake: Lake, text: str, parameters: Any) -> StatementResult:
    return execute(text, Session(lake.catalog, parameters=parameters_read(parameters)))


def test_texts_and_types_are_what_was_sent(lake: Lake) -> None:
    texts = (*EVIL, "\x00\x1a", "$name ${x}", "%_", "\\u0041", "a''b")
    found = run(lake, "SELECT " + ", ".join("?" for _ in texts), list(texts))
    assert found.rows == [list(texts)]
    typed = {
        "TINYINT": -128,
        "BIGINT": "-9223372036854775808",
        "DECIMAL(9,2)": "-12.50",
        "DOUBLE": -1.5e-300,
        "FLOAT": 0.25,
        "BOOLEAN": False,
        "DATE": "2026-01-31",
        "TIMESTAMP_NTZ": "2026-01-31 10:00:00",
    }
    given = {f"v{number}": {"value": value, "type": kind} for number, (kind, value) in enumerate(typed.items())}
    found = run(lake, "SELECT " + ", ".join(f":{name}" for name in given), given)
    assert [kind.upper() for _, kind in found.columns] == list(typed)
    assert [str(value) for value in found.rows[0]][:4] == ["-128", "-9223372036854775808", "-12.50", "-1.5e-300"]


def test_writes_take_values(lake: Lake) -> None:
    text = EVIL[0]
    lake.sql("CREATE TABLE d.t (id INT, v STRING)")
    run(lake, "INSERT INTO d.t VALUES (1, ?), (2, 'b')", [text])
    run(
        lake,
        "MERGE INTO d.t USING (SELECT ? AS v) s ON t.v = s.v "
        "WHEN MATCHED AND s.v <> ? THEN UPDATE SET v = concat(?, s.v)",
        [text, "\\", "<"],
    )
    run(lake, "UPDATE d.t SET v = ? WHERE v = concat('<', ?)", ["done", text])
    assert lake.rows("d.t") == [(1, "done"), (2, "b")]


def test_an_error_names_the_column_and_the_place(lake: Lake) -> None:
    lake.sql("CREATE TABLE d.t (id INT, v STRING)")
    lake.sql("INSERT INTO d.t VALUES (1, 'a')")
    with pytest.raises(LakeError) as caught:
        run(lake, "UPDATE d.t SET v = ?\nWHERE idd = 1", ["a text that is much longer than its marker"])
    assert "idd" in caught.value.message
