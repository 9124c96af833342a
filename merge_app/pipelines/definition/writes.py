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
    ``is_unique``: no two rows have the same values in ``told_apart_by``. ``is_later``: all have higher watermarks than
    any row of the table.
    """

    configuration: Configuration
    target: TableAddress
    columns: Sequence[tuple[str, str]]
    moment: str
    stored: frozenset[str] = frozenset()
    is_unique: bool = False
    is_later: bool = False

    @property
    def names(self) -> list[str]:
        return [name for name, _ in self.columns]

    @property
    def keys(self) -> tuple[str, ...]:
        return self.configuration.names("unique_key")

    @property
    def key_strategy(self) -> str:
        """Whether known keys are replaced (``update``), new ones added (``insert``), or both (``upsert``)."""
        return str(self.configuration.text("key_strategy"))

    @property
    def others(self) -> list[str]:
        """The columns that are no keys."""
        keys = {name.casefold() for name in self.keys}
        return [name for name in self.names if name.casefold() not in keys]

    @property
    def told_apart_by(self) -> tuple[str, ...]:
        """The columns of which only one row may have the same values once rows are ordered."""
        is_versioned = self.configuration.strategy is Strategy.SCD2
        return (*self.keys, *(_watermark(self) if is_versioned else []))

    @property
    def tracked(self) -> list[str]:
        """The columns whose change makes a version."""
        chosen = {name.casefold() for name in self.configuration.names("scd_columns")}
        return [name for name in self.others if name.casefold() in chosen or not chosen]

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

    @property
    def gone_column(self) -> str | None:
        """The column that says of a version that its key is gone; None where nothing does."""
        return self.configuration.filled.get("scd_deleted")

    @property
    def needs_versions(self) -> bool:
        """Whether what is stored has to be read before it is known what is written."""
        return self.configuration.strategy is Strategy.SCD2 and (self.keeps_times or self.gone_column is not None)

    @property
    def takes_batch(self) -> bool:
        """Whether the batch itself, as it is, is what is merged."""
        has_one_row = self.is_unique and not _takes_away(self)
        is_merged = self.configuration.strategy in (Strategy.INCREMENTAL, Strategy.SCD2)
        return is_merged and has_one_row and not self.needs_versions


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
    if write.is_unique:
        latest = plain_rows(write)
    if not _takes_away(write):
        return latest
    return f"SELECT {listed(write.names)}, {_goes(write)} AS {quoted(_GONE)} FROM ({latest})"


def lasting_rows(write: BatchWrite) -> str:
    """The latest rows but those that take their key away: there is nothing yet that they could take."""
    if not _takes_away(write):
        return latest_rows(write)
    return f"SELECT {listed(write.names)} FROM ({latest_rows(write)}) WHERE NOT {quoted(_GONE)}"


def _takes_away(write: BatchWrite) -> bool:
    """Whether rows of the batch may take their key away."""
    return bool(write.configuration.text("delete_when"))


def _goes(write: BatchWrite) -> str:
    # A line break ends what may be a comment at the end of the condition.
    return f"coalesce(({write.configuration.text('delete_when')}\n), false)"


def repeated_keys(write: BatchWrite) -> str:
    """A row, if several are of one key."""
    keys = listed(write.told_apart_by)
    return f"SELECT {keys} FROM {BATCH.sql} GROUP BY {keys} HAVING count(*) > 1 LIMIT 1"


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
    """``incremental``: the latest row of each key replaces the stored one unless that is later, or is the same. Where
    all rows are later than what is stored, no column but the keys has to be read to know that. ``key_strategy`` says
    whether known keys, new ones, or both are written.
    """
    clauses = [] if write.key_strategy == "insert" else _replaced(write)
    if write.key_strategy != "update":
        clauses.append(_insert(write.names, f"NOT batch.{quoted(_GONE)}" if _takes_away(write) else ""))
    elif not clauses:
        # Rows of nothing but keys have nothing to replace, and a merge needs a clause.
        clauses.append(_insert(write.names, "false"))
    return _merge(write, latest_rows(write), [_keys_match(write)], clauses)


def _replaced(write: BatchWrite) -> list[str]:
    """What becomes of known keys: they go, or their row is replaced."""
    others = write.others
    later, changed, clauses = [], [], []
    if not write.is_later:
        later = [
            f"(batch.{quoted(name)} >= target.{quoted(name)} OR target.{quoted(name)} IS NULL)"
            for name in _watermark(write)
        ]
        changed = [f"NOT ({_same(write, others, 'target', 'batch')})"]
    if _takes_away(write):
        clauses.append(f"WHEN MATCHED AND {' AND '.join([*later, f'batch.{quoted(_GONE)}'])} THEN DELETE")
    if others:
        clauses.append(_update(others, " AND ".join([*later, *changed])))
    return clauses


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


def merge_successors(write: BatchWrite) -> str:
    """``scd2`` by the time of the run: the open version of a key ends where a tracked column changed. The batch's row
    comes then too, as the merge ``supersedes``; so it does where its key has no open version.
    """
    start, end = write.times
    is_open = f"target.{quoted(end)} IS NULL"
    ends = f"UPDATE SET {quoted(end)} = {write.moment}"
    values = f"{listed(write.names, 'batch.')}, {write.moment}, NULL"
    clauses = [
        f"WHEN MATCHED AND NOT ({_same(write, write.tracked, 'target', 'batch')}) THEN {ends}",
        f"WHEN NOT MATCHED THEN INSERT ({listed([*write.names, start, end])}) VALUES ({values})",
        *_ended(write),
    ]
    return _merge(write, latest_rows(write), [_keys_match(write), is_open], clauses)


def merge_versions(write: BatchWrite) -> str:
    """``scd2`` of all versions: new ones come, and the times of those that they end or split change."""
    start, end = write.times
    gone = [write.gone_column] if write.gone_column else []
    others = [*write.others, *gone, end]
    match = [_keys_match(write), f"target.{quoted(start)} <=> batch.{quoted(start)}"]
    clauses = [
        _update(others, f"NOT ({_same(write, others, 'target', 'batch')})"),
        _insert([*write.names, *gone, start, end]),
        *_ended(write),
    ]
    return _merge(write, versions(write, with_stored=True), match, clauses)


def _ended(write: BatchWrite) -> list[str]:
    """The clause by which open versions of keys end that a full extract has no more, where that is asked for."""
    if write.configuration.text("hard_deletes") != "invalidate":
        return []
    end = quoted(write.times[1])
    return [f"WHEN NOT MATCHED BY SOURCE AND target.{end} IS NULL THEN UPDATE SET {end} = {write.moment}"]


def _merge(write: BatchWrite, source: str, match: Sequence[str], clauses: Sequence[str]) -> str:
    head = "MERGE WITH SCHEMA EVOLUTION INTO" if write.evolves else "MERGE INTO"
    return "\n".join(
        [f"{head} {write.target.sql} AS target", f"USING ({source}) AS batch", f"ON {' AND '.join(match)}", *clauses]
    )


def _keys_match(write: BatchWrite) -> str:
    return " AND ".join(f"target.{quoted(key)} <=> batch.{quoted(key)}" for key in write.keys)


def _update(names: Sequence[str], condition: str) -> str:
    pairs = ", ".join(f"{quoted(name)} = batch.{quoted(name)}" for name in names)
    when = f"WHEN MATCHED AND {condition}" if condition else "WHEN MATCHED"
    return f"{when} THEN UPDATE SET {pairs}"


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
    gone = [write.gone_column] if write.gone_column else []
    compared = [*(_comparable(name, kinds[name.casefold()]) for name in write.tracked), *map(quoted, gone)]
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
    times = f"{quoted(_FROM)} AS {quoted(start)}, {until} AS {quoted(end)}"
    return f"SELECT {listed([*write.names, *gone])}, {times} FROM ({kept})"


def _moments(write: BatchWrite, *, with_stored: bool) -> str:
    """One row a key and time: the batch's where there is one, and whether such a version is stored."""
    parts = [_batch_moments(write)]
    if not with_stored:
        return parts[0]
    parts.append(_stored_moments(write))
    if write.gone_column:
        parts.append(_gone_moments(write))
    same_time = f"(PARTITION BY {listed(write.keys)}, {quoted(_FROM)}"
    gone = [write.gone_column] if write.gone_column else []
    ordered = (
        f"SELECT {listed([*write.names, *gone])}, {quoted(_FROM)}, "
        f"max({quoted(_OLD_TO)}) OVER {same_time}) AS {quoted(_OLD_TO)}, "
        f"max({quoted(_OLD)}) OVER {same_time}) AS {quoted(_OLD)}, "
        f"row_number() OVER {same_time} ORDER BY {quoted(_OLD)}) AS {quoted(_RANK)} FROM ({' UNION ALL '.join(parts)})"
    )
    return f"SELECT * FROM ({ordered}) WHERE {quoted(_RANK)} = 1"


