"""Queries over the deletes of a batch: which of them are to be kept as tombstones."""

from __future__ import annotations

from dataclasses import replace

from merge_app.pipelines.definition.fields import Strategy
from merge_app.pipelines.definition.tombstones import KEY, WATERMARK, has_order, quoted
from merge_app.pipelines.definition.writes import (
    GONE,
    BatchWrite,
    deleted_join,
    key_and_watermark,
    latest_rows,
    takes_away,
)


def compares_deletes(write: BatchWrite) -> bool:
    """Whether rows can be older than a delete of their key: their watermark orders them."""
    return write.configuration.strategy is Strategy.INCREMENTAL and has_order(write.watermark_kind)


def keeps_deletes(write: BatchWrite) -> bool:
    """Whether the run's deletes are kept, for rows that come late."""
    return takes_away(write) and write.key_strategy != "insert" and compares_deletes(write)


def count_of_deletes(write: BatchWrite) -> str:
    """How many keys the batch takes away."""
    return f"SELECT count(*) FROM ({_latest(write)}) WHERE {quoted(GONE)}"


def new_deletes(write: BatchWrite, part: str = "") -> str:
    """Digest and watermark, texts, of keys that the batch takes away and ``DELETED`` does not say so already. Of all
    that come to digests which begin with ``part``.
    """
    chosen = f" AND incoming.{quoted(KEY)} LIKE '{part}%'" if part else ""
    text = f"CAST(incoming.{quoted(WATERMARK)} AS STRING) AS {quoted(WATERMARK)}"
    return f"SELECT incoming.{quoted(KEY)}, {text} {_new(write)}{chosen}"


def unseen_deletes(write: BatchWrite) -> str:
    """A row, if the batch takes a key away that the table does not hold and ``DELETED`` does not tell of."""
    match = " AND ".join(f"target.{quoted(key)} <=> incoming.{quoted(key)}" for key in write.keys)
    held = f"SELECT 1 FROM {write.target.sql} AS target WHERE {match}"
    return f"SELECT 1 {_new(write)} AND NOT EXISTS ({held}) LIMIT 1"


def _latest(write: BatchWrite) -> str:
    """The rows that count, with all columns that the query gives."""
    return latest_rows(replace(write, columns=write.given, has_deleted=False))


def _new(write: BatchWrite) -> str:
    incoming = f"(SELECT *, {key_and_watermark(write)} FROM ({_latest(write)})) AS incoming"
    gone = f"incoming.{quoted(GONE)} AND incoming.{quoted(WATERMARK)} IS NOT NULL"
    if not write.has_deleted:
        return f"FROM {incoming} WHERE {gone}"
    is_new = f"(known.{quoted(KEY)} IS NULL OR incoming.{quoted(WATERMARK)} > known.{quoted(WATERMARK)})"
    return f"FROM {incoming} {deleted_join(write)} WHERE {gone} AND {is_new}"
