"""scd2: versions by the time of the run, and by their own."""

from __future__ import annotations

from typing import Any

import pytest

from lakeui.common.errors import NotNullViolation
from lakeui.frontdoor import StatementResult
from merge_app.pipelines.definition.mistakes import InvalidConfig
from tests.pipelines.strategies.cases import CONFIGS, ROWS, history, types
from tests.pipelines.strategies.pipes import Attempt, Pipes, batch


def open_versions(result: list[tuple[Any, ...]]) -> list[Any]:
    return sorted(row[0] for row in result if row[3] is None)


class TestVersionsByTheTimeOfTheRun:
    CONFIG = ("merge_strategy: scd2", "unique_key: id")

    def test_a_change_ends_one_version_and_begins_another(self, pipes: Pipes) -> None:
        pipe = pipes(*self.CONFIG)
        pipe.run(batch(ROWS))
        result: StatementResult = pipe.run(batch([(1, "x", 1), (2, "b", 1), (4, "d", 1)]))
        assert (result.metrics["rows_updated"], result.metrics["rows_inserted"]) == (1, 2)
        first, second = sorted((row for row in history(pipe) if row[0] == 1), key=lambda row: str(row[2]))
        assert (first[1], second[1], second[3]) == ("a", "x", None)
        assert first[3] == second[2]
        assert open_versions(history(pipe)) == [1, 2, 3, 4]

    def test_keys_that_are_gone_end_when_asked(self, pipes: Pipes) -> None:
        pipe = pipes(*self.CONFIG, "hard_deletes: invalidate")
        pipe.run(batch(ROWS))
        pipe.run(batch(ROWS[:1]))
        assert open_versions(history(pipe)) == [1]
        assert len(history(pipe)) == 3
        pipe.run(batch(ROWS[:2]))
        assert open_versions(history(pipe)) == [1, 2]
        assert len(history(pipe)) == 4
        assert pipe.run(batch([])).metrics["rows_updated"] == 0

    def test_only_tracked_columns_make_versions(self, pipes: Pipes) -> None:
        pipe = pipes(*self.CONFIG, "scd_columns: value", "scd_valid_from: since", "scd_valid_to: until")
        pipe.run(batch(ROWS))
        before = pipes.lake.head()
        assert pipe.run(batch([(1, "a", 7)])).version == before
        assert list(types(pipe))[-2:] == ["since", "until"]

    def test_files_without_open_batch_key_versions_are_skipped(self, pipes: Pipes) -> None:
        looked: list[str] = []

        class Watched(Attempt):
            def step(self, name: str, detail: str = "") -> None:
                if name == "merge rows":
                    looked.append(detail.split(" files", maxsplit=1)[0])

        pipe = pipes(*self.CONFIG)
        for first in (10, 20, 30):
            pipe.run(batch([(first, "a", 1), (first + 1, "a", 1)]))
        pipe.start(source=batch([(21, "b", 1)]), context=Watched)
        pipe.start(source=batch([(21, "c", 1), (99, "new", 1)]), context=Watched)
        # The file with the version that 21 had first, ended now, is none of those that count.
        assert looked == ["1 of 3", "2 of 5"]
        assert [row[1] for row in history(pipe) if row[0] == 21 and row[3] is None] == ["c"]
        assert len([row for row in history(pipe) if row[0] == 21]) == 3


class TestVersionsByTheirOwnTime:
    def test_a_late_change_splits_the_interval(self, pipes: Pipes) -> None:
        pipe = pipes(*CONFIGS["scd2"], "scd_columns: value")
        pipe.run(batch([(1, "a", 1), (1, "c", 9)]))
        pipe.run(batch([(1, "b", 5), (1, "a", 3), (1, "0", 0)]))
        assert sorted(history(pipe), key=lambda row: row[2]) == [
            (1, "0", 0, 1),
            (1, "a", 1, 5),
            (1, "b", 5, 9),
            (1, "c", 9, None),
        ]

    def test_a_version_without_a_time_is_refused(self, pipes: Pipes) -> None:
        with pytest.raises(NotNullViolation):
            pipes(*CONFIGS["scd2"]).run(batch([(1, "a", None)]))


