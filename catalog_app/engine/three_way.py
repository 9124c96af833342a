"""Rows under three sights of a table: merge base, source and destination, side by side by key and judged cell by cell.

Only what the sights do not share is read: files of one of them, and of shared files the rows that further deletes mark.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import reduce
from typing import TYPE_CHECKING

import pyarrow as pa

from catalog_app.domain.files import FileScan, TableScan
from catalog_app.domain.row_merge import RowChoice, RowMerge, Take
from catalog_app.domain.schema import Column
from catalog_app.engine.differences import same_value
from catalog_app.engine.reading import ADDRESS, ROW_ID, deleted_addresses, table_dataframe
from catalog_app.engine.types import is_ordered, quoted, storage_type, text_literal

if TYPE_CHECKING:
    from pyspark.sql.connect.dataframe import DataFrame
    from pyspark.sql.connect.session import SparkSession

    from catalog_app.storage.warehouse import Warehouse

KEY = "__lake_key"
CHOICE_KEY, CHOICE_ROW, CHOICE_CELLS, CHOICE_VALUES = ("__lake_choice", "__lake_take", "__lake_takes", "__lake_values")
_CHOICE_TYPES = (
    f"{CHOICE_KEY} string, {CHOICE_ROW} string, {CHOICE_CELLS} map<string,string>, {CHOICE_VALUES} map<string,string>"
)


@dataclass(frozen=True, slots=True)
class Identity:
    """What makes two rows one: columns of the table by their places, or without any the row id."""

    places: tuple[int, ...]

    def condition(self, one: str, other: str) -> str:
        if not self.places:
            return f"{one}_id = {other}_id"
        return " AND ".join(f"{one}_{place} = {other}_{place}" for place in self.places)

    def text(self, columns: Sequence[Column], *sides: str) -> str:
        """SQL of the key as JSON, from the first of these sides that has the row."""
        if not self.places:
            return f"CAST(coalesce({', '.join(f'{side}_id' for side in sides)}) AS STRING)"
        fields = (
            f"{text_literal(columns[place].name)}, coalesce({', '.join(f'{side}_{place}' for side in sides)})"
            for place in self.places
        )
        return f"to_json(named_struct({', '.join(fields)}))"


def key_identity(task: RowMerge) -> Identity:
    """Rows are one by the table's primary key."""
    return Identity(tuple(task.schema.columns.index(column) for column in task.keys))


