"""Columns with fields inside: read, changed and merged like any other."""

from __future__ import annotations

import json
from importlib import import_module
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from django.db import connection

from catalog_app.importing.spec import Reading
from catalog_app.selectors.objects import database_get, table_get
from catalog_app.selectors.snapshots import branch_get, branch_snapshot, catalog_get
from lakeui.common.errors import InvalidValue
from lakeui.frontdoor import Session
from lakeui.frontdoor.entries.batches import batch_merge
from lakeui.frontdoor.entries.imports import import_load
from lakeui.frontdoor.inputs_outputs import ImportLoad, KeyedMerge
from lakeui.sql.statements import TableName
from merge_app.upsert.inputs_outputs import Strategy
from tests.on_spark.rows.test_imports import load, send
from tests.pipelines.strategies.pipes import Pipes
from tests.support.lake import Lake


@pytest.fixture
def nested(lake: Lake) -> Lake:
    """Table d.t with (1, {x: 1, y: z}) and (2, {x: 2, y: zz})."""
    lake.sql("CREATE TABLE d.t (id INT, s STRUCT<x: INT, y: STRING>)")
    lake.sql("INSERT INTO d.t VALUES (1, named_struct('x', 1, 'y', 'z'))")
    lake.sql("INSERT INTO d.t SELECT 2, named_struct('x', 2, 'y', 'zz')")
    return lake


@pytest.mark.parametrize(
    ("value", "path"),
    [
        ("NULL", "v"),
        ("named_struct('a', NULL)", "v.a"),
        ("array()", "v.element"),
        ("map()", "v.key"),
        ("array(named_struct('n', 1, 'b', map('k', NULL)))", "v.element.b.value"),
    ],
)
def test_query_with_untyped_value_makes_no_table(lake: Lake, value: str, path: str) -> None:
    with pytest.raises(InvalidValue) as refused:
        lake.sql(f"CREATE TABLE d.made AS SELECT 1 AS id, {value} AS v")
    assert refused.value.message == f"{path} has no type: the query gives nothing but NULL, or no element."
    assert refused.value.details == {"column": path}


@pytest.mark.parametrize(
    ("value", "kind", "way_out"),
    [("parse_json('1')", "VARIANT", "parse_json"), ("INTERVAL '1' DAY", "INTERVAL DAY", "make_interval")],
)
def test_type_no_column_has_is_refused_by_column(lake: Lake, value: str, kind: str, way_out: str) -> None:
    with pytest.raises(InvalidValue) as refused:
        lake.sql(f"CREATE TABLE d.other AS SELECT 1 AS id, {value} AS v")
    assert refused.value.message == f"v is {kind}, which is no type that a column can have."
    assert way_out in refused.value.remedy


def test_a_field_is_read_wherever_a_table_is(nested: Lake) -> None:
    version = nested.head()
    nested.sql("CREATE VIEW d.v AS SELECT id, s.x FROM d.t WHERE s.y IS NOT NULL")
    nested.sql("CREATE TABLE d.copy AS SELECT s.x AS x FROM d.t")
    nested.sql("UPDATE d.t SET s = named_struct('x', s.x + 10, 'y', 'new') WHERE s.x = 1")
    assert nested.rows("d.t", columns="s.x") == [(11,), (2,)]
    assert nested.rows(f"d.t VERSION AS OF {version}", columns="s.x") == [(1,), (2,)]
    assert nested.rows("d.v") == [(1, 11), (2, 2)]
    assert nested.rows("d.copy") == [(1,), (2,)]


def test_field_with_other_values_selects_no_row(nested: Lake) -> None:
    assert nested.sql("DELETE FROM d.t WHERE s.x IS NULL").metrics["rows_deleted"] == 0
    assert nested.sql("UPDATE d.t SET id = 5 WHERE s.x IS NULL").metrics["rows_updated"] == 0
    assert nested.sql("DELETE FROM d.t WHERE s.y = 'zz'").metrics["rows_deleted"] == 1
    assert nested.rows("d.t") == [(1, {"x": 1, "y": "z"})]


# -- rows that come in ------------------------------------------------------------------------------------------------

A_AND_B = {"a": "A2", "b": "B2"}


@pytest.fixture
def pairs(lake: Lake) -> Lake:
    """Table d.t with a struct, an array of structs, and one row without either."""
    kind = "STRUCT<a: STRING, b: STRING>"
    lake.sql(f"CREATE TABLE d.t (id INT, s {kind}, l ARRAY<{kind}>, n STRUCT<d: DECIMAL(20, 2), x: INT>)")
    lake.sql("INSERT INTO d.t VALUES (1, NULL, NULL, NULL)")
    return lake


def lines(*objects: dict[str, Any]) -> bytes:
    return "\n".join(json.dumps(item) for item in objects).encode()


def load_by_key(lake: Lake, file: bytes, folder: Path, *, schema_evolution: bool = False) -> None:
    made = send(lake, file, folder)
    merge = KeyedMerge(Strategy.UPSERT, ("id",), schema_evolution=schema_evolution)
    wanted = ImportLoad(made.pk, Reading.from_json(made.reading), TableName("t", "d"), is_new=False, merge=merge)
    import_load(wanted, name="batch", session=Session(lake.catalog))