def _batch_moments(write: BatchWrite) -> str:
    """One row a key and time of the batch."""
    (begins,) = [quoted(name) for name in _watermark(write)] or [write.moment]
    ranked = f"row_number() OVER (PARTITION BY {listed(write.keys)}, {begins} ORDER BY {_order(write)})"
    rows = f"(SELECT *, {ranked} AS {quoted(_RANK)} FROM {BATCH.sql}) WHERE {quoted(_RANK)} = 1"
    gone = f"false AS {quoted(write.gone_column)}, " if write.gone_column else ""
    return (
        f"SELECT {listed(write.names)}, {gone}{begins} AS {quoted(_FROM)}, CASE WHEN false THEN {begins} END "
        f"AS {quoted(_OLD_TO)}, false AS {quoted(_OLD)} FROM {BATCH.sql if write.is_unique else rows}"
    )


def _stored_moments(write: BatchWrite) -> str:
    """The stored versions that those of the batch's keys stand beside; every open one where a key can be gone."""
    start, end = write.times
    is_open = f"stored.{quoted(end)} IS NULL"
    # A run's own time is after every other: only the version that holds now can matter.
    which = "" if write.keeps_times else f" WHERE {is_open}"
    columns = f"{_stored_columns(write)}, stored.{quoted(start)}, stored.{quoted(end)}, true"
    if not write.gone_column:
        return f"SELECT {columns} FROM {STORED.sql} AS stored LEFT SEMI JOIN {_wanted(write)}{which}"
    known = f"SELECT {columns} FROM {STORED.sql} AS stored"
    if not write.keeps_times:
        return f"{known}{which}"
    of_batch = f"{known} LEFT SEMI JOIN {_wanted(write)} WHERE stored.{quoted(end)} IS NOT NULL"
    return f"{known} WHERE {is_open} UNION ALL {of_batch}"


def _gone_moments(write: BatchWrite) -> str:
    """The versions that begin now because their keys are gone: as they were last, but for that."""
    end = write.times[1]
    kinds = {name.casefold(): kind for name, kind in write.columns}
    typed = [f"CAST({write.moment} AS {kinds[name.casefold()]})" for name in _watermark(write)]
    (moment,) = typed or [write.moment]
    return (
        f"SELECT {_stored_columns(write, gone='true')}, {moment}, CASE WHEN false THEN {moment} END, false "
        f"FROM {STORED.sql} AS stored LEFT ANTI JOIN {_wanted(write)} "
        f"WHERE stored.{quoted(end)} IS NULL AND NOT {_was_gone(write)}"
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
