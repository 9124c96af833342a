"""The statements of ``scd2``: versions of keys, and MERGE INTO that brings, ends and splits them (rows §4)."""

from __future__ import annotations

from catalog_app.domain.whole_values import comparable
from merge_app.pipelines.definition.literals import Literal
from merge_app.pipelines.definition.merge_statements import insert_clause, keys_match, merge_text, update_clause
from merge_app.pipelines.definition.tombstones import quoted
from merge_app.pipelines.definition.writes import (
    BATCH,
    MOMENT,
    RANK,
    STORED,
    BatchWrite,
    latest_rows,
    listed,
    order,
    same_values,
    watermark,
)

_FROM, _OLD, _OLD_TO = "pipeline from", "pipeline old", "pipeline old to"
_SAME, _BEFORE, _ENDED = "pipeline same", "pipeline before", "pipeline ended"


def merge_successors(write: BatchWrite) -> str:
    """``scd2`` by the time of the run: the open version of a key ends where a tracked column changed. The batch's row
    comes then too, as the merge ``supersedes``; so it does where its key has no open version.
    """
    start, end = write.times
    ends = f"UPDATE SET {quoted(end)} = {_not_before(write, 'target', f'batch.{quoted(MOMENT)}')}"
    is_open = write.open_marker.sql if write.open_marker else "NULL"
    values = f"{listed([*write.names, MOMENT], 'batch.')}, {is_open}"
    clauses = [
        f"WHEN MATCHED AND NOT ({same_values(write, write.tracked, 'target', 'batch')}) THEN {ends}",
        f"WHEN NOT MATCHED THEN INSERT ({listed([*write.names, start, end])}) VALUES ({values})",
        *_ended(write),
    ]
    return merge_text(write, latest_rows(write), [keys_match(write), _is_open(write, "target")], clauses)


def merge_versions(write: BatchWrite) -> str:
    """``scd2`` of all versions: new ones come, and the times of those that they end or split change."""
    start, end = write.times
    gone = [write.gone_column] if write.gone_column else []
    others = [*write.others, *gone, end]
    match = [keys_match(write), f"target.{quoted(start)} <=> batch.{quoted(start)}"]
    clauses = [
        update_clause(others, f"NOT ({same_values(write, others, 'target', 'batch')})"),
        insert_clause([*write.names, *gone, start, end]),
        *_ended(write),
    ]
    return merge_text(write, versions(write, with_stored=True), match, clauses)


def _ended(write: BatchWrite) -> list[str]:
    """The clause by which open versions of keys end that a full extract has no more, where that is asked for."""
    if write.configuration.text("hard_deletes") != "invalidate":
        return []
    ends = f"UPDATE SET {quoted(write.times[1])} = {_not_before(write, 'target', write.moment)}"
    return [f"WHEN NOT MATCHED BY SOURCE AND {_is_open(write, 'target')} THEN {ends}"]


def _not_before(write: BatchWrite, side: str, moment: str) -> str:
    """The moment at which a version ends: not before it begins, as one that is to begin later is ended too."""
    begins = f"{side}.{quoted(write.times[0])}"
    return f"CASE WHEN {begins} > {moment} THEN {begins} ELSE {moment} END"


def open_condition(column: str, marker: Literal | None) -> str:
    """SQL of whether a version holds still, by the column of its end. NULL says so under a marker too: rows may be
    older than it.
    """
    return f"{column} IS NULL" if marker is None else f"({column} IS NULL OR {column} = {marker.sql})"


def _is_open(write: BatchWrite, side: str) -> str:
    return open_condition(f"{side}.{quoted(write.times[1])}", write.open_marker)


def _until(write: BatchWrite, end: str) -> str:
    """An end as it is written, of one that is NULL for versions that hold still."""
    return end if write.open_marker is None else f"coalesce({end}, {write.open_marker.sql})"


def _stored_end(write: BatchWrite) -> str:
    """The same the other way round: the end of a stored version, NULL where it holds still."""
    end = f"stored.{quoted(write.times[1])}"
    return end if write.open_marker is None else f"nullif({end}, {write.open_marker.sql})"


