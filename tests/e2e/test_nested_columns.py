"""Columns with fields inside: read, changed and merged like any other."""

from __future__ import annotations

import pytest

from tests.e2e.lake import Lake


@pytest.fixture
def nested(lake: Lake) -> Lake:
    """Table d.t with (1, {x: 1, y: z}) and (2, {x: 2, y: zz})."""
    lake.sql("CREATE TABLE d.t (id INT, s STRUCT<x: INT, y: STRING>)")
    lake.sql("INSERT INTO d.t VALUES (1, named_struct('x', 1, 'y', 'z'))")
    lake.sql("INSERT INTO d.t SELECT 2, named_struct('x', 2, 'y', 'zz')")
    return lake


def test_a_field_is_read_wherever_a_table_is(nested: Lake) -> None:
    version = nested.head()
    nested.sql("CREATE VIEW d.v AS SELECT id, s.x FROM d.t WHERE s.y IS NOT NULL")
    nested.sql("CREATE TABLE d.copy AS SELECT s.x AS x FROM d.t")
    nested.sql("UPDATE d.t SET s = named_struct('x', s.x + 10, 'y', 'new') WHERE s.x = 1")
    assert nested.rows("d.t", columns="s.x") == [(11,), (2,)]
    assert nested.rows(f"d.t VERSION AS OF {version}", columns="s.x") == [(1,), (2,)]
    assert nested.rows("d.v") == [(1, 11), (2, 2)]
    assert nested.rows("d.copy") == [(1,), (2,)]


def test_no_row_goes_by_a_field_that_has_other_values(nested: Lake) -> None:
    assert nested.sql("DELETE FROM d.t WHERE s.x IS NULL").metrics["rows_deleted"] == 0
    assert nested.sql("UPDATE d.t SET id = 5 WHERE s.x IS NULL").metrics["rows_updated"] == 0
    assert nested.sql("DELETE FROM d.t WHERE s.y = 'zz'").metrics["rows_deleted"] == 1
    assert nested.rows("d.t") == [(1, {"x": 1, "y": "z"})]
