"""What a run knows when it writes its batch, and queries over the batch (rows §4).

The batch is the rows of the pipeline's query, computed once; statements call it `` `pipeline run`.batch ``.
`` `pipeline run`.stored `` is those files of the target that can hold versions of its keys,
`` `pipeline run`.deleted `` the tombstones of the target that count.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from catalog_app.domain.whole_values import comparable, same_value
from merge_app.pipelines.definition.configuration import Configuration
from merge_app.pipelines.definition.fields import Strategy
from merge_app.pipelines.definition.literals import Literal, literal, partition_literal
from merge_app.pipelines.definition.templates import TableAddress
from merge_app.pipelines.definition.tombstones import KEY, WATERMARK, kept_watermark, key_digest, ordered_value, quoted

BATCH = TableAddress("pipeline run", "batch")
STORED = TableAddress("pipeline run", "stored")
DELETED = TableAddress("pipeline run", "deleted")
"""With the columns ``KEY`` and ``WATERMARK``, texts."""
PART = "pipeline part"
"""A column that tells rows that only look for others from rows that are written."""
RANK = "pipeline rank"
"""The place of a row among those of its key."""
MOMENT = "pipeline moment"
"""A column that has the time of the run in every row."""
GONE = "pipeline gone"
"""A column that says of a row whether it takes its key away."""
LATE = "pipeline late"
"""A column that says of a row whether a newer delete of its key is known."""


@dataclass(frozen=True, slots=True)
class BatchWrite:
    """What a run knows when it writes. ``given`` are the batch's columns (name, Spark type text), ``columns`` those of
    them that the table takes;
    ``moment`` is the time of the run, a timestamp literal; ``stored`` are the names, folded, of the table's columns.
    ``narrowed``: by folded name, the types in which the table keeps columns that order rows, where these are others.
    ``is_unique``: no two rows have the same values in ``told_apart_by``. ``is_later``: all have higher watermarks than
    any row of the table. ``has_deleted``: rows of keys that the table lacks are compared with ``DELETED``.
    """

    configuration: Configuration
    target: TableAddress
    given: Sequence[tuple[str, str]]
    columns: Sequence[tuple[str, str]]
    moment: str
    stored: frozenset[str] = frozenset()
    narrowed: Mapping[str, str] = field(default_factory=dict)
    is_unique: bool = False
    is_later: bool = False
    has_deleted: bool = False

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
        return (*self.keys, *(watermark(self) if is_versioned else []))

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
    def open_marker(self) -> Literal | None:
        """What stands for the end of versions that hold still; None for NULL."""
        return open_marker(self.configuration, self.given)

    @property
    def partitions(self) -> list[Literal]:
        """The partitions that are replaced, where the configuration names them."""
        is_snapshot = self.configuration.strategy is Strategy.SNAPSHOT
        named = named_partitions(self.configuration, self.given) if is_snapshot else []
        return [found for _, found in named if found is not None]

    @property
    def may_empty(self) -> bool:
        """Whether a batch without rows takes rows away."""
        is_whole = self.configuration.strategy is Strategy.FULL_REFRESH
        return self.configuration.flag("allow_empty") and (is_whole or bool(self.partitions))

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
        return self.configuration.strategy is Strategy.SCD2 and not begins_by_run(self.configuration)

    @property
    def watermark_kind(self) -> str:
        """The type of the watermark column in the batch; empty without one."""
        wanted = [name.casefold() for name in watermark(self)]
        return next((kind for name, kind in self.given if name.casefold() in wanted), "")

    @property
    def takes_batch(self) -> bool:
        """Whether the batch itself, as it is, is what is merged."""
        has_one_row = self.is_unique and not takes_away(self) and not self.has_deleted
        is_merged = self.configuration.strategy in (Strategy.INCREMENTAL, Strategy.SCD2)
        return is_merged and has_one_row and not self.needs_versions


def begins_by_run(configuration: Configuration) -> bool:
    """Whether versions hold from the time of the run on, and nothing but that: their batch has it in ``MOMENT``.

    As a literal Spark would write it into the code that it makes of a merge. It would compile that anew for every run,
    which takes a core as long as reading the table does.
    """
    is_versioned = configuration.strategy is Strategy.SCD2
    return is_versioned and configuration.text("watermark_column") is None and "scd_deleted" not in configuration.filled


def moment_literal(moment: datetime) -> str:
    return moment.strftime("TIMESTAMP '%Y-%m-%dT%H:%M:%S.%f+00:00'")


def with_moment(query: str, moment: datetime) -> str:
    """The query's rows, each with ``MOMENT``. ``moment`` is in UTC."""
    return f"SELECT *, {moment_literal(moment)} AS {quoted(MOMENT)} FROM ({query}\n)"


