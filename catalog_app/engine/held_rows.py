"""What becomes of few rows that were computed once and wait in this process."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from catalog_app.engine.merge_source import frozen_column
from catalog_app.engine.merge_values import Act, Family, FrozenSource, Rule
from catalog_app.engine.plain_rows import plain_rows
from catalog_app.engine.targets import Target
from catalog_app.engine.types import quoted


def held_columns(source: FrozenSource, names: Sequence[str]) -> FrozenSource | None:
    """The source with these columns in this order; None where its rows are not here, or a column is CHAR."""
    if source.table is None:
        return None
    known = [name.casefold() for name, _ in source.columns]
    places = [known.index(name.casefold()) for name in names]
    if any(place in source.chars for place in places):
        return None
    table = source.table.select(places).rename_columns([frozen_column(index) for index in range(len(places))])
    columns, described = (
        tuple((name, given[place][1]) for name, place in zip(names, places, strict=True)) if given else ()
        for given in (source.columns, source.described)
    )
    return replace(source, columns=columns, described=described, table=table, chars={}, keys=(), key_types=(), held=[])


def held_for_insert(target: Target, source: FrozenSource) -> pa.Table | None:
    """What ``FileWriter.write_arrow`` takes of all rows of the source, whose columns go by name. None where that asks
    for Spark, or for an order of the rows.
    """
    folded = {column.name.casefold(): column for column in target.schema.columns}
    names = [name for name, _ in source.columns]
    is_made = any(column.generated or column.identity for column in target.schema.columns)
    if is_made or target.clustered or any(name.casefold() not in folded for name in names):
        return None
    values = {folded[name.casefold()].name: f"{quoted(source.alias)}.{quoted(name)}" for name in names}
    rule = Rule(Family.NOT_MATCHED, Act.INSERT, None, values)
    return plain_rows(target, source, [rule], np.empty(0, np.int64), lambda *_: None)


def held_with_keys(source: FrozenSource, keys: Sequence[str], *, mark: str, row: str, key: str) -> FrozenSource:
    """The rows of the source, and behind them each of their keys once, with NULL in all other columns. The column
    ``mark`` says ``row`` or ``key``. Values of keys are equal to Arrow where they are to Spark.
    """
    assert source.table is not None
    wanted = {name.casefold() for name in keys}
    named = {frozen_column(index): name for index, (name, _) in enumerate(source.columns)}
    compared = [place for place, name in named.items() if name.casefold() in wanted]
    once = source.table.select(compared).group_by(compared).aggregate([])
    schema = pa.schema([field.with_nullable(True) for field in source.table.schema])
    nothing = {place: pa.nulls(once.num_rows, schema.field(place).type) for place in named}
    beside = pa.table({place: once.column(place) if place in compared else nothing[place] for place in named})
    marks = [pa.repeat(row, source.table.num_rows), pa.repeat(key, once.num_rows)]
    both = pa.concat_tables([source.table.cast(schema), beside.cast(schema)])
    table = both.append_column(frozen_column(len(named)), pa.chunked_array(marks))
    kinds = {name.casefold(): (kind, frozen_column(place)) for place, (name, kind) in enumerate(source.columns)}
    found = [(kinds[name.casefold()][0], pc.unique(once.column(kinds[name.casefold()][1]))) for name in keys]
    return replace(
        source,
        columns=(*source.columns, (mark, "string")),
        described=(*source.described, (mark, "string")) if source.described else (),
        rows=table.num_rows,
        bytes=table.nbytes,
        table=table,
        keys=tuple(found),
        key_types=tuple(kind for kind, _ in found),
    )
