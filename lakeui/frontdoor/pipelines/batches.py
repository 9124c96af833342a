"""What a batch must be like before it is written: columns that the configuration names, and one row that wins."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import datetime

from catalog_app.domain.quoting import write_name
from catalog_app.domain.state import TableState
from catalog_app.domain.types import value_type
from catalog_app.engine.merge_values import FrozenSource
from lakeui.common.counts import counted
from lakeui.common.errors import DuplicateKey, InvalidValue, NotNullViolation
from lakeui.common.nearest import nearest_name
from lakeui.frontdoor.call import Call
from lakeui.frontdoor.columns.evolving import is_wider
from lakeui.frontdoor.compute import engine, interruptible
from lakeui.frontdoor.pipelines.fields import type_in_table
from lakeui.frontdoor.pipelines.work import Reporter
from lakeui.frontdoor.queries.queries import query_source
from lakeui.sql import statements as sql
from lakeui.sql.query import build_query
from merge_app.pipelines.definition.configuration import Configuration
from merge_app.pipelines.definition.fields import FIELDS, Kind, Strategy
from merge_app.pipelines.definition.literals import NULL_PARTITION
from merge_app.pipelines.definition.mistakes import Mistake, refuse
from merge_app.pipelines.definition.templates import TableAddress
from merge_app.pipelines.definition.tombstones import quoted
from merge_app.pipelines.definition.writes import (
    BATCH,
    MOMENT,
    BatchWrite,
    chooses_by_all,
    elsewhere,
    left_out_rows,
    moment_literal,
    named_partitions,
    open_marker,
    orders,
    repeated_keys,
    rivals,
)

Columns = Sequence[tuple[str, str]]
"""(name, Spark type text)."""
_TIMES = ("date", "timestamp", "timestamp_ntz")
_ALIKE = (*_TIMES, "boolean", "tinyint", "smallint", "int", "bigint", "decimal", "string", "binary")
"""Types whose values are equal to Arrow as to Spark, for which -0.0 is 0.0."""
_FILLED = ("scd_valid_from", "scd_valid_to", "scd_deleted")
"""Keys that name columns of the table which no query gives."""


def batch_write(
    configuration: Configuration, target: sql.TableName, table: TableState | None, columns: Columns, moment: datetime
) -> BatchWrite:
    """What a run at that moment writes of a batch with these columns, and where. Raises InvalidConfig for columns that
    are not there, InvalidValue where the table may not change as it had to.
    """
    columns = [(name, kind) for name, kind in columns if name != MOMENT]
    missing_refuse(configuration, columns)
    taken = list(columns) if table is None else _taken(configuration, table, columns)
    stored = frozenset() if table is None else frozenset(column.name.casefold() for column in table.schema.columns)
    if table is not None:
        columns_refuse(configuration, target, table)
    address = TableAddress(target.database, target.table)
    narrowed = {} if table is None else dict(_narrowed(configuration, table, taken))
    return BatchWrite(configuration, address, columns, taken, moment_literal(moment), stored, narrowed)


def _narrowed(configuration: Configuration, table: TableState, columns: Columns) -> Iterator[tuple[str, str]]:
    """By folded name, the types in which the table keeps the columns that order rows, where these are others."""
    on_change = str(configuration.text("on_schema_change"))
    for name, kind in columns:
        kept = type_in_table(table, name, kind, on_change)
        if kept is not None and name.casefold() in orders(configuration) and _family(kept) not in ("char", "varchar"):
            yield name.casefold(), kept


def rows_checked(call: Call, write: BatchWrite, batch: FrozenSource, reporter: Reporter) -> BatchWrite:
    """The write, knowing whether its rows are unique. Raises DuplicateKey where nothing says which of several rows of
    a key counts. Raises NotNullViolation for versions without the time from which they hold, InvalidValue for rows that
    no value of the configuration may meet.
    """
    strategy = write.configuration.strategy
    if write.partitions and (found := _first(call, elsewhere(write))) is not None:
        raise InvalidValue(
            f"The query gives a row of the partition {found[0]}, which the configuration does not name.",
            remedy="Have the query give rows of the partitions that it names alone, or name this one too.",
        )
    if strategy not in (Strategy.INCREMENTAL, Strategy.SCD2):
        return write
    is_unique = _is_unique(call, write, batch)
    if not is_unique and chooses_by_all(write):
        _say_what_is_left_out(call, write, reporter)
    elif not is_unique:
        _refuse_rivals(call, write)
    watermark = write.configuration.text("watermark_column")
    if strategy is Strategy.SCD2 and watermark is not None:
        query = f"SELECT 1 FROM {BATCH.sql} WHERE {quoted(watermark)} IS NULL LIMIT 1"
        if _first(call, query) is not None:
            raise NotNullViolation(
                f"A row of the batch has no {watermark}, from which its version would hold.",
                remedy="Leave such rows out, or give them a time with coalesce.",
                column=watermark,
            )
        _refuse_marked(call, write, watermark)
    return replace(write, is_unique=is_unique)


def _refuse_marked(call: Call, write: BatchWrite, watermark: str) -> None:
    """A version has to begin before the time that says of others that they hold still."""
    marker = write.open_marker
    if marker is None:
        return
    query = f"SELECT 1 FROM {BATCH.sql} WHERE {quoted(watermark)} >= {marker.sql} LIMIT 1"
    if _first(call, query) is not None:
        text = write.configuration.text("scd_open_marker")
        raise InvalidValue(
            f"A row of the batch has a {watermark} that is not before {text}, which stands for no end.",
            remedy="Leave such rows out, or choose a later scd_open_marker.",
            column=watermark,
        )


def _is_unique(call: Call, write: BatchWrite, batch: FrozenSource) -> bool:
    """Whether no two rows are of one key. Rows that are in this process are counted here: a job of Spark costs more."""
    if batch.rows <= 1:
        return True
    names = [name.casefold() for name in write.told_apart_by]
    places = [index for index, (name, _) in enumerate(batch.columns) if name.casefold() in names]
    if batch.table is not None and are_alike(batch.columns[index][1] for index in places):
        chosen = batch.table.select(places)
        return bool(chosen.group_by(chosen.column_names).aggregate([]).num_rows == batch.rows)
    return _first(call, repeated_keys(write)) is None


def are_alike(kinds: Iterable[str]) -> bool:
    """Whether values of all these types are equal to Arrow where they are to Spark."""
    return all(_family(kind) in _ALIKE for kind in kinds)


def _family(kind: str) -> str:
    return kind.partition("(")[0]


def _refuse_rivals(call: Call, write: BatchWrite) -> None:
    found = _first(call, rivals(write))
    if found is not None:
        key = ", ".join(f"{name} = {value}" for name, value in zip(write.told_apart_by, found, strict=True))
        raise DuplicateKey(
            f"The batch has several rows of the key {key}, and nothing says which of them counts.",
            remedy="Name a watermark_column, or a tie_break, that tells them apart; or make the query's rows unique.",
            keys=[key],
        )


def _say_what_is_left_out(call: Call, write: BatchWrite, reporter: Reporter) -> None:
    """One row a key is written, and nothing says that it is the latest: the run is degraded where rows differ."""
    found = _first(call, left_out_rows(write)) or [0, 0]
    rows, keys = (int(str(number)) for number in found)
    if rows:
        message = (
            f"{counted(rows, 'row')} of {counted(keys, 'key')} {'is' if rows == 1 else 'are'} left out: without"
            " watermark_column the highest row of a key, by all columns, is written."
        )
        reporter.say("check", message, level="warning")
        reporter.keep(is_degraded=True)


def _first(call: Call, text: str) -> list[object] | None:
    query = query_source(call, build_query(text))
    with interruptible(call.context):
        rows = engine().select(query.text, query.tables, limit=1).rows
    return rows[0] if rows else None


# -- columns ----------------------------------------------------------------------------------------------------------


def _named(configuration: Configuration) -> list[tuple[str, str]]:
    """(key, column) of every column that the strategy reads and the query has to give."""
    found = []
    for name, field in FIELDS.items():
        if configuration.strategy in field.strategies and field.kind in (Kind.NAME, Kind.NAMES) and name not in _FILLED:
            value = configuration.settings[name].value
            columns = value if isinstance(value, tuple) else (value,)
            found += [(name, column) for column in columns if isinstance(column, str)]
    return found


def missing_refuse(configuration: Configuration, columns: Columns) -> None:
    """Raise InvalidConfig for columns that the configuration names and the query does not give, or may not give."""
    given = {name.casefold() for name, _ in columns}
    mistakes = []
    for name, column in _named(configuration):
        if column.casefold() not in given:
            nearest = nearest_name(column, [known for known, _ in columns])
            remedy = f"Did you mean {nearest}?" if nearest else "Select it, or name another column."
            mistakes.append(_mistake(configuration, name, f"The query gives no column {column}.", remedy))
    if configuration.strategy is Strategy.SCD2:
        for name, column in configuration.filled.items():
            if column.casefold() in given:
                message = f"The query gives the column {column}, which scd2 fills."
                mistakes.append(_mistake(configuration, name, message, f"Rename it, or choose another {name}."))
        mistakes += _timeless(configuration, columns)
    if not mistakes:
        mistakes = _misfits(configuration, columns)
    refuse(mistakes)


def _misfits(configuration: Configuration, columns: Columns) -> list[Mistake]:
    """Values of the configuration that are none of the column that they are compared with."""
    mistakes = []
    if configuration.strategy is Strategy.SNAPSHOT:
        column = configuration.text("partition_column")
        misfits = [text for text, value in named_partitions(configuration, columns) if value is None]
        message = f"{', '.join(misfits)} can be no value of the column {column}."
        remedy = f"Write values as the column has them; {NULL_PARTITION} is the partition without a value."
        mistakes += [_mistake(configuration, "partitions", message, remedy)] if misfits else []
    marker = configuration.text("scd_open_marker")
    if configuration.strategy is Strategy.SCD2 and marker and open_marker(configuration, columns) is None:
        message = f"{marker} can be no end of a version."
        remedy = "Write a value of the watermark_column, or a time; later than any that a version ends at."
        mistakes.append(_mistake(configuration, "scd_open_marker", message, remedy))
    return mistakes


def _timeless(configuration: Configuration, columns: Columns) -> list[Mistake]:
    """A key is gone from the time of the run on: versions that hold from a number cannot say that."""
    watermark = (configuration.text("watermark_column") or "").casefold()
    kinds = [kind for name, kind in columns if name.casefold() == watermark]
    if configuration.text("hard_deletes") == "ignore" or not kinds or value_type(kinds[0]).text in _TIMES:
        return []
    message = f"The column {configuration.text('watermark_column')} is {kinds[0]}: it cannot say when a key was gone."
    return [_mistake(configuration, "hard_deletes", message, "Order by a time, or choose hard_deletes: ignore.")]


def columns_refuse(configuration: Configuration, target: sql.TableName, table: TableState) -> None:
    """Raise InvalidConfig where a table that was made otherwise lacks what the strategy goes by."""
    named = [(name, column) for name, column in _named(configuration) if name == "unique_key"]
    if configuration.strategy is Strategy.SCD2:
        # Versions from before it was asked for were of keys that were there: the column may come later.
        comes = configuration.text("on_schema_change") in ("append", "sync")
        named += [item for item in configuration.filled.items() if not (comes and item[0] == "scd_deleted")]
    missing = [(name, column) for name, column in named if table.schema.named(column) is None]
    statement = _columns_added(configuration, target, table, missing)
    remedy = statement or "Add it with ALTER TABLE, or let full_refresh make the table anew first."
    label = f"{target.database}.{target.table}"
    mistakes = [
        _mistake(
            configuration, name, f"Table {label} has no column {column}, which {configuration.strategy} needs.", remedy
        )
        for name, column in missing
    ]
    refuse(mistakes, statement)


def _columns_added(
    configuration: Configuration, target: sql.TableName, table: TableState, missing: Sequence[tuple[str, str]]
) -> str:
    """The statement that adds the columns, after which rows of the table are open versions; "" where none does."""
    watermark = configuration.text("watermark_column")
    ordering = table.schema.named(watermark) if watermark else None
    is_unknown = watermark is not None and ordering is None
    if not missing or is_unknown or any(key not in _FILLED for key, _ in missing):
        return ""
    time = ordering.type.upper() if ordering else "TIMESTAMP"
    columns = [f"{write_name(column)} {'BOOLEAN' if key == 'scd_deleted' else time}" for key, column in missing]
    return f"ALTER TABLE {write_name(target.database)}.{write_name(target.table)} ADD COLUMNS ({', '.join(columns)})"


def _mistake(configuration: Configuration, name: str, message: str, remedy: str) -> Mistake:
    setting = configuration.settings[name]
    return Mistake(setting.origin, setting.line, message, remedy, name)


def _taken(configuration: Configuration, table: TableState, columns: Columns) -> list[tuple[str, str]]:
    """The columns that are written, as ``on_schema_change`` wants it."""
    change = configuration.text("on_schema_change")
    added = [name for name, _ in columns if table.schema.named(name) is None]
    if change == "ignore":
        return [(name, kind) for name, kind in columns if name not in added]
    if change == "fail" and (differing := added + _wider(table, columns)):
        raise InvalidValue(
            f"The query's columns differ from those of {table.name}: {', '.join(differing)}.",
            remedy="Change the table or the query; or choose on_schema_change: append.",
            columns=differing,
        )
    return list(columns)


def _wider(table: TableState, columns: Columns) -> list[str]:
    found = []
    for name, kind in columns:
        column = table.schema.named(name)
        if column is not None and is_wider(kind, column):
            found.append(name)
    return found
