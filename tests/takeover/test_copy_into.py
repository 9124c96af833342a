"""COPY INTO: each file once, whatever branches, merges, restores and other runs do. Without Spark."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from django.conf import settings
from django.utils import timezone

from catalog_app.models import DeletedKeys
from catalog_app.selectors.snapshots import catalog_get
from catalog_app.services.retention import RetentionLimits, vacuum_run
from catalog_app.storage.warehouse import Warehouse
from lakeui.common.errors import (
    BranchMoved,
    CheckViolated,
    InvalidValue,
    NotFound,
    NotNullViolation,
    NotSupported,
    PermissionDenied,
    SyntaxProblem,
)
from lakeui.frontdoor.tables import copy_into
from lakeui.sql.parse import parse
from merge_app.audit.models import MergeAttempt
from tests.in_memory.conftest import services
from tests.on_spark.conftest import lake
from tests.support.lake import Lake

__all__ = ["lake", "services"]

REPLACING = [
    "TRUNCATE TABLE d.t",
    "INSERT OVERWRITE d.t VALUES (9, 'n')",
    "CREATE OR REPLACE TABLE d.t (id INT, v STRING)",
    "RESTORE TABLE d.t TO VERSION AS OF {}",
]


@pytest.fixture
def place(tmp_path: Path, lake: Lake) -> Iterator[Path]:
    """A folder with two files of CSV, and table d.t for them."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(settings.LAKEUI, "IMPORT_LOCATIONS", (str(tmp_path),))
        (tmp_path / "a.csv").write_text("id,v\n1,x\n2,y\n")
        (tmp_path / "b.csv").write_text("id,v\n3,z\n")
        lake.sql("CREATE TABLE d.t (id INT, v STRING)")
        yield tmp_path


def copy(lake: Lake, place: Path, rest: str = "", branch: str = "main") -> tuple[int, str]:
    """How many rows came, and what was said of the files."""
    reported = lake.sql(f"COPY INTO d.t FROM '{place}' FILEFORMAT = CSV {rest}", branch)
    return reported.metrics["rows_inserted"], reported.extra["notices"][0]


def ids(lake: Lake, branch: str = "main") -> list[Any]:
    return [row[0] for row in lake.rows("d.t", branch)]


def said(loaded: int, before: int) -> str:
    files = "1 file was" if loaded == 1 else f"{loaded} files were"
    return f"{files} loaded, {before} had been loaded before."


def test_each_file_is_loaded_once(lake: Lake, place: Path) -> None:
    assert copy(lake, place) == (3, said(2, 0))
    head = lake.head()
    assert copy(lake, place) == (0, said(0, 2))
    assert lake.head() == head
    (place / "c.csv").write_text("v,id\nw,4\n")
    assert copy(lake, place) == (1, said(1, 2))
    # A file that was written anew is another one.
    (place / "b.csv").write_text("id,v\n5,n\n")
    os.utime(place / "b.csv", ns=(1, 1))
    assert copy(lake, place) == (1, said(1, 2))
    assert ids(lake) == [1, 2, 3, 4, 5]
    assert copy(lake, place, "COPY_OPTIONS ('force' = 'true')") == (4, said(3, 0))
    assert copy(lake, place) == (0, said(0, 3))


def test_its_rows_get_numbers_no_other_branch_has(lake: Lake, place: Path) -> None:
    lake.sql("CREATE OR REPLACE TABLE d.t (id INT, v STRING, n BIGINT GENERATED ALWAYS AS IDENTITY)")
    lake.sql("CREATE BRANCH b")
    copy(lake, place, "FILES = ('a.csv')")
    copy(lake, place, "FILES = ('b.csv')", branch="b")
    lake.merge("b")
    assert lake.rows("d.t") == [(1, "x", 1), (2, "y", 2), (3, "z", 3)]
    (place / "c.csv").write_text("id,v,n\n4,w,9\n")
    with pytest.raises(InvalidValue, match="n is GENERATED ALWAYS AS IDENTITY"):
        copy(lake, place)


def notes(lake: Lake, source: str, target: str = "main") -> list[Any]:
    found = lake.sql(f"MERGE BRANCH {source} TO {target} DRY RUN").extra["notes"]
    return [note["details"] for note in found if note["code"] == "LOADED_TWICE"]