class ThreeWay:
    """The rows in which source or destination differ from the base.

    Columns of ``rows``: ``b_<place>``, ``s_<place>`` and ``d_<place>`` of each sight, with ``_has``, ``_id`` (row id)
    and ``_at`` (address); ``source_changed`` and ``destination_changed``; and the key as JSON.
    """

    def __init__(self, spark: SparkSession, warehouse: Warehouse, task: RowMerge, identity: Identity) -> None:
        self._spark = spark
        self._warehouse = warehouse
        self.task = task
        self.columns = task.schema.columns
        self.identity = identity

    def rows(self, *, all_of_destination: bool) -> DataFrame:
        """``all_of_destination``: also rows that the destination alone changed."""
        from pyspark.sql.connect.functions import expr

        mine = self._net(self.task.base, self.task.source, "s").filter("s_changed")
        theirs = self._net(self.task.base, self.task.destination, "d")
        how = "left" if not all_of_destination else "full_outer"
        joined = mine.join(theirs, expr(self.identity.condition("sk", "dk")), how)
        judged = joined.selectExpr(*self._sights())
        return judged.filter("source_changed OR destination_changed")

    def destination_ids(self, name: str) -> DataFrame:
        """Ids of the rows that files of the destination show and the base does not show there."""
        come = self._whole(_come(self.task.base, self.task.destination), "dc")
        return come.selectExpr(f"dc_id AS {name}")

    def _net(self, before: tuple[FileScan, ...], after: tuple[FileScan, ...], side: str) -> DataFrame:
        """The rows of one side against the base: ``<side>g_`` gone, ``<side>c_`` come, ``<side>k_`` the identity."""
        from pyspark.sql.connect.functions import expr

        gone, come = f"{side}g", f"{side}c"
        lost, kept = self._gone(before, after, gone), self._whole(_come(before, after), come)
        joined = lost.join(kept, expr(self.identity.condition(gone, come)), "full_outer")
        same = " AND ".join(self._same(gone, come, place) for place in range(len(self.columns)))
        keys = (f"coalesce({gone}_{place}, {come}_{place}) AS {side}k_{place}" for place in self.identity.places)
        return joined.selectExpr(
            "*",
            *keys,
            f"coalesce({gone}_id, {come}_id) AS {side}k_id",
            f"{gone}_id IS NULL OR {come}_id IS NULL OR NOT ({same}) AS {side}_changed",
        )

    def _same(self, one: str, other: str, place: int) -> str:
        return same_value(self.columns[place], f"{one}_{place}", f"{other}_{place}")

    def _gone(self, before: tuple[FileScan, ...], after: tuple[FileScan, ...], prefix: str) -> DataFrame:
        """Rows of ``before`` that ``after`` does not show where they were."""
        later = {file.file_id: file for file in after}
        whole = [file for file in before if not _only_more_deletes(file, later.get(file.file_id))]
        marked = [file for file in before if _only_more_deletes(file, later.get(file.file_id))]
        marks = [replace(file, delete_paths=paths) for file in marked if (paths := _further(file, later[file.file_id]))]
        frame = self._whole(whole, prefix)
        if not marks:
            return frame
        touched = {file.file_id for file in marks}
        rows = self._whole([file for file in marked if file.file_id in touched], prefix)
        addresses = deleted_addresses(self._spark, self._warehouse, marks).toDF(f"{prefix}_at")
        return frame.unionAll(rows.join(addresses.hint("broadcast"), f"{prefix}_at", "left_semi").select(frame.columns))

    def _whole(self, files: Sequence[FileScan], prefix: str) -> DataFrame:
        scan = TableScan(self.task.table_id, self.task.schema, tuple(files))
        frame = table_dataframe(self._spark, self._warehouse, scan, with_address=True)
        values = (f"{quoted(column.name)} AS {prefix}_{place}" for place, column in enumerate(self.columns))
        return frame.selectExpr(f"{ROW_ID} AS {prefix}_id", f"{ADDRESS} AS {prefix}_at", *values)

    def _sights(self) -> list[str]:
        """Base, source and destination of each row. A side that did not change the row has it as the base does."""
        found = [
            f"{self.identity.text(self.columns, 'sk', 'dk')} AS {KEY}",
            "coalesce(s_changed, false) AS source_changed",
            "coalesce(d_changed, false) AS destination_changed",
            f"{_base('id')} IS NOT NULL AS b_has",
        ]
        found += [f"{_base(name)} AS b_{name}" for name in self._names()]
        for side in ("s", "d"):
            found.append(f"{self._held(side, 'id')} IS NOT NULL AS {side}_has")
            found += [f"{self._held(side, name)} AS {side}_{name}" for name in self._names()]
        return found

    def _names(self) -> list[str]:
        return ["id", "at", *(str(place) for place in range(len(self.columns)))]

    def _held(self, side: str, name: str) -> str:
        return f"CASE WHEN {side}_changed IS NULL THEN {_base(name)} ELSE {side}c_{name} END"


def _base(name: str) -> str:
    return f"CASE WHEN sg_id IS NOT NULL THEN sg_{name} ELSE dg_{name} END"


def _only_more_deletes(before: FileScan, after: FileScan | None) -> bool:
    return after is not None and set(after.delete_paths) >= set(before.delete_paths)


def _further(before: FileScan, after: FileScan) -> tuple[str, ...]:
    return tuple(path for path in after.delete_paths if path not in set(before.delete_paths))


def _come(before: tuple[FileScan, ...], after: tuple[FileScan, ...]) -> list[FileScan]:
    """Files of ``after`` that may show rows which ``before`` does not show there."""
    earlier = {file.file_id: file for file in before}
    return [file for file in after if not _shows_no_more(earlier.get(file.file_id), file)]


def _shows_no_more(before: FileScan | None, after: FileScan) -> bool:
    return before is not None and _only_more_deletes(before, after)


# -- judging ----------------------------------------------------------------------------------------------------------


