"""What is said of a file that was just written, whose rows are at hand."""

from __future__ import annotations

import math
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from catalog_app.storage.footers import PARQUET_FIELD_ID, facts_of


def written(values: list[float | None]) -> tuple[pa.Buffer, pa.Table]:
    fields = [
        pa.field(name, pa.float64(), metadata={PARQUET_FIELD_ID: number}) for number, name in ((b"1", "x"), (b"2", "y"))
    ]
    table = pa.table([values, [0.5] * len(values)], schema=pa.schema(fields))
    content = pa.BufferOutputStream()
    pq.write_table(table, content)
    return content.getvalue(), table


@pytest.mark.parametrize(
    ("values", "maximum"),
    [([1.0, 2.0], 2.0), ([1.0, math.nan], None), ([math.nan], None), ([None, 3.0], 3.0), ([None], None)],
)
def test_rows_at_hand_are_not_read_again(
    values: list[float | None], maximum: float | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    content, table = written(values)
    expected = facts_of(content)
    assert expected.statistics[1].maximum == maximum

    def refused(*_: Any, **__: Any) -> None:
        raise AssertionError("the file was read")

    monkeypatch.setattr(pq.ParquetFile, "read", refused)
    assert facts_of(content, table) == expected
    with pytest.raises(AssertionError):
        facts_of(content)