class TestKeysThatAreGone:
    CONFIG = ("merge_strategy: scd2", "unique_key: id", "hard_deletes: new_record")
    TIMES = ("id INT", "value STRING", "at TIMESTAMP")

    def test_a_version_marks_missing_rows_until_they_return(self, pipes: Pipes) -> None:
        pipe = pipes(*self.CONFIG, "scd_deleted: gone")
        pipe.run(batch(ROWS[:2]))
        result = pipe.run(batch(ROWS[:1]))
        assert (result.metrics["rows_updated"], result.metrics["rows_inserted"]) == (1, 1)
        assert pipe.run(batch(ROWS[:1])).metrics["rows_inserted"] == 0
        pipe.run(batch(ROWS[:2]))
        found = pipe.rows(columns="id, value, valid_from, valid_to, gone")
        was, gone, back = sorted((row for row in found if row[0] == 2), key=lambda row: str(row[2]))
        assert ([row[1] for row in (was, gone, back)], [row[4] for row in (was, gone, back)]) == (
            ["b"] * 3,
            [False, True, False],
        )
        assert (was[3], gone[3], back[3]) == (gone[2], back[2], None)

    def test_missing_rows_end_at_the_run_time(self, pipes: Pipes) -> None:
        pipe = pipes(*self.CONFIG, "watermark_column: at", "scd_columns: value")
        rows = [(1, "a", "2020-01-01T00:00:00+00:00"), (2, "b", "2020-01-01T00:00:00+00:00")]
        pipe.run(batch(rows, self.TIMES))
        pipe.run(batch(rows[:1], self.TIMES))
        assert pipe.run(batch(rows[:1], self.TIMES)).version == pipe.runs[1].committed_version
        pipe.run(batch([*rows[:1], (2, "b", "2999-01-01T00:00:00+00:00")], self.TIMES))
        found = pipe.rows(columns="id, valid_from, valid_to, is_deleted")
        of_two = sorted((row for row in found if row[0] == 2), key=lambda row: str(row[1]))
        assert [row[3] for row in of_two] == [False, True, False]
        assert [row[2] for row in of_two] == [of_two[1][1], of_two[2][1], None]
        assert len(found) == 4

    def test_a_number_cannot_say_since_when(self, pipes: Pipes) -> None:
        with pytest.raises(InvalidConfig) as caught:
            pipes(*self.CONFIG, "watermark_column: at").run(batch(ROWS))
        (error,) = caught.value.details["errors"]
        assert (error["field"], error["line"]) == ("hard_deletes", 3)

    def test_missing_columns_are_added_unless_fixed(self, pipes: Pipes) -> None:
        pipe = pipes("merge_strategy: scd2", "unique_key: id")
        pipe.run(batch(ROWS))
        with pytest.raises(InvalidConfig, match="has no column is_deleted"):
            pipe.run(batch(ROWS[:2]), config="\n".join([*self.CONFIG, "on_schema_change: ignore"]))
        pipe.run(batch(ROWS[:2]), config="\n".join(self.CONFIG))
        assert types(pipe)["is_deleted"] == "boolean"
        marked = pipe.rows(columns="id, coalesce(is_deleted, false), valid_to IS NULL")
        assert sorted(marked) == [(1, False, True), (2, False, True), (3, False, False), (3, True, True)]

    @pytest.mark.parametrize("column", ["is_deleted", "valid_to"])
    def test_the_query_may_not_give_run_filled_columns(self, pipes: Pipes, column: str) -> None:
        with pytest.raises(InvalidConfig, match=f"gives the column {column}, which scd2 fills"):
            pipes(*self.CONFIG).run(f"SELECT 1 AS id, true AS {column}")

    @pytest.mark.parametrize("gone", ["invalidate", "new_record"])
    def test_missing_rows_return_with_the_run_if_unchanged(self, pipes: Pipes, gone: str) -> None:
        pipe = pipes("merge_strategy: scd2", "unique_key: id", "watermark_column: at", f"hard_deletes: {gone}")
        rows = [(1, "a", "2020-01-01T00:00:00+00:00"), (2, "b", "2020-01-01T00:00:00+00:00")]
        for present in (rows, rows[:1], rows):
            pipe.run(batch(present, self.TIMES))
        of_two = sorted((row for row in history(pipe) if row[0] == 2), key=lambda row: str(row[2]))
        assert [row[1] for row in of_two] == ["b"] * (2 if gone == "invalidate" else 3)
        assert [row[3] is None for row in of_two] == [False] * (len(of_two) - 1) + [True]
        assert str(of_two[-1][2]) > str(of_two[0][2])
        assert open_versions(history(pipe)) == [1, 2]
        before = pipes.lake.head()
        assert pipe.run(batch(rows, self.TIMES)).version == before
        later = (2, "x", "2999-01-01T00:00:00+00:00")
        pipe.run(batch([rows[0], later], self.TIMES))
        assert open_versions(history(pipe)) == [1, 2]


FUTURE = "2099-01-01T00:00:00+00:00"
TIMES = ("id INT", "value STRING", "at TIMESTAMP")


@pytest.mark.parametrize("gone", ["invalidate", "new_record"])
def test_no_missing_keys_version_ends_before_it_begins(pipes: Pipes, gone: str) -> None:
    pipe = pipes("merge_strategy: scd2", "unique_key: id", "watermark_column: at", f"hard_deletes: {gone}")
    rows = [(1, "a", "2020-01-01T00:00:00+00:00"), (3, "zoe", FUTURE)]
    pipe.run(batch(rows, TIMES))
    pipe.run(batch(rows[:1], TIMES))
    found = [row for row in history(pipe) if row[0] == 3]
    assert all(until is None or until >= begins for _, _, begins, until in found)
    if gone == "invalidate":
        assert [(begins == until) for _, _, begins, until in found] == [True]
    else:
        assert pipe.rows(columns="id, is_deleted, valid_to IS NULL") == [(1, False, True), (3, True, True)]
    before = pipes.lake.head()
    assert pipe.run(batch(rows[:1], TIMES)).version == before


def test_no_version_a_run_succeeds_ends_before_beginning(pipes: Pipes) -> None:
    """Versions by their own times were there before the time of the run counted."""
    pipe = pipes("merge_strategy: scd2", "unique_key: id", "watermark_column: at")
    pipe.run(batch([(3, "zoe", FUTURE)], TIMES))
    pipe.run(batch([(3, "zoë", FUTURE)], TIMES), config="merge_strategy: scd2\nunique_key: id")
    assert all(until is None or until >= begins for _, _, begins, until in history(pipe))
    assert len(history(pipe)) == 2


def test_a_new_column_without_changes_is_reported(pipes: Pipes) -> None:
    pipe = pipes("merge_strategy: scd2", "unique_key: id", "scd_columns: value")
    pipe.run(batch(ROWS))
    more = ("id INT", "value STRING", "at INT", "extra INT")
    pipe.run(batch([(*row, 9) for row in ROWS], more))
    assert "extra" not in types(pipe)
    (said,) = [entry["message"] for entry in pipe.runs[-1].log if entry["level"] == "warning"]
    assert "does not get extra yet" in said
    pipe.run(batch([(1, "x", 1, 9)], more))
    assert types(pipe)["extra"] == "int"
