"""What is found of tables outside of the warehouse, without Spark: columns, ids, bounds, partitions, deletes."""

from __future__ import annotations

import datetime
import decimal
import importlib.util
import json
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from deltalake import DeltaTable, write_deltalake
from pyiceberg.manifest import DataFileContent, FileFormat
from pyiceberg.partitioning import PartitionField, PartitionSpec
from pyiceberg.schema import Schema
from pyiceberg.table import Table
from pyiceberg.transforms import (
    BucketTransform,
    DayTransform,
    HourTransform,
    IdentityTransform,
    MonthTransform,
    TruncateTransform,
)
from pyiceberg.typedef import Record
from pyiceberg.types import (
    DateType,
    DecimalType,
    IntegerType,
    ListType,
    LongType,
    NestedField,
    StringType,
    StructType,
    TimestamptzType,
    TimeType,
)

from catalog_app.domain.files import ColumnStatistics
from catalog_app.domain.transforms import Transform, transform_value
from catalog_app.domain.transforms import plain as plain_value
from catalog_app.storage.warehouse import Warehouse
from catalog_app.takeover.delta_tables import delta_find
from catalog_app.takeover.found_tables import FoundField, FoundTable
from catalog_app.takeover.iceberg_tables import iceberg_find
from catalog_app.takeover.locations import Locations
from catalog_app.takeover.parquet_files import parquet_find
from lakeui.common.errors import InvalidValue, LakeError, NotFound, NotSupported, PermissionDenied
from tests.takeover.iceberg_lake import append_laid, catalog_in, with_deletes

Find = Callable[[Locations, str], FoundTable]


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    (tmp_path / "outside").mkdir()
    (tmp_path / "warehouse").mkdir()
    return tmp_path / "outside"


@pytest.fixture
def locations(outside: Path) -> Locations:
    return Locations.of(Warehouse(str(outside.parent / "warehouse")), [str(outside)])


def plain(folder: Path, name: str = "a.parquet", **columns: object) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    pq.write_table(pa.table(columns or {"id": [1, 2, 3]}), folder / name)
    return folder / name


# -- locations --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "uri",
    [
        "{outside}/../secret/a.parquet",
        "{outside}/./a.parquet",
        "{outside}//a.parquet",
        "{parent}/outsider/a.parquet",
        "{parent}/secret/a.parquet",
        "{parent}/not_there/a.parquet",
        "{parent}",
        "/",
        "a.parquet",
        "file://host{outside}/a.parquet",
        "https://{outside}/a.parquet",
        "s3://bucket/a.parquet",
        "s3://key:secret@bucket/a.parquet",
        "{outside}/*.parquet",
        "{outside}/link/a.parquet",
        "{outside}/file_link.parquet",
        "{parent}/warehouse/1/a.parquet",
        "",
    ],
)
def test_no_other_place_is_read(outside: Path, locations: Locations, uri: str) -> None:
    """Whether something is there or not, the refusal is the same but for the name that was given."""
    parent = outside.parent
    plain(parent / "secret")
    plain(parent / "outsider")
    plain(parent / "warehouse" / "1")
    (outside / "link").symlink_to(parent / "secret")
    (outside / "file_link.parquet").symlink_to(parent / "secret" / "a.parquet")
    said = uri.format(outside=outside, parent=parent)
    with pytest.raises(PermissionDenied) as refused:
        locations.find(said)
    assert str(refused.value).startswith(f"Files at {said} may not be read by statements.")


def test_nothing_is_allowed_by_default(outside: Path) -> None:
    plain(outside)
    with pytest.raises(PermissionDenied):
        Locations.of(Warehouse(str(outside.parent / "warehouse")), []).find(str(outside))


def test_warehouse_inside_a_location_is_no_allowed_place(outside: Path) -> None:
    wide = Locations.of(Warehouse(str(outside.parent / "warehouse")), [str(outside.parent)])
    plain(outside.parent / "warehouse" / "1")
    for said in (outside.parent, outside.parent / "warehouse", outside.parent / "warehouse" / "1"):
        with pytest.raises(PermissionDenied):
            wide.find(str(said))
    assert wide.find(str(outside)) == f"file://{outside}"