def versions(write: BatchWrite, *, with_stored: bool) -> str:
    """The versions of the batch's keys, with those that are stored if there are any. There is one per time at which a
    tracked column changed, each until the next, or until the key was gone.

    Versions that are stored stay, whatever comes; of two rows of one time the batch's holds.
    """
    start, end = write.times
    over = f"OVER (PARTITION BY {listed(write.keys)} ORDER BY {quoted(_FROM)})"
    kinds = {name.casefold(): kind for name, kind in write.columns}
    gone = [write.gone_column] if write.gone_column else []
    compared = [*(comparable(quoted(name), kinds[name.casefold()]) for name in write.tracked), *map(quoted, gone)]
    state = f"struct({', '.join(compared) or '0'})"
    ended = f"CASE WHEN {quoted(_OLD)} THEN named_struct('at', {quoted(_OLD_TO)}) END"
    earlier = f"{over[:-1]} ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)"
    seen = (
        f"SELECT *, lag({state}) {over} <=> {state} AS {quoted(_SAME)}, "
        f"lag({quoted(_FROM)}) {over} AS {quoted(_BEFORE)}, "
        f"last_value({ended}, true) {earlier} AS {quoted(_ENDED)} FROM ({_moments(write, with_stored=with_stored)})"
    )
    at = f"{quoted(_ENDED)}.at"
    # A key that was gone may come back as it was: between the two it was not there.
    is_gap = f"coalesce({at} <= {quoted(_FROM)} AND {quoted(_BEFORE)} < {at}, false)"
    kept = f"SELECT * FROM ({seen}) WHERE {quoted(_OLD)} OR NOT {quoted(_SAME)} OR {is_gap}"
    closed = f"coalesce({quoted(_OLD_TO)}, CASE WHEN {at} > {quoted(_FROM)} THEN {at} END)"
    # least ignores NULL: a version ends by itself, or where the next one begins.
    until = f"least(lead({quoted(_FROM)}) {over}, {closed})"
    times = f"{quoted(_FROM)} AS {quoted(start)}, {_until(write, until)} AS {quoted(end)}"
    return f"SELECT {listed([*write.names, *gone])}, {times} FROM ({kept})"


def _moments(write: BatchWrite, *, with_stored: bool) -> str:
    """One row a key and time: the batch's where there is one, and whether such a version is stored."""
    parts = [_batch_moments(write)]
    if not with_stored:
        return parts[0]
    parts.append(_stored_moments(write))
    if write.gone_column:
        parts.append(_gone_moments(write))
    if write.keeps_times and write.configuration.text("hard_deletes") != "ignore":
        parts.append(_returned_moments(write))
    same_time = f"(PARTITION BY {listed(write.keys)}, {quoted(_FROM)}"
    gone = [write.gone_column] if write.gone_column else []
    ordered = (
        f"SELECT {listed([*write.names, *gone])}, {quoted(_FROM)}, "
        f"max({quoted(_OLD_TO)}) OVER {same_time}) AS {quoted(_OLD_TO)}, "
        f"max({quoted(_OLD)}) OVER {same_time}) AS {quoted(_OLD)}, "
        f"row_number() OVER {same_time} ORDER BY {quoted(_OLD)}) AS {quoted(RANK)} FROM ({' UNION ALL '.join(parts)})"
    )
    return f"SELECT * FROM ({ordered}) WHERE {quoted(RANK)} = 1"


def _batch_moments(write: BatchWrite) -> str:
    """One row a key and time of the batch."""
    (begins,) = [quoted(name) for name in watermark(write)] or [write.moment]
    ranked = f"row_number() OVER (PARTITION BY {listed(write.keys)}, {begins} ORDER BY {order(write)})"
    rows = f"(SELECT *, {ranked} AS {quoted(RANK)} FROM {BATCH.sql}) WHERE {quoted(RANK)} = 1"
    gone = f"false AS {quoted(write.gone_column)}, " if write.gone_column else ""
    return (
        f"SELECT {listed(write.names)}, {gone}{begins} AS {quoted(_FROM)}, CASE WHEN false THEN {begins} END "
        f"AS {quoted(_OLD_TO)}, false AS {quoted(_OLD)} FROM {BATCH.sql if write.is_unique else rows}"
    )


