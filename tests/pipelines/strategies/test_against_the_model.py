"""Run after run, every strategy leaves the rows that the naive model says."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from lakeui.common.errors import DuplicateKey, InvalidValue
from tests.pipelines.strategies import model
from tests.pipelines.strategies.pipes import Pipe, Pipes, batch
from tests.support.soak import IS_SOAK

Model = Callable[[list[model.Row], list[model.Row]], list[model.Row]]
STRATEGIES: dict[str, tuple[str, Model]] = {
    "full_refresh": ("", model.full_refresh),
    "append_only": ("", model.append_only),
    "incremental": ("unique_key: id\nwatermark_column: at", model.incremental),
    "delete_insert": ("unique_key: id", model.delete_insert),
    "snapshot": ("partition_column: value", model.snapshot),
    "scd2": ("unique_key: id\nwatermark_column: at\nscd_columns: value", model.scd2),
}
VARIANTS: dict[str, tuple[str, Model]] = {
    "snapshot of named partitions": (
        "merge_strategy: snapshot\npartition_column: value\npartitions: [a, null]\nallow_empty: true",
        model.snapshot_of(["a", None]),
    ),
    "scd2 with a marker": (
        "merge_strategy: scd2\nunique_key: id\nwatermark_column: at\nscd_columns: value\nscd_open_marker: 99",
        model.scd2_until(99),
    ),
}
Batches = list[list[model.Row]]

_FIRST: list[model.Row] = [(1, "a", 1), (2, "b", 1), (None, "c", 1), (3, None, 1)]
STORY: dict[str, list[model.Row]] = {
    "a first run, with NULL as key and as value": _FIRST,
    "a second run, the same again": _FIRST,
    "an empty batch": [],
    "all new": [(4, "a", 2), (5, "b", 2)],
    "all changed": [(1, "x", 5), (2, "y", 5), (None, "z", 5), (3, "c", 5), (4, None, 5), (5, "a", 5)],
    "late rows": [(1, "late", 3), (2, "b", 4), (None, "late", 2)],
    "duplicate rows": [(6, "six", 1), (6, "six", 1), (6, "seven", 2), (None, "z", 5), (None, "z", 5)],
}


def expected(strategy: str, table: list[model.Row], rows: list[model.Row]) -> list[model.Row]:
    found = (STRATEGIES | VARIANTS)[strategy][1](table, rows)
    return sorted(found, key=repr)


def configuration(strategy: str) -> str:
    if strategy in VARIANTS:
        return VARIANTS[strategy][0]
    return f"merge_strategy: {strategy}\n{STRATEGIES[strategy][0]}"


def agree(pipes: Pipes, strategy: str, batches: Mapping[str, list[model.Row]]) -> Pipe:
    """Run a pipeline with each batch; ``batches`` says what is tried by it."""
    pipe = pipes(configuration(strategy))
    table: list[model.Row] = []
    for what, rows in batches.items():
        try:
            table = expected(strategy, table, rows)
        except (model.Rivals, model.Strange) as refused:
            with pytest.raises(DuplicateKey if isinstance(refused, model.Rivals) else InvalidValue):
                pipe.run(batch(rows))
            continue
        pipe.run(batch(rows))
        assert pipe.rows() == table, what
    assert not any(run.is_degraded for run in pipe.runs)
    return pipe


def story(strategy: str) -> dict[str, list[model.Row]]:
    """STORY; where partitions are named, of the rows of these, and one that is of none."""
    if "named" not in strategy:
        return STORY
    mine = {what: [row for row in rows if row[1] in ("a", None)] for what, rows in STORY.items()}
    return {**mine, "a row of another partition": STORY["all new"]}


@pytest.mark.parametrize("strategy", [*STRATEGIES, *VARIANTS])
def test_a_story_of_runs(pipes: Pipes, strategy: str) -> None:
    agree(pipes, strategy, story(strategy))


@pytest.mark.parametrize(("key_strategy", "meaning"), [("insert", model.added), ("update", model.replaced)])
def test_a_story_of_keys_only_added_or_replaced(pipes: Pipes, key_strategy: str, meaning: Model) -> None:
    lines = f"merge_strategy: incremental\n{STRATEGIES['incremental'][0]}"
    pipe = pipes(lines)
    pipe.run(batch(_FIRST))
    table = _FIRST
    for what, rows in STORY.items():
        table = sorted(meaning(table, rows), key=repr)
        pipe.run(batch(rows), config=f"{lines}\nkey_strategy: {key_strategy}")
        assert pipe.rows() == table, what


def agree_by_run(pipes: Pipes, gone: str, batches: Batches) -> None:
    """The same for versions by the time of the run, of which only the order is known before."""
    pipe = pipes("merge_strategy: scd2", "unique_key: id", f"hard_deletes: {gone}")
    marks = ", is_deleted" if gone == "new_record" else ", false"
    table: list[model.Row] = []
    for number, rows in enumerate(batches):
        try:
            table = model.scd2_by_run(table, rows, number, gone)
        except model.Rivals:
            with pytest.raises(DuplicateKey):
                pipe.run(batch(rows))
            continue
        pipe.run(batch(rows))
        assert in_order(pipe.rows(columns=f"id, value, at, valid_from, valid_to{marks}")) == in_order(table)


def in_order(versions: list[model.Row]) -> list[model.Row]:
    """Versions with their times numbered from the earliest."""
    moments = sorted({at for version in versions for at in version[3:5] if at is not None})
    numbers = {at: number for number, at in enumerate(moments)} | {None: None}
    return sorted(((*v[:3], numbers[v[3]], numbers[v[4]], v[5]) for v in versions), key=repr)


@pytest.mark.parametrize("gone", ["ignore", "invalidate", "new_record"])
def test_a_story_of_versions_by_run_time(pipes: Pipes, gone: str) -> None:
    back = _FIRST[:2]
    rivals, twice = [(1, "p", 1), (1, "q", 1)], [*_FIRST[1:], *_FIRST[1:]]
    agree_by_run(pipes, gone, [_FIRST, _FIRST, [], back, back, rivals, twice, STORY["all changed"], _FIRST])


FEW = settings(
    max_examples=100 if IS_SOAK else 3,
    derandomize=True,
    database=None,
    deadline=None,
    phases=(Phase.generate,),
    suppress_health_check=list(HealthCheck),
)


def runs(at: Any, **unique: Any) -> Any:
    row = st.tuples(st.none() | st.integers(0, 2), st.none() | st.sampled_from("ab"), at)
    return st.lists(st.lists(row, max_size=6, **unique), min_size=2, max_size=3)


@pytest.mark.parametrize("strategy", [*STRATEGIES, *VARIANTS])
def test_any_runs(pipes: Pipes, strategy: str) -> None:
    @given(batches=runs(st.integers(0, 5) if strategy.startswith("scd2") else st.none() | st.integers(0, 5)))
    @FEW
    def check(batches: Batches) -> None:
        agree(pipes, strategy, {str(rows): rows for rows in batches})

    check()


@pytest.mark.parametrize("gone", ["ignore", "invalidate", "new_record"])
def test_any_runs_of_versions_by_run_time(pipes: Pipes, gone: str) -> None:
    @given(batches=runs(st.none() | st.integers(0, 1), unique_by=lambda row: row[0]))
    @FEW
    def check(batches: Batches) -> None:
        agree_by_run(pipes, gone, batches)

    check()
