"""Tables read from their files by the client: which files, which columns, at which version, and what is refused."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from django.conf import settings

from lakeui_client import Catalog, LakeError, NotFound
from tests.client.conftest import Person
from tests.iceberg.engines import ENGINES
from tests.support.lake import Lake as Store


@pytest.fixture
def folder(tmp_path: Path, store: Store) -> Path:
    """The files of table d.f, which took them over: ids from 0 and from 100."""
    for first in (0, 100):
        ids = range(first, first + 10)
        pq.write_table(pa.table({"id": ids, "v": [f"v{i}" for i in ids]}), tmp_path / f"{first}.parquet")
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(settings.LAKEUI, "IMPORT_LOCATIONS", (str(tmp_path),))
        store.sql(f"CREATE TABLE d.f FROM PARQUET '{tmp_path}'")
    return tmp_path


def test_columns_and_filter_are_pushed_down(person: Person, folder: Path) -> None:
    table = person().table("d.f")
    assert table.to_arrow().num_rows == 20
    # A file that the filter rules out is not opened.
    (folder / "0.parquet").unlink()
    assert table.to_arrow(["v"], "id >= 108").to_pydict() == {"v": ["v108", "v109"]}
    with pytest.raises(LakeError, match=r"A file of d\.f cannot be read here.*0\.parquet") as refused:
        table.to_arrow()
    assert refused.value.code == "FILES_UNREADABLE"


def test_a_table_holds_its_version(person: Person, folder: Path, store: Store) -> None:
    catalog = person()
    store.sql("CREATE BRANCH `a/b`")
    store.sql("CREATE TAG done")
    table, branch = catalog.table("d.f"), catalog.branch("a/b").table("d.f")
    version = store.head()
    store.sql("TRUNCATE TABLE d.f")
    assert table.version == version
    seen = [table, branch, catalog.table("d.f", tag="done"), catalog.table("d.f", version=version)]
    assert [each.to_arrow(["id"]).num_rows for each in seen] == [20] * 4
    assert catalog.table("d.f", branch="main").to_arrow().num_rows == 0


def test_duckdb_finds_the_rows_under_the_name(person: Person, folder: Path) -> None:
    connection = person().table("d.f").to_duckdb(row_filter="id > 5")
    assert connection.sql("SELECT count(*), min(v) FROM f").fetchall() == [(14, "v100")]
    person().table("d.f").to_duckdb(["id"], name="other", connection=connection)
    assert connection.sql("SELECT count(*) FROM other JOIN f USING (id)").fetchall() == [(14,)]


def test_polars_reads_it(person: Person, folder: Path) -> None:
    catalog = person()
    code = (
        "import sys; from lakeui_client import Lake;"
        "rows = Lake(*sys.argv[1:3]).catalog(sys.argv[3]).table('d.f').to_polars(['id'], 'id < 3');"
        "print(type(rows).__module__.split('.')[0], rows.to_dicts())"
    )
    source = Path(__file__).resolve().parents[2] / "clients" / "python" / "src"
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(source), str(ENGINES)])}
    command = [sys.executable, "-c", code, catalog.http.url, catalog.http._token, catalog.name]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120, check=False)
    assert done.stdout.strip() == "polars [{'id': 0}, {'id': 1}, {'id': 2}]", done.stderr[-2000:]


def test_refusals_say_why(person: Person, folder: Path, catalog: Catalog, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(NotFound, match=r"d\.none"):
        catalog.table("d.none")
    with pytest.raises(NotFound, match="gone"):
        catalog.table("d.f", branch="gone")
    for name in ("f", "d.", ".f", ""):
        with pytest.raises(LakeError, match="names no table"):
            catalog.table(name)
    with pytest.raises(LakeError, match="one of a branch, a tag or a version"):
        catalog.table("d.f", branch="main", version=1)
    for given in (["nope"], None), (None, "nope = 1"):
        with pytest.raises(LakeError, match=r"The table d\.f cannot be read so"):
            catalog.table("d.f").to_arrow(*given)
    with pytest.raises(LakeError, match="does not read the condition 'id >'"):
        catalog.table("d.f").to_arrow(row_filter="id >")
    monkeypatch.setitem(sys.modules, "pyiceberg.table", None)
    with pytest.raises(LakeError, match=r"pip install 'lakeui-client\[iceberg\]'"):
        catalog.table("d.f")
