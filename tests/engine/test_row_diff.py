"""Which files a comparison of two snapshots reads by their deletes alone."""

from __future__ import annotations

from dataclasses import replace

from catalog_app.domain.files import FileScan, TableScan
from catalog_app.domain.schema import Schema
from catalog_app.engine.row_diff import files_masked

SCHEMA = Schema()
FILE = FileScan(1, "1/base=0/a.parquet", 0, 10, SCHEMA, delete_paths=("one",))


def masked(before: FileScan, after: FileScan) -> list[tuple[str, ...]]:
    scans = (TableScan(1, SCHEMA, (file,)) for file in (before, after))
    return [file.delete_paths for file in files_masked(*scans).values()]


def test_of_more_deletes_only_these_are_read() -> None:
    assert masked(FILE, replace(FILE, delete_paths=("one", "two"))) == [("two",)]


def test_of_fewer_or_other_deletes_too() -> None:
    assert masked(replace(FILE, delete_paths=("one", "two")), FILE) == [()]
    assert masked(FILE, replace(FILE, delete_paths=("two",))) == [("two",)]


def test_other_differences_are_read_whole() -> None:
    more = replace(FILE, delete_paths=("one", "two"))
    assert masked(FILE, replace(more, partition=("x",), is_moved=True)) == []
    assert masked(FILE, replace(more, file_id=2)) == []