NOTHING = {"s": None, "l": None, "n": None}
SWAPPED = {"id": 2, "l": [{"b": "B2", "a": "A2"}], "s": {"b": "B2", "a": "A2"}, "n": {"x": 7, "d": 123456789.25}}


def test_json_goes_by_names_of_fields(pairs: Lake, tmp_path: Path) -> None:
    load_by_key(pairs, lines({**NOTHING, "id": 1, "s": {"b": "B1", "a": "A1"}}, SWAPPED), tmp_path)
    load(pairs, send(pairs, lines({**SWAPPED, "id": 3}), tmp_path), append=True)
    swapped = (A_AND_B, [A_AND_B], {"d": "123456789.25", "x": 7})
    assert pairs.rows("d.t") == [(1, {"a": "A1", "b": "B1"}, None, None), (2, *swapped), (3, *swapped)]


def test_json_may_say_null_and_leave_fields_out(pairs: Lake, tmp_path: Path) -> None:
    load_by_key(pairs, lines({**NOTHING, "id": 1}, {**NOTHING, "id": 2, "s": {"b": "B"}}), tmp_path)
    load_by_key(pairs, lines({**NOTHING, "id": 3}), tmp_path)
    load(pairs, send(pairs, lines({"id": 4, "s": None, "l": [None, {"a": "A"}]}), tmp_path), append=True)
    assert pairs.rows("d.t", columns="id, s, l") == [
        (1, None, None),
        (2, {"a": None, "b": "B"}, None),
        (3, None, None),
        (4, None, [None, {"a": "A", "b": None}]),
    ]


def test_unknown_fields_are_refused_by_name(pairs: Lake, tmp_path: Path) -> None:
    unknown = lines({**NOTHING, "id": 2, "s": {"a": "A", "c": "C"}})
    with pytest.raises(InvalidValue, match="Column s has no field c"):
        load_by_key(pairs, unknown, tmp_path)
    with pytest.raises(InvalidValue, match="Column s has no field c"):
        load(pairs, send(pairs, unknown, tmp_path), append=True)
    with pytest.raises(InvalidValue, match=r"7 of n\.x is string"):
        load_by_key(pairs, lines({**NOTHING, "id": 2, "n": {"x": "7"}}), tmp_path)
    with pytest.raises(InvalidValue, match="Column s has fields inside"):
        load(pairs, send(pairs, lines({"id": 2, "s": "text"}), tmp_path), append=True)
    assert len(pairs.rows("d.t")) == 1


def test_arrow_goes_by_names_of_fields(pairs: Lake) -> None:
    swapped = pa.struct([("b", pa.string()), ("a", pa.string())])
    table = pa.table(
        {
            "id": pa.array([2], pa.int32()),
            "s": pa.array([{"b": "B2", "a": "A2"}], swapped),
            "l": pa.nulls(1),
            "n": pa.nulls(1),
        }
    )
    batch_merge(table, "d.t", "upsert", "id", session=Session(pairs.catalog))
    assert pairs.rows("d.t", columns="id, s") == [(1, None), (2, A_AND_B)]


MERGES = [
    "WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *",
    """WHEN MATCHED THEN UPDATE SET s = s.s, l = array(s.s)
    WHEN NOT MATCHED THEN INSERT (id, s, l) VALUES (s.id, s.s, s.l)""",
]


@pytest.mark.parametrize("clauses", MERGES)
def test_merge_into_goes_by_names_of_fields(pairs: Lake, clauses: str) -> None:
    value = "named_struct('b', 'B2', 'a', 'A2')"
    columns = f"{value} AS s, array({value}) AS l, NULL AS n"
    pairs.sql(
        f"MERGE INTO d.t t USING (SELECT 1 AS id, {columns} UNION ALL SELECT 2, {columns}) s ON t.id = s.id {clauses}"
    )
    assert pairs.rows("d.t", columns="id, s, l") == [(1, A_AND_B, [A_AND_B]), (2, A_AND_B, [A_AND_B])]


def test_merge_names_field_that_does_not_fit(pairs: Lake) -> None:
    for value, message in (("'b', 'B'", "lacks the field a"), ("'a', 1, 'b', 2, 'c', 3", "has no field c")):
        source = f"(SELECT 1 AS id, named_struct({value}) AS s)"
        with pytest.raises(InvalidValue, match=message):
            pairs.sql(f"MERGE INTO d.t t USING {source} s ON t.id = s.id WHEN MATCHED THEN UPDATE SET s = s.s")


def test_full_refresh_of_pipeline_goes_by_field_names(lake: Lake) -> None:
    """The other strategies do so below, with a field that the table lacks."""
    pipe = Pipes(lake)("merge_strategy: full_refresh")
    pipe.run("SELECT 1 AS id, named_struct('a', 'A1', 'b', 'B1') AS s")
    pipe.run("SELECT named_struct('b', 'B2', 'a', 'A2') AS s, 2 AS id")
    assert ({"a": "A2", "b": "B2"},) in pipe.rows(columns="s")


