"""What a comparison shows is what the merge does, on random histories of a table with a primary key."""

from __future__ import annotations

import json
from typing import Any

import pytest

from catalog_app.domain.operations import ObjectKind
from catalog_app.selectors.objects import databases_named, tables_list
from catalog_app.selectors.snapshots import branch_get, branch_snapshot, catalog_get
from lakeui.api.comparing import Pair, comparison_read, findings_read
from lakeui.api.paging import KeysetPage
from lakeui.api.row_comparing import sides_key, sides_read
from lakeui.common.errors import MergeConflict
from tests.lineage.journal import journal_noted
from tests.lineage.test_product_keyed import Keyed
from tests.soak import IS_SOAK

STEPS = 16
SEEDS = 300 if IS_SOAK else 12


def compared(lake: Any, source: str, target: str) -> Pair:
    catalog = catalog_get(lake.catalog)
    return Pair(branch_get(catalog, source), branch_get(catalog, target))


def table_of(pair: Pair) -> int:
    snapshot = branch_snapshot(pair.destination)
    (table,) = tables_list(snapshot, databases_named(snapshot, ["d"]))
    return table.table_id


def codes(found: list[dict[str, Any]]) -> list[tuple[str, str]]:
    return sorted((item["code"], item["object"]) for item in found)


def conflicts(pair: Pair) -> list[dict[str, Any]]:
    listed = comparison_read(pair)["objects"]
    keys = [(ObjectKind(item["kind"]), item["object_id"]) for item in listed]
    return [found for key in keys for found in findings_read(pair, key) if found["verdict"] == "conflict"]


def rows_paged(pair: Pair, table_id: int, *, only_conflicts: bool) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    after = None
    while True:
        page = sides_read(pair, table_id, KeysetPage(2, after), only_conflicts=only_conflicts)
        found += page["rows"]
        if not page["more"]:
            return found
        after = sides_key(page["rows"][-1])


class Compared(Keyed):
    """Before each merge both branches are compared; the comparison says what the merge then does."""

    refused: list[dict[str, Any]]

    def begin(self) -> None:
        super().begin()
        merge = self.lake.merge

        def noted(source: str, target: str) -> dict[str, Any]:
            self.refused = []
            try:
                return merge(source, target)
            except MergeConflict as error:
                self.refused = error.details["conflicts"]
                raise

        self.lake.merge = noted  # type: ignore[method-assign]

    def merge(self, source: str, target: str) -> None:
        named = f"{source} into {target}"
        pair = compared(self.lake, source, target)
        table_id = table_of(pair)
        shown = conflicts(pair)
        clashing = rows_paged(pair, table_id, only_conflicts=True)
        changed = rows_paged(pair, table_id, only_conflicts=False)
        before = {row[0]: row for row in self.rows(target)}
        super().merge(source, target)
        refused = self.refused
        assert codes(shown) == codes(refused), named
        keys = {key for item in refused if item["code"] == "PRIMARY_KEY_CLASH" for key in item["details"]["keys"]}
        assert sorted(keys) == [row["key"] for row in clashing], f"rows in conflict, {named}"
        if not refused:
            for row in changed:
                before.pop(json.loads(row["key"])["id"], None)
                if row["result"] is not None:
                    before[row["result"][0]] = tuple(row["result"])
            assert sorted(before.values()) == self.rows(target), f"rows of the result, {named}"


@pytest.mark.parametrize("seed", range(SEEDS))
def test_what_is_compared_is_what_is_merged(services: None, seed: int) -> None:
    both = Compared(seed)
    with journal_noted(both.journal):
        for number in range(STEPS):
            both.step(number)
