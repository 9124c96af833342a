"""CHECK constraints as Spark resolves and computes them; what they mean is tried in ``tests/in_memory``."""

from __future__ import annotations

import pytest

from lakeui.common.errors import CheckViolated, InvalidValue
from tests.support.lake import Lake


def test_constraints_are_asked_on_spark(lake: Lake) -> None:
    lake.sql(
        "CREATE TABLE d.t (id INT, name VARCHAR(9), flag CHAR(3), tags ARRAY<STRING>, low DECIMAL(9,2), day DATE,"
        " CONSTRAINT named CHECK (length(name) > 1), CONSTRAINT flagged CHECK (flag IN ('a', 'b')),"
        " CONSTRAINT few CHECK (size(tags) < 3), CHECK (low >= 0.5 AND day >= DATE'2020-01-01'))"
    )
    fits = "'ab', 'a', array('x'), 1.50, DATE'2021-01-01'"
    lake.sql(f"INSERT INTO d.t VALUES (1, {fits}), (2, NULL, NULL, NULL, NULL, NULL)")
    for bad, constraint in (
        ("'a', 'a', array('x'), 1, DATE'2021-01-01'", "named"),
        ("'ab', 'c', array('x'), 1, DATE'2021-01-01'", "flagged"),
        ("'ab', 'a', array('x', 'y', 'z'), 1, DATE'2021-01-01'", "few"),
        ("'ab', 'a', array('x'), 0.49, DATE'2021-01-01'", "t_chk_"),
        ("'ab', 'a', array('x'), 1, DATE'2019-12-31'", "t_chk_"),
    ):
        with pytest.raises(CheckViolated) as refusal:
            lake.sql(f"INSERT INTO d.t VALUES (3, {fits}), (4, {bad})")
        assert refusal.value.details["constraint"].startswith(constraint)
        assert refusal.value.details["rows"] == 1
    lake.sql("ALTER TABLE d.t SET TBLPROPERTIES ('write.merge.mode' = 'copy-on-write')")
    with pytest.raises(CheckViolated):
        lake.sql("UPDATE d.t SET name = 'x' WHERE id = 1")
    with pytest.raises(CheckViolated):
        lake.sql("MERGE INTO d.t USING (SELECT 1 AS id) s ON t.id = s.id WHEN MATCHED THEN UPDATE SET low = 0")
    lake.sql("UPDATE d.t SET name = concat(name, 'x') WHERE id = 1")
    assert lake.rows("d.t", columns="id, name") == [(1, "abx"), (2, None)]
    assert lake.breaches() == []


def test_invalid_condition_or_one_without_value_is_refused(lake: Lake) -> None:
    lake.sql("CREATE TABLE d.t (id INT, v INT)")
    lake.sql("INSERT INTO d.t VALUES (1, 0)")
    with pytest.raises(InvalidValue, match="CHECK needs a condition"):
        lake.sql("ALTER TABLE d.t ADD CONSTRAINT c CHECK (v + 1)")
    with pytest.raises(CheckViolated, match="has no value for a row"):
        lake.sql("ALTER TABLE d.t ADD CONSTRAINT c CHECK (1 / v > 0)")


def test_merge_checks_files_parts_rows_of_both_sides(lake: Lake) -> None:
    lake.sql("CREATE TABLE d.t (id INT, low INT, high INT, flag CHAR(2), PRIMARY KEY (id), CHECK (low <= high))")
    lake.sql("INSERT INTO d.t VALUES (1, 5, 10, 'a'), (2, 1, 2, 'b'), (3, 1, 2, 'c')")
    lake.sql("CREATE BRANCH b")
    lake.sql("UPDATE d.t SET low = 9 WHERE id = 1", "b")
    lake.sql("UPDATE d.t SET high = 6 WHERE id = 1")
    (found,) = lake.refused("b")
    assert (found["code"], found["details"]["rows"]) == ("CHECK_VIOLATED", 1)
    lake.sql("UPDATE d.t SET high = 9 WHERE id = 1")
    # Constraint of the source; rows 2 and 3 of one file of the target, of which the source deleted one.
    lake.sql("DELETE FROM d.t WHERE id = 3", "b")
    lake.sql("ALTER TABLE d.t ADD CONSTRAINT flagged CHECK (flag <> 'c')", "b")
    lake.merge("b")
    assert lake.rows("d.t", columns="id, low, high") == [(1, 9, 9), (2, 1, 2)]
    assert lake.breaches() == []


def test_a_conflict_shows_the_first_rows_that_violate(lake: Lake) -> None:
    lake.sql("CREATE TABLE d.t (id INT PRIMARY KEY, v INT)")
    lake.sql("CREATE BRANCH b")
    lake.sql("ALTER TABLE d.t ADD CONSTRAINT small CHECK (v < 100)", "b")
    lake.sql("INSERT INTO d.t SELECT id, 100 + id FROM (SELECT explode(sequence(10, 34)) AS id)")
    (found,) = lake.refused("b")
    assert found["details"]["rows"] == 25
    assert found["details"]["examples"] == [f'{{"id":{number},"v":{100 + number}}}' for number in range(10, 30)]
