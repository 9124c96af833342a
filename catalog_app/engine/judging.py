"""Rows of three sights judged cell by cell: which conflict, what choices make of them, and the row that comes out.

What is said of cells stands in arrays, one element for each column: so what Spark has to plan grows by a comparison and
a choice for each column, and no more.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import reduce
from typing import TYPE_CHECKING

import pyarrow as pa

from catalog_app.domain.row_merge import RowChoice, Take
from catalog_app.domain.schema import Column
from catalog_app.domain.whole_values import same_value
from catalog_app.engine.three_way import KEY, same_row
from catalog_app.engine.types import is_ordered, storage_type, text_literal

if TYPE_CHECKING:
    from pyspark.sql.connect.dataframe import DataFrame
    from pyspark.sql.connect.session import SparkSession

CHOICE_KEY, CHOICE_ROW, CHOICE_CELLS, CHOICE_VALUES = ("__lake_choice", "__lake_take", "__lake_takes", "__lake_values")
_CHOICE_TYPES = (
    f"{CHOICE_KEY} string, {CHOICE_ROW} string, {CHOICE_CELLS} map<string,string>, {CHOICE_VALUES} map<string,string>"
)
_NOTHING_CHOSEN = (
    f"CAST(NULL AS string) AS {CHOICE_ROW}",
    f"CAST(NULL AS map<string,string>) AS {CHOICE_CELLS}",
    f"CAST(NULL AS map<string,string>) AS {CHOICE_VALUES}",
)
_UNKNOWN = "CAST(NULL AS boolean)"
_BOTH = "(source_changed AND destination_changed AND NOT identical) AS both"
_LACKS = "(both AND (s IS NULL OR d IS NULL)) AS lacks"
_FROM_CHOICE = """CASE takes[i] WHEN 'source' THEN 'source' WHEN 'destination' THEN 'destination'
    WHEN 'edited' THEN CASE WHEN edited[i] THEN 'edited' END
    WHEN 'larger' THEN CASE WHEN greater[i] THEN 'source' WHEN NOT greater[i] THEN 'destination' END
    WHEN 'newest' THEN CASE WHEN newer THEN 'source' WHEN NOT newer THEN 'destination' END END"""
_WAY = f"""CASE WHEN lacks THEN
        CASE WHEN row_take <=> 'edited' AND edited[i] THEN 'edited' WHEN s IS NULL THEN 'destination' ELSE 'source' END
    WHEN NOT clash THEN CASE WHEN b IS NOT NULL AND source_kept[i] THEN 'destination' ELSE 'source' END
    ELSE {_FROM_CHOICE} END"""
_WAYS = f"CASE WHEN both THEN transform(clashes, (clash, i) -> {_WAY}) END AS ways"
_CLASH = "NOT same AND (b IS NULL OR (NOT source_kept[i] AND NOT destination_kept[i]))"


class Judge:
    """Adds to the rows of ``ThreeWay.rows`` what becomes of them."""

    def __init__(self, columns: Sequence[Column], choices: Sequence[RowChoice] = ()) -> None:
        self.columns = columns
        self._rule = next((choice for choice in choices if not choice.key), None)
        self._takes = {choice.take for choice in choices}
        self._texts = _texts(columns, [choice for choice in choices if choice.key])
        edited = {identifier for item in self._texts.values() for identifier in item.values}
        self._edited = [place for place, column in enumerate(columns) if str(column.id) in edited]

    def judged(self, spark: SparkSession, rows: DataFrame) -> DataFrame:
        """With these columns more. ``both``: both changed the row, and not to the same. ``lacks``: one of these took it
        away. ``is_conflict``; ``is_left``: a conflict that nothing decides; ``combined``: the row has cells of both.
        ``r``: the row that comes out, NULL where there is none; ``r_is_d``: the destination has just that.
        """
        identical = f"{same_row(self.columns, 's', 'd')} AS identical"
        steps = (
            (identical,),
            (_BOTH,),
            (_LACKS, *self._compared_cells(), *self._outcomes()),
            (self._clashes(), self._edits()),
            (_WAYS,),
            self._results(),
            (f"{same_row(self.columns, 'r', 'd')} AS r_is_d",),
        )
        return reduce(lambda frame, further: frame.selectExpr("*", *further), steps, self._with_choices(spark, rows))

    def _with_choices(self, spark: SparkSession, rows: DataFrame) -> DataFrame:
        """The rows, each with what was decided of it alone."""
        from pyspark.sql.connect.functions import expr

        if not self._texts:
            return rows.selectExpr("*", *_NOTHING_CHOSEN)
        chosen = spark.createDataFrame(_choice_table(self._texts), schema=_CHOICE_TYPES)
        return rows.join(chosen.hint("broadcast"), expr(f"{KEY} = {CHOICE_KEY}"), "left")

    def _all_cells(self, value: str) -> str:
        return f"array_repeat({value}, {len(self.columns)})"

    def _compared_cells(self) -> list[str]:
        """By cell of rows that both changed: whether it is as in the base on either side, and the same on both."""
        found = []
        for name, one, other in (("source_kept", "s", "b"), ("destination_kept", "d", "b"), ("alike", "s", "d")):
            cells = (
                same_value(column.type, f"{one}.c{place}", f"{other}.c{place}")
                for place, column in enumerate(self.columns)
            )
            found.append(f"CASE WHEN both THEN array({', '.join(cells)}) END AS {name}")
        return found

    def _clashes(self) -> str:
        """``clashes``: by cell of rows that both changed, whether it conflicts."""
        return f"""CASE WHEN lacks THEN {self._all_cells("false")}
            WHEN both THEN transform(alike, (same, i) -> {_CLASH}) END AS clashes"""

    def _outcomes(self) -> list[str]:
        """What was chosen of the row and of its cells; whose cell is the greater one, and whose row the newer; the
        edited values. All only as far as there are such choices.
        """
        rule = "CAST(NULL AS string)" if self._rule is None else text_literal(self._rule.take.value)
        identifiers = ", ".join(f"'{column.id}'" for column in self.columns)
        of_cell = f"coalesce(element_at({CHOICE_CELLS}, id), {CHOICE_ROW}, {rule})"
        takes = f"transform(array({identifiers}), id -> {of_cell})" if self._texts else self._all_cells(rule)
        places = range(len(self.columns)) if Take.LARGER in self._takes else ()
        greater = f"array({', '.join(map(self._compared, places))})" if places else self._all_cells(_UNKNOWN)
        return [
            f"coalesce({CHOICE_ROW}, {rule}) AS row_take",
            f"{takes} AS takes",
            f"{greater} AS greater",
            f"{self._newest()} AS newer",
            *(f"{self._edited_value(place)} AS v_{place}" for place in self._edited),
        ]

    def _value_text(self, place: int) -> str:
        return f"element_at({CHOICE_VALUES}, '{self.columns[place].id}')"

    def _edited_value(self, place: int) -> str:
        schema = text_literal(f"v {storage_type(self.columns[place].type)}")
        return f"from_json(concat('{{\"v\":', {self._value_text(place)}, '}}'), {schema}).v"

    def _is_spoiled(self, place: int) -> str:
        """Whether a value was given that is none of the column's type."""
        return f"coalesce({self._value_text(place)} <> 'null' AND v_{place} IS NULL, false)"

    def _edits(self) -> str:
        """``edited``: by cell, whether it was given a value."""
        if not self._edited:
            return f"{self._all_cells('false')} AS edited"
        cells = (
            f"{self._value_text(place)} IS NOT NULL AND NOT {self._is_spoiled(place)}"
            if place in self._edited
            else "false"
            for place in range(len(self.columns))
        )
        return f"array({', '.join(cells)}) AS edited"

    def _results(self) -> tuple[str, ...]:
        spoiled = " OR ".join(map(self._is_spoiled, self._edited)) or "false"
        is_decided = f"row_take IN ('source', 'destination') OR (row_take <=> 'edited' AND NOT ({spoiled}))"
        row = f"named_struct({', '.join(map(self._result, range(len(self.columns))))})"
        return (
            "(lacks OR coalesce(array_contains(clashes, true), false)) AS is_conflict",
            f"""(lacks AND NOT coalesce({is_decided}, false) OR coalesce(exists(ways, way -> way IS NULL), false))
                AS is_left""",
            "(both AND NOT lacks) AS combined",
            f"""CASE WHEN NOT source_changed OR identical THEN d WHEN NOT both THEN s
                WHEN lacks AND row_take <=> 'source' THEN s
                WHEN lacks AND NOT row_take <=> 'edited' THEN d ELSE {row} END AS r""",
        )

    def _result(self, place: int) -> str:
        edited = f"WHEN 'edited' THEN v_{place} " if place in self._edited else ""
        return f"'c{place}', CASE ways[{place}] WHEN 'source' THEN s.c{place} {edited}ELSE d.c{place} END"

    def _compared(self, place: int) -> str:
        """SQL of whether the source's value is the greater one; NULL where that cannot be told."""
        if not is_ordered(self.columns[place].type):
            return _UNKNOWN
        one, other = f"s.c{place}", f"d.c{place}"
        return f"CASE WHEN {one} > {other} THEN true WHEN {one} < {other} THEN false END"

    def _newest(self) -> str:
        if self._rule is None or self._rule.take is not Take.NEWEST:
            return _UNKNOWN
        name = self._rule.value.casefold()
        places = [place for place, column in enumerate(self.columns) if column.name.casefold() == name]
        return self._compared(places[0]) if places else _UNKNOWN


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
