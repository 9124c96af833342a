"""Statements with parameters: the same as with constants, whatever the values hold."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from catalog_app.engine.exporting import ExportFormat, ExportTarget
from lakeui.common.errors import InvalidValue, LakeError
from lakeui.frontdoor import Session, StatementResult, execute, export
from lakeui.sql.parameters import parameters_read
from tests.in_memory.conftest import Begun
from tests.support.lake import Lake

EVIL = (
    "'; DROP TABLE d.t --",
    "x' OR '1' = '1",
    "\\",
    "\\' OR 1 = 1 --",
    "`d`.`t`",
    "__lake_0 {__lake_0} {{",
    "line\nbreak\ttab",
    "?, :x",
    "",
    "日本",
)


def made_fill(lake: Lake) -> None:
    lake.sql("CREATE TABLE d.t (id INT, v STRING)")
    lake.sql("INSERT INTO d.t VALUES (1, 'a'), (2, 'b')")
    lake.sql("INSERT INTO d.t VALUES (10, 'j')")


@pytest.fixture
def made(begun: Begun) -> Lake:
    return begun(made_fill)


def run(lake: Lake, text: str, parameters: Any, **session: Any) -> StatementResult:
    return execute(text, Session(lake.catalog, parameters=parameters_read(parameters), **session))


@pytest.mark.parametrize("text", EVIL)
def test_a_text_is_a_value_in_every_statement(made: Lake, text: str) -> None:
    run(made, "INSERT INTO d.t VALUES (?, ?)", [3, text])
    assert run(made, "SELECT id, v FROM d.t WHERE v = :v", {"v": text}).rows == [[3, text]]
    run(made, "INSERT INTO d.t SELECT 4, ?", [text])
    run(made, "UPDATE d.t SET v = ? WHERE v = ? AND id = ?", [text + "!", text, 4])
    run(made, "UPDATE d.t SET v = ? WHERE id IN (SELECT id FROM d.t WHERE v = ?)", [text, "a"])
    assert made.rows("d.t") == sorted([(1, text), (2, "b"), (3, text), (4, text + "!"), (10, "j")], key=repr)
    run(
        made,
        "MERGE INTO d.t USING (SELECT 2 AS id, ? AS v) s ON t.id = s.id AND t.v <> ? WHEN MATCHED AND s.v = ? THEN "
        "UPDATE SET v = ? WHEN NOT MATCHED THEN INSERT (id, v) VALUES (s.id, ?)",
        [text, "none", text, "<" + text, "new"],
    )
    run(made, "INSERT INTO d.t REPLACE WHERE v = ? SELECT 5, ?", [text, text])
    run(made, "DELETE FROM d.t WHERE v = :v", {"v": text})
    assert made.rows("d.t") == sorted([(2, "<" + text), (4, text + "!"), (10, "j")], key=repr)
    run(made, "CREATE OR REPLACE TABLE d.t AS SELECT ? AS v", [text])
    assert made.rows("d.t") == [(text,)]


def test_values_have_their_types(lake: Lake) -> None:
    found = run(
        lake,
        "SELECT ? AS a, ? AS b, ? AS c, ? AS d",
        [7, {"value": "12.50", "type": "DECIMAL(9,2)"}, True, {"value": "2026-01-31", "type": "DATE"}],
    )
    assert [kind for _, kind in found.columns] == ["int", "decimal(9,2)", "boolean", "date"]
    assert [str(value) for value in found.rows[0]] == ["7", "12.50", "True", "2026-01-31"]


def test_value_leaves_out_files_as_constant_does(made: Lake) -> None:
    bound = run(made, "DELETE FROM d.t WHERE id > ?", [5], dry_run=True).metrics
    assert (bound["files_scanned"], bound["files_skipped"], bound["rows_deleted"]) == (1, 1, 1)
    assert bound == made.sql("DELETE FROM d.t WHERE id > 5 DRY RUN").metrics


def test_what_is_missing_is_refused_before_anything_happens(made: Lake) -> None:
    head = made.head()
    for text, parameters in (("DELETE FROM d.t WHERE id = :i", {"id": 1}), ("DELETE FROM d.t", {"id": 1})):
        with pytest.raises(InvalidValue) as caught:
            run(made, text, parameters)
        assert caught.value.details["field"] == "parameters"
    assert made.head() == head


def test_histories_show_markers_that_never_rerun(made: Lake) -> None:
    made.sql("CREATE BRANCH b")
    run(made, "UPDATE d.t SET v = :v WHERE id = 1", {"v": "secret"}, branch="b")
    made.sql("INSERT INTO d.t VALUES (11, 'k')")
    assert "secret" not in str(made.sql("DESCRIBE HISTORY d.t", "b").rows[0])
    assert ":v" in str(made.sql("DESCRIBE HISTORY d.t", "b").rows[0])
    assert made.codes("b") == {"PREDICATE_DML_VS_INSERT"}
    with pytest.raises(LakeError) as caught:
        made.sql("MERGE BRANCH b TO main RESOLVE (TABLE d.t RUN AGAIN)")
    assert ":v" in caught.value.message


class Exporting:
    """The part of an engine that a download asks."""

    def __init__(self) -> None:
        self.texts: list[str] = []

    def export(self, text: str, *_: Any) -> int:
        self.texts.append(text)
        return 1


def test_a_download_has_the_values_of_its_markers(lake: Lake, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    engine = Exporting()
    monkeypatch.setattr("lakeui.frontdoor.entries.exports.engine", lambda: engine)
    session = Session(lake.catalog, parameters=parameters_read(["it's", 2]))
    export("SELECT ? AS a WHERE 2 = ?", session, ExportTarget(tmp_path / "x", ExportFormat.CSV, most_rows=10))
    (text,) = engine.texts
    assert ("'it\\'s'" in text, "?" in text) == (True, False)
