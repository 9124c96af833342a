"""Keyed merges and loads of files into tables of an object store: rows, and the requests of what was sent."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path

import pyarrow as pa
import pytest
from django.conf import settings

from catalog_app.engine import staging
from catalog_app.importing.spec import Reading
from catalog_app.selectors.snapshots import branch_get, catalog_get
from catalog_app.services.imports import import_create, import_discard
from catalog_app.storage.warehouse import Warehouse
from lakeui.common.errors import NotNullViolation
from lakeui.frontdoor import Session
from lakeui.frontdoor.entries.batches import batch_merge
from lakeui.frontdoor.entries.imports import import_lifetime, import_load
from lakeui.frontdoor.inputs_outputs import ImportLoad
from lakeui.sql.statements import TableName
from tests.stores.test_tour import breaches
from tests.support.lake import Lake
from tests.support.object_store import ObjectStore

SENT = {"PUT": 1, "HEAD": 2, "GET": 3, "DELETE": 1}
"""The file that was sent is put, read twice, listed and removed."""


def merged(lake: Lake, table: str, batch: pa.Table) -> None:
    batch_merge(batch, table, "upsert", ["id"], session=Session(lake.catalog, "main"))


def requests_of_imports(store: ObjectStore, warehouse: str, work: Callable[[], object]) -> dict[str, int]:
    bucket = warehouse.split("/")[2]
    before = len(store.requests(bucket))
    work()
    return Counter(method for method, path in store.requests(bucket)[before:] if "imports/" in path)


@pytest.mark.parametrize("is_sent", [True, False], ids=["with the job", "through the store"])
def test_a_small_batch_is_no_file(
    lake: Lake, store: ObjectStore, warehouse_in_store: str, monkeypatch: pytest.MonkeyPatch, is_sent: bool
) -> None:
    """Its converted rows go along with the jobs. Larger ones are one file, which Spark reads."""
    if not is_sent:
        monkeypatch.setattr(staging, "SENT_BYTES", 0)
    lake.sql("CREATE TABLE d.t (id BIGINT, name STRING, price DECIMAL(9, 2), at TIMESTAMP)")
    lake.sql("INSERT INTO d.t SELECT id, 'old', 1.5, NULL FROM range(100)")
    at = datetime(2024, 5, 1, tzinfo=UTC)
    names = [f"n{number}" for number in range(50, 250)]
    columns = {
        "id": list(range(50, 250)),
        "name": names,
        "price": pa.array([Decimal("2.25")] * 200, pa.decimal128(9, 2)),
        "at": [at] * 200,
    }
    found = requests_of_imports(store, warehouse_in_store, lambda: merged(lake, "d.t", pa.table(columns)))
    assert (found == SENT) is is_sent
    sums = "SELECT count(*), count_if(name = 'old'), sum(price), count_if(at = '2024-05-01T00:00:00Z') FROM d.t"
    ((rows, old, price, times),) = lake.sql(sums).rows
    assert (rows, old, Decimal(str(price)), times) == (250, 50, Decimal("525.00"), 200)
    assert breaches(lake) == []


def test_nested_rows_are_read_by_spark(lake: Lake) -> None:
    lake.sql("CREATE TABLE d.t (id BIGINT, l ARRAY<STRING>)")
    merged(lake, "d.t", pa.table({"id": [1, 2], "l": [["a", None], None]}))
    assert lake.rows("d.t") == [(1, ["a", None]), (2, None)]


def test_a_refused_row_is_named_by_its_number(lake: Lake, tmp_path: Path) -> None:
    lake.sql("CREATE TABLE d.t (id BIGINT NOT NULL, name STRING)")
    warehouse = Warehouse(settings.LAKEUI["WAREHOUSE"])
    file = tmp_path / "sent.csv"
    file.write_text("id,name\n1,a\n,b\n")
    made = import_create(
        branch=branch_get(catalog_get(lake.catalog), "main"),
        user_id=None,
        name=file.name,
        file=file,
        warehouse=warehouse,
        lifetime=import_lifetime(),
    )
    load = ImportLoad(made.pk, Reading.from_json(made.reading), TableName("t", "d"), is_new=False)
    with pytest.raises(NotNullViolation, match=r"row 2 of sent\.csv"):
        import_load(load, name="sent.csv", session=Session(lake.catalog, "main"))
    import_discard(made, warehouse=warehouse)
    assert warehouse.all_under("imports") == []
