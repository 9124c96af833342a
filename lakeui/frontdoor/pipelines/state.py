"""What a run finds in its target before it renders: whether there are rows to go on from, and the watermark."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from catalog_app.domain.quoting import quote_name
from catalog_app.domain.schema import Column
from catalog_app.domain.state import TableState
from lakeui.common.errors import DuplicateKey
from lakeui.frontdoor.call import Call
from lakeui.frontdoor.compute import engine, interruptible
from lakeui.frontdoor.queries.queries import query_source
from lakeui.sql import statements as sql
from lakeui.sql.query import build_query
from merge_app.pipelines.definition.configuration import Configuration
from merge_app.pipelines.definition.fields import Strategy
from merge_app.pipelines.definition.literals import Literal, literal
from merge_app.pipelines.definition.mistakes import CONFIG_FILE, Mistake, refuse
from merge_app.pipelines.definition.templates import TableAddress
from merge_app.pipelines.definition.typed_texts import has_literal
from merge_app.pipelines.definition.versions import open_condition

_TIMES = ("date", "timestamp", "timestamp_ntz")
_NUMBERS = ("tinyint", "smallint", "int", "bigint", "float", "double", "decimal")


@dataclass(frozen=True, slots=True)
class TargetState:
    """``watermark`` is the highest value of the watermark column less the ``lookback``, as text; None without one.
    ``watermark_type`` is the column's.
    """

    has_rows: bool = False
    watermark: str | None = None
    watermark_type: str = "string"


def target_state(call: Call, configuration: Configuration, name: sql.TableName, table: TableState) -> TargetState:
    """Of the table itself, so that it moves with merges and restores. Raises InvalidConfig for a ``lookback`` that
    cannot be taken from the column.
    """
    watermark = configuration.text("watermark_column")
    column = None if watermark is None else table.schema.named(watermark)
    address = TableAddress(name.database, name.table).sql
    if column is None:
        return TargetState(has_rows=bool(_answer(call, f"SELECT 1 FROM {address} LIMIT 1")))
    _require_literal(configuration, column)
    highest = f"max({quote_name(column.name)}){_less(configuration, column)}"
    text = f"hex({highest})" if column.type == "binary" else f"CAST({highest} AS STRING)"
    ((found,),) = _answer(call, f"SELECT {text} FROM {address}")
    return TargetState() if found is None else TargetState(True, str(found), column.type)


def _require_literal(configuration: Configuration, column: Column) -> None:
    if not has_literal(column.type):
        setting = configuration.settings["watermark_column"]
        message = f"The column {column.name} is {column.type}: its values cannot be written into a query."
        remedy = "Order by a number, a time or a text; or leave watermark_value out of the template."
        refuse([Mistake(setting.origin, setting.line, message, remedy, "watermark_column")])


def duplicates_refuse(call: Call, configuration: Configuration, name: sql.TableName, table: TableState) -> None:
    """Raise DuplicateKey where the table holds a key twice that a strategy takes to be unique: a run would leave both
    rows, or change both.
    """
    if configuration.strategy not in (Strategy.INCREMENTAL, Strategy.SCD2):
        return
    keys = ", ".join(quote_name(key) for key in configuration.names("unique_key"))
    is_versioned = configuration.strategy is Strategy.SCD2
    marker = _marker(configuration.text("scd_open_marker"), configuration, table)
    until = quote_name(str(configuration.text("scd_valid_to")))
    open_only = f" WHERE {open_condition(until, marker)}" if is_versioned else ""
    address = TableAddress(name.database, name.table).sql
    call.context.step("look for duplicates", f"of {keys} in {name.database}.{name.table}")
    found = _answer(call, f"SELECT {keys} FROM {address}{open_only} GROUP BY {keys} HAVING count(*) > 1 LIMIT 1")
    if found:
        key = ", ".join(
            f"{key} = {value}" for key, value in zip(configuration.names("unique_key"), found[0], strict=True)
        )
        raise DuplicateKey(
            f"Table {name.database}.{name.table} has several rows of key {key}; {configuration.strategy} takes one.",
            remedy="Choose a unique_key that tells its rows apart, or delete rows that are too many.",
            keys=[key],
        )


def marker_refuse(
    call: Call, configuration: Configuration, name: sql.TableName, table: TableState, before: str | None
) -> None:
    """Raise InvalidConfig where versions hold still by ``before``, the marker until now, and the configuration has
    another one: to it they would be over.
    """
    marker = _marker(before, configuration, table)
    if configuration.strategy is not Strategy.SCD2 or marker is None or before == configuration.text("scd_open_marker"):
        return
    column = str(configuration.text("scd_valid_to"))
    address = TableAddress(name.database, name.table).sql
    if _answer(call, f"SELECT 1 FROM {address} WHERE {quote_name(column)} = {marker.sql} LIMIT 1"):
        setting = configuration.settings["scd_open_marker"]
        file = CONFIG_FILE if setting.line is None else setting.origin
        message = f"Versions of {name.database}.{name.table} hold still by the {column} {before}, the marker until now."
        remedy = f"Leave it; or give their {column} its new value first, with an UPDATE."
        refuse([Mistake(file, setting.line, message, remedy, "scd_open_marker")])


def _marker(text: str | None, configuration: Configuration, table: TableState) -> Literal | None:
    column = table.schema.named(str(configuration.text("scd_valid_to")))
    return literal(text, column.type) if text and column is not None else None


def _less(configuration: Configuration, column: Column) -> str:
    """What takes the lookback away from a value of the column; nothing where there is none."""
    span = configuration.text("lookback")
    if not span:
        return ""
    family = column.type.partition("(")[0]
    amount, _, unit = span.partition(" ")
    if unit and family in _TIMES:
        return f" - INTERVAL '{amount}' {unit.removesuffix('s').upper()}"
    if not unit and family in _NUMBERS:
        return f" - {amount}"
    setting = configuration.settings["lookback"]
    takes = "a time like 3 days" if family in _TIMES else "a number" if family in _NUMBERS else "nothing"
    message = f"lookback cannot be {span}: the column {column.name} is {column.type}."
    refuse([Mistake(setting.origin, setting.line, message, f"For such a column it takes {takes}.", "lookback")])
    return ""


def _answer(call: Call, text: str) -> list[list[Any]]:
    source = query_source(call, build_query(text))
    with interruptible(call.context):
        return engine().select(source.text, source.tables, limit=1).rows