def test_links_inside_of_a_folder_lead_nowhere_else(outside: Path, locations: Locations) -> None:
    plain(outside.parent / "secret")
    plain(outside / "t")
    (outside / "t" / "b.parquet").symlink_to(outside.parent / "secret" / "a.parquet")
    with pytest.raises(PermissionDenied, match=r"b\.parquet"):
        parquet_find(locations, locations.find(f"file://{outside}/t/"))


def test_absence_is_reported_only_below_an_allowed_place(outside: Path, locations: Locations) -> None:
    with pytest.raises(NotFound, match="nothing"):
        parquet_find(locations, locations.find(f"{outside}/nothing"))


# -- Parquet ----------------------------------------------------------------------------------------------------------


def test_columns_are_united_and_bounds_come_from_footers(outside: Path, locations: Locations) -> None:
    plain(outside, "a.parquet", id=pa.array([1, 2], pa.int32()), v=["a", None], f=[0.5, float("nan")])
    plain(outside, "b.parquet", id=pa.array([5, 2**40], pa.int64()), w=pa.array([None, datetime.date(2024, 1, 1)]))
    plain(outside, "empty.parquet", id=pa.array([], pa.int64()))
    found = parquet_find(locations, locations.find(str(outside)))
    assert [(c.id, c.name, c.type) for c in found.columns] == [
        (0, "id", "bigint"),
        (0, "v", "string"),
        (0, "f", "double"),
        (0, "w", "date"),
    ]
    one, other = found.files
    assert (one.rows, one.by_name, one.path) == (2, True, f"file://{outside}/a.parquet")
    # Others leave NaN out of the bounds.
    assert one.statistics == {"id": ColumnStatistics(1, 2, 0), "v": ColumnStatistics("a", "a", 1)}
    assert other.statistics["w"] == ColumnStatistics("2024-01-01", "2024-01-01", 1)


def test_folders_name_partitions(outside: Path, locations: Locations) -> None:
    plain(outside / "n=007" / "d=2024-01-31" / "i=-5")
    plain(outside / "n=1%2F2" / "d=2024-02-01" / "i=12345678901")
    plain(outside / "n=__HIVE_DEFAULT_PARTITION__" / "d=2024-02-01" / "i=0")
    found = parquet_find(locations, locations.find(str(outside)))
    assert found.partition_by == ("n", "d", "i")
    assert [(c.name, c.type) for c in found.columns[1:]] == [("n", "string"), ("d", "date"), ("i", "bigint")]
    assert {file.partition for file in found.files} == {
        ("007", "2024-01-31", "-5"),
        ("1/2", "2024-02-01", "12345678901"),
        (None, "2024-02-01", "0"),
    }
    assert all(file.lacks_partition for file in found.files)


def int96(outside: Path) -> None:
    table = pa.table({"at": pa.array([datetime.datetime(2024, 1, 1, tzinfo=datetime.UTC)], pa.timestamp("ns", "UTC"))})
    pq.write_table(table, outside / "a.parquet", use_deprecated_int96_timestamps=True)


def test_timestamps_of_96_bits_are_those_of_spark(outside: Path, locations: Locations) -> None:
    int96(outside)
    found = parquet_find(locations, locations.find(str(outside)))
    assert [(c.name, c.type) for c in found.columns] == [("at", "timestamp")]
    assert found.files[0].statistics == {}


def ids(*numbers: int) -> pa.Schema:
    fields = [
        pa.field(name, pa.int64(), metadata={"PARQUET:field_id": str(i)} if i else None)
        for name, i in zip("ab", numbers, strict=True)
    ]
    return pa.schema(fields)


def identified(folder: Path, name: str, *numbers: int) -> Path:
    pq.write_table(pa.table({"a": [1], "b": [2]}).cast(ids(*numbers)), folder / name)
    return folder / name


def test_ids_of_files_are_those_of_the_table(outside: Path, locations: Locations) -> None:
    identified(outside, "a.parquet", 7, 3)
    found = parquet_find(locations, locations.find(str(outside)))
    assert [(c.name, c.id) for c in found.columns] == [("a", 7), ("b", 3)]
    assert not found.files[0].by_name


