"""A merged restore puts rows back and spares those that its branch merged later. What one statement then does to rows
of both kinds reaches the restore's own branch by way of a third, which hears of the restore and the statement at once.
"""

from __future__ import annotations

import pytest

from tests.support.lake import Lake

STATEMENTS = [
    ["UPDATE d.t SET v = 7"],
    ["UPDATE d.t SET v = 7 WHERE id <> 2"],
    ["OPTIMIZE d.t", "UPDATE d.t SET v = 7 WHERE id <> 2"],
    ["DELETE FROM d.t WHERE id <> 2"],
    ["DELETE FROM d.t WHERE id > 1"],
]
EARLIER = {"nothing": [], "an update that was taken back": ["update"], "all but the restore": ["update", "insert"]}


@pytest.mark.pairwise
@pytest.mark.parametrize("key", ["", " PRIMARY KEY"], ids=["without a key", "keyed"])
@pytest.mark.parametrize("known", EARLIER.values(), ids=EARLIER)
@pytest.mark.parametrize("statements", STATEMENTS, ids=" ".join)
def test_one_statement_on_rows_put_back_and_spared_is_told_on(
    database: None, memory_engine: object, key: str, known: list[str], statements: list[str]
) -> None:
    lake = Lake()
    lake.sql("CREATE DATABASE d")
    lake.sql(f"CREATE TABLE d.t (id INT{key}, v INT)")
    lake.sql("INSERT INTO d.t VALUES (1, 0), (2, 0)")
    lake.sql("CREATE BRANCH b")
    lake.sql("CREATE BRANCH w")
    before = lake.head("b")
    lake.sql("UPDATE d.t SET v = 5 WHERE id = 1")
    if "update" in known:
        lake.merge("main", "w")
    lake.merge("main", "b")
    lake.sql("INSERT INTO d.t VALUES (9, 0)")
    if "insert" in known:
        lake.merge("main", "w")
    lake.sql(f"RESTORE TABLE d.t TO VERSION AS OF {before}", "b")
    lake.merge("main", "b")
    lake.merge("b", "main")
    assert lake.rows("d.t") == [(1, 0), (2, 0), (9, 0)]
    for statement in statements:
        lake.sql(statement)
    left = lake.rows("d.t")
    lake.merge("main", "w")
    assert lake.rows("d.t", "w") == left
    lake.merge("w", "b")
    assert lake.rows("d.t", "b") == left
    assert lake.breaches() == []
