"""scd2 with a marker in place of NULL for versions that hold still."""

from __future__ import annotations

import pytest
from django.utils import timezone

from lakeui.common.errors import InvalidValue
from merge_app.jobs.models import Task, TaskState
from merge_app.pipelines.definition.mistakes import InvalidConfig
from tests.pipelines.strategies.cases import CONFIGS, ROWS, history
from tests.pipelines.strategies.pipes import Attempt, Pipe, Pipes, batch

FOREVER = "9999-12-31T00:00:00+00:00"
BY_RUN = ("merge_strategy: scd2", "unique_key: id", "scd_open_marker: 9999-12-31")
BY_ROW = (*CONFIGS["scd2"], "scd_open_marker: 999")


def ended(pipe: Pipe) -> None:
    """The last run is over: what it went by counts for the next."""
    Task.objects.filter(pk=pipe.runs[-1].pk).update(state=TaskState.SUCCEEDED, finished_at=timezone.now())


def still(pipe: Pipe) -> list[tuple[int, str]]:
    """The versions that hold still by the marker, of which each key has one."""
    found = sorted((row[0], row[1]) for row in history(pipe) if row[3] in (FOREVER, 999))
    assert len({key for key, _ in found}) == len(found)
    assert not [row for row in history(pipe) if row[3] is None]
    return found


def test_versions_by_run_time_hold_until_the_marker(pipes: Pipes) -> None:
    pipe = pipes(*BY_RUN)
    pipe.run(batch(ROWS))
    assert still(pipe) == [(1, "a"), (2, "b"), (3, "c")]
    before = pipes.lake.head()
    assert pipe.run(batch(ROWS)).version == before, "the same batch again changes nothing"
    pipe.run(batch([(1, "x", 1), (4, "d", 1)]))
    assert still(pipe) == [(1, "x"), (2, "b"), (3, "c"), (4, "d")]
    (was, now) = sorted((row for row in history(pipe) if row[0] == 1), key=lambda row: str(row[2]))
    assert was[3] == now[2] < FOREVER


def test_keys_that_are_gone_end_before_the_marker(pipes: Pipes) -> None:
    for gone in ("invalidate", "new_record"):
        pipe = pipes(*BY_RUN, f"hard_deletes: {gone}")
        pipe.run(batch(ROWS))
        pipe.run(batch(ROWS[:1]))
        assert [key for key, _ in still(pipe)] == ([1] if gone == "invalidate" else [1, 2, 3])
        pipe.run(batch(ROWS[:2]))
        assert [key for key, _ in still(pipe)] == ([1, 2] if gone == "invalidate" else [1, 2, 3])
        assert len(history(pipe)) == (4 if gone == "invalidate" else 6)


def test_late_versions_split_those_holding_until_the_marker(pipes: Pipes) -> None:
    pipe = pipes(*BY_ROW, "scd_columns: value")
    pipe.run(batch([(1, "a", 1), (1, "c", 9)]))
    pipe.run(batch([(1, "b", 5), (1, "d", 12)]))
    assert sorted(history(pipe), key=lambda row: row[2]) == [
        (1, "a", 1, 5),
        (1, "b", 5, 9),
        (1, "c", 9, 12),
        (1, "d", 12, 999),
    ]


def test_versions_open_by_null_continue_under_a_marker(pipes: Pipes) -> None:
    pipe = pipes(*BY_RUN[:2])
    pipe.run(batch(ROWS))
    pipe.run(batch([(1, "x", 1), (4, "d", 1)]), config="\n".join(BY_RUN))
    held = sorted((row[0], row[1], row[3]) for row in history(pipe) if row[3] in (None, FOREVER))
    assert held == [(1, "x", FOREVER), (2, "b", None), (3, "c", None), (4, "d", FOREVER)]


@pytest.mark.parametrize("now", ["", "scd_open_marker: 9998-12-31"])
def test_a_marker_that_versions_use_cannot_be_removed(pipes: Pipes, now: str) -> None:
    pipe = pipes(*BY_RUN)
    pipe.run(batch(ROWS))
    ended(pipe)
    config = "\n".join([*BY_RUN[:2], now])
    with pytest.raises(InvalidConfig, match="the marker until now"):
        pipe.run(batch(ROWS), config=config)
    new = "NULL" if not now else "TIMESTAMP '9998-12-31T00:00:00+00:00'"
    pipes.lake.sql(f"UPDATE {pipe.table} SET valid_to = {new}")
    pipe.run(batch([(1, "x", 1)]), config=config)
    assert len(history(pipe)) == 4


def test_only_files_with_versions_still_open_are_read(pipes: Pipes) -> None:
    looked: list[str] = []

    class Watched(Attempt):
        def step(self, name: str, detail: str = "") -> None:
            if name == "merge rows":
                looked.append(detail.split(" files", maxsplit=1)[0])

    pipe = pipes(*BY_RUN)
    for first in (10, 20):
        pipe.run(batch([(first, "a", 1), (first + 1, "a", 1)]))
    pipe.run(batch([(21, "b", 1), (20, "b", 1)]))
    pipe.start(source=batch([(21, "c", 1)]), context=Watched)
    # Of 20 and 21 there is one file of versions that ended, and one of those that hold.
    assert looked == ["1 of 3"]


@pytest.mark.parametrize(
    ("config", "line"), [((*BY_RUN[:2], "scd_open_marker: forever"), 3), ((*CONFIGS["scd2"], BY_RUN[2]), 4)]
)
def test_an_impossible_marker_is_refused_by_line(pipes: Pipes, config: tuple[str, ...], line: int) -> None:
    with pytest.raises(InvalidConfig, match="can be no end of a version") as caught:
        pipes(*config).run(batch(ROWS))
    (error,) = caught.value.details["errors"]
    assert (error["field"], error["line"]) == ("scd_open_marker", line)


def test_a_version_cannot_begin_at_the_marker(pipes: Pipes) -> None:
    with pytest.raises(InvalidValue, match="is not before 999"):
        pipes(*BY_ROW).run(batch([(1, "a", 999)]))
