"""Statements with subqueries, common tables and REPLACE WHERE, with what they leave: in memory and on Spark."""

from __future__ import annotations

from tests.support.lake import Lake

Rows = list[tuple[object, ...]]

STORIES: list[tuple[str, Rows]] = [
    ("DELETE FROM d.t WHERE id IN (SELECT id FROM d.s WHERE note = 'go')", [(1, "a"), (3, "c"), (4, None)]),
    ("DELETE FROM d.t x WHERE EXISTS (SELECT 1 FROM d.s WHERE s.id = x.id)", [(3, "c"), (4, None)]),
    ("DELETE FROM d.t WHERE NOT EXISTS (SELECT 1 FROM d.s WHERE s.id = d.t.id)", [(1, "a"), (2, "b")]),
    ("DELETE FROM d.t WHERE id NOT IN (SELECT id FROM d.s)", [(1, "a"), (2, "b"), (3, "c"), (4, None)]),
    ("DELETE FROM d.t WHERE id NOT IN (SELECT id FROM d.s WHERE id IS NOT NULL)", [(1, "a"), (2, "b")]),
    ("DELETE FROM d.t WHERE id = (SELECT max(id) FROM d.t)", [(1, "a"), (2, "b"), (3, "c")]),
    ("DELETE FROM d.t WHERE id IN (SELECT max(id) FROM d.t GROUP BY v IS NULL) AND v IS NOT NULL",
     [(1, "a"), (2, "b"), (4, None)]),
    ("DELETE FROM d.t WHERE id IN (SELECT id FROM d.seen)", [(1, "a"), (3, "c"), (4, None)]),
    ("WITH g AS (SELECT id FROM d.s WHERE note = 'go'), h AS (SELECT * FROM g) DELETE FROM d.t "
     "WHERE id IN (SELECT id FROM h)", [(1, "a"), (3, "c"), (4, None)]),
    ("UPDATE d.t SET v = (SELECT max(note) FROM d.s WHERE s.id = t.id) WHERE id IN (SELECT id FROM d.s)",
     [(1, "stay"), (2, "go"), (3, "c"), (4, None)]),
    ("UPDATE d.t x SET v = 'm', id = id + (SELECT count(*) FROM d.s) WHERE EXISTS (SELECT 1 FROM d.s "
     "WHERE s.id = x.id AND note = 'go')", [(1, "a"), (3, "c"), (4, None), (5, "m")]),
    ("WITH n(k, w) AS (VALUES (3, 'x'), (4, 'y')) UPDATE d.t SET v = (SELECT w FROM n WHERE k = id) "
     "WHERE id IN (SELECT k FROM n)", [(1, "a"), (2, "b"), (3, "x"), (4, "y")]),
    ("WITH n AS (SELECT 9 AS id, 'n' AS v) INSERT INTO d.t SELECT * FROM n",
     [(1, "a"), (2, "b"), (3, "c"), (4, None), (9, "n")]),
    ("INSERT INTO d.t TABLE d.s", [(1, "a"), (1, "stay"), (2, "b"), (2, "go"), (3, "c"), (4, None), (None, "none")]),
    ("WITH n AS (SELECT 2 AS id, 'n' AS v UNION ALL SELECT 9, 'n') MERGE INTO d.t USING n ON t.id = n.id "
     "WHEN MATCHED THEN UPDATE SET v = n.v WHEN NOT MATCHED THEN INSERT BY NAME",
     [(1, "a"), (2, "n"), (3, "c"), (4, None), (9, "n")]),
    ("MERGE INTO d.t USING d.s ON t.id = s.id WHEN MATCHED AND s.note = 'go' THEN UPDATE SET v = (SELECT max(note) "
     "FROM d.s u WHERE u.id < s.id) "
     "WHEN NOT MATCHED THEN INSERT (id, v) VALUES ((SELECT max(id) FROM d.t) + 1, s.note)",
     [(1, "a"), (2, "stay"), (3, "c"), (4, None), (5, "none")]),
    ("WITH n AS (SELECT 1 AS k) MERGE INTO d.t USING (VALUES (1, 'x'), (9, 'y')) AS s(id, w) ON t.id = s.id "
     "WHEN MATCHED THEN UPDATE SET v = CASE WHEN s.id IN (SELECT k FROM n) THEN 'yes' ELSE w END "
     "WHEN NOT MATCHED THEN INSERT (id, v) VALUES (s.id, CASE WHEN EXISTS (SELECT 1 FROM d.s u WHERE u.id = s.id) "
     "THEN 'known' ELSE 'new' END)", [(1, "yes"), (2, "b"), (3, "c"), (4, None), (9, "new")]),
    ("MERGE INTO d.t USING (SELECT 3 AS id, 'm' AS v) s ON t.id = s.id WHEN MATCHED THEN UPDATE SET id = "
     "(SELECT count(*) FROM d.t u) WHEN NOT MATCHED THEN INSERT *", [(1, "a"), (2, "b"), (4, "c"), (4, None)]),
    ("INSERT INTO d.t REPLACE WHERE id >= 3 SELECT id + 5, v FROM d.t WHERE id >= 3",
     [(1, "a"), (2, "b"), (8, "c"), (9, None)]),
    ("INSERT INTO d.t (id) REPLACE WHERE id > 1 AND id < 4 VALUES (2)", [(1, "a"), (2, None), (4, None)]),
    ("INSERT INTO d.t REPLACE WHERE v IS NULL SELECT id, v FROM d.t WHERE id > 100", [(1, "a"), (2, "b"), (3, "c")]),
]  # fmt: skip


def story_made(lake: Lake, properties: str = "") -> None:
    """Table d.t in two files, d.s with rows of some of its ids and of NULL, and a view of d.s."""
    lake.sql(f"CREATE TABLE d.t (id INT, v STRING) {properties}")
    lake.sql("INSERT INTO d.t VALUES (1, 'a'), (2, 'b')")
    lake.sql("INSERT INTO d.t VALUES (3, 'c'), (4, NULL)")
    lake.sql("CREATE TABLE d.s (id INT, note STRING)")
    lake.sql("INSERT INTO d.s VALUES (1, 'stay'), (2, 'go'), (NULL, 'none')")
    lake.sql("CREATE VIEW d.seen AS SELECT id FROM d.s WHERE note = 'go'")
