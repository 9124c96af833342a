"""Values are compared and written down whole: times to the microsecond, maps at any depth, years beyond 9999."""

from __future__ import annotations

import json
from typing import Any

import pytest

from catalog_app.domain.operations import ObjectKind
from catalog_app.selectors.snapshots import branch_get, catalog_get
from lakeui.api.compare.comparing import Pair
from lakeui.api.compare.row_comparing import sides_read
from lakeui.api.http.paging import KeysetPage
from merge_app.planning.merge_plan import Decision, Resolution, ResolutionPart
from tests.pipelines.strategies.pipes import Pipes
from tests.support.lake import Lake
from tests.support.soak import IS_SOAK

MICROSECONDS = ("00:00:00.000001", "00:00:00.000002", "00:00:00.123456")


@pytest.fixture(scope="module")
def moments(services: None) -> Lake:
    """Rows whose keys differ by microseconds; both branches changed all of them. Nothing is merged in it."""
    lake = Lake()
    lake.sql("CREATE DATABASE d")
    lake.sql("CREATE TABLE d.t (at TIMESTAMP, v STRING, PRIMARY KEY (at))")
    rows = ", ".join(f"(TIMESTAMP '2024-01-01 {clock}', 'base')" for clock in MICROSECONDS)
    lake.sql(f"INSERT INTO d.t VALUES {rows}")
    lake.sql("CREATE BRANCH b")
    lake.sql("UPDATE d.t SET v = 'b'", "b")
    lake.sql("UPDATE d.t SET v = 'main'")
    return lake


def sides_of(lake: Lake, limit: int, after: Any, resolutions: tuple[Resolution, ...] = ()) -> list[dict[str, Any]]:
    """A page of the rows of d.t that either branch changed."""
    catalog = catalog_get(lake.catalog)
    pair = Pair(branch_get(catalog, "b"), branch_get(catalog, "main"), resolutions)
    rows: list[dict[str, Any]] = sides_read(pair, table_id(lake), KeysetPage(limit, after), only_conflicts=False)[
        "rows"
    ]
    return rows


def table_id(lake: Lake) -> int:
    (found,) = [int(row[2]) for row in lake.sql("SHOW TABLES IN d").rows if row[1] == "t"]
    return found


def keys_by_page(lake: Lake, limit: int) -> list[str]:
    keys: list[str] = []
    after = None
    while rows := sides_of(lake, limit, after):
        keys += [row["key"] for row in rows]
        after = True, keys[-1]
    return keys


@pytest.mark.parametrize("limit", [1, 2, 10] if IS_SOAK else [2])
def test_every_row_is_on_one_page(moments: Lake, limit: int) -> None:
    keys = [json.loads(key)["at"] for key in keys_by_page(moments, limit)]
    assert keys == [f"2024-01-01T{clock}Z" for clock in MICROSECONDS]


def test_a_decision_is_of_one_row(moments: Lake) -> None:
    takes = (Decision.TAKE_SOURCE, Decision.TAKE_DESTINATION, Decision.TAKE_SOURCE)
    resolutions = tuple(
        Resolution(ObjectKind.TABLE, table_id(moments), take, ResolutionPart.ROW, key)
        for take, key in zip(takes, keys_by_page(moments, 10), strict=True)
    )
    assert [row["result"][1] for row in sides_of(moments, 10, None, resolutions)] == ["b", "main", "b"]


KINDS = [
    ("MAP<STRING, MAP<STRING, TIMESTAMP>>", "map('k', map('j', {}), 'a', map())"),
    (
        "STRUCT<m: ARRAY<MAP<STRING, TIMESTAMP>>, x: INT>",
        "named_struct('m', array(map('k', {}), map('k', NULL)), 'x', 1)",
    ),
    ("MAP<TIMESTAMP, INT>", "map({}, 1)"),
]


def at(micros: int) -> str:
    return f"TIMESTAMP '2024-01-01 00:00:00.{micros:06}'"


def test_maps_of_times_are_merged_by_their_microseconds(lake: Lake) -> None:
    """A column of each kind. Both sides change rows 1 and 2, and of each column the one row that bears its number."""
    columns = ", ".join(f"m{place} {kind}" for place, (kind, _) in enumerate(KINDS))
    lake.sql(f"CREATE TABLE d.t (k INT, {columns}, v STRING, PRIMARY KEY (k))")
    first, second, third = ([value.format(at(micros)) for _, value in KINDS] for micros in (1, 2, 3))

    def assigned(values: list[str]) -> str:
        return ", ".join(f"m{place} = {value}" for place, value in enumerate(values))

    def one_a_row(values: list[str]) -> list[str]:
        return [f"CASE WHEN k IN (1, 2, {10 + at}) THEN {value} ELSE m{at} END" for at, value in enumerate(values)]

    rows = ", ".join(str(key) for key in (1, 2, 3, *range(10, 10 + len(KINDS))))
    lake.sql(f"INSERT INTO d.t SELECT explode(array({rows})), {', '.join(first)}, 'base'")
    lake.sql("CREATE BRANCH b")
    before = lake.head()
    lake.sql(f"UPDATE d.t SET {assigned(one_a_row(second))}", "b")
    changes = lake.sql(f"SHOW CHANGES d.t FROM VERSION {before} TO VERSION {lake.head('b')}", "b").rows
    assert len([row for row in changes if row[0] == "update_after"]) == 2 + len(KINDS)
    lake.sql("UPDATE d.t SET v = 'main' WHERE k IN (1, 3)")
    lake.sql(f"UPDATE d.t SET {assigned(one_a_row(third))} WHERE k <> 1")
    (conflict,) = lake.refused("b")
    assert conflict["details"]["rows"] == 1 + len(KINDS)
    lake.sql(f"UPDATE d.t SET {assigned(first)} WHERE k <> 1")
    lake.merge("b")
    merged = {row[0]: row for row in lake.rows("d.t")}
    casts = ", ".join(f"CAST({value} AS {kind})" for (kind, _), value in zip(KINDS, second, strict=True))
    (wanted,) = lake.sql(f"SELECT {casts}").rows
    assert [merged[key][1:] for key in (1, 2)] == [(*wanted, "main"), (*wanted, "base")]