BROKEN = {
    "ids of some columns only": (lambda p: identified(p, "a.parquet", 7, 0), "gives ids to some"),
    "other ids": (lambda p: (identified(p, "a.parquet", 7, 3), identified(p, "b.parquet", 3, 7)), "another id"),
    "ids in some files only": (lambda p: (identified(p, "a.parquet", 7, 3), plain(p, "b.parquet", a=[1])), "field ids"),
    "types": (
        lambda p: (plain(p, "a.parquet", v=[1]), plain(p, "b.parquet", v=["x"])),
        "bigint in .* string in",
    ),
    "nanoseconds": (lambda p: plain(p, "a.parquet", t=pa.array([1], pa.timestamp("ns"))), r"timestamp\[ns\]"),
    "times": (lambda p: plain(p, "a.parquet", t=pa.array([1], pa.time64("us"))), "time64"),
    "names in two cases": (lambda p: plain(p, "a.parquet", v=[1], V=[2]), "two columns"),
    "names of lakeui": (lambda p: plain(p, "a.parquet", _row_id=[1]), "_row_id"),
    "names of Spark": (lambda p: plain(p, "a.parquet", _metadata=[1]), "_metadata"),
    "a column twice": (lambda p: plain(p / "id=1"), "stands in the files and in the names"),
    "folders of other names": (lambda p: (plain(p / "x=1"), plain(p / "y=1")), "other partition columns"),
    "no file": (lambda p: None, "no Parquet file"),
    "another file": (lambda p: (plain(p), (p / "x.csv").write_text("a")), "x.csv is not called"),
    "no Parquet": (lambda p: (p / "x.parquet").write_text("a"), "no Parquet file that can be read"),
    "Delta": (lambda p: (plain(p), plain(p / "_delta_log", "c.parquet")), "table of Delta"),
    "Iceberg": (lambda p: (plain(p / "data"), plain(p / "metadata", "v1.metadata.json")), "table of Iceberg"),
    "a pattern": (lambda p: plain(p, "a[1].parquet"), "takes for a pattern"),
}


@pytest.mark.parametrize("case", BROKEN)
def test_files_unreadable_in_place_are_refused_by_name(outside: Path, locations: Locations, case: str) -> None:
    make, said = BROKEN[case]
    make(outside)
    with pytest.raises(LakeError, match=said) as refused:
        parquet_find(locations, locations.find(str(outside)))
    assert refused.value.remedy


# -- Iceberg ----------------------------------------------------------------------------------------------------------

SCHEMA = Schema(
    NestedField(1, "id", LongType(), required=True),
    NestedField(2, "day", DateType()),
    NestedField(
        3,
        "s",
        StructType(
            NestedField(4, "x", IntegerType()), NestedField(5, "l", ListType(6, StringType(), element_required=False))
        ),
    ),
)
NESTED = pa.struct([("x", pa.int32()), ("l", pa.list_(pa.string()))])
DAY = datetime.date(2024, 1, 31)


def rows(first: int, count: int, **more: object) -> pa.Table:
    numbers = range(first, first + count)
    columns = {
        "id": pa.array(numbers, pa.int64()),
        "day": [DAY if i % 2 else None for i in numbers],
        "s": pa.array(
            [{"x": i, "l": ["a"]} for i in numbers], pa.struct([("x", pa.int32()), ("l", pa.list_(pa.string()))])
        ),
    }
    schema = pa.schema([pa.field("id", pa.int64(), nullable=False), ("day", pa.date32()), ("s", columns["s"].type)])
    return pa.table(columns, schema=schema)