class Judge:
    """SQL over the columns of ``ThreeWay.rows``: which cells conflict, and what choices make of them."""

    def __init__(self, columns: Sequence[Column], choices: Sequence[RowChoice] = ()) -> None:
        self.columns = columns
        self._rule = next((choice for choice in choices if not choice.key), None)
        self._chosen = [choice for choice in choices if choice.key]
        self._texts = _texts(columns, self._chosen)

    def with_choices(self, spark: SparkSession, rows: DataFrame) -> DataFrame:
        """The rows, each with what was decided of it alone."""
        if not self._texts:
            nothing = ("string", "map<string,string>", "map<string,string>")
            names = (CHOICE_ROW, CHOICE_CELLS, CHOICE_VALUES)
            return rows.selectExpr("*", *(f"CAST(NULL AS {k}) AS {n}" for n, k in zip(names, nothing, strict=True)))
        chosen = spark.createDataFrame(_choice_table(self._texts), schema=_CHOICE_TYPES)
        return rows.join(chosen.hint("broadcast"), rows[KEY] == chosen[CHOICE_KEY], "left")

    def verdicts(self) -> list[str]:
        """``both``: both sides changed the row, and not to the same. ``lacks``: one of them took it away.
        ``identical``: both have the same. ``x_<place>``: the cell conflicts.
        """
        same = " AND ".join(same_value(c, f"s_{i}", f"d_{i}") for i, c in enumerate(self.columns))
        identical = f"(s_has = d_has AND (NOT s_has OR ({same})))"
        both = f"(source_changed AND destination_changed AND NOT {identical})"
        found = [f"{both} AS both", f"{both} AND s_has <> d_has AS lacks", f"{identical} AS identical"]
        return [*found, *(f"{both} AND {self._clash(place)} AS x_{place}" for place in range(len(self.columns)))]

    def _clash(self, place: int) -> str:
        column = self.columns[place]
        one, other, base = (f"{side}_{place}" for side in "sdb")
        differ = f"NOT ({same_value(column, one, other)})"
        moved = f"NOT ({same_value(column, one, base)}) AND NOT ({same_value(column, other, base)})"
        return f"(s_has AND d_has AND {differ} AND (NOT b_has OR ({moved})))"

    def outcomes(self) -> list[str]:
        """``t_<place>``: what was decided of the cell, ``t_row`` of the row. ``v_<place>``: an edited value."""
        rule = "NULL" if self._rule is None else text_literal(self._rule.take.value)
        found = [f"coalesce({CHOICE_ROW}, {rule}) AS t_row"]
        for place, column in enumerate(self.columns):
            kind = storage_type(column.type)
            value = f"element_at({CHOICE_VALUES}, '{column.id}')"
            cell = f"element_at({CHOICE_CELLS}, '{column.id}')"
            schema = text_literal(f"v {kind}")
            found.append(f"coalesce({cell}, {CHOICE_ROW}, {rule}) AS t_{place}")
            found.append(f"from_json(concat('{{\"v\":', {value}, '}}'), {schema}).v AS v_{place}")
            found.append(f"{value} IS NOT NULL AND {value} <> 'null' AS e_{place}")
        return found

    def results(self) -> list[str]:
        """``is_conflict``; ``is_left``: one that nothing decides; ``combined``; ``r_has``: whether the row is there in
        the end, and ``r_<place>``: its cells.
        """
        places = range(len(self.columns))
        clashes = " OR ".join(f"x_{place}" for place in places)
        open_cells = " OR ".join(f"(x_{place} AND {self._is_open(place)})" for place in places)
        edited = " AND ".join(f"NOT (e_{place} AND v_{place} IS NULL)" for place in places)
        open_row = f"NOT (t_row IN ('source', 'destination') OR (t_row <=> 'edited' AND {edited}))"
        found = [
            f"lacks OR {clashes} AS is_conflict",
            f"(lacks AND coalesce({open_row}, true)) OR {open_cells} AS is_left",
            "both AND NOT lacks AS combined",
            *(f"{self._result(place)} AS r_{place}" for place in places),
        ]
        return [*found, f"{self._stays()} AS r_has"]

    def keeps(self) -> str:
        """``r_is_d``: the row becomes what the destination has already."""
        same = " AND ".join(same_value(c, f"r_{i}", f"d_{i}") for i, c in enumerate(self.columns))
        return f"{same} AS r_is_d"

    def _stays(self) -> str:
        return """CASE WHEN NOT source_changed OR identical THEN d_has WHEN NOT both THEN s_has
            WHEN NOT lacks OR t_row <=> 'edited' THEN true WHEN t_row <=> 'source' THEN s_has ELSE d_has END"""

    def _is_open(self, place: int) -> str:
        decided = f"""CASE t_{place} WHEN 'source' THEN true WHEN 'destination' THEN true
            WHEN 'edited' THEN element_at({CHOICE_VALUES}, '{self.columns[place].id}') IS NOT NULL
                AND NOT (e_{place} AND v_{place} IS NULL)
            WHEN 'larger' THEN {self._compared(place)} IS NOT NULL
            WHEN 'newest' THEN {self._newest()} IS NOT NULL END"""
        return f"NOT coalesce({decided}, false)"

    def _result(self, place: int) -> str:
        one, other, base = (f"{side}_{place}" for side in "sdb")
        column = self.columns[place]
        kept = f"(b_has AND {same_value(column, one, base)})"
        return f"""CASE WHEN NOT source_changed OR identical THEN {other} WHEN NOT both THEN {one}
            WHEN lacks AND t_row <=> 'edited' AND element_at({CHOICE_VALUES}, '{column.id}') IS NOT NULL THEN v_{place}
            WHEN lacks THEN CASE WHEN s_has THEN {one} ELSE {other} END
            WHEN NOT x_{place} THEN CASE WHEN {kept} THEN {other} ELSE {one} END
            WHEN t_{place} <=> 'source' THEN {one} WHEN t_{place} <=> 'edited' THEN v_{place}
            WHEN t_{place} <=> 'larger' THEN CASE WHEN {self._compared(place)} THEN {one} ELSE {other} END
            WHEN t_{place} <=> 'newest' THEN CASE WHEN {self._newest()} THEN {one} ELSE {other} END
            ELSE {other} END"""

    def _compared(self, place: int) -> str:
        """SQL of whether the source's value is the greater one; NULL where that cannot be told."""
        if not is_ordered(self.columns[place].type):
            return "CAST(NULL AS BOOLEAN)"
        one, other = f"s_{place}", f"d_{place}"
        return f"CASE WHEN {one} > {other} THEN true WHEN {one} < {other} THEN false END"

    def _newest(self) -> str:
        if self._rule is None or self._rule.take is not Take.NEWEST:
            return "CAST(NULL AS BOOLEAN)"
        name = self._rule.value.casefold()
        places = [place for place, column in enumerate(self.columns) if column.name.casefold() == name]
        return self._compared(places[0]) if places else "CAST(NULL AS BOOLEAN)"


