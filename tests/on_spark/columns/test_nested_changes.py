"""Fields inside of columns are added, dropped, renamed, moved and widened, on branches too."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from lakeui.common.errors import AlreadyExists, InvalidValue, LakeError, NotFound, NotSupported, TypeNarrowing
from tests.on_spark.columns.test_nested_columns import fields_of
from tests.support.lake import Lake, OwnBranch


@pytest.fixture(scope="module")
def shared(services: None) -> Iterator[Lake]:
    """Table d.t with rows 1 and 2, whose s is {x: 1, y: one, in: {p: 5}} and NULL."""
    lake = Lake()
    lake.sql("CREATE DATABASE d")
    lake.sql(
        "CREATE TABLE d.t (id INT, s STRUCT<x: INT, y: STRING, `in`: STRUCT<p: INT>>, a ARRAY<INT>,"
        " m MAP<STRING, STRUCT<q: INT>>)"
    )
    lake.sql(
        "INSERT INTO d.t VALUES (1, named_struct('x', 1, 'y', 'one', 'in', named_struct('p', 5)), array(1, NULL),"
        " map('k', named_struct('q', 7))), (2, NULL, NULL, NULL)"
    )
    yield lake
    assert lake.breaches() == []


@pytest.fixture
def people(shared: Lake) -> Lake:
    return OwnBranch(shared)


def alter(lake: Lake, change: str, branch: str = "main") -> None:
    lake.sql(f"ALTER TABLE d.t {change}", branch)


def values(lake: Lake, columns: str = "s", branch: str = "main") -> list[Any]:
    return [row[0] for row in lake.sql(f"SELECT {columns} FROM d.t ORDER BY id", branch).rows]


@pytest.mark.parametrize(
    ("change", "first"),
    [
        ("ADD COLUMN s.z INT", {"x": 1, "y": "one", "in": {"p": 5}, "z": None}),
        ("ADD COLUMNS (s.z INT FIRST, s.w DATE AFTER x)", {"z": None, "x": 1, "w": None, "y": "one", "in": {"p": 5}}),
        ("ADD COLUMN s.`in`.n ARRAY<INT>", {"x": 1, "y": "one", "in": {"p": 5, "n": None}}),
        ("DROP COLUMN s.x", {"y": "one", "in": {"p": 5}}),
        ("DROP COLUMNS (s.x, s.y)", {"in": {"p": 5}}),
        ("RENAME COLUMN s.x TO ex", {"ex": 1, "y": "one", "in": {"p": 5}}),
        ("RENAME COLUMN s.`in`.p TO `p q`", {"x": 1, "y": "one", "in": {"p q": 5}}),
        ("ALTER COLUMN s.x TYPE BIGINT", {"x": 1, "y": "one", "in": {"p": 5}}),
        ("ALTER COLUMN s.y FIRST", {"y": "one", "x": 1, "in": {"p": 5}}),
        ("ALTER COLUMN s.x AFTER `in`", {"y": "one", "in": {"p": 5}, "x": 1}),
        (
            "ALTER COLUMN s TYPE STRUCT<y: STRING, x: BIGINT, `in`: STRUCT<p: INT, r: INT>, z: INT>",
            {"y": "one", "x": 1, "in": {"p": 5, "r": None}, "z": None},
        ),
    ],
)
def test_a_field_changes_and_old_rows_read_right(people: Lake, change: str, first: dict[str, Any]) -> None:
    alter(people, change)
    found = values(people)
    assert found == [first, None]
    assert list(found[0]) == list(first)
    people.sql("INSERT INTO d.t BY NAME SELECT 3 AS id, (SELECT max(s) FROM d.t) AS s")
    assert values(people) == [first, None, first]


def test_array_and_map_contents_widen_and_gain_fields(people: Lake) -> None:
    alter(people, "ALTER COLUMN a TYPE ARRAY<BIGINT>")
    alter(people, "ALTER COLUMN m.value.q TYPE BIGINT")
    alter(people, "ADD COLUMN m.value.z INT")
    people.sql("INSERT INTO d.t VALUES (3, NULL, array(5000000000), map('l', named_struct('q', 5000000000, 'z', 1)))")
    assert values(people, "a") == [[1, None], None, [5000000000]]
    assert values(people, "m") == [{"k": {"q": 7, "z": None}}, None, {"l": {"q": 5000000000, "z": 1}}]
    alter(people, "RENAME COLUMN m.value.q TO r")
    assert values(people, "m['k'].r") == [7, None, None]
    alter(people, "ALTER COLUMN a.element TYPE BIGINT")
    assert fields_of(people, "a").endswith(":bigint>")


def test_field_added_again_is_a_new_one(people: Lake) -> None:
    version = people.head()
    alter(people, "DROP COLUMN s.x")
    alter(people, "ADD COLUMN s.x STRING")
    assert values(people, "s.x") == [None, None]
    assert people.sql(f"SELECT s.x FROM d.t VERSION AS OF {version} WHERE id = 1").rows == [[1]]
    people.sql(f"RESTORE TABLE d.t TO VERSION AS OF {version}")
    assert values(people, "s.x") == [1, None]


@pytest.mark.parametrize(
    ("change", "kind", "message"),
    [
        ("ADD COLUMN s.X INT", AlreadyExists, "A field named s.X already exists."),
        ("ADD COLUMN q.z INT", NotFound, "There is no column q in table t."),
        ("ADD COLUMN s.q.z INT", NotFound, "There is no field s.q in "),
        ("ADD COLUMN s.x.z INT", InvalidValue, "s.x is int; only a STRUCT has fields"),
        ("ADD COLUMN a.z INT", InvalidValue, "a is array<int>; only a STRUCT has fields"),
        ("ADD COLUMN s.z INT NOT NULL", NotSupported, "s.z is a field inside of a column"),
        ("ADD COLUMN s.z INT DEFAULT 1", NotSupported, "s.z is a field inside of a column"),
        ("DROP COLUMN s.nope", NotFound, "There is no field s.nope in "),
        ("DROP COLUMN s.`in`.p", InvalidValue, "s.in would have no field left."),
        ("DROP COLUMN a.element", InvalidValue, "a is array<int>; only a STRUCT has fields"),
        ("RENAME COLUMN s.x TO Y", AlreadyExists, "A field named s.Y already exists."),
        ("ALTER COLUMN s.x TYPE STRING", TypeNarrowing, "s.x is int; string cannot hold all of its values."),
        ("ALTER COLUMN s TYPE STRUCT<x: INT>", TypeNarrowing, "The new type of s lacks its field y."),
        ("ALTER COLUMN a TYPE ARRAY<STRING>", TypeNarrowing, "a.element is int; string cannot hold"),
        ("ALTER COLUMN s.x SET NOT NULL", NotSupported, "s.x is a field inside of a column"),
        ("ALTER COLUMN s.x AFTER nope", NotFound, "There is no field s.nope in "),
    ],
)
def test_what_cannot_be_is_refused_by_its_path(people: Lake, change: str, kind: type[LakeError], message: str) -> None:
    before = fields_of(people)
    with pytest.raises(kind) as refused:
        alter(people, change)
    assert refused.value.message.startswith(message)
    assert fields_of(people) == before


def test_a_field_is_set_by_itself(people: Lake) -> None:
    people.sql("UPDATE d.t SET s.x = s.x + 1, s.`in`.p = NULL WHERE id = 1")
    people.sql("UPDATE d.t SET t.s.y = 'new' WHERE s IS NULL")
    nothing = {"x": None, "y": "new", "in": None}
    assert values(people) == [{"x": 2, "y": "one", "in": {"p": None}}, nothing]
    people.sql(
        "MERGE INTO d.t t USING (SELECT 1 AS id, 9 AS v) s ON t.id = s.id"
        " WHEN MATCHED THEN UPDATE SET t.s.x = s.v, s.`in`.p = t.s.x WHEN NOT MATCHED BY SOURCE THEN UPDATE SET s.x = 0"
    )
    assert values(people) == [{"x": 9, "y": "one", "in": {"p": 2}}, {**nothing, "x": 0}]


def test_struct_named_as_table_is_found_after_columns(lake: Lake) -> None:
    lake.sql("CREATE TABLE d.s (id INT, s STRUCT<a: INT, id: INT, z: STRUCT<q: INT>>)")
    lake.sql("INSERT INTO d.s VALUES (1, named_struct('a', 1, 'id', 2, 'z', named_struct('q', 3)))")
    whole = {"a": 1, "id": 2, "z": {"q": 3}}
    for number, (assignments, expected) in enumerate(
        [
            ("s.a = 5, s.z.q = 6", {"a": 5, "z": {"q": 6}}),
            ("s.id = 7, s.s.id = 8", {"id": 8}),
            ("d.s.s.a = 9, s.s.z.q = s.a", {"a": 9, "z": {"q": 5}}),
        ]
    ):
        whole |= expected
        lake.sql(f"UPDATE d.s SET {assignments}")
        assert lake.rows("d.s") == [(7 if number else 1, whole)]
    lake.sql("MERGE INTO d.s USING (SELECT 7 AS k) n ON id = n.k WHEN MATCHED THEN UPDATE SET s.a = 10, s.id = 7")
    assert lake.rows("d.s") == [(7, {**whole, "a": 10})]
    for assignments, message in [
        ("s.nope = 1", "There is no field s.nope in "),
        ("a = 1", "There is no column a in table d.s."),
        ("s.a = 1, s.s = NULL", "s.a is assigned twice."),
        ("s.a = 1, s.s.a = 2", "s.a is assigned twice."),
    ]:
        with pytest.raises(LakeError) as refused:
            lake.sql(f"UPDATE d.s SET {assignments}")
        assert refused.value.message.startswith(message)


@pytest.mark.parametrize(
    ("assignments", "message"),
    [
        ("s.nope = 1", "There is no field s.nope in "),
        ("nope.x = 1", "There is no column nope in the target table."),
        ("a.element = 1", "a is array<int>; only a field of a STRUCT"),
        ("s.x = 1, s = NULL", "s is assigned twice."),
        ("s.x = 1, S.X = 2", "S.X is assigned twice."),
        ("s.x = DEFAULT", "s.x is a field inside of a column and has no default."),
        ("s.x = array(1)", "Field s.x is int; a value of type array<int> does not go into it."),
    ],
)
def test_a_field_that_cannot_be_set_is_named(people: Lake, assignments: str, message: str) -> None:
    for statement in (
        f"UPDATE d.t SET {assignments}",
        f"MERGE INTO d.t USING (SELECT 1 AS i) n ON t.id = n.i WHEN MATCHED THEN UPDATE SET {assignments}",
    ):
        with pytest.raises(LakeError) as refused:
            people.sql(statement)
        assert refused.value.message.startswith(message)


def test_a_merge_evolves_structs(people: Lake) -> None:
    merge = """MERGE WITH SCHEMA EVOLUTION INTO d.t t USING (SELECT {} AS id, {} AS s, array(1L) AS a) n ON t.id = n.id
        WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *"""
    people.sql(merge.format(1, "named_struct('z', 3, 'y', 'two', 'x', 5000000000)"))
    assert values(people) == [{"x": 5000000000, "y": "two", "in": {"p": 5}, "z": 3}, None]
    people.sql(merge.format(3, "named_struct('in', named_struct('p', 1, 'new', 2))"))
    assert values(people)[2] == {"x": None, "y": None, "in": {"p": 1, "new": 2}, "z": None}
    assert fields_of(people, "a") == "array<#9:bigint>"


@pytest.mark.parametrize(
    ("given", "first", "second"),
    [
        ("named_struct('y', 'new')", {"x": 1, "y": "new", "in": {"p": 5}}, {"x": None, "y": "new", "in": None}),
        (
            "named_struct('in', named_struct('q', 7))",
            {"x": 1, "y": "one", "in": {"p": 5, "q": 7}},
            {"x": None, "y": None, "in": {"p": None, "q": 7}},
        ),
        ("IF(id > 5, named_struct('y', 'new'), NULL)", {"x": 1, "y": None, "in": {"p": 5}}, None),
    ],
)
def test_update_of_all_columns_keeps_fields_source_lacks(
    people: Lake, given: str, first: dict[str, Any], second: dict[str, Any] | None
) -> None:
    source = f"(SELECT id, {given} AS s FROM VALUES (1), (2) AS v(id))"
    people.sql(
        f"MERGE WITH SCHEMA EVOLUTION INTO d.t t USING {source} n ON t.id = n.id WHEN MATCHED THEN UPDATE SET * "
        "WHEN NOT MATCHED THEN INSERT *"
    )
    assert values(people) == [first, second]


def test_a_struct_that_is_assigned_is_replaced(people: Lake) -> None:
    people.sql(
        "MERGE WITH SCHEMA EVOLUTION INTO d.t t USING (SELECT 1 AS id, named_struct('y', 'new') AS s) n ON t.id = n.id "
        "WHEN MATCHED THEN UPDATE SET s = n.s"
    )
    assert values(people)[0] == {"x": None, "y": "new", "in": None}


# -- branches ---------------------------------------------------------------------------------------------------------


@pytest.fixture
def branched(shared: Lake) -> Lake:
    return OwnBranch(shared, "b")


def test_different_fields_changed_on_two_branches_merge(branched: Lake) -> None:
    alter(branched, "RENAME COLUMN s.x TO ex", "b")
    alter(branched, "ADD COLUMN s.z INT", "b")
    branched.sql(
        "INSERT INTO d.t BY NAME SELECT 3 AS id, named_struct('ex', 3, 'y', 'b', 'in', NULL, 'z', 30) AS s", "b"
    )
    alter(branched, "DROP COLUMN s.y")
    alter(branched, "ALTER COLUMN s.`in`.p TYPE BIGINT")
    branched.sql("INSERT INTO d.t BY NAME SELECT 4 AS id, named_struct('x', 4, 'in', named_struct('p', 1)) AS s")
    branched.merge("b")
    assert values(branched) == [
        {"ex": 1, "in": {"p": 5}, "z": None},
        None,
        {"ex": 3, "in": None, "z": 30},
        {"ex": 4, "in": {"p": 1}, "z": None},
    ]
    assert values(branched, "s.z", "main") == [None, None, 30, None]


def test_one_field_added_on_two_branches_is_one(branched: Lake) -> None:
    for branch, kind, identifier in (("b", "BIGINT", 3), ("main", "INT", 4)):
        alter(branched, f"ADD COLUMN s.z {kind}", branch)
        row = "named_struct('x', NULL, 'y', NULL, 'in', NULL, 'z', 9)"
        branched.sql(f"INSERT INTO d.t BY NAME SELECT {identifier} AS id, {row} AS s", branch)
    branched.merge("b")
    assert values(branched, "s.z") == [None, None, 9, 9]
    branched.merge("main", "b")
    assert values(branched, "s.z", "b") == [None, None, 9, 9]
    assert [fields_of(branched, branch=branch).count("z#") for branch in ("b", "main")] == [1, 1]


@pytest.mark.parametrize(
    ("source", "destination", "code"),
    [
        ("ALTER COLUMN s.x TYPE BIGINT", "DROP COLUMN s.x", "COLUMN_MISSING"),
        ("RENAME COLUMN s.x TO z", "ADD COLUMN s.z INT", "COLUMN_NAME_TAKEN"),
        ("ALTER COLUMN s.`in`.p TYPE BIGINT", "DROP COLUMN s", "COLUMN_MISSING"),
    ],
)
def test_what_does_not_merge_is_refused_with_path(branched: Lake, source: str, destination: str, code: str) -> None:
    alter(branched, source, "b")
    alter(branched, destination)
    (conflict,) = branched.refused("b")
    assert conflict["code"] == code
    assert "s" in str(conflict["details"]["column"])


def test_statements_meeting_on_branch_are_judged_by_field(branched: Lake) -> None:
    transaction = branched.sql("BEGIN").extra["transaction"]
    branched.sql("ALTER TABLE d.t ADD COLUMN s.z INT", transaction=transaction)
    alter(branched, "RENAME COLUMN s.x TO ex")
    branched.sql("COMMIT", transaction=transaction)
    assert values(branched) == [{"ex": 1, "y": "one", "in": {"p": 5}, "z": None}, None]


def test_repeated_merges_apply_nothing_twice(branched: Lake) -> None:
    alter(branched, "RENAME COLUMN s.x TO ex", "b")
    branched.merge("b")
    alter(branched, "RENAME COLUMN s.ex TO final")
    alter(branched, "ADD COLUMN s.z INT", "b")
    branched.merge("b")
    assert list(values(branched)[0]) == ["final", "y", "in", "z"]
    branched.merge("main", "b")
    assert fields_of(branched, branch="b") == fields_of(branched)


def test_insert_evolves_structs_by_name_not_by_place(people: Lake) -> None:
    people.sql("INSERT WITH SCHEMA EVOLUTION INTO d.t BY NAME SELECT 9 AS id, named_struct('new', true) AS s, 1 AS n")
    assert people.sql("SELECT s.new, n FROM d.t WHERE id = 9").rows == [[True, 1]]
    assert {row[0] for row in people.sql("SELECT s.new FROM d.t WHERE id <> 9").rows} == {None}
    fields = fields_of(people, "s")
    with pytest.raises(InvalidValue, match="has 4 fields, the value has 5"):
        people.sql(
            "INSERT WITH SCHEMA EVOLUTION INTO d.t"
            " SELECT 9, named_struct('more', 0, 'x', 1, 'y', '', 'in', NULL, 'new', true), NULL, NULL, 1"
        )
    assert fields_of(people, "s") == fields


def test_primary_key_table_merges_rows_with_evolved_struct(lake: Lake) -> None:
    lake.sql("CREATE TABLE d.t (id INT, v INT, s STRUCT<x: INT, y: INT>, PRIMARY KEY (id))")
    lake.sql("INSERT INTO d.t VALUES (1, 1, named_struct('x', 1, 'y', 2))")
    lake.sql("CREATE BRANCH b")
    alter(lake, "ADD COLUMN s.z INT", "b")
    lake.sql("UPDATE d.t SET s.z = 3 WHERE id = 1", "b")
    lake.sql("UPDATE d.t SET v = 10 WHERE id = 1")
    lake.merge("b")
    assert lake.rows("d.t") == [(1, 10, {"x": 1, "y": 2, "z": 3})]


@pytest.mark.parametrize("field", ["s.x", "s.in.q", "s.in"])
def test_dropped_fields_come_back_with_their_values(lake: Lake, field: str) -> None:
    lake.sql("CREATE TABLE d.t (id INT, n INT, s STRUCT<x: INT, in: STRUCT<p: INT, q: STRING>>)")
    for i in (1, 2, 3):
        inner = f"named_struct('p', {i}, 'q', 'q{i}')"
        lake.sql(f"INSERT INTO d.t VALUES ({i}, {i}, named_struct('x', {i}, 'in', {inner}))")
    lake.sql("CREATE BRANCH b")
    rows, head = lake.rows("d.t"), lake.head()
    alter(lake, f"DROP COLUMN {field}")
    lake.sql("OPTIMIZE d.t")
    lake.merge("main", "b")
    lake.sql("UPDATE d.t SET n = 9 WHERE id = 2", "b")
    lake.sql(f"RESTORE TABLE d.t TO VERSION AS OF {head}")
    assert lake.rows("d.t") == rows
    lake.merge("main", "b")
    assert lake.rows("d.t", "b") == [(1, 1, rows[0][2]), (2, 9, rows[1][2]), (3, 3, rows[2][2])]
    assert lake.breaches() == []
