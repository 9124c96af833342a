"""Rows under three sights of a table: merge base, source and destination, side by side by key.

Only what the sights do not share is read: files of one of them, and of shared files the rows that further deletes mark.
A row passes as one struct of cells: what Spark has to plan then hardly grows with the columns.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from typing import TYPE_CHECKING

from catalog_app.domain.files import FileScan, TableScan
from catalog_app.domain.row_merge import RowMerge
from catalog_app.domain.schema import Column
from catalog_app.domain.whole_values import is_comparable, row_text, same_value
from catalog_app.engine.joining import Joining
from catalog_app.engine.marks import few_addresses, is_among
from catalog_app.engine.reading import ADDRESS, ROW_ID, deleted_addresses, table_dataframe
from catalog_app.engine.types import quoted, text_literal

if TYPE_CHECKING:
    from pyspark.sql.connect.dataframe import DataFrame
    from pyspark.sql.connect.session import SparkSession

    from catalog_app.storage.warehouse import Warehouse

KEY = "__lake_key"


@dataclass(frozen=True, slots=True)
class Identity:
    """What makes two rows one: columns of the table by their places, or without any the row id."""

    places: tuple[int, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """How the columns are called behind the prefix of a sight."""
        return tuple(str(place) for place in self.places) or ("id",)

    def condition(self, one: str, other: str) -> str:
        return " AND ".join(f"{one}_{name} = {other}_{name}" for name in self.names)

    def text(self, columns: Sequence[Column], side: str) -> str:
        """SQL of the key as JSON."""
        if not self.places:
            return f"CAST({side}_id AS STRING)"
        return row_text((text_literal(columns[place].name), f"{side}_{place}") for place in self.places)


def key_identity(task: RowMerge) -> Identity:
    """Rows are one by the table's primary key."""
    return Identity(tuple(task.schema.columns.index(column) for column in task.keys))


