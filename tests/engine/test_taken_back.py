"""Files that a dry run made go with it, also where it was refused before it registered them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from catalog_app.engine.targets import Staged, Target
from catalog_app.engine.writing import whole_file
from catalog_app.services.registered import registered_taken_back
from catalog_app.storage.deletes import write_deletes
from lakeui.common.errors import InvalidValue
from tests.engine.conftest import lake_alone
from tests.engine.lake import TABLE, schema_of


def test_files_that_are_made_and_refused_are_gone(tmp_path: Path) -> None:
    lake = lake_alone(tmp_path)
    lake.schema = schema_of("id int")
    writer, target = lake.engine._writer, Target(TABLE, lake.schema)
    rows = pa.table({"__c1": pa.array([1, 2], pa.int32())})
    lake.add(writer.write_arrow(target, rows))
    before = lake.warehouse.all_under("")
    assert len(before) == 1

    def make() -> None:
        writer.write_arrow(target, rows)
        stored = rows.rename_columns(["id"])
        writer.place(TABLE, [Staged("", (), content=whole_file(stored)) for _ in range(3)])
        one = np.array([1], dtype=np.int64)
        write_deletes(lake.warehouse, table_id=TABLE, file=lake.files[0], positions=one, row_ids=one)
        assert len(lake.warehouse.all_under("")) == 6

    def refused() -> None:
        with registered_taken_back(lake.warehouse):
            make()
            raise InvalidValue("refused")

    with pytest.raises(InvalidValue, match="refused"):
        refused()
    assert lake.warehouse.all_under("") == before
    make()
