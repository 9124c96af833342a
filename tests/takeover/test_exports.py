"""Exports: static metadata that engines read without a server, made at once or not at all. Without Spark."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from django.conf import settings
from django.core.management import CommandError, call_command
from pyiceberg.schema import Schema
from pyiceberg.table import StaticTable
from pyiceberg.typedef import Record
from pyiceberg.types import LongType, NestedField

from catalog_app.services import exports
from catalog_app.storage.warehouse import Warehouse
from lakeui.common.errors import NotSupported
from tests.iceberg.engines import ENGINES
from tests.in_memory.conftest import services
from tests.on_spark.conftest import lake
from tests.support.lake import Lake
from tests.takeover.iceberg_lake import catalog_in, with_deletes

__all__ = ["lake", "services"]


@pytest.fixture
def files(tmp_path: Path, lake: Lake) -> Iterator[Path]:
    """The files of table d.t, which took them over."""
    folder = tmp_path / "theirs"
    folder.mkdir()
    pq.write_table(pa.table({"id": [1, 2, 3]}), folder / "a.parquet")
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(settings.LAKEUI, "IMPORT_LOCATIONS", (str(tmp_path),))
        lake.sql(f"CREATE TABLE d.t FROM PARQUET '{folder}'")
        yield folder


def export(lake: Lake, *arguments: str, to: Path) -> dict[str, str]:
    """Tables and the places that were said."""
    said = io.StringIO()
    call_command("export_iceberg", lake.catalog, *arguments, "--to", str(to), stdout=said, stderr=io.StringIO())
    return {line.split(": ")[0]: line.split(": ")[1].split(" (")[0] for line in said.getvalue().splitlines()}


def ids(place: str) -> list[int]:
    found = StaticTable.from_metadata(place.removeprefix("file://")).scan().to_arrow()
    return sorted(found.column("id").to_pylist())


def test_pyiceberg_reads_it_without_a_server(lake: Lake, files: Path, tmp_path: Path) -> None:
    first = export(lake, "main", to=tmp_path / "out")
    assert first == {"d.t": f"file://{tmp_path}/out/d/t"}
    assert ids(first["d.t"]) == [1, 2, 3]
    before = {path: path.stat().st_mtime_ns for path in (tmp_path / "out").rglob("*.avro")}
    # Run twice, it makes nothing anew but what says which metadata count.
    assert export(lake, "main", to=tmp_path / "out") == first
    assert {path: path.stat().st_mtime_ns for path in (tmp_path / "out").rglob("*.avro")} == before
    said = json.loads((tmp_path / "out" / "export.json").read_text())
    assert (said["catalog"], said["reference"], said["tables"]["d.t"]["version"]) == (lake.catalog, "main", lake.head())
    assert not list((tmp_path / "out").rglob("*.part"))


def test_version_3_exports_vectors_beside_the_metadata(lake: Lake, files: Path, tmp_path: Path) -> None:
    table = catalog_in(tmp_path / "ice").create_table("n.t", Schema(NestedField(1, "id", LongType())))
    table.append(pa.table({"id": [1, 2, 3]}))
    path = next(iter(table.scan().plan_files())).file.file_path
    lake.sql(f"CREATE TABLE d.ice FROM ICEBERG '{with_deletes(table, [(path, 1)], partition=Record())}'")
    place = export(lake, "main", "--format-version", "3", to=tmp_path / "out")["d.ice"]
    metadata = StaticTable.from_metadata(place.removeprefix("file://")).metadata
    assert (metadata.format_version, metadata.next_row_id) == (3, 3)
    assert ids(place) == [1, 3]
    assert [str(path.parent) for path in (tmp_path / "out").rglob("*.puffin")] == [f"{tmp_path}/out/d/ice/metadata"]
    # The same folder by version 2 again: the files of both lie beside each other until the older ones are a day old.
    assert ids(export(lake, "main", to=tmp_path / "out")["d.ice"]) == [1, 3]


def test_duckdb_reads_it_without_a_server(lake: Lake, files: Path, tmp_path: Path) -> None:
    place = export(lake, "main", to=tmp_path / "out")["d.t"]
    sys.path.insert(0, str(ENGINES))
    try:
        folders = [find_spec(f"duckdb_extension_{name}") for name in ("avro", "iceberg")]
    finally:
        sys.path.remove(str(ENGINES))
    assert all(folders)
    code = (
        "import sys, duckdb, pathlib; c = duckdb.connect()\n"
        "for name in ('avro', 'iceberg'):\n"
        "    folder = pathlib.Path(__import__(f'duckdb_extension_{name}').__path__[0])\n"
        "    file = folder / 'extensions' / f'v{duckdb.__version__}' / f'{name}.duckdb_extension'\n"
        "    c.execute(f\"INSTALL '{file}'\"); c.execute(f'LOAD {name}')\n"
        "print(c.sql(f\"SELECT sum(id), count(*) FROM iceberg_scan('{sys.argv[1]}')\").fetchall())"
    )
    environment = {**os.environ, "PYTHONPATH": str(ENGINES)}
    command = [sys.executable, "-c", code, place.removeprefix("file://")]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120, check=False)
    assert done.stdout.strip() == "[(6, 3)]", done.stderr[-2000:]


def test_a_tag_stays_what_it_was(lake: Lake, files: Path, tmp_path: Path) -> None:
    lake.sql("CREATE TAG done")
    lake.sql("TRUNCATE TABLE d.t")
    assert ids(export(lake, "tag:done", to=tmp_path / "tag")["d.t"]) == [1, 2, 3]
    assert ids(export(lake, "main", to=tmp_path / "main")["d.t"]) == []
    # A folder is of one reference: a script that mixes two up is refused.
    with pytest.raises(CommandError, match="holds an export of tag:done"):
        export(lake, "main", to=tmp_path / "tag")


def test_cut_off_it_leaves_the_export_before(
    lake: Lake, files: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = export(lake, "main", to=tmp_path / "out")["d.t"]
    lake.sql("TRUNCATE TABLE d.t")

    def cut(name: str) -> None:
        assert name == "export.written"
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(exports, "fault_point", cut)
        with pytest.raises(KeyboardInterrupt):
            export(lake, "main", to=tmp_path / "out")
    assert ids(place) == [1, 2, 3]
    export(lake, "main", to=tmp_path / "out")
    assert ids(place) == []


def test_files_without_readers_for_a_day_are_removed(lake: Lake, files: Path, tmp_path: Path) -> None:
    place = Path(export(lake, "main", to=tmp_path / "out")["d.t"].removeprefix("file://"), "metadata")
    old, theirs = {path.name for path in place.iterdir()}, place / "notes.txt"
    theirs.touch()
    lake.sql("TRUNCATE TABLE d.t")
    export(lake, "main", to=tmp_path / "out")
    assert old < {path.name for path in place.iterdir()}
    for path in place.iterdir():
        os.utime(path, (time.time() - 90_000,) * 2)
    export(lake, "main", to=tmp_path / "out")
    left = {path.name for path in place.iterdir()}
    assert theirs.exists()
    assert left & old == {"version-hint.text"}
    assert ids(str(place.parent)) == []


def test_a_dropped_table_is_no_export_any_more(lake: Lake, files: Path, tmp_path: Path) -> None:
    place = export(lake, "main", to=tmp_path / "out")["d.t"]
    lake.sql("DROP TABLE d.t")
    assert export(lake, "main", to=tmp_path / "out") == {}
    with pytest.raises(FileNotFoundError):
        ids(place)


def test_names_that_are_no_folders_go_by_number(lake: Lake, files: Path, tmp_path: Path) -> None:
    lake.sql("ALTER TABLE d.t RENAME TO d.`ü b`")
    (place,) = export(lake, "main", to=tmp_path / "out").values()
    assert place.startswith(f"file://{tmp_path}/out/d/table-")
    assert ids(place) == [1, 2, 3]


def test_refusals_say_why(lake: Lake, files: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    warehouse = settings.LAKEUI["WAREHOUSE"]
    for arguments, to, why in [
        (("none",), tmp_path / "out", "none"),
        (("tag:none",), tmp_path / "out", "none"),
        (("main", "d.none"), tmp_path / "out", "There is no table d.none there"),
        (("main",), Path(warehouse), "holds files of the warehouse"),
        (("main",), Path(warehouse).parent, "holds files of the warehouse"),
        (("main",), Path(warehouse, "1"), "holds files of the warehouse"),
    ]:
        with pytest.raises(CommandError, match=why):
            export(lake, *arguments, to=to)

    def refuse(*_: object) -> None:
        raise NotSupported("It is not shown.", remedy="Run OPTIMIZE.")

    place = export(lake, "main", to=tmp_path / "out")["d.t"]
    monkeypatch.setattr(exports, "metadata_make", refuse)
    with pytest.raises(CommandError, match="1 table was left out"):
        export(lake, "main", to=tmp_path / "out")
    with pytest.raises(FileNotFoundError):
        ids(place)


def test_without_a_folder_it_lies_beside_the_files(lake: Lake, files: Path) -> None:
    said = io.StringIO()
    call_command("export_iceberg", lake.catalog, "branch:main", stdout=said)
    place = Warehouse(settings.LAKEUI["WAREHOUSE"]).location(f"exports/{lake.catalog}/branch-main/d/t")
    assert said.getvalue().startswith(f"d.t: {place} (version ")
    assert ids(place) == [1, 2, 3]
