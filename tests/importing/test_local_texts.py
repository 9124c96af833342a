"""Numbers and days in a form that a person chose: other forms are no values, and texts stay texts."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from catalog_app.importing.local_texts import DateOrder, LocalTexts, NumberFormat, sample_plain
from catalog_app.importing.scanning import file_convert, file_scan
from catalog_app.importing.spec import ColumnChoice, FileFormat, Misfit, Reading
from lakeui.common.errors import InvalidValue

COMMA = LocalTexts(numbers=NumberFormat.POINT_COMMA)
DAYS = LocalTexts(dates=DateOrder.DAY_FIRST)
FILE = (
    "id;betrag;tag;zeit;plz;notiz\n"
    "1;1.234,50;31.12.2025;1.2.2024 09:30;01099;1.234,50\n"
    "2;-7;1/2/2024;31.12.2025 14:30:05;80331;31.12.2025\n"
    "3;;;;;\n"
)
GERMAN = Reading(numbers=NumberFormat.POINT_COMMA, dates=DateOrder.DAY_FIRST)


def plain(local: LocalTexts, kind: str, *texts: str) -> list[str | None]:
    found: list[str | None] = local.plain(pa.array(texts, pa.string()), kind).to_pylist()
    return found


def written(folder: Path, text: str) -> Path:
    path = folder / "file.csv"
    path.write_text(text)
    return path


@pytest.mark.parametrize(
    ("numbers", "texts", "expected"),
    [
        ("1.234,5", ["1.234,50", "1234,5", "-1.000.000"], ["1234.50", "1234.5", "-1000000"]),
        ("1.234,5", ["+7", " 3,5 ", "1,5E3", "NaN"], ["+7", "3.5", "1.5E3", "NaN"]),
        ("1,234.5", ["1,234.50", "1234.5", "1,000,000"], ["1234.50", "1234.5", "1000000"]),
        ("1 234,5", ["1 234,5", "1\u00a0234\u202f567", "12"], ["1234.5", "1234567", "12"]),
        ("1'234.5", ["1'234.5", "1\u2019234", "12"], ["1234.5", "1234", "12"]),
    ],
)
def test_a_number_is_read_in_its_form(numbers: str, texts: list[str], expected: list[str]) -> None:
    assert plain(LocalTexts(NumberFormat(numbers)), "decimal(18,2)", *texts) == expected


@pytest.mark.parametrize("text", ["1.5", "12.34,5", "1.2345", "1,5,5", "1,234.5", "1,", ",5", "1 234", "", "x", "0x1F"])
def test_a_number_of_another_form_is_none(text: str) -> None:
    assert plain(COMMA, "double", text) == [None]


@pytest.mark.parametrize(
    ("dates", "texts", "expected"),
    [
        ("d.m.y", ["31.12.2025", "1/2/2024", "01-02-2024"], ["2025-12-31", "2024-02-01", "2024-02-01"]),
        ("m/d/y", ["12/31/2025", "1.2.2024"], ["2025-12-31", "2024-01-02"]),
        ("y-m-d", ["2025/1/31", "2025-01-31", "2025.1.3"], ["2025-01-31", "2025-01-31", "2025-01-03"]),
        ("d.m.y", ["1.2.2024 09:30", "1.2.2024T09:30:05.25Z"], ["2024-02-01 09:30", "2024-02-01T09:30:05.25Z"]),
        ("d.m.y", ["2025-12-31", "1.2.25", "1.2/2025", "1.2.2024 9:30", "31.12.2025x"], [None] * 5),
    ],
)
def test_a_day_is_read_in_its_order(dates: str, texts: list[str], expected: list[str | None]) -> None:
    assert plain(LocalTexts(dates=DateOrder(dates)), "timestamp_ntz", *texts) == expected


def test_what_is_not_chosen_stays_as_it_is() -> None:
    texts = pa.array(["1.234,50", "31.12.2025", " x "], pa.string())
    for local, kind in ((LocalTexts(), "double"), (COMMA, "string"), (COMMA, "date"), (DAYS, "int"), (DAYS, "string")):
        assert local.plain(texts, kind) is texts


def test_types_are_found_in_the_chosen_form(tmp_path: Path) -> None:
    path = written(tmp_path, FILE)
    before = {column.source: column.inferred for column in file_scan(path, FileFormat.CSV, Reading()).columns}
    assert before == {**dict.fromkeys(before, "string"), "id": "bigint", "plz": "string"}
    scan = file_scan(path, FileFormat.CSV, GERMAN)
    assert {column.source: column.inferred for column in scan.columns} == {
        "id": "bigint",
        "betrag": "decimal(6,2)",
        "tag": "date",
        "zeit": "timestamp_ntz",
        "plz": "string",
        "notiz": "string",
    }
    types = [choice.type for choice in scan.reading.columns]
    assert sample_plain(scan.sample, types, scan.reading.local)[:2] == [
        ["1", "1234.50", "2025-12-31", "2024-02-01 09:30", "01099", "1.234,50"],
        ["2", "-7", "2024-02-01", "2025-12-31 14:30:05", "80331", "31.12.2025"],
    ]
    assert sample_plain(scan.sample, types, LocalTexts()) == scan.sample


def test_the_first_misfit_keeps_its_own_text(tmp_path: Path) -> None:
    path = written(tmp_path, "n;d\n1,5;31.12.2025\n1.5;31.02.2025\n")
    amount, day = file_scan(path, FileFormat.CSV, GERMAN).columns
    assert (amount.inferred, amount.misfits["double"]) == ("string", Misfit(2, "1.5"))
    assert (day.inferred, day.misfits["date"]) == ("string", Misfit(2, "31.02.2025"))


def test_a_load_writes_the_plain_value(tmp_path: Path) -> None:
    columns = (
        ColumnChoice("betrag", "betrag", "decimal(6,2)"),
        ColumnChoice("tag", "tag", "date"),
        ColumnChoice("notiz", "notiz", "string"),
    )
    reading = replace(GERMAN, delimiter=";", header=True, columns=columns)
    file_convert(written(tmp_path, FILE), FileFormat.CSV, reading, tmp_path / "rows.parquet")
    assert pq.read_table(tmp_path / "rows.parquet").to_pydict() == {
        "c0": ["1234.50", "-7", None],
        "c1": ["2025-12-31", "2024-02-01", None],
        "c2": ["1.234,50", "31.12.2025", None],
    }


@pytest.mark.parametrize(
    ("value", "kind", "words"),
    [
        ("1.5", "double", "Row 2: 1.5 of column c is no number written as 1.234,5."),
        ("31.02.2025", "date", "Row 2: 31.02.2025 of column c is no day written as d.m.y."),
        ("2025-12-31", "timestamp", "Row 2: 2025-12-31 of column c is no day written as d.m.y."),
        ("1.234,567", "decimal(9,2)", "Row 2: 1234.567 of column c would lose digits as decimal(9,2)."),
    ],
)
def test_a_load_refuses_another_form_by_row(tmp_path: Path, value: str, kind: str, words: str) -> None:
    path = written(tmp_path, f"c;x\n;\n{value};\n")
    reading = replace(GERMAN, delimiter=";", header=True, columns=(ColumnChoice("c", "c", kind),))
    with pytest.raises(InvalidValue) as refused:
        file_convert(path, FileFormat.CSV, reading, tmp_path / "rows.parquet")
    assert refused.value.message == words
    assert (refused.value.details["row"], refused.value.details["column"]) == (2, "c")


def test_a_reading_survives_as_json() -> None:
    assert Reading.from_json(GERMAN.as_json()) == GERMAN
    old = Reading().as_json()
    del old["numbers"], old["dates"]
    assert Reading.from_json(old) == Reading()
