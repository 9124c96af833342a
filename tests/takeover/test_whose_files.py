"""Files that were taken over never belong to lakeui: nothing that it does changes or removes them. Without Spark."""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from django.conf import settings
from django.core.management import CommandError, call_command
from django.utils import timezone

from catalog_app.models import DataFile, ExpiredFile, Table
from catalog_app.selectors.snapshots import catalog_get
from catalog_app.services.retention import RetentionLimits, vacuum_run
from catalog_app.storage.warehouse import Warehouse
from lakeui.common.errors import AlreadyExists, NotSupported, PermissionDenied, SyntaxProblem
from lakeui.frontdoor import parsed
from lakeui.sql.parse import parse
from tests.in_memory.conftest import services
from tests.on_spark.conftest import lake
from tests.support.lake import Lake

__all__ = ["lake", "services"]


@pytest.fixture
def outside(tmp_path: Path) -> Iterator[Path]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(settings.LAKEUI, "IMPORT_LOCATIONS", (str(tmp_path),))
        for name in ("a", "b"):
            pq.write_table(pa.table({"id": [1, 2, 3], "v": ["x", "y", "z"]}), tmp_path / f"{name}.parquet")
        yield tmp_path


def vacuum(lake: Lake) -> list[str]:
    """What went, with nothing retained."""
    now, warehouse = timezone.now(), Warehouse(settings.LAKEUI["WAREHOUSE"])
    limits = RetentionLimits(history=now, staged=now)
    plan = vacuum_run(catalog_get(lake.catalog), warehouse, limits, record=lambda plan: None)
    return [file.path for file in plan.files]


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_drop_purge_and_vacuum_leave_the_files(lake: Lake, outside: Path) -> None:
    reported = lake.sql(f"CREATE TABLE d.t FROM PARQUET '{outside}' COMMENT 'theirs' TBLPROPERTIES ('k' = 'v')")
    assert (reported.metrics["rows_inserted"], reported.metrics["files_added"]) == (6, 2)
    lake.sql("DROP TABLE d.t PURGE")
    assert vacuum(lake) == []
    expired = ExpiredFile.objects.filter(path__startswith=f"file://{outside}")
    assert expired.count() == 2
    assert not expired.filter(removed_at__isnull=True).exists()
    assert names(outside) == ["a.parquet", "b.parquet"]
    # They can be taken over again.
    lake.sql(f"CREATE TABLE d.t FROM PARQUET '{outside}'")
    assert vacuum(lake) == []
    assert names(outside) == ["a.parquet", "b.parquet"]


def test_the_warehouse_removes_no_file_of_others(outside: Path) -> None:
    with pytest.raises(ValueError, match="does not belong"):
        Warehouse(settings.LAKEUI["WAREHOUSE"]).remove(f"file://{outside}/a.parquet")
    assert names(outside) == ["a.parquet", "b.parquet"]


def test_dry_run_keeps_other_tables_of_same_files(lake: Lake, outside: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lake.sql(f"CREATE TABLE d.t FROM PARQUET '{outside}'")
    monkeypatch.setattr("lakeui.frontdoor.rehearsal.Rehearsal.examples", lambda *_: [])
    tables, files = Table.objects.count(), DataFile.objects.count()
    reported = lake.sql(f"CREATE TABLE d.u FROM PARQUET '{outside}' DRY RUN")
    assert reported.metrics["rows_inserted"] == 6
    assert reported.extra["dry_run"]
    assert (Table.objects.count(), DataFile.objects.count()) == (tables, files)
    assert [row[1] for row in lake.sql("SHOW TABLES IN d").rows] == ["t"]
    assert names(outside) == ["a.parquet", "b.parquet"]


def test_two_tables_and_a_clone_share_the_files(lake: Lake, outside: Path) -> None:
    lake.sql(f"CREATE TABLE d.t FROM PARQUET '{outside}'")
    lake.sql(f"CREATE TABLE d.u FROM PARQUET '{outside}/a.parquet'")
    lake.sql("CREATE TABLE d.c CLONE d.t")
    clones = DataFile.objects.filter(path__startswith=f"file://{outside}").order_by("pk")
    assert [(file.by_name, file.rows) for file in clones] == [(True, 3)] * 5
    lake.sql("DROP TABLE d.t PURGE")
    assert vacuum(lake) == []
    assert names(outside) == ["a.parquet", "b.parquet"]


def test_check_catalog_names_a_vanished_or_changed_file(lake: Lake, outside: Path) -> None:
    lake.sql(f"CREATE TABLE d.t FROM PARQUET '{outside}'")
    call_command("check_catalog", lake.catalog, stdout=io.StringIO())
    (outside / "a.parquet").unlink()
    with (outside / "b.parquet").open("ab") as file:
        file.write(b"more")
    said = io.StringIO()
    with pytest.raises(CommandError, match="2 breaches"):
        call_command("check_catalog", lake.catalog, stdout=said)
    assert f"file file://{outside}/a.parquet has None bytes" in said.getvalue()
    assert f"file file://{outside}/b.parquet has " in said.getvalue()


def test_a_table_that_is_there_stays(lake: Lake, outside: Path) -> None:
    lake.sql(f"CREATE TABLE d.t FROM PARQUET '{outside}'")
    with pytest.raises(AlreadyExists):
        lake.sql(f"CREATE TABLE d.t FROM PARQUET '{outside}'")
    assert lake.sql(f"CREATE TABLE IF NOT EXISTS d.t FROM PARQUET '{outside}'").version is None


def test_other_places_are_refused_alike(lake: Lake, outside: Path) -> None:
    for place in (outside.parent, "/etc/passwd", "/etc/there_is_no_such_file"):
        with pytest.raises(PermissionDenied, match=f"Files at {place} may not be read"):
            lake.sql(f"CREATE TABLE d.t FROM PARQUET '{place}'")


def test_what_files_say_is_not_said_again(outside: Path) -> None:
    for text, error, said in [
        ("CREATE TABLE d.t FROM PARQUET '/x' PARTITIONED BY (a)", NotSupported, "takes columns and partitions"),
        ("CREATE OR REPLACE TABLE d.t FROM PARQUET '/x'", NotSupported, "stays the same object"),
        ("CREATE TABLE d.t FROM CSV '/x'", SyntaxProblem, "Expected PARQUET, ICEBERG or DELTA"),
        ("CREATE TABLE d.t FROM PARQUET", SyntaxProblem, "place of the table"),
    ]:
        with pytest.raises(error, match=said):
            parse(text)


def test_it_runs_as_a_task(outside: Path) -> None:
    assert parsed("CREATE TABLE d.t FROM ICEBERG '/x'").is_task