def test_merge_names_files_that_both_sides_loaded(lake: Lake, place: Path) -> None:
    lake.sql("CREATE BRANCH b")
    copy(lake, place, "FILES = ('a.csv')")
    copy(lake, place, branch="b")
    (found,) = notes(lake, "b")
    assert (found["file_count"], found["files"]) == (1, [f"file://{place}/a.csv"])
    lake.merge("b")
    assert sorted(ids(lake)) == [1, 1, 2, 2, 3]
    lake.sql("INSERT INTO d.t VALUES (9, 'n')", "b")
    lake.sql("INSERT INTO d.t VALUES (8, 'n')")
    assert notes(lake, "b") == []


def test_file_changed_between_loads_is_another_file(lake: Lake, place: Path) -> None:
    lake.sql("CREATE BRANCH b")
    copy(lake, place)
    (place / "a.csv").write_text("id,v\n7,x\n")
    copy(lake, place, "FILES = ('a.csv')", "b")
    assert notes(lake, "b") == []


def test_rows_of_a_key_are_not_twice(lake: Lake, place: Path) -> None:
    lake.sql("DROP TABLE d.t")
    lake.sql("CREATE TABLE d.t (id INT PRIMARY KEY, v STRING)")
    lake.sql("CREATE BRANCH b")
    copy(lake, place)
    copy(lake, place, branch="b")
    assert notes(lake, "b") == []
    lake.merge("b")
    assert sorted(ids(lake)) == [1, 2, 3]


def test_undone_load_counts_no_more(lake: Lake, place: Path) -> None:
    lake.sql("CREATE BRANCH b")
    before = lake.head()
    copy(lake, place)
    lake.sql(f"RESTORE TABLE d.t TO VERSION AS OF {before}")
    copy(lake, place, branch="b")
    assert notes(lake, "b") == []


def test_branches_see_it_and_merges_bring_it(lake: Lake, place: Path) -> None:
    copy(lake, place, "FILES = ('a.csv')")
    lake.sql("CREATE BRANCH b")
    assert copy(lake, place, branch="b") == (1, said(1, 1))
    assert copy(lake, place, "FILES = ('a.csv')") == (0, said(0, 1))
    lake.sql("MERGE BRANCH b")
    assert copy(lake, place) == (0, said(0, 2))
    assert ids(lake) == [1, 2, 3]


def test_a_restore_goes_back_to_what_counted_then(lake: Lake, place: Path) -> None:
    copy(lake, place, "FILES = ('a.csv')")
    then = lake.head()
    copy(lake, place)
    lake.sql(f"RESTORE TABLE d.t TO VERSION AS OF {then}")
    assert ids(lake) == [1, 2]
    assert copy(lake, place) == (1, said(1, 1))
    assert ids(lake) == [1, 2, 3]


def test_what_replaces_all_rows_drops_the_files(lake: Lake, place: Path) -> None:
    copy(lake, place)
    lake.sql("DELETE FROM d.t WHERE id = 1")
    assert copy(lake, place) == (0, said(0, 2))
    lake.sql("TRUNCATE TABLE d.t")
    assert copy(lake, place) == (3, said(2, 0))


def test_a_clone_knows_what_its_source_loaded(lake: Lake, place: Path) -> None:
    copy(lake, place, "FILES = ('a.csv')")
    lake.sql("TRUNCATE TABLE d.t")
    copy(lake, place, "FILES = ('b.csv')")
    lake.sql("CREATE TABLE d.u CLONE d.t")
    lake.sql("CREATE TABLE d.v LIKE d.t")
    for table, loaded in (("u", [1, 2, 3]), ("v", [1, 2, 3])):
        lake.sql(f"COPY INTO d.{table} FROM '{place}' FILEFORMAT = CSV")
        assert [row[0] for row in lake.rows(f"d.{table}")] == loaded


def test_vacuum_leaves_no_file(lake: Lake, place: Path) -> None:
    copy(lake, place, "FILES = ('a.csv')")
    then = lake.head()
    copy(lake, place)
    lake.sql(f"RESTORE TABLE d.t TO VERSION AS OF {then}")
    now, warehouse = timezone.now(), Warehouse(settings.LAKEUI["WAREHOUSE"])
    limits = RetentionLimits(history=now, staged=now)
    vacuum_run(catalog_get(lake.catalog), warehouse, limits, record=lambda plan: None)
    assert copy(lake, place) == (1, said(1, 1))


