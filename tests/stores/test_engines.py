"""Other engines read a lake in an object store through the endpoint, with keys of their own."""

from __future__ import annotations

from pathlib import Path

import pytest
from pyiceberg.catalog import load_catalog

from tests.iceberg.test_engines import Seen, engines_served
from tests.support.object_store import ObjectStore


def test_engines_read_what_lakeui_shows(
    warehouse_in_store: str, store: ObjectStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = store.options
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", said.access_key)
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", said.secret_key)
    monkeypatch.setenv("AWS_ENDPOINT_URL", said.endpoint)
    with engines_served(tmp_path) as engines:
        catalog = load_catalog("lake", type="rest", uri=engines.address("main"), token=engines.token)
        lake = engines.lake
        lake.sql("CREATE TABLE d.t (id INT, name STRING, p STRING) PARTITIONED BY (p)")
        lake.sql("INSERT INTO d.t SELECT CAST(id AS INT), concat('n', id), concat('p', id % 2) FROM range(50)")
        lake.sql("CREATE BRANCH dev")
        lake.sql("DELETE FROM d.t WHERE id % 7 = 3", "dev")
        lake.sql("UPDATE d.t SET name = 'x' WHERE id = 5", "dev")
        found = catalog.load_table("d.t").io.properties
        assert (found["s3.endpoint"], found["s3.region"]) == (said.endpoint, said.region)
        assert said.secret_key not in found.values()
        engines.compare("d.t", Seen(), Seen("dev"), others=[Seen("dev")])
