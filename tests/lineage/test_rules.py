"""Rules that random histories seldom play: R7 before P7, R8 of restored rows, R9 within one commit, R13."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from merge_app.lineage.facts import (
    Commits,
    Fact,
    Granularity,
    Kind,
    News,
    RowFacts,
    Scope,
    ScopeKind,
    TableFacts,
)
from merge_app.lineage.objects import objects_merge
from merge_app.lineage.outcomes import CONFLICT, Outcome
from merge_app.lineage.scopes import standing_scopes
from merge_app.lineage.tables import table_merge
from tests.lineage.row_facts import fact_columns

NEWS = News(np.array([10]), np.array([11, 12]))
"""The source has commit 10, the target 11 and 12; both have 1."""


def ints(*values: int) -> Any:
    return np.array(values, dtype=np.int64)


def no_cells(source: Any, target: Any, base: Any) -> Any:
    return np.full(len(source), CONFLICT)


def rows(image: Any, partition: Any = None) -> RowFacts:
    ids = np.arange(len(image), dtype=np.int64)
    partition = fact_columns(stamp=ints(*[1] * len(ids)), kind=Kind.INSERT, value=0) if partition is None else partition
    return RowFacts(ids, image, partition, ints(*[0] * len(ids)), ints(*[1] * len(ids)))


def test_a_lacking_rows_partition_wins_before_p7() -> None:
    gone = fact_columns(stamp=ints(10), kind=Kind.DELETE, value=-1, was=7, was_stamp=1, was_known=True)
    kept = fact_columns(stamp=ints(1), kind=Kind.INSERT, value=7)
    moved = fact_columns(stamp=ints(10), kind=Kind.UPDATE, value=2, was=0, was_stamp=1, was_known=True)
    back = fact_columns(stamp=ints(12), kind=Kind.RESTORE, value=0, was=0, was_stamp=1, was_known=True)
    found = table_merge("t", TableFacts(rows(gone, moved), rows(kept, back)), NEWS, stamp=99, cells=no_cells)
    assert found.partitions.outcome.tolist() == [Outcome.TARGET_DECIDED]


def test_a_restored_row_lies_in_its_file() -> None:
    """The source updates row 0 of a file. The target deletes row 1, and took row 0 away and brought it back."""
    source = fact_columns(
        stamp=ints(10, 1), kind=np.array([Kind.UPDATE, Kind.INSERT]), value=ints(8, 7),
        was=ints(6, -1), was_stamp=ints(1, 0), was_known=np.array([True, False]),
    )  # fmt: skip
    target = fact_columns(
        stamp=ints(12, 11), kind=np.array([Kind.RESTORE, Kind.DELETE]), value=ints(6, -1),
        was=ints(6, 7), was_stamp=ints(1, 1), was_known=np.array([True, True]),
    )  # fmt: skip
    found = table_merge("t", TableFacts(rows(source), rows(target)), NEWS, stamp=99, cells=no_cells)
    assert [finding.code for finding in found.findings if finding.is_conflict] == ["SAME_FILE_UPDATE_DELETE"]


def test_overwrite_absorbs_earlier_predicates_of_its_commit() -> None:
    deleted, overwritten = (Scope(10, "b", kind, {}) for kind in (ScopeKind.DELETE, ScopeKind.OVERWRITE))
    assert standing_scopes([deleted, overwritten], NEWS.of_source) == (overwritten,)
    assert standing_scopes([overwritten, deleted], NEWS.of_source) == (overwritten, deleted)


@pytest.mark.parametrize(("partition", "left"), [(None, []), (1, ["overwrite"]), (2, ["overwrite", "drop partition"])])
def test_decision_leaves_out_scopes_and_no_predicate(partition: int | None, left: list[str]) -> None:
    """A person left out what ``b`` did, of the table or of one partition. Main knows it by the merge alone."""
    scopes = [
        Scope(10, "b", ScopeKind.OVERWRITE, {}),
        Scope(11, "b", ScopeKind.DROP_PARTITION, {}, 1),
        Scope(12, "b", ScopeKind.UPDATE, {}),
        Scope(13, "main", ScopeKind.DECISION, {"b": 12, "main": 9}, partition, then={"main": 9}),
    ]
    standing = [scope.kind.value for scope in standing_scopes(scopes, ints(10, 11, 12, 13))]
    assert standing == [*left, "update", "decision"]


def test_a_lacking_columns_attribute_wins_before_p7() -> None:
    """Both added the column; the source took it away. The target's NOT NULL is what it was at first."""
    table = {("exists",): Fact(True, 1, Kind.SET), ("home",): Fact(None, 1, Kind.SET)}
    exists, required = ("column", "n", "exists"), ("column", "n", "required")
    source = {"t": {**table, exists: Fact(None, 10, Kind.RESTORE), required: Fact(True, 10, Kind.SET)}}
    past = ((1, None), (11, True))
    target = {"t": {**table, exists: Fact((None,), 11, Kind.SET), required: Fact(None, 12, Kind.SET, past)}}
    merged = objects_merge(source, target, NEWS, stamp=99, widens=lambda narrow, wide: True)
    assert merged.facts["t"][required].value is None


