"""snapshot with partitions that the configuration names: they are replaced, with rows in the batch or without."""

from __future__ import annotations

import pytest

from lakeui.common.errors import InvalidValue
from merge_app.pipelines.definition.mistakes import InvalidConfig
from tests.pipelines.strategies.cases import CONFIGS
from tests.pipelines.strategies.pipes import Pipe, Pipes, batch

OLD = [(1, "a", 1), (2, "b", 1), (3, None, 1), (4, "c", 1)]
EMPTY = "allow_empty: true"


def config(named: str, *more: str) -> str:
    return "\n".join([*CONFIGS["snapshot"], f"partitions: {named}", *more])


@pytest.fixture(params=["partitioned by it", "partitioned otherwise"])
def pipe(request: pytest.FixtureRequest, pipes: Pipes) -> Pipe:
    """A pipeline whose table holds OLD."""
    made = pipes(*CONFIGS["snapshot"])
    if request.param == "partitioned otherwise":
        pipes.lake.sql(f"CREATE TABLE {made.table} (id INT, value STRING, at INT)")
    made.run(batch(OLD))
    return made


def test_named_partitions_alone_lose_all_their_rows(pipe: Pipe) -> None:
    pipe.run(batch([(9, "a", 2)]), config=config("[a, b]"))
    assert pipe.rows() == [(3, None, 1), (4, "c", 1), (9, "a", 2)]


def test_the_partition_without_a_value_can_be_named(pipe: Pipe) -> None:
    pipe.run(batch([(9, None, 2)]), config=config("[null, b]"))
    assert pipe.rows() == [(1, "a", 1), (4, "c", 1), (9, None, 2)]


def test_an_empty_batch_empties_them_only_where_allowed(pipe: Pipe) -> None:
    before = pipe.lake.head()
    assert pipe.run(batch([]), config=config("[a, b]")).version == before
    assert pipe.rows() == sorted(OLD, key=repr)
    result = pipe.run(batch([]), config=config("[a, b]", EMPTY))
    assert result.version == pipe.lake.head() > before
    assert pipe.rows() == [(3, None, 1), (4, "c", 1)]


def test_what_is_empty_already_makes_no_version(pipe: Pipe) -> None:
    before = pipe.lake.head()
    assert pipe.run(batch([]), config=config("[y, z]", EMPTY)).version == before == pipe.lake.head()


def test_an_empty_batch_never_empties_unnamed_partitions(pipe: Pipe) -> None:
    before = pipe.lake.head()
    pipe.run(batch([]), config="\n".join([*CONFIGS["snapshot"], EMPTY]))
    assert pipe.lake.head() == before
    run = pipe.runs[-1]
    assert any("is not used by snapshot without partitions" in entry["message"] for entry in run.log)


def test_a_row_of_another_partition_is_refused(pipe: Pipe) -> None:
    before = (pipe.lake.head(), pipe.rows())
    for stranger in ("c", None):
        with pytest.raises(InvalidValue, match="which the configuration does not name"):
            pipe.run(batch([(9, "a", 2), (10, stranger, 2)]), config=config("[a, b]"))
    assert (pipe.lake.head(), pipe.rows()) == before


def test_an_annotation_can_name_them(pipe: Pipe) -> None:
    pipe.run("-- @partitions: a, c\n" + batch([(9, "c", 2)]), config="\n".join(CONFIGS["snapshot"]))
    assert pipe.rows() == [(2, "b", 1), (3, None, 1), (9, "c", 2)]


def test_the_same_run_again_leaves_the_same_rows(pipe: Pipe) -> None:
    for _ in range(2):
        pipe.run(batch([(9, "a", 2), (9, "a", 2)]), config=config("[a, b]"))
        assert pipe.rows() == [(3, None, 1), (4, "c", 1), (9, "a", 2), (9, "a", 2)]


def test_an_impossible_column_value_is_refused_by_line(pipes: Pipes) -> None:
    pipe = pipes("merge_strategy: snapshot", "partition_column: at", "partitions: [1, first, null]")
    with pytest.raises(InvalidConfig, match="first can be no value of the column at") as caught:
        pipe.run(batch(OLD))
    (error,) = caught.value.details["errors"]
    assert (error["field"], error["line"]) == ("partitions", 3)


def test_whole_numbers_and_dates_name_partitions_without_quotes(pipes: Pipes) -> None:
    pipe = pipes("merge_strategy: snapshot", "partition_column: at")
    pipe.run(batch([(1, "a", 7), (2, "b", 8)]))
    pipe.run(batch([]), config="merge_strategy: snapshot\npartition_column: at\npartitions: [7]\nallow_empty: true")
    assert pipe.rows() == [(2, "b", 8)]


@pytest.mark.parametrize(("kind", "value", "other"), [("DATE", "2026-01-31", "2026-02-01"), ("INT", "7", "8")])
def test_they_are_found_by_values_of_their_type(pipes: Pipes, kind: str, value: str, other: str) -> None:
    found_by_value(pipes, kind, value, other)


def found_by_value(pipes: Pipes, kind: str, value: str, other: str) -> None:
    """A run replaces the partitions of ``value`` and of NULL, and leaves that of ``other``."""
    named = ("merge_strategy: snapshot", "partition_column: p", EMPTY, f"partitions: [{value}, null]")
    made = pipes(*named[:2])
    source = f"SELECT id, CAST(p AS {kind}) AS p FROM VALUES (1, '{value}'), (2, '{other}'), (3, NULL) AS v(id, p)"
    made.run(source)
    made.run(f"{source} WHERE id = 1", config="\n".join(named))
    assert made.rows(columns="id") == [(1,), (2,)]
    made.run(f"{source} WHERE false", config="\n".join(named))
    assert made.rows(columns="id") == [(2,)]
