"""A6.1: every type that the source of a merge widened, with values in files of both types."""

from __future__ import annotations

from tests.support.lake import Lake

WIDENINGS = [
    ("TINYINT", "SMALLINT", "1"),
    ("TINYINT", "INT", "1"),
    ("TINYINT", "BIGINT", "1"),
    ("SMALLINT", "INT", "1"),
    ("SMALLINT", "BIGINT", "1"),
    ("INT", "BIGINT", "1"),
    ("FLOAT", "DOUBLE", "1.5"),
    ("DECIMAL(5,2)", "DECIMAL(9,2)", "1.25"),
    ("VARCHAR(3)", "VARCHAR(9)", "'abc'"),
    ("VARCHAR(3)", "STRING", "'abc'"),
    ("DATE", "TIMESTAMP_NTZ", "DATE'2024-01-02'"),
]


def test_a6_1_widenings_keep_old_values(lake: Lake) -> None:
    names = [f"c{number}" for number in range(len(WIDENINGS))]
    row = ", ".join(f"CAST({value} AS {old})" for old, _, value in WIDENINGS)
    definitions = ", ".join(f"{name} {old}" for name, (old, _, _) in zip(names, WIDENINGS, strict=True))
    lake.sql(f"CREATE TABLE d.t ({definitions})")
    lake.sql(f"INSERT INTO d.t SELECT {row}")
    lake.sql("CREATE BRANCH b")
    for name, (_, new, _) in zip(names, WIDENINGS, strict=True):
        lake.sql(f"ALTER TABLE d.t ALTER COLUMN {name} TYPE {new}", "b")
    lake.sql(f"INSERT INTO d.t SELECT {row}")
    lake.sql("INSERT INTO d.t (c5) VALUES (5000000000)", "b")
    lake.merge("b")
    assert [found[1] for found in lake.sql("DESCRIBE TABLE d.t").rows] == [new.lower() for _, new, _ in WIDENINGS]
    wide = ", ".join(f"CAST({value} AS {new})" for _, new, value in WIDENINGS)
    once = [tuple(found) for found in lake.sql(f"SELECT {wide}").rows]
    assert lake.rows("d.t WHERE c5 = 1") == once * 2
    assert lake.rows("d.t WHERE c5 > 1", columns="c5, c0") == [(5000000000, None)]
