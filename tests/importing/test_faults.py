"""What a file holds that no table can take: the refusal says what it is, where, and what to do."""

from __future__ import annotations

import io
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from catalog_app.importing.plain_files import file_looked_into
from catalog_app.importing.scanning import file_scan
from catalog_app.importing.spec import FileFormat, Reading
from lakeui.common.errors import InvalidValue

MOST = 1024 * 1024


def refusal(folder: Path, content: bytes, declared: str | None = None) -> InvalidValue:
    """What the whole way of a file that is sent answers."""
    file = folder / "file"
    file.write_bytes(content)
    with pytest.raises(InvalidValue) as refused:
        scanned(file, FileFormat.JSON if content[:1] in b"[{" else FileFormat.CSV, declared)
    return refused.value


def scanned(file: Path, kind: FileFormat, declared: str | None) -> None:
    with file_looked_into(file, declared=declared, most=MOST) as plain:
        file_scan(plain.path, kind, plain.reading)


@pytest.mark.parametrize(
    ("content", "line"),
    [
        (b"a,b\n1,x\x00y\n", 2),
        (b'a,b\n1,z\n2,"x\x00y"\n', 3),
        ("a,b\n1,é\n2,x\x00y\n".encode(), 3),
        ("a,b\n1,é\n2,x\x00y\n".encode("cp1252"), 3),
        (b'{"a": 1}\n{"a": "x\x00y"}\n', 2),
        ("a,b\n1,x\n".encode("utf-32-le"), 1),
    ],
)
@pytest.mark.parametrize("declared", [None, "windows-1252"])
def test_a_nul_is_named_with_its_line(tmp_path: Path, content: bytes, line: int, declared: str | None) -> None:
    error = refusal(tmp_path, content, declared)
    assert error.message == f"Line {line} holds the character NUL (the byte 0), which no text has."
    assert error.details["line"] == line
    assert "Take it out" in error.remedy


@pytest.mark.parametrize(
    ("content", "line", "name"),
    [
        (b'[{"a": 1, "a": 2}]', 1, "a"),
        (b'{"a": 1}\n{"b": 1, "a": 1, "a": 2}\n', 2, "a"),
        (b'{"s": {"x": 1, "x": 1}}\n', 1, "x"),
        (b'{"l": [{"x": 1}, {"x": 1, "x": 2}]}\n', 1, "x"),
        (b'{"t": "' + b"long " * 500_000 + b'"}\n\n{"a": "", "a": null}', 3, "a"),
    ],
)
def test_a_member_that_is_there_twice_is_named(tmp_path: Path, content: bytes, line: int, name: str) -> None:
    error = refusal(tmp_path, content)
    assert error.message == f"The object that begins on line {line} of the JSON has the member {name} twice."
    assert (error.details["line"], error.details["field"]) == (line, name)
    assert error.remedy == "Write each member of an object once."


@pytest.mark.parametrize(
    ("content", "where", "one", "other"),
    [
        (b'{"a": 1}\n{"a": "x"}\n', "a", "number", "string"),
        (b'{"s": {"x": 1}}\n{"s": {"x": true}}\n', "s.x", "number", "boolean"),
        (b'{"l": [{"x": 1}]}\n{"l": [{"x": "y"}]}\n', "l.element.x", "number", "string"),
    ],
)
def test_a_column_of_two_types_names_both(tmp_path: Path, content: bytes, where: str, one: str, other: str) -> None:
    error = refusal(tmp_path, content)
    assert error.message == f"Values of column {where} are of the types {one} and {other}."
    assert "quotes" in error.remedy


def test_fields_differing_only_in_case_are_refused_early(tmp_path: Path) -> None:
    assert "the fields a and A;" in refusal(tmp_path, b'{"s": {"a": 1, "A": "x"}}\n').message
    fields = pa.struct([("a", pa.int32()), ("A", pa.int32())])
    held = pa.table({"m": pa.array([[("k", {"a": 1, "A": 2})]], pa.map_(pa.string(), fields))})
    file = io.BytesIO()
    pq.write_table(held, file)
    (tmp_path / "file").write_bytes(file.getvalue())
    with pytest.raises(InvalidValue, match="Column m holds objects with the fields a and A;"):
        file_scan(tmp_path / "file", FileFormat.PARQUET, Reading())
