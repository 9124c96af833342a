"""What a batch must be like before it is written: columns that the configuration names, and one row that wins."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

from catalog_app.domain.state import TableState
from catalog_app.domain.types import canonical_type, widens
from catalog_app.selectors.lineage import nearest_name
from lakeui.common.errors import DuplicateKey, InvalidValue, NotNullViolation
from lakeui.frontdoor.compute import engine, interruptible
from lakeui.frontdoor.places import Call
from lakeui.frontdoor.queries import query_source
from lakeui.sql import statements as sql
from lakeui.sql.query import build_query
from merge_app.pipelines.definition.configuration import Configuration
from merge_app.pipelines.definition.fields import FIELDS, Kind, Strategy
from merge_app.pipelines.definition.mistakes import Mistake, refuse
from merge_app.pipelines.definition.templates import TableAddress
from merge_app.pipelines.definition.writes import BATCH, BatchWrite, quoted, rivals

Columns = Sequence[tuple[str, str]]
"""(name, Spark type text)."""
_RESERVED = ("scd_valid_from", "scd_valid_to")


def batch_write(
    configuration: Configuration, target: sql.TableName, table: TableState | None, columns: Columns
) -> BatchWrite:
    """What is written of a batch with these columns, and where. Raises InvalidConfig for columns that are not there,
    InvalidValue where the table may not change as it had to.
    """
    missing_refuse(configuration, columns)
    taken = list(columns) if table is None else _taken(configuration, table, columns)
    stored = frozenset() if table is None else frozenset(column.name.casefold() for column in table.schema.columns)
    if table is not None:
        columns_refuse(configuration, target, table)
    moment = datetime.now(UTC).strftime("TIMESTAMP '%Y-%m-%d %H:%M:%S.%f+00:00'")
    return BatchWrite(configuration, TableAddress(target.database, target.table), taken, moment, stored)


def refuse_rivals(call: Call, write: BatchWrite) -> None:
    """Raise DuplicateKey where nothing says which of several rows of a key counts, NotNullViolation for versions
    without the time from which they hold.
    """
    strategy = write.configuration.strategy
    if strategy not in (Strategy.INCREMENTAL, Strategy.SCD2):
        return
    found = _first(call, rivals(write))
    if found is not None:
        key = ", ".join(f"{name} = {value}" for name, value in zip(write.told_apart_by, found, strict=True))
        raise DuplicateKey(
            f"The batch has several rows of the key {key}, and nothing says which of them counts.",
            remedy="Name a watermark_column, or a tie_break, that tells them apart; or make the query's rows unique.",
            keys=[key],
        )
    watermark = write.configuration.text("watermark_column")
    if strategy is Strategy.SCD2 and watermark is not None:
        query = f"SELECT 1 FROM {BATCH.sql} WHERE {quoted(watermark)} IS NULL LIMIT 1"
        if _first(call, query) is not None:
            raise NotNullViolation(
                f"A row of the batch has no {watermark}, from which its version would hold.",
                remedy="Leave such rows out, or give them a time with coalesce.",
                column=watermark,
            )


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
        if (
            configuration.strategy in field.strategies
            and field.kind in (Kind.NAME, Kind.NAMES)
            and name not in _RESERVED
        ):
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
        for name in _RESERVED:
            column = str(configuration.text(name))
            if column.casefold() in given:
                message = f"The query gives the column {column}, which scd2 fills."
                mistakes.append(_mistake(configuration, name, message, f"Rename it, or choose another {name}."))
    refuse(mistakes)


def columns_refuse(configuration: Configuration, target: sql.TableName, table: TableState) -> None:
    """Raise InvalidConfig where a table that was made otherwise lacks what the strategy goes by."""
    named = [(name, column) for name, column in _named(configuration) if name == "unique_key"]
    if configuration.strategy is Strategy.SCD2:
        named += [(name, str(configuration.text(name))) for name in _RESERVED]
    refuse(
        [
            _mistake(
                configuration,
                name,
                f"Table {target.database}.{target.table} has no column {column}, which {configuration.strategy} needs.",
                "Add it with ALTER TABLE, or let full_refresh make the table anew first.",
            )
            for name, column in named
            if table.schema.named(column) is None
        ]
    )


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
        if column is not None and canonical_type(kind) != column.type and widens(column.type, canonical_type(kind)):
            found.append(name)
    return found
