"""The statements that a strategy comes to: queries over the batch, and MERGE INTO (rows §4).

The batch is the rows of the pipeline's query, computed once; statements call it `` `pipeline run`.batch ``.
`` `pipeline run`.stored `` is those files of the target that can hold versions of its keys.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from merge_app.pipelines.definition.configuration import Configuration
from merge_app.pipelines.definition.fields import Strategy
from merge_app.pipelines.definition.templates import TableAddress

BATCH = TableAddress("pipeline run", "batch")
STORED = TableAddress("pipeline run", "stored")
PART = "pipeline part"
"""A column that tells rows that only look for others from rows that are written."""
_RANK, _FROM, _OLD, _OLD_TO = "pipeline rank", "pipeline from", "pipeline old", "pipeline old to"
_SAME, _BEFORE, _ENDED, _GONE = "pipeline same", "pipeline before", "pipeline ended", "pipeline gone"


@dataclass(frozen=True, slots=True)
class BatchWrite:
    """What a run knows when it writes. ``columns`` are the batch's (name, Spark type text) that the table takes;
    ``moment`` is the time of the run, a timestamp literal; ``stored`` are the names, folded, of the table's columns.
    """

    configuration: Configuration
    target: TableAddress
    columns: Sequence[tuple[str, str]]
    moment: str
    stored: frozenset[str] = frozenset()

    @property
    def names(self) -> list[str]:
        return [name for name, _ in self.columns]

    @property
    def keys(self) -> tuple[str, ...]:
        return self.configuration.names("unique_key")

    @property
    def told_apart_by(self) -> tuple[str, ...]:
        """The columns of which only one row may have the same values once rows are ordered."""
        is_versioned = self.configuration.strategy is Strategy.SCD2
        return (*self.keys, *(_watermark(self) if is_versioned else []))

    @property
    def tracked(self) -> list[str]:
        """The columns whose change makes a version."""
        keys = {name.casefold() for name in self.keys}
        chosen = self.configuration.names("scd_columns")
        return list(chosen) or [name for name in self.names if name.casefold() not in keys]

    @property
    def times(self) -> tuple[str, str]:
        """The columns that say from when and until when a version holds."""
        return str(self.configuration.text("scd_valid_from")), str(self.configuration.text("scd_valid_to"))

    @property
    def evolves(self) -> bool:
        """Whether the table takes the columns that it lacks."""
        return self.configuration.text("on_schema_change") in ("append", "sync")

    @property
    def keeps_times(self) -> bool:
        """Whether rows bring the time from which they hold."""
        return self.configuration.text("watermark_column") is not None


def quoted(name: str) -> str:
    return "`" + name.replace("`", "``") + "`"


def listed(names: Sequence[str], alias: str = "") -> str:
    return ", ".join(f"{alias}{quoted(name)}" for name in names)


# -- queries over the batch -------------------------------------------------------------------------------------------


def plain_rows(write: BatchWrite) -> str:
    return f"SELECT {listed(write.names)} FROM {BATCH.sql}"


def latest_rows(write: BatchWrite) -> str:
    """One row a key: the one of the highest watermark, and of the highest tie-break among those."""
    ranked = f"row_number() OVER (PARTITION BY {listed(write.keys)} ORDER BY {_order(write)})"
    rows = f"SELECT {listed(write.names)}, {ranked} AS {quoted(_RANK)} FROM {BATCH.sql}"
    latest = f"SELECT {listed(write.names)} FROM ({rows}) WHERE {quoted(_RANK)} = 1"
    if not write.configuration.text("delete_when"):
        return latest
    return f"SELECT {listed(write.names)}, {_goes(write)} AS {quoted(_GONE)} FROM ({latest})"


def lasting_rows(write: BatchWrite) -> str:
    """The latest rows but those that take their key away: there is nothing yet that they could take."""
    if not write.configuration.text("delete_when"):
        return latest_rows(write)
    return f"SELECT {listed(write.names)} FROM ({latest_rows(write)}) WHERE NOT {quoted(_GONE)}"


def _goes(write: BatchWrite) -> str:
    # A line break ends what may be a comment at the end of the condition.
    return f"coalesce(({write.configuration.text('delete_when')}\n), false)"


def rivals(write: BatchWrite) -> str:
    """Keys of which several different rows would win: nothing says which."""
    keys = write.told_apart_by
    parts = [f"{_comparable(name, kind)} AS c{index}" for index, (name, kind) in enumerate(write.columns)]
    ranked = f"rank() OVER (PARTITION BY {listed(keys)} ORDER BY {_order(write)}) AS {quoted(_RANK)}"
    same = ", ".join(f"c{index}" for index in range(len(parts)))
    rows = f"SELECT {', '.join(parts)}, {listed(keys)}, {ranked} FROM {BATCH.sql}"
    distinct = f"SELECT DISTINCT {listed(keys)}, {same} FROM ({rows}) WHERE {quoted(_RANK)} = 1"
    return f"SELECT {listed(keys)} FROM ({distinct}) GROUP BY {listed(keys)} HAVING count(*) > 1"


def _watermark(write: BatchWrite) -> list[str]:
    name = write.configuration.text("watermark_column")
    return [] if name is None else [name]


def _order(write: BatchWrite) -> str:
    names = [*_watermark(write), write.configuration.text("tie_break")]
    parts = [f"{quoted(name)} DESC NULLS LAST" for name in names if name is not None]
    return ", ".join(parts) or "1"


def _comparable(name: str, kind: str) -> str:
    """Maps cannot be compared; their texts can."""
    return f"to_json({quoted(name)})" if "map<" in kind else quoted(name)


def _same(write: BatchWrite, names: Sequence[str], one: str, other: str) -> str:
    kinds = {name.casefold(): kind for name, kind in write.columns}
    pairs = []
    for name in names:
        column = quoted(name)
        is_map = "map<" in kinds.get(name.casefold(), "")
        left, right = (f"to_json({side}.{column})" if is_map else f"{side}.{column}" for side in (one, other))
        pairs.append(f"{left} <=> {right}")
    return " AND ".join(pairs) or "true"


# -- MERGE INTO -------------------------------------------------------------------------------------------------------


def merge_latest(write: BatchWrite) -> str:
    """``incremental``: the latest row of each key replaces the stored one unless that is later, or is the same."""
    others = [name for name in write.names if name.casefold() not in {key.casefold() for key in write.keys}]
    later = [
        f"(batch.{quoted(name)} >= target.{quoted(name)} OR target.{quoted(name)} IS NULL)"
        for name in _watermark(write)
    ]
    clauses = []
    stays = ""
    if write.configuration.text("delete_when"):
        clauses.append(f"WHEN MATCHED AND {' AND '.join([*later, f'batch.{quoted(_GONE)}'])} THEN DELETE")
        stays = f"NOT batch.{quoted(_GONE)}"
    if others:
        changed = f"NOT ({_same(write, others, 'target', 'batch')})"
        clauses.append(_update(others, " AND ".join([*later, changed])))
    return _merge(write, latest_rows(write), [_keys_match(write)], [*clauses, _insert(write.names, stays)])


def replace_keys(write: BatchWrite, keys: Sequence[str]) -> str:
    """``delete_insert``: rows of the batch's keys go, all rows of the batch come. Rows that only say which keys go are
    marked by ``PART``; no other row matches anything.
    """
    wanted = {key.casefold() for key in keys}
    nothing = ", ".join(
        quoted(name) if name.casefold() in wanted else f"NULL AS {quoted(name)}" for name in write.names
    )
    rows = f"SELECT {listed(write.names)}, 'row' AS {quoted(PART)} FROM {BATCH.sql}"
    gone = f"SELECT {nothing}, 'key' AS {quoted(PART)} FROM (SELECT DISTINCT {listed(keys)} FROM {BATCH.sql})"
    match = [f"target.{quoted(key)} <=> batch.{quoted(key)}" for key in keys]
    clauses = ["WHEN MATCHED THEN DELETE", _insert(write.names, f"batch.{quoted(PART)} = 'row'")]
    return _merge(write, f"{rows} UNION ALL {gone}", [*match, f"batch.{quoted(PART)} = 'key'"], clauses)


def merge_versions(write: BatchWrite) -> str:
    """``scd2``: new versions come, and the times of those that they end or split change."""
    start, end = write.times
    others = [name for name in write.names if name.casefold() not in {key.casefold() for key in write.keys}]
    match = [_keys_match(write), f"target.{quoted(start)} <=> batch.{quoted(start)}"]
    clauses = [
        _update([*others, end], f"NOT ({_same(write, [*others, end], 'target', 'batch')})"),
        _insert([*write.names, start, end]),
    ]
    if write.configuration.text("hard_deletes") == "invalidate":
        gone = f"target.{quoted(end)} IS NULL"
        clauses.append(f"WHEN NOT MATCHED BY SOURCE AND {gone} THEN UPDATE SET {quoted(end)} = {write.moment}")
    return _merge(write, versions(write, with_stored=True), match, clauses)


def _merge(write: BatchWrite, source: str, match: Sequence[str], clauses: Sequence[str]) -> str:
    head = "MERGE WITH SCHEMA EVOLUTION INTO" if write.evolves else "MERGE INTO"
    return "\n".join(
        [f"{head} {write.target.sql} AS target", f"USING ({source}) AS batch", f"ON {' AND '.join(match)}", *clauses]
    )


def _keys_match(write: BatchWrite) -> str:
    return " AND ".join(f"target.{quoted(key)} <=> batch.{quoted(key)}" for key in write.keys)


def _update(names: Sequence[str], condition: str) -> str:
    pairs = ", ".join(f"{quoted(name)} = batch.{quoted(name)}" for name in names)
    return f"WHEN MATCHED AND {condition} THEN UPDATE SET {pairs}"


def _insert(names: Sequence[str], condition: str = "") -> str:
    when = f"WHEN NOT MATCHED AND {condition}" if condition else "WHEN NOT MATCHED"
    return f"{when} THEN INSERT ({listed(names)}) VALUES ({listed(names, 'batch.')})"


# -- versions ---------------------------------------------------------------------------------------------------------


def versions(write: BatchWrite, *, with_stored: bool) -> str:
    """The versions of the batch's keys, with those that are stored if there are any: one per time at which a tracked
    column changed, each until the next, or until the key was gone.

    Versions that are stored stay, whatever comes; of two rows of one time the batch's holds.
    """
    start, end = write.times
    over = f"OVER (PARTITION BY {listed(write.keys)} ORDER BY {quoted(_FROM)})"
    kinds = {name.casefold(): kind for name, kind in write.columns}
    state = f"struct({', '.join(_comparable(name, kinds[name.casefold()]) for name in write.tracked)})"
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
    return f"SELECT {listed(write.names)}, {quoted(_FROM)} AS {quoted(start)}, {until} AS {quoted(end)} FROM ({kept})"


def _moments(write: BatchWrite, *, with_stored: bool) -> str:
    """One row a key and time: the batch's where there is one, and whether such a version is stored."""
    start, end = write.times
    names = listed(write.names)
    (begins,) = [quoted(name) for name in _watermark(write)] or [write.moment]
    nothing = f"CASE WHEN false THEN {begins} END"
    ranked = f"row_number() OVER (PARTITION BY {listed(write.keys)}, {begins} ORDER BY {_order(write)})"
    rows = (
        f"SELECT {names}, {begins} AS {quoted(_FROM)}, {nothing} AS {quoted(_OLD_TO)}, false AS {quoted(_OLD)} "
        f"FROM (SELECT *, {ranked} AS {quoted(_RANK)} FROM {BATCH.sql}) WHERE {quoted(_RANK)} = 1"
    )
    if not with_stored:
        return rows
    match = " AND ".join(f"stored.{quoted(key)} <=> wanted.{quoted(key)}" for key in write.keys)
    # A run's own time is after every other: only the version that holds now can matter.
    which = "" if write.keeps_times else f"WHERE stored.{quoted(end)} IS NULL"
    stored = (
        f"SELECT {_stored_columns(write)}, stored.{quoted(start)}, stored.{quoted(end)}, true "
        f"FROM {STORED.sql} AS stored LEFT SEMI JOIN (SELECT DISTINCT {listed(write.keys)} FROM {BATCH.sql}) "
        f"AS wanted ON {match} {which}"
    )
    same_time = f"(PARTITION BY {listed(write.keys)}, {quoted(_FROM)}"
    ordered = (
        f"SELECT {names}, {quoted(_FROM)}, max({quoted(_OLD_TO)}) OVER {same_time}) AS {quoted(_OLD_TO)}, "
        f"max({quoted(_OLD)}) OVER {same_time}) AS {quoted(_OLD)}, "
        f"row_number() OVER {same_time} ORDER BY {quoted(_OLD)}) AS {quoted(_RANK)} FROM ({rows} UNION ALL {stored})"
    )
    return f"SELECT * FROM ({ordered}) WHERE {quoted(_RANK)} = 1"


def _stored_columns(write: BatchWrite) -> str:
    """The batch's columns as the table has them: NULL for those that it is only about to get."""
    return ", ".join(f"stored.{quoted(name)}" if name.casefold() in write.stored else "NULL" for name in write.names)