def test_iceberg_keeps_ids_partitions_and_deletes(outside: Path, locations: Locations) -> None:
    spec = PartitionSpec(PartitionField(2, 1000, IdentityTransform(), "day"))
    table = catalog_in(outside).create_table("n.t", SCHEMA, partition_spec=spec)
    table.append(rows(0, 10))
    with table.update_schema() as update:
        update.rename_column("day", "at")
        update.add_column("more", IntegerType(), doc="a comment")
    files = {task.file.partition[0]: task.file for task in table.scan().plan_files()}
    dated = next(file for value, file in files.items() if value is not None)
    metadata = with_deletes(table, [(dated.file_path, 3), (dated.file_path, 0)], partition=dated.partition)
    found = iceberg_find(locations, locations.find(metadata))
    assert [(c.id, c.name, c.type, c.nullable, c.comment) for c in found.columns] == [
        (1, "id", "bigint", False, None),
        (2, "at", "date", True, None),
        (3, "s", "struct<x:int,l:array<string>>", True, None),
        (7, "more", "int", True, "a comment"),
    ]
    assert found.columns[2].nested == "struct<x#4:int,l#5:array<#6:string>>"
    assert found.partition_by == ("at",)
    by_value = {file.partition: file for file in found.files}
    assert set(by_value) == {("2024-01-31",), (None,)}
    assert list(by_value[("2024-01-31",)].deletes) == [0, 3]
    assert not len(by_value[(None,)].deletes)
    assert by_value[(None,)].statistics["id"] == ColumnStatistics(0, 8, 0)
    assert not any(file.by_name or file.lacks_partition for file in found.files)
    # By its folder the newest metadata count: they are those with deletes.
    newest = iceberg_find(locations, locations.find(str(outside / "n" / "t")))
    assert sorted(len(file.deletes) for file in newest.files) == [0, 2]


def test_column_not_partitioning_all_files_is_no_partition(outside: Path, locations: Locations) -> None:
    table = catalog_in(outside).create_table("n.t", SCHEMA)
    table.append(rows(0, 10))
    with table.update_spec() as update:
        update.add_identity("day")
    table.append(rows(10, 10))
    found = iceberg_find(locations, locations.find(table.metadata_location))
    assert (found.partition_by, {file.partition for file in found.files}) == ((), {()})
    assert found.notices[0].startswith("Partition fields that do not come along: day.")


LAID = Schema(
    NestedField(1, "id", LongType()),
    NestedField(2, "at", TimestamptzType()),
    NestedField(3, "name", StringType()),
    NestedField(4, "price", DecimalType(10, 2)),
    NestedField(5, "region", StringType()),
)
MOMENT = datetime.datetime(2024, 1, 31, 23, 59, tzinfo=datetime.UTC)
OLD = datetime.datetime(1969, 12, 31, 23, 59, tzinfo=datetime.UTC)


def laid_rows(table: Table, number: int, at: datetime.datetime | None, region: str = "n") -> str:
    """One row in a file of its own; answers its path."""
    name, price = f"né{number}", decimal.Decimal(f"-{number}.55")
    columns = {"id": [number], "at": pa.array([at], pa.timestamp("us", "UTC")), "name": [name], "price": [price]}
    micros = None if at is None else plain_value("timestamp", at)
    given = pa.table({**columns, "region": [region]})
    return append_laid(table, given, {1: number, 2: micros, 3: name, 4: price, 5: region})


def test_transforms_come_along_with_what_each_file_says(outside: Path, locations: Locations) -> None:
    """Files of three layouts, and the values are those that lakeui makes of the rows itself."""
    table = catalog_in(outside).create_table("n.t", LAID)
    with table.update_spec() as update:
        update.add_identity("region")
        update.add_field("at", DayTransform())
        update.add_field("id", BucketTransform(16))
    days = [laid_rows(table, number, at) for number, at in ((1, MOMENT), (2, None), (3, OLD))]
    with table.update_spec() as update:
        update.remove_field("at_day")
        update.add_field("at", HourTransform())
        update.add_field("name", TruncateTransform(2))
        update.add_field("price", TruncateTransform(50))
    hours = laid_rows(table, 4, MOMENT, "s")
    found = iceberg_find(locations, locations.find(table.metadata_location))
    assert (found.partition_by, found.notices) == (("region",), ())
    bucket, hour = FoundField("bucket", 16, "id"), FoundField("hours", 0, "at")
    start, units = FoundField("truncate", 2, "name"), FoundField("truncate", 50, "price")
    assert set(found.layout) == {bucket, hour, start, units}
    said = {file.path: dict(file.layout) for file in found.files}
    day = FoundField("days", 0, "at")
    # What early writers may have rounded otherwise is not taken for true.
    assert [set(said[path]) for path in days] == [{day, bucket}, {day, bucket}, {bucket}]
    assert [said[path].get(day) for path in days] == [19753, None, None]
    kinds = {column.name: column.type for column in found.columns}
    row = {"id": 4, "at": MOMENT, "name": "né4", "price": decimal.Decimal("-4.55")}
    assert said[hours] == {
        field: transform_value(Transform(field.name, field.number, 1), kinds[field.column], row[field.column])
        for field in found.layout
    }
    assert said[hours][units] == "-5.00"
    assert {file.path: file.partition for file in found.files}[hours] == ("s",)


