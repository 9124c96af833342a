"""MERGE INTO: one join decides what becomes of each row, a second step writes it (rows §2).

The join reads pruned files only, and of them only columns that conditions and new values use. While rows are few the
join brings the new images along. When they are many it leaves its decisions in a staging folder, and images are made
from those, so that no two passes can decide differently.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from catalog_app.domain.files import FileScan, NewDataFile, NewDeleteFile, TableScan
from catalog_app.domain.schema import Column
from catalog_app.engine.assigning import Matching, assigned_value, default_value
from catalog_app.engine.delete_update import image_ids, leaves_nothing, scan_parts
from catalog_app.engine.merge_by_key import Pairs, pairs_by_key
from catalog_app.engine.merge_source import FEW_ROWS, NUMBER, frozen_dataframe
from catalog_app.engine.merge_values import Act, Family, FrozenSource, MergeChanges, MergeTask, Rule
from catalog_app.engine.numbering import number_value, numbers_take
from catalog_app.engine.plain_rows import plain_rows, source_column
from catalog_app.engine.reading import ADDRESS, ROW_ID, table_dataframe
from catalog_app.engine.spark_calls import arrow_rows
from catalog_app.engine.targets import Target
from catalog_app.engine.types import as_condition, is_default, quoted, storage_type
from catalog_app.engine.unchanged import changed_only, unchanged_images
from catalog_app.engine.writing import FileWriter
from catalog_app.storage.deletes import Integers, write_deletes
from lakeui.common.errors import Cardinality

if TYPE_CHECKING:
    from pyspark.sql.connect.dataframe import DataFrame
    from pyspark.sql.connect.session import SparkSession
    from pyspark.sql.types import StructType

    from catalog_app.engine.staging import Staging

BROADCAST_BYTES = 64 * 1024 * 1024
"""Sources up to this size are sent to every task; larger ones Spark joins as it sees fit."""
_ADDRESS, _ROW_ID, _RULE = "__lake_address", "__lake_row_id", "__lake_rule"


@dataclass(frozen=True, slots=True)
class Decided:
    """What becomes of target rows, one entry a matched pair or unmatched row. ``numbers`` are source rows (-1: none),
    ``rules`` indices into the task's rules (-1: nothing happens).
    """

    addresses: Integers
    row_ids: Integers
    numbers: Integers
    rules: Integers

    def where(self, chosen: np.ndarray[tuple[int], np.dtype[np.bool_]]) -> Decided:
        return Decided(self.addresses[chosen], self.row_ids[chosen], self.numbers[chosen], self.rules[chosen])


def merge_rows(spark: SparkSession, writer: FileWriter, task: MergeTask, source: FrozenSource) -> MergeChanges:
    """Stage what the task's rules make of the target's and the source's rows."""
    work = _Merge(spark, writer, task, source)
    few = work.decide_few()
    if few is not None:
        return work.write_few(*few)
    return work.write_many()


