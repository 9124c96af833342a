"""Keyed merge of a batch into a plain Parquet data set on disk: insert, update or upsert, through DuckDB.

A function of Python without Django: ``merge(batch, "lake/orders", "upsert", ["id"])``. Rules: rows §3, §4.
"""

from merge_app.upsert.inputs_outputs import Implementation, MergeResult, Strategy
from merge_app.upsert.upsert import merge

__all__ = ["Implementation", "MergeResult", "Strategy", "merge"]