def test_transform_unknown_to_lakeui_is_not_taken_over(outside: Path, locations: Locations) -> None:
    table = catalog_in(outside).create_table("n.t", SCHEMA)
    with table.update_spec() as update:
        update.add_field("s.x", BucketTransform(4), "inside")
        update.add_field("day", MonthTransform())
        update.add_field("id", BucketTransform(4))
    with table.update_spec() as update:
        update.remove_field("day_month")
    found = iceberg_find(locations, locations.find(table.metadata_location))
    assert found.layout == (FoundField("bucket", 4, "id"),)
    assert found.notices[0].startswith("Partition fields that do not come along: inside.")


def test_files_without_ids_go_by_the_name_mapping(outside: Path, locations: Locations) -> None:
    table = catalog_in(outside).create_table("n.t", SCHEMA)
    pq.write_table(rows(0, 3), outside / "plain.parquet")
    table.add_files([f"file://{outside}/plain.parquet"])
    found = iceberg_find(locations, locations.find(table.metadata_location))
    assert [(file.by_name, file.rows) for file in found.files] == [(True, 3)]
    assert found.files[0].statistics["id"] == ColumnStatistics(0, 2, 0)
    with table.update_schema() as update:
        update.rename_column("day", "at")
    with pytest.raises(NotSupported, match="day under a name of earlier days"):
        iceberg_find(locations, locations.find(table.metadata_location))


def test_metadata_lead_nowhere_else(outside: Path, locations: Locations) -> None:
    elsewhere = outside.parent / "secret"
    elsewhere.mkdir()
    table = catalog_in(elsewhere).create_table("n.t", SCHEMA)
    table.append(rows(0, 3))
    copied = outside / "t.metadata.json"
    copied.write_bytes(Path(table.metadata_location.removeprefix("file://")).read_bytes())
    with pytest.raises(PermissionDenied, match=str(elsewhere)):
        iceberg_find(locations, locations.find(str(copied)))


def test_classes_and_credentials_of_metadata_are_not_used(outside: Path, locations: Locations) -> None:
    table = catalog_in(outside).create_table("n.t", SCHEMA)
    table.append(rows(0, 3))
    place = Path(table.metadata_location.removeprefix("file://"))
    said = json.loads(place.read_text())
    said["properties"] |= {"py-io-impl": "tests.takeover.not_there.Evil", "s3.endpoint": "http://127.0.0.1:1"}
    place.write_text(json.dumps(said))
    assert len(iceberg_find(locations, locations.find(table.metadata_location)).files) == 1


def test_rows_that_a_deletion_vector_marks_are_gone(outside: Path, locations: Locations) -> None:
    table = catalog_in(outside).create_table("n.t", SCHEMA)
    table.append(rows(0, 5))
    path = next(iter(table.scan().plan_files())).file.file_path
    metadata = with_deletes(table, [(path, 4), (path, 1)], form=FileFormat.PUFFIN, partition=Record())
    (file,) = iceberg_find(locations, locations.find(metadata)).files
    assert list(file.deletes) == [1, 4]
    (outside / "n" / "t" / "metadata" / "marks.puffin").write_bytes(b"PFA1 cut")
    with pytest.raises(InvalidValue, match=r"marks\.puffin"):
        iceberg_find(locations, locations.find(metadata))


