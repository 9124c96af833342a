"""Columns may be called as in people's files: nothing that the engine adds meets them, whatever the statement."""

from __future__ import annotations

from tests.support.lake import Lake

NAMES = ("__index_level_0__", "_row_id", "__row_id", "__address", "__masked", "base", "_metadata", "__c1")
NAMES += ("_tmp_metadata_row_index",)


def test_every_statement_works_on_columns_with_engine_names(lake: Lake) -> None:
    """MERGE INTO writes files anew, UPDATE and DELETE do not."""
    columns = ", ".join(f"`{name}` INT" for name in NAMES)
    modes = "'write.merge.mode' = 'copy-on-write', 'write.update.mode' = 'merge-on-read'"
    lake.sql(f"CREATE TABLE d.n (id INT, {columns}, PRIMARY KEY (id)) TBLPROPERTIES ({modes})")
    rows = ", ".join(f"({', '.join([str(row)] * (1 + len(NAMES)))})" for row in (1, 2, 3, 4))
    lake.sql(f"INSERT INTO d.n VALUES {rows}")
    lake.sql("CREATE BRANCH b")
    lake.sql("UPDATE d.n SET _row_id = 20, `__address` = 21 WHERE id = 2", "b")
    lake.sql("UPDATE d.n SET `__row_id` = 22 WHERE id = 2")
    lake.sql("DELETE FROM d.n WHERE `__index_level_0__` = 1")
    lake.sql(
        "MERGE INTO d.n t USING (SELECT 3 AS id, 30 AS v UNION ALL SELECT 5, 50) s ON t.id = s.id"
        " WHEN MATCHED THEN UPDATE SET _row_id = s.v WHEN NOT MATCHED THEN INSERT (id, `__masked`) VALUES (s.id, s.v)"
    )
    lake.merge("b")
    lake.sql("OPTIMIZE d.n")
    head = lake.head()
    assert lake.rows("d.n", columns="id, _row_id, `__row_id`, `__address`, `__masked`, base") == [
        (2, 20, 22, 21, 2, 2),
        (3, 30, 3, 3, 3, 3),
        (4, 4, 4, 4, 4, 4),
        (5, None, None, None, 50, None),
    ]
    lake.sql("UPDATE d.n SET _row_id = 40 WHERE _row_id = 4")
    changes = lake.sql(f"SHOW CHANGES d.n FROM VERSION {head} TO VERSION {lake.head()}").rows
    assert [row[0] for row in changes] == ["update_before", "update_after"]
