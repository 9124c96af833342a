"""What tests of strategies share: rows, a configuration of each strategy, and looks at its table."""

from __future__ import annotations

from typing import Any

import pytest

from tests.pipelines.strategies.pipes import Pipe

ROWS = [(1, "a", 1), (2, "b", 1), (3, "c", 1)]
COLUMNS = ("id INT", "value STRING", "at INT")
KEYED = ("merge_strategy: incremental", "unique_key: id")
CONFIGS: dict[str, tuple[str, ...]] = {
    "full_refresh": ("merge_strategy: full_refresh",),
    "append_only": ("merge_strategy: append_only",),
    "incremental": (*KEYED, "watermark_column: at"),
    "delete_insert": ("merge_strategy: delete_insert", "unique_key: id"),
    "snapshot": ("merge_strategy: snapshot", "partition_column: value"),
    "scd2": ("merge_strategy: scd2", "unique_key: id", "watermark_column: at"),
}
every_strategy = pytest.mark.parametrize("strategy", CONFIGS)


def table(pipe: Pipe) -> Any:
    return pipe.lake.sql(f"DESCRIBE TABLE {pipe.table}").rows


def types(pipe: Pipe) -> dict[str, str]:
    return {row[0]: row[1] for row in table(pipe)}


def history(pipe: Pipe) -> list[tuple[Any, ...]]:
    return pipe.rows(columns="id, value, valid_from, valid_to")
