"""The rule tables against the seed's own tables, and the loader against broken ones."""

from __future__ import annotations

from pathlib import Path

import pytest

from catalog_app.rules.codes import CODE_TABLE, VerdictCode
from catalog_app.rules.loader import (
    CellVerdict,
    Origin,
    RuleTableError,
    load_rules,
    rules_as_json,
    table_from_toml,
)

SEED = Path(__file__).with_name("seed_branch_merging.md")
AXES = {
    "drop": "drop",
    "modifyName": "rename",
    "setProperties": "set properties",
    "unsetProperties": "unset properties",
    "alter name": "rename",
    "alter properties": "properties",
    "alter column": "column",
    "alter partition": "partition",
    "insert": "insert",
    "delete": "delete",
    "update": "update",
    "overwrite": "overwrite",
    "compaction": "compaction",
}


def _seed_tables() -> dict[str, list[tuple[str, str, str]]]:
    """(source, destination, text) of each cell of the seed's two tables."""
    tables: list[list[list[str]]] = []
    inside = False
    for line in SEED.read_text(encoding="utf-8").splitlines():
        if not line.startswith("|"):
            inside = False
            continue
        if not inside:
            tables.append([])
            inside = True
        tables[-1].append([part.strip() for part in line.strip().strip("|").split("|")])
    result = {}
    for name, (header, _, *rows) in zip(("database", "table"), tables, strict=True):
        result[name] = [
            (AXES[row[0]], AXES[column], text) for row in rows for column, text in zip(header[1:], row[1:], strict=True)
        ]
    return result


CELLS = [(name, *cell) for name, cells in _seed_tables().items() for cell in cells]


def test_the_seed_has_sixteen_and_a_hundred_cells() -> None:
    assert {name: len(cells) for name, cells in _seed_tables().items()} == {"database": 16, "table": 100}


@pytest.mark.parametrize(("table", "source", "destination", "text"), CELLS)
def test_each_cell_says_what_the_seed_says(table: str, source: str, destination: str, text: str) -> None:
    cell = load_rules().tables[table].cell(source, destination)
    if not text:
        assert cell.origin is Origin.EXTENSION
        return
    assert cell.origin is Origin.SEED
    if text.startswith("冲突"):
        assert cell.verdict is CellVerdict.CONFLICT
    elif text.startswith("不冲突"):
        assert cell.verdict is CellVerdict.OK
    else:
        assert cell.verdict is CellVerdict.CONDITIONAL
    if "见A" in text:
        assert cell.note == text[text.index("A") :]


EXTENSIONS = {
    ("properties", "properties"): CellVerdict.CONDITIONAL,
    ("partition", "partition"): CellVerdict.CONDITIONAL,
}


def test_blanks_of_seed_are_filled_by_the_semantics() -> None:
    cells = load_rules().tables["table"].cells
    filled = {key: cell.verdict for key, cell in cells.items() if cell.origin is Origin.EXTENSION}
    blank = {(source, destination) for table, source, destination, text in CELLS if table == "table" and not text}
    assert set(filled) == blank
    assert filled == {key: EXTENSIONS.get(key, CellVerdict.OK) for key in blank}


def test_missing_values_override_the_cells_of_semantics() -> None:
    cells = load_rules().tables["table"].cells
    marked = {key for key, cell in cells.items() if cell.note == "A6.2"}
    rows = ("insert", "update", "overwrite")
    assert marked == {("column", row) for row in rows} | {(row, "column") for row in rows}


ROWS = ("insert", "delete", "update")
SAME_KEY = {("insert", "insert"), ("update", "update"), ("update", "delete"), ("delete", "update")}


def test_keyed_table_differs_where_rows_meet_rows() -> None:
    plain, keyed = load_rules().tables["table"].cells, load_rules().tables["keyed"].cells
    assert {key for key in keyed if keyed[key] != plain[key]} == {
        (of_source, of_target) for of_source in ROWS for of_target in ROWS
    }
    conditional = {key for key, cell in keyed.items() if cell.condition == "rows of one key"}
    assert conditional == SAME_KEY
    assert {keyed[key].verdict for key in SAME_KEY} == {CellVerdict.CONDITIONAL}
    assert {keyed[key].code for key in SAME_KEY} == {VerdictCode.PRIMARY_KEY_CLASH}


def test_table_that_extends_unknown_one_is_refused() -> None:
    with pytest.raises(RuleTableError, match="extends"):
        table_from_toml('name = "x"\ntitle = "X"\nextends = "nothing"\ncell = []')


def test_a_dropped_object_is_always_the_same_conflict() -> None:
    for table in load_rules().tables.values():
        for axis in table.axes:
            cell = table.cell(axis.key, "drop")
            expected = "" if axis.key == "drop" else VerdictCode.OBJECT_DROPPED_ON_DEST
            assert cell.code == expected


def test_api_rules_hold_every_cell_axis_and_code() -> None:
    answer = rules_as_json()
    assert answer["digest"] == load_rules().digest
    assert [(table["name"], len(table["cells"])) for table in answer["tables"]] == [
        ("database", 16),
        ("table", 100),
        ("keyed", 100),
    ]
    assert {entry["code"] for entry in answer["codes"]} == {code.value for code in VerdictCode}
    assert all(entry["title"] and entry["remedy"] for entry in answer["codes"])
    assert sum(entry["kind"] == "note" for entry in answer["codes"]) == 11


def test_every_code_of_a_cell_is_a_conflict() -> None:
    for table in load_rules().tables.values():
        for cell in table.cells.values():
            assert not cell.code or CODE_TABLE[VerdictCode(cell.code)].is_conflict


AXIS = '[[axis]]\nkey = "a"\nlabel = "A"\npast = "did a"\n'
CELL = '[[cell]]\nsource = "a"\ndestination = "a"\nverdict = "{verdict}"\norigin = "seed"\nsentence = "s"\n{more}\n'


def _table(*cells: str) -> str:
    return "\n".join(['name = "t"', 'title = "T"', AXIS, *cells])


def _cell(verdict: str = "ok", more: str = "") -> str:
    return CELL.format(verdict=verdict, more=more)


def test_a_whole_table_loads() -> None:
    assert table_from_toml(_table(_cell())).cell("a", "a").verdict is CellVerdict.OK


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        (_table(_cell(), _cell()), "two cells"),
        (_table(_cell().replace('destination = "a"', 'destination = "b"')), "differ by"),
        (_table(_cell("conflict")), "has a code"),
        (_table(_cell("ok", 'code = "NAME_EXISTS"')), "has a code"),
        (_table(_cell("conflict", 'code = "NO_SUCH"')), "not the code of a conflict"),
        (_table(_cell("conflict", 'code = "DISCARDED_UPDATE"')), "not the code of a conflict"),
        (_table(_cell("conditional", 'code = "NAME_EXISTS"')), "needs a condition"),
        (_table(_cell("conditional", 'code = "NAME_EXISTS"\ncondition = "moon"')), "unknown condition"),
        (_table(_cell().replace('sentence = "s"', 'sentence = ""')), "explains itself"),
    ],
)
def test_a_table_that_is_not_whole_is_refused(text: str, complaint: str) -> None:
    with pytest.raises(RuleTableError, match=complaint):
        table_from_toml(text)