@pytest.mark.parametrize(
    ("knows", "outcome"), [({"b": 1}, Outcome.SCOPE), ({"b": 0}, Outcome.TARGET), ({}, Outcome.TARGET)]
)
def test_scope_takes_no_row_source_received_after_it(knows: dict[str, int], outcome: Outcome) -> None:
    """The source shows the row as commit 1 of b wrote it. The target, which knows that commit, has updated the row."""
    source = rows(fact_columns(stamp=ints(1), kind=Kind.INSERT, value=7))
    target = rows(fact_columns(stamp=ints(11), kind=Kind.UPDATE, value=8, was=7, was_stamp=1, was_known=True))
    overwritten = Scope(10, "main", ScopeKind.OVERWRITE, knows)
    commits = Commits(ints(1, 10), np.array(["b", "main"], dtype=object))
    given = TableFacts(source, target, source_scopes=[overwritten], since_scopes=commits)
    found = table_merge("t", given, NEWS, stamp=99, cells=no_cells)
    assert found.rows.outcome.tolist() == [outcome]


@pytest.mark.parametrize("newest_of", ["source", "target"])
@pytest.mark.parametrize("has_key", [False, True])
def test_cells_merge_against_newest_image_that_both_know(newest_of: str, has_key: bool) -> None:
    """After merges criss-cross each side's own past may know of another one."""
    pasts = {"source": (5, 2), "target": (6, 3)} if newest_of == "target" else {"source": (5, 3), "target": (6, 2)}
    source, target = (
        rows(fact_columns(stamp=ints(at), kind=Kind.UPDATE, value=at, was=was, was_stamp=stamp, was_known=True))
        for at, (was, stamp) in ((10, pasts["source"]), (11, pasts["target"]))
    )
    asked: list[Any] = []

    def cells(mine: Any, theirs: Any, base: Any) -> Any:
        asked.append((mine.tolist(), theirs.tolist(), base.tolist()))
        return ints(40)

    given = TableFacts(source, target, granularity=Granularity.CELL, has_key=has_key)
    found = table_merge("t", given, NEWS, stamp=99, cells=cells)
    assert asked == [([10], [11], [pasts[newest_of][0]])]
    assert found.rows.outcome.tolist() == [Outcome.CELLS]


def test_overwritten_keys_return_after_a_restore() -> None:
    written = fact_columns(stamp=ints(10), kind=Kind.OVERWRITE, value=8, was=7, was_stamp=1, was_known=True)
    restored = fact_columns(stamp=ints(11), kind=Kind.RESTORE, value=-1, was=7, was_stamp=1, was_known=True)
    given = TableFacts(rows(written), rows(restored), has_key=True)
    found = table_merge("t", given, NEWS, stamp=99, cells=no_cells)
    assert (found.rows.outcome.tolist(), list(found.findings)) == ([Outcome.SOURCE_DECIDED], [])
