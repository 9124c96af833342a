"""A batch that does not fit its table is refused in the words of the batch, before a row is read."""

from __future__ import annotations

import pyarrow as pa
import pytest

from lakeui.common.errors import InvalidValue, NotFound
from lakeui.frontdoor import Session
from lakeui.frontdoor.entries.batches import batch_merge
from tests.support.lake import Lake


@pytest.fixture
def made(lake: Lake) -> Lake:
    lake.sql("CREATE TABLE d.t (id INT, v STRING, w STRING)")
    return lake


@pytest.mark.parametrize("strategy", ["insert", "update", "upsert"])
def test_column_missing_in_batch_is_named_with_remedies(made: Lake, strategy: str) -> None:
    head = made.head()
    with pytest.raises(InvalidValue) as refused:
        batch_merge(pa.table({"ID": [1]}), "d.t", strategy, "id", session=Session(made.catalog))
    assert refused.value.message == "The batch lacks the columns v, w of table d.t."
    assert "schema_evolution" in refused.value.remedy
    assert refused.value.details["columns"] == ["v", "w"]
    assert made.head() == head


def test_a_missing_key_is_refused_with_the_columns(made: Lake) -> None:
    batch = pa.table({"v": ["a"], "w": ["b"]})
    with pytest.raises(NotFound, match="There is no column id in the batch") as refused:
        batch_merge(batch, "d.t", "upsert", "id", session=Session(made.catalog))
    assert refused.value.remedy == "The batch has the columns v, w."
    with pytest.raises(NotFound, match="There is no column ww in the batch") as refused:
        batch_merge(batch, "d.t", "upsert", "v", dedup_by="ww", session=Session(made.catalog))
    assert refused.value.remedy == "Did you mean w?"