class _Merge:
    """One merge at work."""

    def __init__(self, spark: SparkSession, writer: FileWriter, task: MergeTask, source: FrozenSource) -> None:
        self._spark = spark
        self._writer = writer
        self._task = task
        self._source = source
        self._schema = task.scan.schema
        self._images = Target(task.scan.table_id, self._schema, with_row_ids=True)
        self._inserts = Target(task.scan.table_id, self._schema)
        self._first: int | None = None
        self._acting = self._numbered(Family.MATCHED) + self._numbered(Family.NOT_MATCHED_BY_SOURCE)

    def _numbered(self, family: Family) -> list[tuple[int, Rule]]:
        return [(number, rule) for number, rule in enumerate(self._task.rules) if rule.family is family]

    @property
    def _staging(self) -> Staging:
        assert self._source.staging is not None
        return self._source.staging

    # -- deciding -------------------------------------------------------------------------------------------------

    def _source_frame(self) -> DataFrame:
        frame = frozen_dataframe(self._spark, self._source)
        return frame.hint("broadcast") if self._source.bytes <= BROADCAST_BYTES else frame

    def _target_frame(self, scan: TableScan) -> DataFrame:
        frame = table_dataframe(self._spark, self._writer.warehouse, scan, with_address=True)
        names = [column.name for column in scan.schema.columns]
        return frame.toDF(*names, _ROW_ID, _ADDRESS).alias(self._task.alias)

    def _joined(self) -> DataFrame:
        """Matched pairs, and with rules for them target rows without match that one acts on, each with the number of
        its rule.
        """
        from pyspark.sql.connect.functions import expr

        unmatched = self._numbered(Family.NOT_MATCHED_BY_SOURCE)
        how = "left" if unmatched else "inner"
        pairs = self._target_frame(self._task.scan).join(self._source_frame(), expr(as_condition(self._task.on)), how)
        matched = _chosen(self._numbered(Family.MATCHED))
        decided = f"CASE WHEN {NUMBER} IS NOT NULL THEN {matched} ELSE {_chosen(unmatched)} END AS {_RULE}"
        decisions = pairs.select("*", expr(decided))
        # Of an inner join Spark would make the filter a condition, and decode every column of every row for it.
        return decisions.filter(f"{NUMBER} IS NOT NULL OR {_RULE} >= 0") if unmatched else decisions

    def decide_few(self) -> tuple[Decided, pa.Table] | None:
        """All decisions with the new images (NULL where there is none) while they are few, else None."""
        here = pairs_by_key(self._writer, self._task, self._source, self._images)
        if here is not None:
            return self._of_pairs(here)
        joined = self._joined()
        rows = joined.selectExpr(
            *self._values(Act.UPDATE, self._acting),
            f"{_ROW_ID} AS {ROW_ID}",
            f"{_ADDRESS} AS {ADDRESS}",
            f"coalesce({NUMBER}, -1L) AS {NUMBER}",
            _RULE,
        )
        table = self._writer.fetch(self._images, rows, extra=(ADDRESS, NUMBER, _RULE), limit=FEW_ROWS)
        return None if table is None else (_decided(table), table)

    def _of_pairs(self, pairs: Pairs) -> tuple[Decided, pa.Table]:
        rules = np.full(len(pairs.addresses), pairs.rule, dtype=np.int64)
        table = pa.table({}) if pairs.images is None else pairs.images.append_column(ADDRESS, pa.array(pairs.addresses))
        return Decided(pairs.addresses, pairs.row_ids, pairs.numbers, rules), table

    def _values(self, act: Act, rules: Sequence[tuple[int, Rule]]) -> list[str]:
        """SQL of every column of the rows that the rules of this act write."""
        writing = self._writing(act, rules)
        return [f"{self._value(column, writing)} AS {quoted(column.name)}" for column in self._schema.columns]

    def _writing(self, act: Act, rules: Sequence[tuple[int, Rule]]) -> list[tuple[int, Rule]]:
        return [(number, rule) for number, rule in rules if rule.act is act]

    def _value(self, column: Column, writing: Sequence[tuple[int, Rule]]) -> str:
        nothing = f"CAST(NULL AS {storage_type(column.type)})"
        cases = "".join(f" WHEN {number} THEN {self._written(column, rule)}" for number, rule in writing)
        return f"CASE {_RULE}{cases} ELSE {nothing} END" if cases else nothing

    def _written(self, column: Column, rule: Rule) -> str:
        text = rule.values.get(column.name)
        if text is None and rule.act is Act.UPDATE:
            return f"{quoted(self._task.alias)}.{quoted(column.name)}"
        if text is None and column.id in self._task.identities:
            return number_value(self._identified(column), self._source, self._first_number())
        if text is None or is_default(text):
            return default_value(column, column.default or "NULL")
        # A line break ends what may be a comment at the end of an expression.
        matching = Matching.FILLED if self._task.fills_fields else Matching.BY_NAME_OF_KEPT
        place = source_column(self._source, text)
        kind = rule.kinds[column.name] if place is None or "<" not in column.type else self._source.columns[place][1]
        return assigned_value(column, f"({text}\n)", kind, matching, is_plain=place is not None)

    def _identified(self, column: Column) -> Column:
        return replace(column, identity=self._task.identities.get(column.id))

    def _first_number(self) -> int:
        """That of the first source row: each has a number of its own, whether it is inserted or not."""
        if self._first is None:
            counted = [self._identified(column) for column in self._schema.columns]
            self._first = numbers_take(self._writer, self._task.scan.table_id, counted, self._source.rows)
        return self._first

    def _counted(self, column: Column, numbers: Integers) -> pa.Array | None:
        identity = self._task.identities.get(column.id)
        if identity is None:
            return None
        return pa.array(identity.value(self._first_number()) + numbers.astype(np.int64) * identity.step, pa.int64())

    # -- few rows: through this process ---------------------------------------------------------------------------

    def write_few(self, decided: Decided, table: pa.Table) -> MergeChanges:
        paired = decided.addresses[decided.numbers >= 0]
        if self._is_strict and len(np.unique(paired)) < len(paired):
            raise _cardinality()
        changing = self._without_unchanged(decided, table)
        is_update = self._acts(changing, Act.UPDATE)
        images = self._writer.write_arrow(self._images, table.filter(pa.array(is_update))) if is_update.any() else []
        marks = self._mark([changing])
        inserted = self._insert_few(np.unique(self._used(decided).numbers))
        return _with_files(marks, images, inserted)

    def _without_unchanged(self, decided: Decided, table: pa.Table) -> Decided:
        """The decisions; nothing happens to rows that an update would set to the values that they have."""
        updates = np.flatnonzero(self._acts(decided, Act.UPDATE))
        if not len(updates):
            return decided
        images = table.take(pa.array(updates))
        same = unchanged_images(self._spark, self._writer, self._task.scan, images, self._assigned(), self._staging)
        rules = decided.rules.copy()
        rules[updates[same]] = -1
        return replace(decided, rules=rules)

    def _assigned(self) -> list[Column]:
        """The columns that some update writes; the others keep their values."""
        names = {name for _, rule in self._acting if rule.act is Act.UPDATE for name in rule.values}
        return [column for column in self._schema.columns if column.name in names]

    @property
    def _is_strict(self) -> bool:
        """Whether a target row may match one source row only: not for inserts alone, nor one unconditional DELETE."""
        matched = [rule for _, rule in self._numbered(Family.MATCHED)]
        is_plain_delete = len(matched) == 1 and matched[0].act is Act.DELETE and matched[0].condition is None
        return bool(matched) and not is_plain_delete

    def _acts(self, decided: Decided, act: Act) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
        wanted = [number for number, rule in self._acting if rule.act is act]
        return np.isin(decided.rules, wanted)

    def _used(self, decided: Decided) -> Decided:
        """The pairs whose source rows are not inserted any more."""
        is_used = decided.numbers >= 0
        if self._task.supersedes:
            is_used &= ~self._acts(decided, Act.UPDATE)
        return decided.where(is_used)

    def _insert_few(self, matched: Integers) -> list[NewDataFile]:
        rules = self._numbered(Family.NOT_MATCHED)
        if not rules or len(matched) == self._source.rows:
            return []
        plain = plain_rows(self._inserts, self._source, [rule for _, rule in rules], matched, self._counted)
        if plain is not None:
            return self._writer.write_arrow(self._inserts, plain)
        frame = frozen_dataframe(self._spark, self._source)
        if not len(matched):
            return self._insert(frame, rules, may_be_small=True)
        held = self._staging.hold(pa.table({NUMBER: pa.array(matched)}))
        known = self._staging.read(self._spark, held, _bigints(NUMBER))
        return self._insert(frame.join(known.hint("broadcast"), NUMBER, "left_anti"), rules, may_be_small=True)

    def _insert(self, frame: DataFrame, rules: Sequence[tuple[int, Rule]], *, may_be_small: bool) -> list[NewDataFile]:
        from pyspark.sql.connect.functions import expr

        chosen = frame.select("*", expr(f"{_chosen(rules)} AS {_RULE}")).filter(f"{_RULE} >= 0")
        rows = chosen.selectExpr(*self._values(Act.INSERT, rules))
        if may_be_small:
            table = self._writer.fetch(self._inserts, rows, extra=(), limit=FEW_ROWS)
            if table is not None:
                return self._writer.write_arrow(self._inserts, table)
        return self._writer.write_spark(self._inserts, rows)

    # -- many rows: through a staging folder ----------------------------------------------------------------------

    def write_many(self) -> MergeChanges:
        decisions = self._joined().selectExpr(_ADDRESS, _ROW_ID, NUMBER, f"CAST({_RULE} AS BIGINT) AS {_RULE}")
        files = self._staging.write_many(decisions, by_arrow=True)
        paths = [file.path for file in files]
        decided = self._staging.read_many(self._spark, paths, _bigints(_ADDRESS, _ROW_ID, NUMBER, _RULE))
        if self._is_strict and self._has_rival_pairs(decided):
            raise _cardinality()
        images = self._write_images(decided)
        changed = image_ids(self._writer, images)
        marks = self._mark(self._of_changed(part, changed) for part in self._marked_parts(decided))
        inserted: list[NewDataFile] = []
        rules = self._numbered(Family.NOT_MATCHED)
        if rules:
            matched = decided.filter(f"{NUMBER} IS NOT NULL{self._unless_superseding()}").select(NUMBER)
            frame = frozen_dataframe(self._spark, self._source)
            inserted = self._insert(frame.join(matched, NUMBER, "left_anti"), rules, may_be_small=False)
        return _with_files(marks, images, inserted)

    def _unless_superseding(self) -> str:
        updates = self._updates()
        return f" AND {_RULE} NOT IN ({', '.join(map(str, updates))})" if self._task.supersedes and updates else ""

    def _updates(self) -> list[int]:
        return [number for number, rule in self._acting if rule.act is Act.UPDATE]

    def _has_rival_pairs(self, decided: DataFrame) -> bool:
        pairs = decided.filter(f"{NUMBER} IS NOT NULL").groupBy(_ADDRESS).count()
        return arrow_rows(pairs.filter("count > 1").limit(1)).num_rows > 0

    def _write_images(self, decided: DataFrame) -> list[NewDataFile]:
        updates = self._updates()
        if not updates:
            return []
        acting = decided.filter(f"{_RULE} IN ({', '.join(map(str, updates))})").drop(_ROW_ID)
        numbered = acting.join(frozen_dataframe(self._spark, self._source), NUMBER, "left")
        joined = self._target_frame(self._task.scan).join(numbered, _ADDRESS)
        values = (
            f"{self._value(column, self._writing(Act.UPDATE, self._acting))} AS f{column.id}"
            for column in self._schema.columns
        )
        assigned = self._assigned()
        before = (f"{quoted(self._task.alias)}.{quoted(column.name)} AS o{column.id}" for column in assigned)
        rows = joined.selectExpr(*values, *before, f"{_ROW_ID} AS {ROW_ID}")
        named = (f"f{column.id} AS {quoted(column.name)}" for column in self._schema.columns)
        changed = changed_only(rows, assigned, "o", "f").selectExpr(*named, ROW_ID)
        return self._writer.write_spark(self._images, changed)

    def _of_changed(self, decided: Decided, changed: Integers) -> Decided:
        """The decisions without the updates of rows that have no new image."""
        is_moot = self._acts(decided, Act.UPDATE) & ~np.isin(decided.row_ids, changed)
        return decided.where(~is_moot)

    def _marked_parts(self, decided: DataFrame) -> Iterator[Decided]:
        """Decisions that may take rows away, by parts of the scan that fit into this process."""
        acting = decided.filter(f"{_RULE} >= 0").selectExpr(
            f"{_ADDRESS} AS {ADDRESS}", f"{_ROW_ID} AS _row_id", f"coalesce({NUMBER}, -1L) AS {NUMBER}", _RULE
        )
        for part in scan_parts(self._task.scan):
            ends = [(file.base, file.base + file.rows) for file in part.files]
            within = " OR ".join(f"({ADDRESS} >= {start} AND {ADDRESS} < {end})" for start, end in ends)
            yield _decided(arrow_rows(acting.filter(within)))

    # -- positions ------------------------------------------------------------------------------------------------

    def _mark(self, parts: Iterable[Decided]) -> MergeChanges:
        """Delete files for updated and for deleted rows, and the files that keep no row."""
        marks = MergeChanges()
        for part in parts:
            updates, deletes = (part.where(self._acts(part, act)) for act in (Act.UPDATE, Act.DELETE))
            for file in self._task.scan.files:
                updated, deleted = _positions(updates, file), _positions(deletes, file)
                if len(updated[0]) or len(deleted[0]):
                    marks = self._mark_file(marks, file, updated, deleted)
        return marks

    def _mark_file(
        self,
        marks: MergeChanges,
        file: FileScan,
        updated: tuple[Integers, Integers],
        deleted: tuple[Integers, Integers],
    ) -> MergeChanges:
        marks = replace(
            marks,
            rows_updated=marks.rows_updated + len(updated[0]),
            rows_deleted=marks.rows_deleted + len(deleted[0]),
        )
        is_emptied = leaves_nothing(self._writer, file, np.concatenate([updated[0], deleted[0]]))
        is_copied = self._task.copies and len(updated[0]) > 0
        if is_emptied and not is_copied and not len(deleted[0]):
            return replace(marks, emptied_by_update=(*marks.emptied_by_update, file.file_id))
        if len(updated[0]):
            marks = replace(marks, updated=(*marks.updated, self._delete_file(file, updated)))
        if is_emptied and not is_copied:
            return replace(marks, emptied_by_delete=(*marks.emptied_by_delete, file.file_id))
        if len(deleted[0]):
            marks = replace(marks, deleted=(*marks.deleted, self._delete_file(file, deleted)))
        return marks

    def _delete_file(self, file: FileScan, marked: tuple[Integers, Integers]) -> NewDeleteFile:
        positions, row_ids = marked
        table_id = self._task.scan.table_id
        return write_deletes(self._writer.warehouse, table_id=table_id, file=file, positions=positions, row_ids=row_ids)


