"""Bounds of texts: never inside of what the file holds, and always such that jsonb can hold them."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from catalog_app.storage.footers import TEXT_BOUND_LENGTH, read_facts, text_above
from catalog_app.storage.warehouse import Warehouse

TEXTS = ["\x00", "a\x00", "a\x00b", "\x00\x00z", "x" * TEXT_BOUND_LENGTH + "\x00", "x" * TEXT_BOUND_LENGTH + "y\x00"]


@pytest.mark.parametrize("text", TEXTS, ids=ascii)
def test_text_with_nul_lies_between_bounds_without_nul(tmp_path: Path, text: str) -> None:
    column = pa.field("c", pa.string(), metadata={"PARQUET:field_id": "1"})
    pq.write_table(pa.table([pa.array([text])], schema=pa.schema([column])), tmp_path / "f.parquet")
    bounds = read_facts(Warehouse(str(tmp_path)), "f.parquet").statistics[1]
    assert bounds.minimum <= text <= bounds.maximum
    assert "\\u0000" not in json.dumps(bounds.as_json())


@pytest.mark.parametrize("text", TEXTS, ids=ascii)
def test_the_text_above_is_above(text: str) -> None:
    above = text_above(text)
    assert above is not None
    assert text < above
