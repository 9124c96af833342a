"""What a comparison shows of a merge: its conflicts, the size of each table, and each row that is changed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from catalog_app.domain.operations import ObjectKind
from catalog_app.models import Branch
from catalog_app.selectors.snapshots import branch_get, catalog_get
from lakeui.frontdoor import compute
from merge_app.comparison.compare import comparison_load
from merge_app.comparison.compare_object import object_comparison_load
from merge_app.comparison.compared_rows import row_pages
from merge_app.comparison.parent_merge import merge_findings
from merge_app.comparison.row_pages import ComparedRow
from merge_app.planning.merge_plan import Verdict
from tests.lineage.histories.history import History, Law, Merged
from tests.lineage.histories.states import Shown, State

Image = Mapping[str, Any]
"""A row's texts by column."""
OF_ROWS = {"PRIMARY_KEY_CLASH", "SAME_FILE_UPDATE_DELETE", "SAME_FILE_UPDATE_UPDATE"}
TEXTS = ("id", "v", "w", "p")


class ComparisonIsResult(Law):
    """The comparison conflicts exactly where the merge is refused, and a row becomes what its page says. What a dry run
    foresees of the merge are the findings of the comparison.
    """

    def merging(self, history: History, source: str, target: str) -> None:
        catalog = catalog_get(history.lake.catalog)
        sides = branch_get(catalog, source), branch_get(catalog, target)
        found = comparison_load(*sides, compute.engine)
        named = [(item.key, finding) for item in found.objects for finding in item.findings]
        conflicts = [(key, finding.code) for key, finding in named if finding.verdict is Verdict.CONFLICT]
        self.codes = {str(code) for _, code in conflicts}
        judged = (Verdict.CONFLICT, Verdict.NOTE)
        foreseen = Counter(f.code for f in merge_findings(*sides, compute.engine) if f.verdict in judged)
        assert foreseen == Counter(f.code for _, f in named if f.verdict in judged), "a dry run foresees others"
        self.rows_after: dict[int, int] = {}
        for item in found.objects:
            preview = object_comparison_load(*sides, item.key, compute.engine).preview
            if preview is not None and preview.after.rows_are_exact:
                self.rows_after[item.key[1]] = preview.after.rows
        self._pages(history.states[source], history.states[target], history.reader.numbers, sides)
        refused = {key[1] for key, code in conflicts if code in OF_ROWS and key[0] is ObjectKind.TABLE}
        assert {table_id for table_id, found in self.refused.items() if found} == refused, "rows in conflict"

    def _pages(
        self, of_source: State, of_target: State, numbers: Mapping[int, int], sides: tuple[Branch, Branch]
    ) -> None:
        self.results: dict[int, tuple[set[int], list[Image]]] = {}
        self.refused: dict[int, list[Any]] = {}
        for table_id, number in numbers.items():
            if number not in of_source.tables or number not in of_target.tables:
                continue
            refused = row_pages(*sides, table_id, (), compute.engine, only_conflicts=True).page(limit=1000)
            pages = row_pages(*sides, table_id, (), compute.engine, only_conflicts=False)
            rows = pages.page(limit=1000).rows
            assert [row.key for row in rows if row.is_conflict] == [row.key for row in refused.rows], (
                "pages of conflicts differ"
            )
            self.refused[table_id] = refused.rows
            names = [column.name for column in pages.schema.columns]
            images = [_images(row, names) for row in rows]
            before = {image["id"] for _, _, target, _ in images for image in [target] if image is not None}
            self.results[table_id] = before, [result for *_, result in images if result is not None]

    def merged(self, history: History, merge: Merged) -> None:
        assert self.codes == merge.codes, f"the comparison says {self.codes}, the merge {merge.codes}"
        if merge.is_refused:
            return
        for table_id, number in history.reader.numbers.items():
            after, into = merge.after.tables.get(number), merge.into.tables.get(number)
            if after is None:
                continue
            if table_id in self.rows_after:
                assert self.rows_after[table_id] == len(after.rows), f"rows of {after.path} in the comparison"
            if table_id in self.results and into is not None:
                self._rows(after, into, *self.results[table_id])

    def _rows(self, after: Shown, into: Shown, gone: set[int], results: list[Image]) -> None:
        """What no page lists stays as it is."""
        assert after.rows.keys() == (into.rows.keys() - gone) | {row["id"] for row in results}, f"rows of {after.path}"
        for row in results:
            said = {name: value for name, value in row.items() if name in TEXTS and after.named(name)}
            found = {name: after.cell(row["id"], name) for name in said}
            assert found == said, f"row {row['id']} of {after.path}"


def _images(row: ComparedRow, names: list[str]) -> list[Image | None]:
    """Base, source, target and result."""
    images = row.base, row.source, row.target, row.result
    return [None if image is None else dict(zip(names, image, strict=True)) for image in images]