def _stored_moments(write: BatchWrite) -> str:
    """The stored versions that those of the batch's keys stand beside; every open one where a key can be gone."""
    is_open = _is_open(write, "stored")
    # A run's own time is after every other: only the version that holds now can matter.
    which = "" if write.keeps_times else f" WHERE {is_open}"
    columns = f"{_stored_columns(write)}, stored.{quoted(write.times[0])}, {_stored_end(write)}, true"
    if not write.gone_column:
        return f"SELECT {columns} FROM {STORED.sql} AS stored LEFT SEMI JOIN {_wanted(write)}{which}"
    known = f"SELECT {columns} FROM {STORED.sql} AS stored"
    if not write.keeps_times:
        return f"{known}{which}"
    of_batch = f"{known} LEFT SEMI JOIN {_wanted(write)} WHERE NOT {is_open}"
    return f"{known} WHERE {is_open} UNION ALL {of_batch}"


def _gone_moments(write: BatchWrite) -> str:
    """The versions that begin now because their keys are gone: as they were last, but for that."""
    kinds = {name.casefold(): kind for name, kind in write.given}
    now = _not_before(write, "stored", write.moment)
    typed = [f"CAST({now} AS {kinds[name.casefold()]})" for name in watermark(write)]
    (moment,) = typed or [now]
    return (
        f"SELECT {_stored_columns(write, gone='true')}, {moment}, CASE WHEN false THEN {moment} END, false "
        f"FROM {STORED.sql} AS stored LEFT ANTI JOIN {_wanted(write)} "
        f"WHERE {_is_open(write, 'stored')} AND NOT {_was_gone(write)}"
    )


def _returned_moments(write: BatchWrite) -> str:
    """The versions that begin now because keys that were gone are there again, with times from before they went."""
    (begins,) = map(quoted, watermark(write))
    kind = {name.casefold(): kind for name, kind in write.given}[watermark(write)[0].casefold()]
    stored, end = f"FROM {STORED.sql} AS stored", _stored_end(write)
    keys = listed(write.keys, "stored.")
    gone = f"SELECT {keys}, max({end}) AS {quoted(_ENDED)} {stored} GROUP BY {keys} HAVING count(*) = count({end})"
    if write.gone_column:
        since = f"stored.{quoted(write.times[0])} AS {quoted(_ENDED)}"
        gone = f"SELECT {keys}, {since} {stored} WHERE {_is_open(write, 'stored')} AND {_was_gone(write)}"
    ranked = f"row_number() OVER (PARTITION BY {listed(write.keys)} ORDER BY {order(write)}) AS {quoted(RANK)}"
    match = " AND ".join(f"gone.{quoted(key)} <=> batch.{quoted(key)}" for key in write.keys)
    moment = f"greatest(CAST({write.moment} AS {kind}), gone.{quoted(_ENDED)})"
    marked = ", false" if write.gone_column else ""
    return (
        f"SELECT {listed(write.names, 'batch.')}{marked}, {moment}, CASE WHEN false THEN {moment} END, false "
        f"FROM (SELECT *, {ranked} FROM {BATCH.sql}) AS batch JOIN ({gone}) AS gone ON {match} "
        f"WHERE batch.{quoted(RANK)} = 1 AND batch.{begins} < gone.{quoted(_ENDED)}"
    )


def _wanted(write: BatchWrite) -> str:
    match = " AND ".join(f"stored.{quoted(key)} <=> wanted.{quoted(key)}" for key in write.keys)
    return f"(SELECT DISTINCT {listed(write.keys)} FROM {BATCH.sql}) AS wanted ON {match}"


def _was_gone(write: BatchWrite) -> str:
    column = write.gone_column or ""
    return f"coalesce(stored.{quoted(column)}, false)" if column.casefold() in write.stored else "false"


def _stored_columns(write: BatchWrite, gone: str | None = None) -> str:
    """The batch's columns as the table has them: NULL for those that it is only about to get."""
    columns = [f"stored.{quoted(name)}" if name.casefold() in write.stored else "NULL" for name in write.names]
    return ", ".join([*columns, gone or _was_gone(write)] if write.gone_column else columns)
