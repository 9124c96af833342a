"""Rows, redone on the naive model: per row, from the image that the source has now."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from tests.stateful.model import Row, RowWork, Table
from tests.stateful.redo import Redo
from tests.stateful.sides import base_image, base_images, in_scope


class Rows(Redo):
    """The source's row work on the destination's rows, followed by row id (cells of data, A1 to A5, A6.2)."""

    def redone(self, here: Table, there: Table) -> Table:
        own, others = self.mine.works(self.thing), self.theirs.works(self.thing)
        if own:
            self._judge(own, others, is_blurred=bool(here.blurs | there.blurs))
            here = self._carried_out(own, here, there)
        required = [column for column in here.columns if not column.nullable]
        if any(here.read(row)[column.name] is None for row in here.rows.values() for column in required):
            self.conflict("NOT_NULL_WITHOUT_VALUE")
        elif any(work.scope for work in own):
            # Rows that the redo of an overwritten or dropped partition takes away are still counted by the product.
            self.verdict.possible.add((*self.thing, "NOT_NULL_WITHOUT_VALUE"))
        return here

    def _judge(self, own: Sequence[RowWork], others: Sequence[RowWork], *, is_blurred: bool) -> None:
        predicates = [work for work in own if work.kind in ("delete", "update")]
        # What a restore put back is as if new: the redo of the restore leaves nothing else of these rows.
        swept = self.mine.brought_back(self.thing).keys() - self.mine.arrived(self.thing)
        if predicates and any(work.kind == "insert" for work in others):
            # Whether what found nothing on this branch is told at all, files decide.
            is_unsure = all(work.found_nothing for work in predicates)
            (self.verdict.possible if is_unsure else self.verdict.required).add(
                (*self.thing, "PREDICATE_DML_VS_INSERT")
            )
        elif self.mine.has_met_nothing(self.thing) or self.mine.took_what_was_spared(self.thing):
            self.verdict.possible.add((*self.thing, "PREDICATE_DML_VS_INSERT"))
        for kind, code in (("delete", "SAME_FILE_UPDATE_DELETE"), ("update", "SAME_FILE_UPDATE_UPDATE")):
            ours = [row for row in base_images(own, "update", self.mine.known.of(self.thing)) if row.id not in swept]
            yours = base_images(others, kind, self.theirs.known.of(self.thing))
            has_absorbed = ours and yours and (_absorbed(own, "update") | _absorbed(others, kind))
            # A compaction may have put rows that only one branch has into one file with others.
            has_both = any(work.kind == "update" for work in own) and any(work.kind == kind for work in others)
            # A delete that met nothing but rows which its branch had updated names their files all the same.
            has_lost = ours and any(work.kind == kind and work.found_nothing for work in others)
            if has_absorbed or has_lost or (is_blurred and has_both):
                self.verdict.possible.add((*self.thing, code))
            # What the destination overwrote is discarded (A4), although it put another image of the row back.
            ours = [row for row in ours if row.id not in _absorbed(own, "update") and not self._is_overwritten(row)]
            yours = [row for row in yours if row.id not in _absorbed(others, kind)]
            shared = {row.id for row in ours} & {row.id for row in yours}
            if shared or (not is_blurred and {row.file for row in ours} & {row.file for row in yours}):
                self.conflict(code)

    def _carried_out(self, own: Sequence[RowWork], here: Table, there: Table) -> Table:
        spared = self.mine.arrived(self.thing)
        rows = {row.id: row for row in here.rows.values() if row.id in spared or not in_scope(row, own)}
        blurs = here.blurs | there.blurs
        brought_back = self.mine.brought_back(self.thing)
        for touched in (row for work in own for row in work.touched if row.id not in there.rows):
            if touched.id in rows and self._is_as_seen(touched, rows[touched.id]):
                del rows[touched.id]
        for row in there.rows.values():
            is_back = row.id in brought_back and row.id not in spared
            if row.writer in self.mine.known.of(self.thing):
                if is_back and brought_back[row.id].writer == row.writer:
                    rows[row.id] = row
            elif row.birth not in self.mine.known.of(self.thing) or is_back or self._is_reached(row, rows):
                rows[row.id] = row
            else:
                blurs = blurs | {self.theirs.branch.head}
        return replace(here, rows=rows, blurs=blurs)

    def _is_as_seen(self, row: Row, present: Row) -> bool:
        """Whether the destination neither changed the row that the source took away nor put another image back."""
        base, back = base_image(row, self.mine.known.of(self.thing)), self.theirs.brought_back(self.thing).get(row.id)
        is_back_otherwise = base is not None and back is not None and present.writer == back.writer != base.writer
        return present.writer in self.theirs.known.of(self.thing) and not (
            is_back_otherwise or self._is_overwritten(row)
        )

    def _is_reached(self, row: Row, rows: Mapping[int, Row]) -> bool:
        """Whether what the source made of a row that both know finds it on the destination."""
        return not self._is_overwritten(row) and (row.id in rows or not self._gone_by_theirs(row))

    def _is_overwritten(self, row: Row) -> bool:
        """Whether the destination overwrote the file of the image that the source began with; another image of the row
        that it put back instead is not what the source saw (A4, A5). What an overwrite of the whole table absorbs, it
        overwrote too (P7).
        """
        base = base_image(row, self.mine.known.of(self.thing))
        is_touched = is_gone = False
        works = (work for work in self.theirs.branch.line if isinstance(work, RowWork) and work.thing == self.thing)
        for work in works if base is not None else ():
            if any(image.file == base.file for image in work.written):
                is_touched = is_gone = False
            elif not self.theirs.known.has(work):
                is_hit = any(image.file == base.file for image in work.touched)
                is_touched = is_touched or is_hit
                is_absorbed = work.empties_all and is_touched and row.id not in work.spared
                is_gone = is_gone or is_absorbed or (bool(work.scope) and is_hit)
        return is_gone

    def _gone_by_theirs(self, row: Row) -> bool:
        """Whether the destination took the row away by something that the source does not know of."""
        touching = [
            work
            for work in self.theirs.branch.line
            if isinstance(work, RowWork) and any(item.id == row.id for item in work.touched)
        ]
        return bool(touching) and touching[-1].origin not in self.theirs.known.of(self.thing)


def _absorbed(works: Sequence[RowWork], kind: str) -> set[int]:
    """Ids of rows taken away by work of this kind in partitions that later work of the same side emptied: whether it
    still counts, P7 leaves open.
    """
    return {
        row.id
        for index, work in enumerate(works)
        for row in (work.touched if work.kind == kind else ())
        if any(later.scope and row.partition in later.scope for later in works[index + 1 :])
    }
