"""Facts of rows, with what most of them are alike in."""

from __future__ import annotations

import numpy as np

from merge_app.lineage.facts import ABSENT, Array, FactColumns, Kind


def fact_columns(
    *,
    stamp: Array,
    kind: Array | Kind,
    value: Array | int,
    brings_stamp: Array | int = 0,
    brings_kind: Array | Kind = Kind.NEVER,
    was: Array | int = ABSENT,
    was_stamp: Array | int = 0,
    was_known: Array | bool = False,
) -> FactColumns:
    """Facts whose constant columns are given as one number."""

    def column(given: Array | int, dtype: type) -> Array:
        return np.full(len(stamp), given, dtype=dtype)

    return FactColumns(
        stamp,
        column(kind, np.int8),
        column(value, np.int64),
        column(brings_stamp, np.int64),
        column(brings_kind, np.int8),
        column(was, np.int64),
        column(was_stamp, np.int64),
        column(was_known, np.bool_),
    )
