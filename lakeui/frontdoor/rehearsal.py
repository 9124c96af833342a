"""What a dry run sees of its plan, or of its commit before the commit is taken back."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from catalog_app.domain.checks import checks_enforced
from catalog_app.domain.files import NewDataFile, NewDeleteFile, TableScan
from catalog_app.domain.operations import FileEffects, ObjectKind, Operation, OperationKind
from catalog_app.domain.schema import Schema
from catalog_app.domain.state import TableState
from catalog_app.engine.copy_on_write import Copied
from catalog_app.engine.counting import Counting
from catalog_app.models import Branch
from catalog_app.selectors.objects import states_load
from catalog_app.selectors.segments import (
    SegmentState,
    segment_marked,
    segment_staged,
    segments_list,
    segments_of_files,
    table_scan,
)
from catalog_app.selectors.snapshots import Snapshot, branch_snapshot
from catalog_app.services.registered import files_waiting
from lakeui.frontdoor.changed_files import ChangedFiles, segments_changed
from lakeui.frontdoor.compute import engine, interruptible
from merge_app.comparison.parent_merge import forward_foresee, parent_merge_foresee
from merge_app.execution.commit import StatementDraft
from merge_app.jobs.context import Context

EXAMPLES = 10
"""A dry run shows at most so many rows of each table."""


class FilesNeeded(Exception):
    """Rows of a dry run were counted, and its answer needs files of them."""


@dataclass(slots=True)
class Rehearsal:
    """``counts``: jobs of Spark may count rows instead of writing them. ``counted``: what they count, by table.
    ``changed``: of each table that the commit touched, by its name, the files in which the rows would differ.
    ``written``: each as a whole, with ``keeps_tables``. ``operations``: what the commit did, each with the name of its
    object and the columns that it had or gets. ``parent_merge``: what a merge of the branch to its parent would then
    say, where it ``foresees`` that. ``copy``: copy-on-write, which is made only where the plan is not enough.
    """

    counts: bool = False
    counted: dict[int, Counting] = field(default_factory=dict)
    changed: dict[str, ChangedFiles] = field(default_factory=dict)
    keeps_tables: bool = False
    written: dict[str, TableScan] = field(default_factory=dict)
    operations: list[tuple[str, Schema, Operation]] = field(default_factory=list)
    foresees: bool = True
    parent_merge: dict[str, Any] | None = None
    copy: Callable[[], Copied] | None = None

    def counting(self, table: TableState, branch: Branch) -> Counting | None:
        """For a statement whose answer reads no row that it would write, but to show some. Constraints and keys are
        looked up in files.
        """
        if not self.counts or self.keeps_tables or files_waiting() is None or checks_enforced(table.properties):
            return None
        counting = Counting(lambda: not self.foresees or forward_foresee(branch)[0], EXAMPLES + 1)
        return self.counted.setdefault(table.table_id, counting)

    @property
    def has_counted(self) -> bool:
        return any(counting.is_done for counting in self.counted.values())

    def look(
        self,
        branch: Branch,
        seen: Snapshot,
        labels: Mapping[int, str],
        unaltered: Mapping[int, TableState],
        segments_of: Callable[[Snapshot, int], list[SegmentState]],
        *,
        is_alone: bool,
    ) -> None:
        """Take note, inside of the transaction of the commit, of what it made of these tables since the snapshot.
        ``branch`` as of the commit; ``unaltered``: tables of which it changed at most rows. ``is_alone``: no other
        commit came since the snapshot, so the operations name all files.
        """
        after = branch_snapshot(branch)
        known = states_load((), labels.keys() - unaltered.keys(), {}, seen, after)
        before, now = ({i: t for i, t in found.tables.items() if not t.is_dropped} for found in known)
        for table_id, label in labels.items():
            state = unaltered.get(table_id) or now.get(table_id)
            if state is None:
                continue
            effects = self._effects(table_id) if is_alone and table_id in unaltered and not self.keeps_tables else None
            if effects is not None:
                touched = frozenset(file for item in effects for file in item.touched)
                files = touched.union(file.file_id for item in effects for file in item.added)
                earlier = [item for item in segments_of(seen, table_id) if item.file_id in touched] if touched else []
                segments = segments_of_files(after, table_id, files)
            else:
                earlier = segments_of(seen, table_id) if table_id in {**before, **unaltered} else []
                segments = segments_list(after, table_id)
            self.changed[label] = segments_changed(after, state, earlier, segments)
            if self.keeps_tables:
                self.written[label] = table_scan(after, state, segments)

    def _effects(self, table_id: int, *, but: OperationKind | None = None) -> list[FileEffects] | None:
        """What the operations did to files of the table; None where one of them does not say so. ``but``: of all but
        this kind.
        """
        tables = (item for _, _, item in self.operations if item.object_kind is ObjectKind.TABLE)
        of_table = (item for item in tables if item.kind is not but)
        done = [item.effects for item in of_table if item.object_id == table_id]
        found = [effects for effects in done if effects is not None]
        return found if len(found) == len(done) else None

    def look_ahead(
        self,
        states: Sequence[TableState],
        staged: StatementDraft,
        labels: Mapping[int, str],
        segments_of: Callable[[Snapshot, int], list[SegmentState]],
    ) -> None:
        """Take note of what the files that wait would make of these tables, whose rows alone the operations change."""
        noted = files_waiting()
        assert noted is not None, "files of a dry run wait"
        for state in states:
            # A compaction changes no row, and may be one that is not made.
            effects = self._effects(state.table_id, but=OperationKind.COMPACTION) or []
            touched = frozenset(file for item in effects for file in item.touched)
            removed = {file for item in effects for file in item.removed}
            marks: dict[int, list[NewDeleteFile]] = {}
            for item in (mark for each in effects for mark in each.deletes):
                marks.setdefault(item.data_file_id, []).append(noted.deletes_waiting[item.delete_file_id][1])
            added = [(file.file_id, noted.data_waiting[file.file_id][1]) for item in effects for file in item.added]
            counting = self.counted.get(state.table_id)
            if counting is not None and counting.is_done:
                added, marks, touched, removed = _shown(counting)
            known = segments_of(staged.seen, state.table_id) if touched else []
            earlier = [item for item in known if item.file_id in touched]
            laid = staged.definitions[state.table_id]
            later = [segment_marked(item, marks.get(item.file_id, ())) for item in earlier]
            later += [segment_staged(key, file, laid.definition_id, laid.schema_version) for key, file in added]
            later = [item for item in later if item.file_id not in removed]
            self.changed[labels[state.table_id]] = segments_changed(staged.seen, state, earlier, later)

    def foresee(self, branch: Branch, context: Context) -> None:
        """Plan the merge to the parent, inside of the transaction of the commit."""
        if not self.foresees:
            return
        context.step("plan", "a merge to the parent branch")
        with interruptible(context):
            self.parent_merge = parent_merge_foresee(branch, engine)

    def examples(self, context: Context) -> list[dict[str, Any]]:
        """Some of the rows that would be inserted, updated or deleted. Nothing is locked while they are read."""
        found = []
        for name, files in self.changed.items():
            if files.files:
                with interruptible(context):
                    rows = engine().changes(files.before, files.after, limit=EXAMPLES)
                names = [column for column, _ in rows.columns]
                found += [{"table": name, **_example(dict(zip(names, row, strict=True)))} for row in rows.rows]
        return found


def _shown(
    counting: Counting,
) -> tuple[list[tuple[int, NewDataFile]], dict[int, list[NewDeleteFile]], frozenset[int], set[int]]:
    """Files under ids that no row has, deletes by data file, and the files that are touched and removed, as if a
    statement changed these rows alone.
    """
    marks: dict[int, list[NewDeleteFile]] = {}
    for mark in counting.deletes:
        marks.setdefault(mark.data_file_id, []).append(mark)
    return [(-1 - place, file) for place, file in enumerate(counting.added)], marks, frozenset(marks), set()


def _example(row: dict[str, Any]) -> dict[str, Any]:
    """How the row changes, and the row; its id is one that no row has."""
    (_, change), _, *values = row.items()
    return {"change": change, "row": dict(values)}