@dataclass(frozen=True, slots=True)
class _Texts:
    """What was decided of one row: of the row, and by column id takes and values as JSON."""

    row: str | None
    cells: dict[str, str]
    values: dict[str, str]


def _texts(columns: Sequence[Column], choices: Sequence[RowChoice]) -> dict[str, _Texts]:
    ids = {column.name.casefold(): column.id for column in columns}
    found: dict[str, _Texts] = {}
    for choice in choices:
        known = found.get(choice.key, _Texts(None, {}, {}))
        if choice.column_id is not None:
            cell = str(choice.column_id)
            values = {cell: choice.value} if choice.take is Take.EDITED else {}
            known = replace(known, cells={**known.cells, cell: choice.take.value}, values={**known.values, **values})
        elif choice.take is Take.EDITED:
            given = json.loads(choice.value)
            values = {str(ids[n.casefold()]): json.dumps(v) for n, v in given.items() if n.casefold() in ids}
            known = replace(known, row=choice.take.value, values={**values, **known.values})
        else:
            known = replace(known, row=choice.take.value)
        found[choice.key] = known
    return found


def _choice_table(texts: dict[str, _Texts]) -> pa.Table:
    maps = pa.map_(pa.string(), pa.string())
    return pa.table(
        {
            CHOICE_KEY: pa.array(list(texts), pa.string()),
            CHOICE_ROW: pa.array([item.row for item in texts.values()], pa.string()),
            CHOICE_CELLS: pa.array([list(item.cells.items()) for item in texts.values()], maps),
            CHOICE_VALUES: pa.array([list(item.values.items()) for item in texts.values()], maps),
        }
    )


def steps(rows: DataFrame, *outputs: Sequence[str]) -> DataFrame:
    """The rows with further columns, each group of them over the ones before."""
    return reduce(lambda frame, further: frame.selectExpr("*", *further), outputs, rows)