def _with_files(marks: MergeChanges, images: list[NewDataFile], inserted: list[NewDataFile]) -> MergeChanges:
    rows = sum(file.rows for file in inserted)
    return replace(marks, images=tuple(images), inserted=tuple(inserted), rows_inserted=rows)


def _bigints(*names: str) -> StructType:
    from pyspark.sql.types import LongType, StructField, StructType

    return StructType([StructField(name, LongType()) for name in names])


def _chosen(rules: Sequence[tuple[int, Rule]]) -> str:
    """SQL of the number of the first rule whose condition is true; -1 for none."""
    cases = "".join(
        f" WHEN {'true' if rule.condition is None else as_condition(rule.condition)} THEN {number}"
        for number, rule in rules
    )
    return f"CASE{cases} ELSE -1 END" if cases else "-1"


def _decided(table: pa.Table) -> Decided:
    columns = [table.column(name) for name in (ADDRESS, "_row_id", NUMBER, _RULE)]
    return Decided(*(pc.cast(column, pa.int64()).to_numpy() for column in columns))


def _positions(decided: Decided, file: FileScan) -> tuple[Integers, Integers]:
    """Distinct positions in the file, ascending, and the row ids there."""
    within = (decided.addresses >= file.base) & (decided.addresses < file.base + file.rows)
    addresses, first = np.unique(decided.addresses[within], return_index=True)
    return addresses - file.base, decided.row_ids[within][first]


def _cardinality() -> Cardinality:
    return Cardinality(
        "A row of the target matches more than one row of the source; nothing was written.",
        remedy="Make the source unique in the columns of ON, for example with GROUP BY or row_number(). "
        "The conditions of WHEN MATCHED do not count here. "
        "Filter the source's query, or put what chooses its row into ON.",
    )