def test_beside_itself_it_loads_each_file_once(lake: Lake, place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stage, others = copy_into._stage, [True]

    def staged(*given: Any) -> Any:
        if others:
            others.clear()
            # While this run reads its files, another one loads them.
            assert copy(lake, place) == (3, said(2, 0))
        return stage(*given)

    monkeypatch.setattr(copy_into, "_stage", staged)
    assert copy(lake, place) == (0, said(0, 2))
    assert ids(lake) == [1, 2, 3]


def test_a_transaction_loads_it_with_its_commit(lake: Lake, place: Path) -> None:
    opened = lake.sql("BEGIN").extra["transaction"]
    lake.sql(f"COPY INTO d.t FROM '{place}' FILEFORMAT = CSV", transaction=opened)
    assert ids(lake) == []
    lake.sql("COMMIT", transaction=opened)
    assert copy(lake, place) == (0, said(0, 2))


@pytest.mark.parametrize("replacing", REPLACING)
def test_what_transaction_loads_after_replacing_rows_counts(lake: Lake, place: Path, replacing: str) -> None:
    empty = lake.head()
    copy(lake, place, "FILES = ('a.csv')")
    opened = lake.sql("BEGIN").extra["transaction"]
    lake.sql(replacing.format(empty), transaction=opened)
    lake.sql(f"COPY INTO d.t FROM '{place}' FILEFORMAT = CSV", transaction=opened)
    lake.sql("COMMIT", transaction=opened)
    assert copy(lake, place) == (0, said(0, 2))


@pytest.mark.parametrize("replacing", ["TRUNCATE TABLE d.t", "CREATE OR REPLACE TABLE d.t (id INT, v STRING)"])
def test_what_transaction_loads_before_replacing_rows_is_forgotten(lake: Lake, place: Path, replacing: str) -> None:
    opened = lake.sql("BEGIN").extra["transaction"]
    lake.sql(f"COPY INTO d.t FROM '{place}' FILEFORMAT = CSV", transaction=opened)
    lake.sql(replacing, transaction=opened)
    lake.sql(f"COPY INTO d.t FROM '{place}' FILEFORMAT = CSV FILES = ('b.csv')", transaction=opened)
    lake.sql("COMMIT", transaction=opened)
    assert copy(lake, place) == (2, said(1, 1))
    assert ids(lake) == [1, 2, 3]


def test_a_transaction_beside_another_run_loads_nothing_twice(lake: Lake, place: Path) -> None:
    opened = lake.sql("BEGIN").extra["transaction"]
    lake.sql(f"COPY INTO d.t FROM '{place}' FILEFORMAT = CSV", transaction=opened)
    copy(lake, place)
    with pytest.raises(BranchMoved, match="loaded files into t since BEGIN"):
        lake.sql("COMMIT", transaction=opened)
    reported = MergeAttempt.objects.filter(catalog=catalog_get(lake.catalog))
    assert list(reported.values_list("outcome", flat=True)) == ["refused"]
    lake.sql("ROLLBACK", transaction=opened)
    assert ids(lake) == [1, 2, 3]


def test_transaction_loading_nothing_commits_beside_a_run(lake: Lake, place: Path) -> None:
    opened = lake.sql("BEGIN").extra["transaction"]
    lake.sql("INSERT INTO d.t VALUES (7, 'w')", transaction=opened)
    copy(lake, place)
    lake.sql("COMMIT", transaction=opened)
    assert ids(lake) == [1, 2, 3, 7]


def test_file_that_grows_while_read_is_refused(lake: Lake, place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stage = copy_into._stage

    def staged(*given: Any) -> Any:
        with (place / "b.csv").open("a") as file:
            file.write("4,w\n")
        return stage(*given)

    with monkeypatch.context() as patch:
        patch.setattr(copy_into, "_stage", staged)
        with pytest.raises(InvalidValue, match=r"b\.csv changed while it was read"):
            copy(lake, place, "FILES = ('b.csv')")
    assert copy(lake, place, "FILES = ('b.csv')") == (2, said(1, 0))


def test_a_dry_run_loads_nothing(lake: Lake, place: Path) -> None:
    kept = DeletedKeys.objects.count()
    reported = lake.sql(f"COPY INTO d.t FROM '{place}' FILEFORMAT = CSV DRY RUN")
    assert reported.metrics["rows_inserted"] == 3
    assert len(reported.extra["examples"]) == 3
    assert (ids(lake), DeletedKeys.objects.count()) == ([], kept)
    assert copy(lake, place) == (3, said(2, 0))


def test_files_are_chosen_by_name_or_pattern(lake: Lake, place: Path) -> None:
    (place / "_hidden.csv").write_text("id\n100\n")
    (place / "deep").mkdir()
    (place / "deep" / "x.csv").write_text("id\n7\n")
    (place / "other.txt").write_text("id\n8\n")
    assert copy(lake, place, "PATTERN = 'deep/*.csv'") == (1, said(1, 0))
    assert copy(lake, place, "PATTERN = '*.csv'") == (3, said(2, 1))
    assert copy(lake, place, "FILES = ('_hidden.csv', 'a.csv')") == (1, said(1, 1))
    assert copy(lake, place / "other.txt") == (1, said(1, 0))
    with pytest.raises(NotFound, match=r"none\.csv"):
        copy(lake, place, "FILES = ('none.csv')")
    with pytest.raises(InvalidValue, match="No file"):
        copy(lake, place, "PATTERN = 'none*'")


def test_a_file_that_does_not_fit_loads_none(lake: Lake, place: Path) -> None:
    (place / "c.csv").write_text("id,other\n4,x\n")
    with pytest.raises(InvalidValue, match=r"c\.csv: .*other"):
        copy(lake, place)
    (place / "c.csv").unlink()
    pq.write_table(pa.table({"id": [1]}), place / "c.csv")
    with pytest.raises(InvalidValue, match=r"c\.csv: The file holds PARQUET, not CSV"):
        copy(lake, place)
    assert ids(lake) == []


def test_no_other_place_is_read(lake: Lake, place: Path) -> None:
    for other in (place.parent, Path("/etc/passwd"), place / ".." / "x", Path(settings.LAKEUI["WAREHOUSE"])):
        with pytest.raises(PermissionDenied):
            lake.sql(f"COPY INTO d.t FROM '{other}' FILEFORMAT = CSV")


def test_what_is_not_understood_is_refused() -> None:
    for rest, error, why in [
        ("(SELECT * FROM x) FILEFORMAT = CSV", NotSupported, "takes a place, no query"),
        ("'/x'", SyntaxProblem, "FILEFORMAT"),
        ("'/x' FILEFORMAT = AVRO", SyntaxProblem, "Expected PARQUET, CSV or JSON"),
        ("'/x' FILEFORMAT = CSV WITH (CREDENTIAL x)", NotSupported, "WITH"),
        ("'/x' FILEFORMAT = CSV CREDENTIAL = x", SyntaxProblem, "Expected FILES"),
        ("'/x' FILEFORMAT = CSV FILES = ('a') PATTERN = 'b'", InvalidValue, "stand together"),
        ("'/x' FILEFORMAT = CSV FORMAT_OPTIONS ('multiLine' = 'true')", NotSupported, "multiline"),
        ("'/x' FILEFORMAT = JSON FORMAT_OPTIONS ('header' = 'true')", NotSupported, "JSON takes none"),
        ("'/x' FILEFORMAT = CSV FORMAT_OPTIONS ('header' = '1')", InvalidValue, "header"),
        ("'/x' FILEFORMAT = CSV COPY_OPTIONS ('mergeSchema' = 'true')", NotSupported, "mergeschema"),
    ]:
        with pytest.raises(error, match=why):
            parse(f"COPY INTO d.t FROM {rest}")


def test_row_without_value_is_named_with_its_file(lake: Lake, place: Path) -> None:
    lake.sql("ALTER TABLE d.t ALTER COLUMN id SET NOT NULL")
    (place / "b.csv").write_text("v,id\nx,3\ny,\nz,\n")
    with pytest.raises(NotNullViolation) as refused:
        copy(lake, place)
    path = (place / "b.csv").as_uri()
    assert refused.value.message == f"{path}: Column id is NOT NULL, but row 2 of b.csv has no value for it."
    assert (refused.value.details["row"], refused.value.details["file"]) == (2, path)
    assert ids(lake) == []


def test_file_of_row_a_constraint_refuses_is_named(lake: Lake, place: Path) -> None:
    lake.sql("ALTER TABLE d.t ADD CONSTRAINT small CHECK (id < 3)")
    with pytest.raises(CheckViolated) as refused:
        copy(lake, place)
    assert refused.value.message.startswith(f"{(place / 'b.csv').as_uri()}: 1 row violates the constraint small of ")
    assert refused.value.details["file"] == (place / "b.csv").as_uri()
    assert refused.value.details["constraint"] == "small"
    assert ids(lake) == []