@dataclass(frozen=True, slots=True)
class _BaseFile:
    """A file of the base. ``in_source`` and ``in_destination``: as that side has it, None where the base's rows are not
    to be found in it there.
    """

    file: FileScan
    in_source: FileScan | None
    in_destination: FileScan | None

    @property
    def lost(self) -> tuple[bool, bool]:
        """Which sides show no row of it in its place."""
        return self.in_source is None, self.in_destination is None

    @property
    def marks(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Delete files by which source and destination show less of it than the base does."""
        return _further(self.file, self.in_source), _further(self.file, self.in_destination)


class ThreeWay:
    """The rows in which source or destination differ from the base.

    Columns of ``rows``: ``b``, ``s`` and ``d``, the row in each sight as a struct of cells ``c<place>``, NULL where it
    is not there; of the sides also ``s_id`` and ``d_id`` (row id) and ``s_at`` and ``d_at`` (address); the key as
    JSON; ``source_changed`` and ``destination_changed``; ``is_discarded``: the source changed a row that the
    destination swept away. What was swept is not judged as changed: ``b`` is then the row from which nothing else
    than what ``Sweeps`` says comes out, and ``base_row`` the base's.
    """

    def __init__(self, spark: SparkSession, warehouse: Warehouse, task: RowMerge, identity: Identity) -> None:
        self._spark = spark
        self._warehouse = warehouse
        self.task = task
        self.columns = task.schema.columns
        self.identity = identity
        self.joining = Joining(sum(map(_rows_read, (task, *task.further))))

    def rows(self, *, all_of_destination: bool) -> DataFrame:
        """``all_of_destination``: also rows that the destination alone changed."""
        # What the destination has in what the source swept goes, whether or not the source knew it. A row that another
        # base has otherwise may have been changed by the destination alone, as seen from the newest.
        is_whole = all_of_destination or bool(self.task.sweeps.source or self.task.further)
        wanted = "source_changed OR is_discarded" + (" OR destination_changed" if all_of_destination else "")
        sighted = self._side_by_side(is_whole=is_whole).selectExpr(*self._sights())
        based = reduce(self._with_base_of, reversed(self.task.further), sighted)
        return self._without_swept(based).selectExpr("*", *self._changes()).filter(wanted)

    def _side_by_side(self, *, is_whole: bool) -> DataFrame:
        """The files' rows by key ``k``: ``b`` of the base, ``sc`` and ``dc`` where they come on a side."""
        from pyspark.sql.connect.functions import expr

        names = self.identity.names
        gone = self.joining.together(self._base(all_of_destination=is_whole))
        mine = self.joining.beside(self._whole(_come(self.task.base, self.task.source), "sc"))
        theirs = self.joining.beside(self._whole(_come(self.task.base, self.task.destination), "dc"))
        both = self.joining.together(gone.join(mine, expr(self.identity.condition("b", "sc")), "full_outer"))
        keyed = both.selectExpr("*", *(f"coalesce(b_{name}, sc_{name}) AS one_{name}" for name in names))
        how = "full_outer" if is_whole else "left"
        joined = self.joining.together(keyed.join(theirs, expr(self.identity.condition("one", "dc")), how))
        return joined.selectExpr("*", *(f"coalesce(one_{name}, dc_{name}) AS k_{name}" for name in names))

    def _with_base_of(self, rows: DataFrame, further: RowMerge) -> DataFrame:
        """``b`` as another base has it, where that changed it and this one did not."""
        from pyspark.sql.connect.functions import expr

        other = ThreeWay(self._spark, self._warehouse, further, self.identity).changed_by_source()
        sides = (f"{side}{name}" for side in ("s", "d") for name in ("", "_id", "_at"))
        of_base = ("", "_id", "_by_source", "_by_destination") if self._is_swept else ("",)
        return rows.join(self.joining.beside(other), expr(f"{KEY} = o_key"), "left").selectExpr(
            KEY,
            *sides,
            *(f"CASE WHEN o_key IS NULL THEN b{name} ELSE o{name} END AS b{name}" for name in of_base),
            *(["d_by_source"] if self._is_swept else []),
            *(f"{side}_touched OR o_key IS NOT NULL AS {side}_touched" for side in ("s", "d")),
        )

    def changed_by_source(self) -> DataFrame:
        """The rows that the source changed and the destination did not, as the source has them: ``o``, NULL where it
        has none, with id and sweeps; ``o_key`` is the key.
        """
        come = ("sc_by_source AS o_by_source", "sc_by_destination AS o_by_destination")
        sighted = self._side_by_side(is_whole=False).selectExpr(*self._sights(), *come)
        changed = sighted.selectExpr("*", *self._changes()).filter("source_changed AND NOT destination_changed")
        return changed.selectExpr(f"{KEY} AS o_key", "s AS o", "s_id AS o_id", "o_by_source", "o_by_destination")

    def rows_to_come(self) -> int:
        """So many rows lie in the files that the source brings; more of them did not change."""
        return sum(file.rows for file in _come(self.task.base, self.task.source))

    def destination_ids(self, name: str) -> DataFrame:
        """Ids of the rows that files of the destination show and the base does not show there."""
        come = self._whole(_come(self.task.base, self.task.destination), "dc")
        return self.joining.beside(come.selectExpr(f"dc_id AS {name}"))

    def _base(self, *, all_of_destination: bool) -> DataFrame:
        """Rows of the base that the source, or with ``all_of_destination`` either side, does not show where they were;
        ``s_lost`` and ``d_lost`` say which.
        """
        groups: dict[tuple[bool, bool], list[_BaseFile]] = {}
        for file in _base_files(self.task):
            (of_source, of_destination), (mine, theirs) = file.lost, file.marks
            if of_source or mine or (all_of_destination and (of_destination or theirs)):
                groups.setdefault(file.lost, []).append(file)
        found = _union([self._lost(files, *lost) for lost, files in (groups or {(True, True): []}).items()])
        return found if all_of_destination else found.filter("s_lost")

    def _lost(self, files: Sequence[_BaseFile], of_source: bool, of_destination: bool) -> DataFrame:
        """The rows of files that the sides have in the same way; read once, whichever side marks them."""
        from pyspark.sql.connect.functions import expr

        rows = self._whole([item.file for item in files], "b")
        listed = [few_addresses(self._warehouse, _marked(files, side)) for side in (0, 1)]
        if None not in listed:
            by_source, by_destination = (is_among("b_at", found or ()) for found in listed)
            is_all = of_source or of_destination
            return (rows if is_all else rows.filter(f"{by_source} OR {by_destination}")).selectExpr(
                "*",
                f"{_sql(of_source)} OR {by_source} AS s_lost",
                f"{_sql(of_destination)} OR {by_destination} AS d_lost",
            )
        marks = self._marks(files)
        how = "left" if of_source or of_destination else "inner"
        return rows.join(marks.hint("broadcast"), expr("b_at = marked_at"), how).selectExpr(
            *self._columns("b"),
            f"{_sql(of_source)} OR coalesce(by_source, false) AS s_lost",
            f"{_sql(of_destination)} OR coalesce(by_destination, false) AS d_lost",
        )

    def _marks(self, files: Sequence[_BaseFile]) -> DataFrame:
        """``marked_at``: addresses that either side marks beyond the base, and which of them does."""
        from pyspark.sql.connect.functions import expr

        found = []
        for side, (mine, theirs) in enumerate((("true", "false"), ("false", "true"))):
            marked = _marked(files, side)
            if marked:
                addresses = deleted_addresses(self._spark, self._warehouse, marked)
                found.append(addresses.selectExpr(f"{ADDRESS} AS marked_at", f"{mine} AS mine", f"{theirs} AS theirs"))
        # A position may stand in several delete files, of one side or of both.
        return (
            _union(found)
            .groupBy("marked_at")
            .agg(expr("bool_or(mine) AS by_source"), expr("bool_or(theirs) AS by_destination"))
        )

    def _whole(self, files: Sequence[FileScan], prefix: str) -> DataFrame:
        """Every row that is left in the files; with ``by_source`` and ``by_destination``, whether it lies in what that
        side swept.
        """
        sweeps = self.task.sweeps
        groups: dict[tuple[bool, bool], list[FileScan]] = {}
        for file in files:
            swept = sweeps.source.takes(file.partition), sweeps.destination.takes(file.partition)
            groups.setdefault(swept, []).append(file)
        return _union([self._read(found, prefix, *swept) for swept, found in (groups or {(False, False): []}).items()])

    def _read(self, files: Sequence[FileScan], prefix: str, by_source: bool, by_destination: bool) -> DataFrame:
        scan = TableScan(self.task.table_id, self.task.schema, tuple(files))
        frame = table_dataframe(self._spark, self._warehouse, scan, with_address=True)
        cells = (f"'c{place}', {quoted(column.name)}" for place, column in enumerate(self.columns))
        keys = (f"{quoted(self.columns[place].name)} AS {prefix}_{place}" for place in self.identity.places)
        return frame.selectExpr(
            f"named_struct({', '.join(cells)}) AS {prefix}",
            f"{ROW_ID} AS {prefix}_id",
            f"{ADDRESS} AS {prefix}_at",
            f"{_sql(by_source)} AS {prefix}_by_source",
            f"{_sql(by_destination)} AS {prefix}_by_destination",
            *keys,
        )

    def _columns(self, prefix: str) -> list[str]:
        named = ("id", "at", "by_source", "by_destination", *self.identity.places)
        return [prefix, *(f"{prefix}_{name}" for name in named)]

    def _sights(self) -> list[str]:
        """Key, and the row in each sight. A side that did not touch it has it as the base does."""
        found = [f"{self.identity.text(self.columns, 'k')} AS {KEY}", "b"]
        if self._is_swept:
            found += ["b_id", "b_by_source", "b_by_destination"]
            found.append("coalesce(dc_by_source, NOT d_lost AND b_by_source) AS d_by_source")
        for side in ("s", "d"):
            touched = f"(coalesce({side}_lost, false) OR {side}c_id IS NOT NULL)"
            found.append(f"{touched} AS {side}_touched")
            found += [
                f"CASE WHEN {touched} THEN {side}c{name} ELSE b{name} END AS {side}{name}"
                for name in ("", "_id", "_at")
            ]
        return found

    @property
    def _is_swept(self) -> bool:
        return bool(self.task.sweeps.source or self.task.sweeps.destination)

    def _without_swept(self, rows: DataFrame) -> DataFrame:
        """``b`` where a side swept the row away: what the destination has, if the source is to overrule that; nothing,
        if only the base's row is gone; what the source has, if that is to be discarded.
        """
        if not self._is_swept:
            return rows.selectExpr("*", "b AS base_row", "false AS is_discarded")
        is_there = "false" if self.task.sweeps.destination.puts_back else "coalesce(d_id IN (b_id, s_id), false)"
        by_destination = f"b_by_destination AND NOT {is_there}"
        changed = f"s_touched AND NOT {same_row(self.columns, 's', 'b')}"
        others = (KEY, *(f"{side}{name}" for side in ("s", "d") for name in ("", "_id", "_at")))
        base = """CASE swept_by WHEN 'source' THEN d WHEN 'source, from the base' THEN NULL WHEN 'destination' THEN s
            ELSE b END AS b"""
        return rows.selectExpr(
            "*",
            f"""CASE WHEN d_by_source THEN 'source' WHEN b_by_source THEN 'source, from the base'
                WHEN {by_destination} THEN 'destination' END AS swept_by""",
        ).selectExpr(
            base,
            "b AS base_row",
            *others,
            "s_touched OR swept_by IS NOT NULL AS s_touched",
            "d_touched OR swept_by IS NOT NULL AS d_touched",
            f"coalesce(swept_by = 'destination', false) AND {changed} AS is_discarded",
        )

    def _changes(self) -> list[str]:
        return [
            f"({side}_touched AND NOT {same_row(self.columns, side, 'b')}) AS {name}_changed"
            for side, name in (("s", "source"), ("d", "destination"))
        ]


def same_row(columns: Sequence[Column], one: str, other: str) -> str:
    """SQL of whether two rows are the same, cell by cell or both not there."""
    if all(is_comparable(column.type) for column in columns):
        return f"({one} <=> {other})"
    cells = (same_value(column.type, f"{one}.c{place}", f"{other}.c{place}") for place, column in enumerate(columns))
    return f"(({one} IS NULL) = ({other} IS NULL) AND ({one} IS NULL OR ({' AND '.join(cells)})))"


def _base_files(task: RowMerge) -> Iterator[_BaseFile]:
    source, destination = ({f.file_id: f for f in files} for files in (task.source, task.destination))
    for file in task.base:
        shown = (side.get(file.file_id) for side in (source, destination))
        mine, theirs = (found if _only_more_deletes(file, found) else None for found in shown)
        yield _BaseFile(file, mine, theirs)


def _rows_read(task: RowMerge) -> int:
    """So many rows lie in the files that may be read."""
    brought = [*_come(task.base, task.source), *_come(task.base, task.destination)]
    lost = [item.file for item in _base_files(task) if any(item.lost) or any(item.marks)]
    return sum(file.rows for file in (*brought, *lost))


def _marked(files: Sequence[_BaseFile], side: int) -> list[FileScan]:
    """The files with the deletes by which a side shows less of them than the base does."""
    return [replace(item.file, delete_paths=paths) for item in files if (paths := item.marks[side])]


def _union(frames: Sequence[DataFrame]) -> DataFrame:
    return reduce(lambda one, other: one.unionAll(other), frames)


def _sql(value: bool) -> str:
    return "true" if value else "false"


def _only_more_deletes(before: FileScan, after: FileScan | None) -> bool:
    return after is not None and set(after.delete_paths) >= set(before.delete_paths)


def _further(before: FileScan, after: FileScan | None) -> tuple[str, ...]:
    if after is None:
        return ()
    known = set(before.delete_paths)
    return tuple(path for path in after.delete_paths if path not in known)


def _come(before: tuple[FileScan, ...], after: tuple[FileScan, ...]) -> list[FileScan]:
    """Files of ``after`` that may show rows which ``before`` does not show there."""
    earlier = {file.file_id: file for file in before}
    return [file for file in after if not _shows_no_more(earlier.get(file.file_id), file)]


def _shows_no_more(before: FileScan | None, after: FileScan) -> bool:
    return before is not None and _only_more_deletes(before, after)
