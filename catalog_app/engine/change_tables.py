"""Changes of a table's rows as a query over its snapshots: rows by id, as ``changes_dataframe`` finds them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from catalog_app.domain.files import SHOWN_ROW_ID, TableScan
from catalog_app.domain.whole_values import same_value
from catalog_app.engine.inputs_outputs import QuerySource
from catalog_app.engine.types import quoted

CHANGE_TYPE, COMMIT_VERSION, COMMIT_TIME, ROW_ID = "_change_type", "_commit_version", "_commit_timestamp", "_row_id"
"""The first three as Delta's change data feed names them."""


@dataclass(frozen=True, slots=True)
class ChangedScans:
    """What a commit made of a table: scans of the files that only one of the snapshots before and after it has."""

    before: TableScan
    after: TableScan
    version: int
    time: datetime


def commits_query(found: Sequence[ChangedScans], empty: TableScan) -> QuerySource:
    """The rows that each commit changed. ``empty``: the table without files, for where there is no commit."""
    parts = found or [ChangedScans(empty, empty, 0, datetime.fromtimestamp(0, UTC))]
    texts, tables = [], {}
    for place, part in enumerate(parts):
        time = part.time.astimezone(UTC).strftime("%Y-%m-%d %H:%M:%S.%f")
        shown = [
            f"CAST({part.version} AS BIGINT) AS {quoted(COMMIT_VERSION)}",
            f"CAST('{time}+00:00' AS TIMESTAMP) AS {quoted(COMMIT_TIME)}",
        ]
        text, scans = _changed(part.before, part.after, shown, first=2 * place)
        texts.append(text)
        tables.update(scans)
    return QuerySource("\nUNION ALL ".join(texts), tables)


def difference_query(before: TableScan, after: TableScan) -> QuerySource:
    """The rows in which two snapshots differ, each with its row id."""
    return QuerySource(*_changed(before, after, [f"{{own}}.{_ID} AS {quoted(ROW_ID)}"], first=0))


_ID = quoted(SHOWN_ROW_ID)


def _changed(
    before: TableScan, after: TableScan, further: Sequence[str], *, first: int
) -> tuple[str, dict[str, TableScan]]:
    """The text and its tables. An update gives two rows: the one before and the one after.

    Each value is a column as it is, in no expression: so Spark still knows which ones are CHAR.
    """
    columns = after.schema.columns
    names = [quoted(column.name) for column in columns]
    same = " AND ".join(
        same_value(item.type, f"b.{name}", f"a.{name}") for item, name in zip(columns, names, strict=True)
    )
    one, other = f"__lake_{first}", f"__lake_{first + 1}"
    sides = (("a", "b", "insert", "update_postimage"), ("b", "a", "delete", "update_preimage"))
    scans = {"b": one, "a": other}
    texts = []
    for own, peer, alone, changed in sides:
        values = [f"{own}.{name} AS {name}" for name in names]
        change = f"CASE WHEN {peer}.{_ID} IS NULL THEN '{alone}' ELSE '{changed}' END AS {quoted(CHANGE_TYPE)}"
        texts.append(
            f"SELECT {', '.join([*values, change, *(text.format(own=own) for text in further)])} "
            f"FROM {quoted(scans[own])} AS {own} LEFT JOIN {quoted(scans[peer])} AS {peer} ON b.{_ID} = a.{_ID} "
            f"WHERE {peer}.{_ID} IS NULL OR NOT ({same})"
        )
    tables = {one: replace(before, shows=(SHOWN_ROW_ID,)), other: replace(after, shows=(SHOWN_ROW_ID,))}
    return " UNION ALL ".join(texts), tables