@pytest.mark.parametrize("strategy", ["append_only", "incremental"])
def test_pipelines_add_new_fields_and_fill_others(lake: Lake, strategy: str) -> None:
    pipe = Pipes(lake)(f"merge_strategy: {strategy}", *(["unique_key: id"] if strategy == "incremental" else []))
    pipe.run("SELECT 1 AS id, named_struct('a', 1, 'b', 'B1') AS s")
    pipe.run("SELECT 2 AS id, named_struct('c', 3, 'a', 5000000000) AS s")
    assert pipe.rows(columns="id, s") == [
        (1, {"a": 1, "b": "B1", "c": None}),
        (2, {"a": 5000000000, "b": None, "c": 3}),
    ]


def test_pipeline_finds_changed_rows_by_field_names(lake: Lake) -> None:
    pipe = Pipes(lake)("merge_strategy: incremental", "unique_key: id")
    pipe.run("SELECT 1 AS id, named_struct('a', 'X', 'b', 'Y') AS s")
    same = "SELECT named_struct('b', 'Y', 'a', 'X') AS s, 1 AS id"
    before = lake.head()
    assert pipe.run(same).version == before
    # By the places of its fields this row would be the stored one.
    pipe.run("SELECT named_struct('b', 'X', 'a', 'Y') AS s, 1 AS id")
    assert pipe.rows(columns="s") == [({"a": "Y", "b": "X"},)]


# -- ids of fields ----------------------------------------------------------------------------------------------------


def fields_of(lake: Lake, column: str = "s", branch: str = "main") -> str:
    """The type of a column of d.t with the ids of its fields."""
    seen = branch_snapshot(branch_get(catalog_get(lake.catalog), lake.named(branch)))
    table = table_get(seen, database_get(seen, "d"), "t")
    found = table.schema.named(column)
    assert found is not None
    return found.nested or found.type


def test_table_has_ids_for_all_fields_however_made(lake: Lake) -> None:
    lake.sql("CREATE TABLE d.t (a ARRAY<INT>, s STRUCT<x: INT, y: MAP<STRING, INT>>)")
    assert (fields_of(lake, "a"), fields_of(lake)) == ("array<#3:int>", "struct<x#4:int,y#5:map<#6:string,#7:int>>")
    lake.sql("DROP TABLE d.t")
    lake.sql("CREATE TABLE d.t AS SELECT 1 AS id, named_struct('x', 1) AS s")
    assert fields_of(lake) == "struct<x#3:int>"
    lake.sql("ALTER TABLE d.t ADD COLUMN more ARRAY<STRUCT<z: INT>>")
    assert fields_of(lake, "more") == "array<#5:struct<z#6:int>>"


def test_tables_from_before_fields_had_ids_get_them(nested: Lake) -> None:
    nested.sql("ALTER TABLE d.t RENAME COLUMN s TO t")
    without = "(SELECT jsonb_agg(item - 'nested') FROM jsonb_array_elements(content->'columns') AS c(item))"
    before = f"jsonb_set(content, '{{columns}}', {without})"
    with connection.cursor() as cursor, connection.schema_editor() as editor:
        cursor.execute("ALTER TABLE catalog_app_schemadefinition DISABLE TRIGGER schemadefinition_append_only")
        cursor.execute(f"UPDATE catalog_app_schemadefinition SET content = {before} WHERE content::text LIKE '%<%'")
        migration = import_module("catalog_app.migrations.0009_fields_have_ids")
        migration.fields_identify(None, editor)
        # A later migration derives the facts of attributes from what this one leaves.
        cursor.execute("ALTER TABLE catalog_app_attributefacts DISABLE TRIGGER USER")
        cursor.execute("DELETE FROM catalog_app_attributefacts")
        import_module("catalog_app.migrations.0012_attribute_stamps").facts_write(None, editor)
    # Definitions are kept with the connection. A migration is followed by processes of the new version.
    connection.close()
    assert fields_of(nested, "t") == "struct<x#5:int,y#6:string>"
    assert nested.rows("d.t") == [(1, {"x": 1, "y": "z"}), (2, {"x": 2, "y": "zz"})]
    assert nested.rows("d.t", columns="t.y") == [("z",), ("zz",)]


def test_keyed_merge_adds_fields_where_schema_evolves(pairs: Lake, tmp_path: Path) -> None:
    load_by_key(pairs, lines({**NOTHING, "id": 1, "s": {"c": 5, "a": "A"}}), tmp_path, schema_evolution=True)
    assert pairs.rows("d.t", columns="s") == [({"a": "A", "b": None, "c": 5},)]
    assert fields_of(pairs).endswith(",c#12:bigint>")
    fraction = pa.table({"id": [1], "n": [{"x": 1.5}]})
    with pytest.raises(InvalidValue, match=r"1\.5 of column n\.x would lose digits as int"):
        batch_merge(fraction, "d.t", "upsert", "id", session=Session(pairs.catalog), schema_evolution=True)