def test_deletes_that_are_not_understood_are_refused(outside: Path, locations: Locations) -> None:
    table = catalog_in(outside).create_table("n.t", SCHEMA)
    table.append(rows(0, 3))
    path = next(iter(table.scan().plan_files())).file.file_path
    orc = with_deletes(table, [(path, 1)], form=FileFormat.ORC, partition=Record())
    with pytest.raises(NotSupported, match=r"marks\.orc is ORC"):
        iceberg_find(locations, locations.find(orc))
    equality = with_deletes(table, [(path, 1)], content=DataFileContent.EQUALITY_DELETES, partition=Record())
    with pytest.raises(NotSupported, match="equality deletes"):
        iceberg_find(locations, locations.find(equality))


def test_iceberg_types_and_places_are_refused_by_name(outside: Path, locations: Locations) -> None:
    table = catalog_in(outside).create_table("n.t", Schema(NestedField(1, "t", TimeType())))
    with pytest.raises(NotSupported, match="t has the type time"):
        iceberg_find(locations, locations.find(table.metadata_location))
    with pytest.raises(InvalidValue, match="no folder metadata"):
        iceberg_find(locations, locations.find(str(outside)))
    (outside / "broken.metadata.json").write_text("{}")
    with pytest.raises(InvalidValue, match="none of Iceberg"):
        iceberg_find(locations, locations.find(str(outside / "broken.metadata.json")))


def test_a_file_that_vanished_is_named(outside: Path, locations: Locations) -> None:
    table = catalog_in(outside).create_table("n.t", SCHEMA)
    table.append(rows(0, 3))
    path = next(iter(table.scan().plan_files())).file.file_path
    Path(path.removeprefix("file://")).unlink()
    with pytest.raises(InvalidValue, match=path):
        iceberg_find(locations, locations.find(table.metadata_location))


# -- Delta ------------------------------------------------------------------------------------------------------------


def delta(folder: Path, **columns: object) -> str:
    given = {"id": [1, 2, 3], "r": ["a b", "ü=%", None], "s": [{"x": 1}, {"x": 2}, None]} | columns
    write_deltalake(folder / "t", pa.table(given), partition_by=["r"])
    return str(folder / "t")


def logged(folder: Path, **action: object) -> None:
    """One more version of the table, with this action."""
    number = len(list((folder / "t" / "_delta_log").glob("*.json")))
    (folder / "t" / "_delta_log" / f"{number:020}.json").write_text(json.dumps(action))


def test_delta_counts_the_files_of_the_newest_version(outside: Path, locations: Locations) -> None:
    place = delta(outside)
    DeltaTable(place).delete("id = 2")
    write_deltalake(place, pa.table({"id": [4], "r": ["c"], "more": [0.5]}), mode="append", schema_mode="merge")
    found = delta_find(locations, locations.find(place))
    assert {(c.id, c.name, c.type) for c in found.columns} == {
        (0, "id", "bigint"),
        (0, "r", "string"),
        (0, "s", "struct<x:bigint>"),
        (0, "more", "double"),
    }
    assert found.partition_by == ("r",)
    assert {file.partition: file.rows for file in found.files} == {("a b",): 1, (None,): 1, ("c",): 1}
    assert all(file.by_name and file.lacks_partition and Path(file.path[7:]).exists() for file in found.files)
    assert [file.statistics["id"].minimum for file in found.files if file.partition == ("c",)] == [4]


def test_dates_are_partitions_of_delta(outside: Path, locations: Locations) -> None:
    place = delta(outside, r=pa.array([DAY, None, DAY], pa.date32()))
    found = delta_find(locations, locations.find(place))
    assert {file.partition for file in found.files} == {("2024-01-31",), (None,)}


def protocol(*features: str) -> dict[str, object]:
    return {
        "minReaderVersion": 3,
        "minWriterVersion": 7,
        "readerFeatures": list(features),
        "writerFeatures": list(features),
    }


