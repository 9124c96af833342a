"""The tour on a warehouse in an object store, by Spark with the driver: every kind of write, merge, restore, VACUUM."""

from __future__ import annotations

from tests.support.lake import Lake


def test_the_tour(lake: Lake) -> None:
    lake.sql("CREATE TABLE d.t (id INT, name STRING, p STRING, PRIMARY KEY (id)) PARTITIONED BY (p)")
    lake.sql("INSERT INTO d.t VALUES (1, 'one', 'a'), (2, 'two', 'b'), (3, 'three', NULL)")
    lake.sql("INSERT INTO d.t SELECT CAST(id AS INT), concat('n', id), concat('p', id % 3) FROM range(10, 20010)")
    assert lake.sql("SELECT count(*), sum(id) FROM d.t").rows == [[20003, 200190006]]
    lake.sql("CREATE BRANCH dev")
    lake.sql("UPDATE d.t SET name = 'changed' WHERE id IN (1, 500)", "dev")
    lake.sql("DELETE FROM d.t WHERE id BETWEEN 1000 AND 1999", "dev")
    lake.sql("UPDATE d.t SET name = upper(name) WHERE p = 'p1'", "dev")
    lake.sql(
        "MERGE INTO d.t USING (SELECT 2 AS id, 'zwei' AS name, 'b' AS p UNION ALL SELECT 30000, 'new', 'b') s"
        " ON t.id = s.id WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *",
        "dev",
    )
    assert lake.merge("dev")["outcome"] == "merged"
    totals = "SELECT count(*), sum(id), count_if(name = 'changed'), count_if(name = 'zwei') FROM d.t"
    assert lake.sql(totals).rows == [[19004, 198720506, 2, 1]]
