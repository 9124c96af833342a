"""What a comparison shows is what the merge does, on random histories of rows."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from typing import Any

import pytest

from catalog_app.domain.operations import ObjectKind
from catalog_app.selectors.objects import databases_named, tables_list
from catalog_app.selectors.snapshots import branch_get, branch_snapshot, catalog_get
from lakeui.api.compare.comparing import Pair, comparison_read, findings_read
from lakeui.api.compare.decision_comparing import decisions_read
from lakeui.api.compare.row_comparing import sides_key, sides_read
from lakeui.api.http.paging import KeysetPage
from lakeui.common.errors import MergeConflict
from tests.lineage.journal import journal_noted
from tests.lineage.test_product import Both
from tests.lineage.test_product_keyed import Keyed
from tests.support.lake import Lake
from tests.support.soak import IS_SOAK

STEPS = 16
ALL_SEEDS = [(granularity, seed) for granularity in ("file", "row", "cell") for seed in range(300)]
SEEDS = ALL_SEEDS if IS_SOAK else [("file", 0), ("file", 1), ("file", 2), ("row", 1), ("cell", 2), ("cell", 3)]
KEYED_SEEDS = range(300) if IS_SOAK else (0, 2, 3, 5)
"""Of the first six of each kind, those that together pass each pair of following lines of the product that any of them
passes.
"""
Row = dict[str, Any]
DECISIONS = {
    ("source", "object"): "TAKE SOURCE",
    ("destination", "object"): "TAKE TARGET",
    ("leave_out", "object"): "SKIP",
    ("source", "rows"): "ROWS TAKE SOURCE",
    ("destination", "rows"): "ROWS TAKE TARGET",
    ("larger", "rows"): "ROWS TAKE LARGER",
}
"""Decisions that are tried, as SQL."""
BY_ROW = {"SAME_FILE_UPDATE_UPDATE", "SAME_FILE_UPDATE_DELETE"}


def compared(lake: Lake, source: str, target: str) -> Pair:
    catalog = catalog_get(lake.catalog)
    return Pair(branch_get(catalog, source), branch_get(catalog, target))


def table_of(pair: Pair) -> int:
    snapshot = branch_snapshot(pair.destination)
    (table,) = tables_list(snapshot, databases_named(snapshot, ["d"]))
    return table.table_id


def conflicts(pair: Pair) -> list[dict[str, Any]]:
    listed = comparison_read(pair)["objects"]
    keys = [(ObjectKind(item["kind"]), item["object_id"]) for item in listed]
    return [found for key in keys for found in findings_read(pair, key) if found["verdict"] == "conflict"]


def codes(found: list[dict[str, Any]]) -> list[tuple[str, str]]:
    return sorted((item["code"], item["object"]) for item in found)


def rows_paged(pair: Pair, table_id: int, *, only_conflicts: bool) -> list[Row]:
    found: list[Row] = []
    after = None
    while True:
        page = sides_read(pair, table_id, KeysetPage(3, after), only_conflicts=only_conflicts)
        found += page["rows"]
        if not page["more"]:
            return found
        after = sides_key(page["rows"][-1])


class NotedLake(Lake):
    """``conflicts``: those of the last merge."""

    conflicts: Sequence[dict[str, Any]] = ()

    def merge(self, source: str, destination: str = "main") -> dict[str, Any]:
        self.conflicts = ()
        try:
            return super().merge(source, destination)
        except MergeConflict as error:
            self.conflicts = error.details["conflicts"]
            raise


class Comparing(Both, ABC):
    """Before each merge both branches are compared; the merge does what the comparison says."""

    lake: NotedLake
    lake_kind = NotedLake

    def merge(self, source: str, target: str) -> None:
        named = f"{source} into {target}"
        pair = compared(self.lake, source, target)
        table_id = table_of(pair)
        shown, before = conflicts(pair), self.by_id(target)
        clashing = rows_paged(pair, table_id, only_conflicts=True)
        changed = rows_paged(pair, table_id, only_conflicts=False)
        tried = list(self.decisions_tried(pair, table_id, changed))
        super().merge(source, target)
        assert codes(shown) == codes(self.lake.conflicts), named
        self.check_refused(clashing, f"rows in conflict, {named}")
        assert [row["key"] for row in changed if row["is_conflict"]] == [row["key"] for row in clashing]
        if not self.lake.conflicts:
            assert self.merged(before, changed) == self.by_id(target), f"rows of the result, {named}"
        for action, wrong in tried:
            assert not wrong, f"{action}, {named}: {wrong}"

    def merged(self, before: dict[int, tuple[Any, ...]], changed: list[Row]) -> dict[int, tuple[Any, ...]]:
        """The rows before, and each changed one as it was said to become."""
        found = dict(before)
        for row in changed:
            image = row["destination"] or row["source"] or row["base"]
            found.pop(image[0], None)
        found |= {row["result"][0]: tuple(row["result"]) for row in changed if row["result"] is not None}
        return found

    def by_id(self, b: str) -> dict[int, tuple[Any, ...]]:
        return {row[0]: row for row in self.rows(b)}

    @abstractmethod
    def check_refused(self, clashing: list[Row], named: str) -> None:
        """The listed rows are those of the refusal."""

    def decisions_tried(self, pair: Pair, table_id: int, changed: list[Row]) -> Iterator[tuple[str, str]]:
        """Each decision that is offered, on a branch of its own, with what its effect says wrong."""
        for reported in decisions_read(pair, (ObjectKind.TABLE, table_id)):
            action = DECISIONS.get((reported["decision"], reported["part"]))
            if action is None or reported["refused"]:
                continue
            after = self.decided(pair, action)
            if after is not None:
                yield action, self.wrong(reported, changed, after)

    def decided(self, pair: Pair, action: str) -> dict[int, tuple[Any, ...]] | None:
        """The rows after the merge with the decision; None where something else is in conflict."""
        name = f"tried{self.lake.head()}{len(self.journal)}_{self.next_tried()}"
        self.lake.sql(f"CREATE BRANCH {name} FROM {pair.destination.name}")
        try:
            self.lake.sql(f"MERGE BRANCH {pair.source.name} TO {name} RESOLVE (TABLE d.t {action})")
            return self.by_id(name)
        except MergeConflict:
            return None
        finally:
            self.lake.sql(f"DROP BRANCH {name}")

    tried = 0

    def next_tried(self) -> int:
        self.tried += 1
        return self.tried

    def wrong(self, reported: dict[str, Any], changed: list[Row], after: dict[int, tuple[Any, ...]]) -> str:
        """What the effect says that the merge did not do: "" for nothing."""
        if reported["part"] != "object":
            rows = [row for row in changed if row["is_conflict"]]
            expected = {"rows changed on both": len(rows)} if rows else {}
        else:
            loser = "destination" if reported["decision"] == "source" else "source"
            expected = {}
            for row in changed:
                kind = row["dest_change" if loser == "destination" else "source_change"]
                if kind is not None and not self.is_kept(row[loser], row, after):
                    what = f"rows {kind.removesuffix('e')}ed"
                    expected[what] = expected.get(what, 0) + 1
        found = {item["what"]: item["count"] for item in reported["left_out"] if item["what"].startswith("rows")}
        return "" if found == expected else f"{reported['text']} instead of {expected}"

    def is_kept(self, image: list[Any] | None, row: Row, after: dict[int, tuple[Any, ...]]) -> bool:
        """Whether the row came out as that side has it."""
        key = (row["destination"] or row["source"] or row["base"])[0]
        return after.get(key) == (None if image is None else tuple(image))


class ComparingKeyed(Comparing, Keyed):
    def check_refused(self, clashing: list[Row], named: str) -> None:
        refused = {key for item in self.lake.conflicts for key in item["details"].get("keys", ())}
        assert [row["key"] for row in clashing] == sorted(refused), named

    def is_kept(self, image: list[Any] | None, row: Row, after: dict[int, tuple[Any, ...]]) -> bool:
        found = after.get(json.loads(row["key"])["id"])
        return found == (None if image is None else tuple(image))


class ComparingUnkeyed(Comparing):
    """Rows are one by their ids. A row may take part in several conflicts by file."""

    granularity = "file"

    def begin(self) -> None:
        super().begin()
        self.model.conflicts = self.granularity
        self.lake.sql(f"ALTER CATALOG {self.lake.catalog} SET PROPERTIES ('merge.conflicts' = '{self.granularity}')")

    def check_refused(self, clashing: list[Row], named: str) -> None:
        counts = [item["details"]["rows"] for item in self.lake.conflicts if item["code"] in BY_ROW]
        assert max(counts, default=0) <= len(clashing) <= sum(counts), named


@pytest.mark.parametrize(("granularity", "seed"), SEEDS)
def test_comparison_of_rows_without_keys_equals_their_merge(services: None, granularity: str, seed: int) -> None:
    both = type("ComparingUnkeyed", (ComparingUnkeyed,), {"granularity": granularity})(seed)
    with journal_noted(both.journal):
        for number in range(STEPS):
            both.step(number)


@pytest.mark.parametrize("seed", KEYED_SEEDS)
def test_comparison_of_rows_with_keys_equals_their_merge(services: None, seed: int) -> None:
    both = ComparingKeyed(seed)
    with journal_noted(both.journal):
        for number in range(STEPS):
            both.step(number)