def open_marker(configuration: Configuration, columns: Sequence[tuple[str, str]]) -> Literal | None:
    """``scd_open_marker`` as a value of the times of versions; None where there is none, or it is no such value."""
    text = configuration.text("scd_open_marker")
    watermark = (configuration.text("watermark_column") or "").casefold()
    kinds = {name.casefold(): kind for name, kind in columns}
    return literal(text, kinds.get(watermark, "timestamp")) if text else None


def named_partitions(
    configuration: Configuration, columns: Sequence[tuple[str, str]]
) -> list[tuple[str, Literal | None]]:
    """Each of ``partitions`` as written and as a value of its column; None where it is no such value."""
    column = (configuration.text("partition_column") or "").casefold()
    kinds = {name.casefold(): kind for name, kind in columns}
    return [(text, partition_literal(text, kinds.get(column, ""))) for text in configuration.texts("partitions")]


def listed(names: Sequence[str], alias: str = "") -> str:
    return ", ".join(f"{alias}{quoted(name)}" for name in names)


def plain_rows(write: BatchWrite) -> str:
    return f"SELECT {listed(write.names)} FROM {BATCH.sql}"


def latest_rows(write: BatchWrite) -> str:
    """One row a key: the one of the highest watermark, and of the highest tie-break among those."""
    is_marked = takes_away(write) or write.has_deleted
    taken = [name for name, _ in write.given] if is_marked else write.names
    names = listed([*taken, MOMENT] if begins_by_run(write.configuration) else taken)
    latest = f"SELECT {names} FROM {BATCH.sql}"
    if not write.is_unique:
        ranked = f"row_number() OVER (PARTITION BY {listed(write.keys)} ORDER BY {order(write)})"
        rows = f"SELECT {names}, {ranked} AS {quoted(RANK)} FROM {BATCH.sql}"
        latest = f"SELECT {names} FROM ({rows}) WHERE {quoted(RANK)} = 1"
    if not is_marked:
        return latest
    marked = f"SELECT {listed(taken)}, {_goes(write)} AS {quoted(GONE)}"
    if not write.has_deleted:
        return f"SELECT {listed(write.names)}, {quoted(GONE)} FROM ({marked} FROM ({latest}))"
    own, known = quoted(WATERMARK), f"known.{quoted(WATERMARK)}"
    is_late = f"known.{quoted(KEY)} IS NOT NULL AND NOT coalesce(incoming.{own} >= {known}, false)"
    return (
        f"SELECT {listed(write.names, 'incoming.')}, incoming.{quoted(GONE)}, {is_late} AS {quoted(LATE)}"
        f" FROM ({marked}, {key_and_watermark(write)} FROM ({latest})) AS incoming {deleted_join(write)}"
    )


def key_and_watermark(write: BatchWrite) -> str:
    """SQL of the columns by which rows of the batch are compared with ``DELETED``."""
    kinds = {name.casefold(): kind for name, kind in write.given}
    digest = key_digest([(key, kinds[key.casefold()]) for key in write.keys])
    value = ordered_value(watermark(write)[0], write.watermark_kind)
    return f"{digest} AS {quoted(KEY)}, {value} AS {quoted(WATERMARK)}"


def deleted_join(write: BatchWrite) -> str:
    """SQL that puts the newest delete of its key beside a row of ``incoming``."""
    highest = f"max({kept_watermark(write.watermark_kind)}) AS {quoted(WATERMARK)}"
    known = f"SELECT {quoted(KEY)}, {highest} FROM {DELETED.sql} GROUP BY {quoted(KEY)}"
    return f"LEFT JOIN ({known}) AS known ON known.{quoted(KEY)} = incoming.{quoted(KEY)}"


def lasting_rows(write: BatchWrite) -> str:
    """The latest rows but those that take their key away: there is nothing yet that they could take."""
    if not takes_away(write):
        return latest_rows(write)
    return f"SELECT {listed(write.names)} FROM ({latest_rows(write)}) WHERE NOT {quoted(GONE)}"


def takes_away(write: BatchWrite) -> bool:
    """Whether rows of the batch may take their key away."""
    return bool(write.configuration.text("delete_when"))