def test_version_begins_with_a_microsecond_inside_a_map(lake: Lake) -> None:
    """Row ``place`` changes in column ``m<place>`` alone."""
    pipe = Pipes(lake)("merge_strategy: scd2", "unique_key: id")

    def query(micros: int) -> str:
        casts = (
            f"if(id = {column}, CAST({value.format(at(micros))} AS {kind}), CAST({value.format(at(1))} AS {kind}))"
            f" AS m{column}"
            for column, (kind, value) in enumerate(KINDS)
        )
        return f"SELECT id, {', '.join(casts)} FROM (SELECT explode(sequence(0, {len(KINDS) - 1})) AS id)"

    head = pipe.run(query(1)).version
    assert pipe.run(query(1)).version == head
    assert pipe.run(query(2)).version > head
    assert [row[0] for row in pipe.rows(columns="id")] == [place for place in range(len(KINDS)) for _ in range(2)]


def test_days_beyond_year_9999_are_keys_like_others(lake: Lake) -> None:
    lake.sql("CREATE TABLE d.t (k DATE, at TIMESTAMP, v INT)")
    beyond = "date_add(DATE '9999-12-31', 1) AS k, TIMESTAMP '9999-12-31 23:59:59' + INTERVAL 1 DAY AS at"
    lake.sql(
        f"INSERT INTO d.t SELECT DATE '9999-12-31', TIMESTAMP '9999-12-31 23:59:59', 1 UNION ALL SELECT {beyond}, 2"
    )
    lake.sql(
        f"""MERGE INTO d.t USING (SELECT {beyond}, 3 AS v) s ON t.k = s.k AND t.at = s.at
        WHEN MATCHED THEN UPDATE SET v = s.v WHEN NOT MATCHED THEN INSERT *"""
    )
    expected: list[tuple[Any, ...]] = [
        ("10000-01-01", "10000-01-01T23:59:59Z", 3),
        ("9999-12-31", "9999-12-31T23:59:59Z", 1),
    ]
    assert lake.rows("d.t") == expected
    lake.sql("UPDATE d.t SET v = 4 WHERE k > DATE '9999-12-31'")
    assert lake.sql("SELECT array(k), map('k', at), named_struct('k', k) FROM d.t WHERE v = 4").rows == [
        [["10000-01-01"], {"k": "10000-01-01T23:59:59Z"}, {"k": "10000-01-01"}]
    ]
    assert lake.sql("DELETE FROM d.t WHERE at > TIMESTAMP '9999-12-31 23:59:59'").metrics["rows_deleted"] == 1


def test_bytes_that_are_no_text_are_answered(lake: Lake) -> None:
    assert lake.sql("SELECT CAST(X'FF' AS STRING), array(CAST(X'41FF' AS STRING))").rows == [["\ufffd", ["A\ufffd"]]]


def test_days_beyond_year_9999_pass_branches_partitions_compaction(lake: Lake) -> None:
    beyond = "date_add(DATE '9999-12-31', 1)"
    lake.sql("CREATE TABLE d.t (k DATE, at TIMESTAMP, v INT, PRIMARY KEY (k, at)) PARTITIONED BY (k)")
    for number in (1, 2):
        lake.sql(f"INSERT INTO d.t SELECT {beyond}, timestamp_micros(253402300800000000 + {number}), 0")
    lake.sql("CREATE BRANCH b")
    lake.sql("UPDATE d.t SET v = v + 1", "b")
    lake.sql(f"INSERT INTO d.t SELECT {beyond}, timestamp_micros(-62135596800000001), 9")
    lake.merge("b")
    lake.sql("OPTIMIZE d.t")
    assert lake.rows("d.t") == [
        ("10000-01-01", "0000-12-31T23:59:59.999999Z", 9),
        ("10000-01-01", "10000-01-01T00:00:00.000001Z", 1),
        ("10000-01-01", "10000-01-01T00:00:00.000002Z", 1),
    ]
    changes = lake.sql(f"SHOW CHANGES d.t FROM VERSION 1 TO VERSION {lake.head()}").rows
    assert {row[2] for row in changes} == {"10000-01-01"}
    lake.sql(f"INSERT OVERWRITE d.t PARTITION (k = {beyond}) SELECT TIMESTAMP '2024-01-01 00:00:00', 5")
    assert [row[2] for row in lake.rows("d.t")] == [5]
