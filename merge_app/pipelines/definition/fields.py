"""The keys of a pipeline's configuration: one table that readers, pages and the interface share."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

Value = str | bool | tuple[str, ...] | None


class Strategy(StrEnum):
    """How the rows of a run get into the table."""

    FULL_REFRESH = "full_refresh"
    INCREMENTAL = "incremental"
    APPEND_ONLY = "append_only"
    DELETE_INSERT = "delete_insert"
    SCD2 = "scd2"
    SNAPSHOT = "snapshot"


class Kind(StrEnum):
    """What a key takes. ``NAMES``, ``TEXTS`` and ``VALUES`` take one or a list."""

    TEXT = "text"
    NAME = "a column's name"
    NAMES = "a list of columns"
    TEXTS = "a list of conditions"
    VALUE = "a value"
    VALUES = "a list of values"
    FLAG = "true or false"
    SPAN = "a number, or a time like 3 days"
    CHOICE = "a choice"


@dataclass(frozen=True, slots=True)
class Field:
    """One key. ``strategies`` are those that read it, ``required_by`` those that cannot do without."""

    name: str
    kind: Kind
    default: Value
    description: str
    strategies: frozenset[Strategy]
    required_by: frozenset[Strategy] = frozenset()
    choices: tuple[str, ...] = ()


_EVERY = frozenset(Strategy)
_KEYED = frozenset({Strategy.INCREMENTAL, Strategy.DELETE_INSERT, Strategy.SCD2})
_ORDERED = frozenset({Strategy.INCREMENTAL, Strategy.SCD2})
_SCD2 = frozenset({Strategy.SCD2})
_SNAPSHOT = frozenset({Strategy.SNAPSHOT})

FIELDS: dict[str, Field] = {
    field.name: field
    for field in (
        Field(
            "merge_strategy",
            Kind.CHOICE,
            Strategy.FULL_REFRESH.value,
            "How the rows of a run get into the table.",
            _EVERY,
            choices=tuple(Strategy),
        ),
        Field(
            "unique_key",
            Kind.NAMES,
            (),
            "The key columns; NULL equals NULL.",
            _KEYED,
            required_by=_KEYED,
        ),
        Field(
            "key_strategy",
            Kind.CHOICE,
            "upsert",
            "What becomes of keys: upsert replaces known ones and adds new ones, insert only adds, update only"
            " replaces.",
            frozenset({Strategy.INCREMENTAL}),
            choices=("upsert", "insert", "update"),
        ),
        Field(
            "watermark_column",
            Kind.NAME,
            None,
            "If several rows have the same key, the one with the highest value stays. For scd2 the time from which a"
            " row holds.",
            _ORDERED,
        ),
        Field(
            "lookback",
            Kind.SPAN,
            "",
            "How far behind the highest watermark a run begins again, for rows that come late.",
            frozenset({Strategy.INCREMENTAL}),
        ),
        Field("tie_break", Kind.NAME, None, "Which of two rows of one key and watermark wins: the higher.", _ORDERED),
        Field(
            "delete_when",
            Kind.TEXT,
            "",
            "A condition over the query's columns: rows for which it is true take their key away.",
            frozenset({Strategy.INCREMENTAL}),
        ),
        Field(
            "partition_column",
            Kind.NAME,
            None,
            "The column whose values in a run are replaced as a whole.",
            _SNAPSHOT,
            required_by=_SNAPSHOT,
        ),
        Field(
            "partitions",
            Kind.VALUES,
            (),
            "The values of partition_column that a run replaces, whether it has rows of them or not. Empty: those"
            " that it has rows of.",
            _SNAPSHOT,
        ),
        Field("scd_valid_from", Kind.NAME, "valid_from", "The column that says from when a version holds.", _SCD2),
        Field("scd_valid_to", Kind.NAME, "valid_to", "The column that says until when a version holds.", _SCD2),
        Field(
            "scd_open_marker",
            Kind.VALUE,
            "",
            "What scd_valid_to says of versions that hold still, such as 9999-12-31; NULL if empty.",
            _SCD2,
        ),
        Field(
            "scd_deleted",
            Kind.NAME,
            "is_deleted",
            "The column that says, with hard_deletes: new_record, that the key is gone from then on.",
            _SCD2,
        ),
        Field(
            "scd_columns", Kind.NAMES, (), "The columns whose change makes a version; all but the key if empty.", _SCD2
        ),
        Field(
            "hard_deletes",
            Kind.CHOICE,
            "ignore",
            "What becomes of keys that a full extract does not have any more. Nothing, or their versions end, or a new"
            " version says that they are gone.",
            _SCD2,
            choices=("ignore", "invalidate", "new_record"),
        ),
        Field(
            "on_schema_change",
            Kind.CHOICE,
            "append",
            "What a column does that the table lacks: be added, be ignored, or fail the run; sync also drops those that"
            " the query does not give any more.",
            _EVERY,
            choices=("append", "ignore", "fail", "sync"),
        ),
        Field(
            "allow_empty",
            Kind.FLAG,
            False,
            "Lets a run without rows empty the table, or the partitions that it names.",
            frozenset({Strategy.FULL_REFRESH, Strategy.SNAPSHOT}),
        ),
        Field(
            "publish",
            Kind.CHOICE,
            "direct",
            "Whether a run writes to its branch, or aside first, where checks decide whether it is merged.",
            _EVERY,
            choices=("direct", "checked"),
        ),
        Field(
            "checks", Kind.TEXTS, (), "What must be true of every row of the table before a run is published.", _EVERY
        ),
        Field(
            "materialized",
            Kind.CHOICE,
            "table",
            "Whether runs write the rows of the query, or make a view that computes them when it is read.",
            frozenset({Strategy.FULL_REFRESH}),
            choices=("table", "view"),
        ),
        Field(
            "archive_landing_zones",
            Kind.FLAG,
            False,
            "Whether the files that landing('zone') read go to the archive after a run that succeeded.",
            _EVERY,
        ),
        Field("strict", Kind.FLAG, False, "A required key that is missing fails the run.", _EVERY),
        Field("description", Kind.TEXT, "", "What the pipeline is for.", _EVERY),
    )
}
"""By name, in the order in which they are shown."""