def test_delta_features_not_understood_are_refused(outside: Path, locations: Locations) -> None:
    place = delta(outside)
    logged(outside, protocol=protocol("timestampNtz"))
    assert len(delta_find(locations, locations.find(place)).files) == 3
    logged(outside, protocol=protocol("timestampNtz", "deletionVectors"))
    with pytest.raises(NotSupported, match="deletionVectors") as refused:
        delta_find(locations, locations.find(place))
    assert "PURGE" in refused.value.remedy


def test_columns_of_other_names_in_delta_are_refused(outside: Path, locations: Locations) -> None:
    place = delta(outside)
    (first, *_) = sorted((outside / "t" / "_delta_log").glob("*.json"))
    actions = [json.loads(line) for line in first.read_text().splitlines()]
    (metadata,) = (action["metaData"] for action in actions if "metaData" in action)
    logged(outside, metaData=metadata | {"configuration": {"delta.columnMapping.mode": "name"}})
    with pytest.raises(LakeError):
        delta_find(locations, locations.find(place))


def test_the_log_of_delta_leads_nowhere_else(outside: Path, locations: Locations) -> None:
    place = delta(outside)
    secret = plain(outside.parent / "secret")
    add = {"path": f"file://{secret}", "size": 1, "partitionValues": {"r": "x"}, "modificationTime": 1}
    logged(outside, add=add | {"dataChange": True})
    with pytest.raises(PermissionDenied):
        delta_find(locations, locations.find(place))


def test_log_files_are_no_links_to_other_places(outside: Path, locations: Locations) -> None:
    place = delta(outside)
    elsewhere = outside.parent / "log.json"
    (outside / "t" / "_delta_log" / "00000000000000000000.json").rename(elsewhere)
    (outside / "t" / "_delta_log" / "00000000000000000000.json").symlink_to(elsewhere)
    with pytest.raises(PermissionDenied):
        delta_find(locations, locations.find(place))


def test_what_is_no_table_of_delta_is_said(outside: Path, locations: Locations) -> None:
    with pytest.raises(NotFound):
        delta_find(locations, locations.find(str(outside)))
    (outside / "_delta_log").mkdir()
    with pytest.raises(InvalidValue, match="log of the table of Delta"):
        delta_find(locations, locations.find(str(outside)))


@pytest.mark.parametrize(("package", "find"), [("pyiceberg", iceberg_find), ("deltalake", delta_find)])
def test_a_package_that_is_missing_is_named(
    outside: Path, locations: Locations, monkeypatch: pytest.MonkeyPatch, package: str, find: Find
) -> None:
    known = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == package else known(name))
    with pytest.raises(NotSupported, match="not installed") as refused:
        find(locations, locations.find(str(outside)))
    assert "lakeui[" in refused.value.remedy


@pytest.mark.parametrize("where", ["a struct", "a list of structs", "the table"])
def test_version_3_defaults_are_refused_at_any_depth(outside: Path, locations: Locations, where: str) -> None:
    inner = StructType(NestedField(4, "x", LongType(), required=False))
    kind = ListType(5, inner, False) if where == "a list of structs" else inner
    schema = Schema(NestedField(1, "id", LongType(), required=False), NestedField(2, "s", kind, required=False))
    table = catalog_in(outside).create_table("n.t", schema)
    table.append(pa.table({"id": [1]}))
    written = Path(table.metadata_location.removeprefix("file://"))
    metadata = json.loads(written.read_text())
    metadata |= {"format-version": 3, "next-row-id": 1, "last-column-id": 9}
    for snapshot in metadata["snapshots"]:
        snapshot |= {"first-row-id": 0, "added-rows": 1}
    added = {"id": 9, "name": "y", "required": False, "type": "long", "initial-default": 7, "write-default": 7}
    for said in metadata["schemas"]:
        nested = said["fields"][1]["type"]
        holder = {"a struct": nested, "a list of structs": nested.get("element"), "the table": said}[where]
        holder["fields"].append(added)
    altered = written.with_name("00099-x.metadata.json")
    altered.write_text(json.dumps(metadata))
    with pytest.raises(NotSupported, match="default"):
        iceberg_find(locations, f"file://{altered}")