def _goes(write: BatchWrite) -> str:
    if not takes_away(write):
        return "false"
    # A line break ends what may be a comment at the end of the condition.
    return f"coalesce(({write.configuration.text('delete_when')}\n), false)"


def repeated_keys(write: BatchWrite) -> str:
    """A row, if several are of one key."""
    keys = listed(write.told_apart_by)
    return f"SELECT {keys} FROM {BATCH.sql} GROUP BY {keys} HAVING count(*) > 1 LIMIT 1"


def rivals(write: BatchWrite) -> str:
    """Keys of which several different rows would win: nothing says which."""
    keys = write.told_apart_by
    parts = [f"{comparable(quoted(name), kind)} AS c{index}" for index, (name, kind) in enumerate(write.given)]
    ranked = f"rank() OVER (PARTITION BY {listed(keys)} ORDER BY {order(write)}) AS {quoted(RANK)}"
    same = ", ".join(f"c{index}" for index in range(len(parts)))
    rows = f"SELECT {', '.join(parts)}, {listed(keys)}, {ranked} FROM {BATCH.sql}"
    distinct = f"SELECT DISTINCT {listed(keys)}, {same} FROM ({rows}) WHERE {quoted(RANK)} = 1"
    return f"SELECT {listed(keys)} FROM ({distinct}) GROUP BY {listed(keys)} HAVING count(*) > 1"


def watermark(write: BatchWrite) -> list[str]:
    name = write.configuration.text("watermark_column")
    return [] if name is None else [name]


def chooses_by_all(write: BatchWrite) -> bool:
    """Whether rows of one key are ordered by all their columns: nothing says which is the latest, and each rerun takes
    the same.
    """
    is_unordered = write.configuration.text("watermark_column") is None
    return write.configuration.strategy is Strategy.INCREMENTAL and is_unordered and not write.configuration.is_strict


def left_out_rows(write: BatchWrite) -> str:
    """How many different rows there are beside the one of their key, and of how many keys."""
    same = [f"{comparable(quoted(name), kind)} AS c{index}" for index, (name, kind) in enumerate(write.given)]
    distinct = f"SELECT DISTINCT {listed(write.keys)}, {', '.join(same)} FROM {BATCH.sql}"
    counted = f"SELECT count(*) - 1 AS others FROM ({distinct}) GROUP BY {listed(write.keys)} HAVING count(*) > 1"
    return f"SELECT CAST(coalesce(sum(others), 0) AS BIGINT), count(*) FROM ({counted})"


def orders(configuration: Configuration) -> frozenset[str]:
    """The columns, folded, that say which of several rows of a key is the latest."""
    named = (configuration.text("watermark_column"), configuration.text("tie_break"))
    keys = {name.casefold() for name in configuration.names("unique_key")}
    return frozenset(name.casefold() for name in named if name is not None) - keys


def stored_watermark(write: BatchWrite) -> list[str]:
    """The watermark column, where the table has it or gets it: stored rows have no watermark otherwise."""
    taken = {name.casefold() for name in write.names}
    return [name for name in watermark(write) if name.casefold() in taken]


def order(write: BatchWrite) -> str:
    names = [*watermark(write), write.configuration.text("tie_break")]
    parts = [f"{quoted(name)} DESC NULLS LAST" for name in names if name is not None]
    if chooses_by_all(write):
        parts += [f"{comparable(quoted(name), kind)} DESC NULLS LAST" for name, kind in write.given]
    return ", ".join(parts) or "1"


def same_values(write: BatchWrite, names: Sequence[str], one: str, other: str) -> str:
    kinds = {name.casefold(): kind for name, kind in write.columns} | dict(write.narrowed)
    pairs = (
        same_value(kinds.get(name.casefold(), ""), f"{one}.{quoted(name)}", _as_kept(write, name, other))
        for name in names
    )
    return " AND ".join(pairs) or "true"


def _as_kept(write: BatchWrite, name: str, alias: str) -> str:
    """A value of the batch as the table would keep it."""
    value = f"{alias}.{quoted(name)}"
    narrowed = write.narrowed.get(name.casefold())
    return f"CAST({value} AS {narrowed})" if narrowed else value


def elsewhere(write: BatchWrite) -> str:
    """A row of no partition that the configuration names, if there is one."""
    column = quoted(str(write.configuration.text("partition_column")))
    named = " OR ".join(f"{column} <=> {value.sql}" for value in write.partitions)
    return f"SELECT CAST({column} AS STRING) FROM {BATCH.sql} WHERE NOT ({named}) LIMIT 1"
