"""Scripts are parted where a statement ends, and nowhere else."""

from __future__ import annotations

from typing import Any

import pytest

from lakeui.common.errors import InvalidValue, LakeError, SyntaxProblem
from lakeui.frontdoor.entries.scripts import script_read
from lakeui.sql.parameters import NO_PARAMETERS, parameters_read
from lakeui.sql.scripts import MOST_STATEMENTS, script_split


@pytest.mark.parametrize(
    ("text", "statements"),
    [
        ("SELECT 1", [(1, "SELECT 1")]),
        ("SELECT 1;", [(1, "SELECT 1")]),
        (";;SELECT 1;\n;SELECT 2;;", [(1, "SELECT 1"), (2, "SELECT 2")]),
        ("SELECT ';' AS a;\nSELECT \"x;y\"", [(1, "SELECT ';' AS a"), (2, 'SELECT "x;y"')]),
        ("SELECT 'it\\';s';SELECT 'a'';b'", [(1, "SELECT 'it\\';s'"), (1, "SELECT 'a'';b'")]),
        ("SELECT r'\\';SELECT 2", [(1, "SELECT r'\\'"), (1, "SELECT 2")]),
        ("SELECT `a;b`\nFROM t;\n\n  SELECT 2", [(1, "SELECT `a;b`\nFROM t"), (4, "SELECT 2")]),
        ("-- one; two\nSELECT 1 -- a;\n, 2;SELECT 3", [(2, "SELECT 1 -- a;\n, 2"), (3, "SELECT 3")]),
        ("SELECT 1 /* ; /* ; */ ; */ + 1; SELECT 2", [(1, "SELECT 1 /* ; /* ; */ ; */ + 1"), (1, "SELECT 2")]),
    ],
)
def test_a_script_is_parted_between_its_statements(text: str, statements: list[tuple[int, str]]) -> None:
    parts = script_split(text)
    assert [(part.line, part.text) for part in parts] == statements
    assert [part.number for part in parts] == list(range(1, len(parts) + 1))


@pytest.mark.parametrize("text", ["", " ; ;\n", "-- nothing\n", "SELECT 'a; SELECT 2", "SELECT 1 /* ; SELECT 2"])
def test_script_without_statement_or_end_is_refused(text: str) -> None:
    with pytest.raises(SyntaxProblem):
        script_split(text)


def test_a_script_has_so_many_statements_at_most() -> None:
    assert len(script_split("SELECT 1;" * MOST_STATEMENTS)) == MOST_STATEMENTS
    with pytest.raises(InvalidValue, match=f"at most {MOST_STATEMENTS}"):
        script_split("SELECT 1;" * (MOST_STATEMENTS + 1))


def test_faults_name_statement_and_line() -> None:
    with pytest.raises(SyntaxProblem, match=r"^Statement 2 .*line 3.*line 4, column 3") as refused:
        script_read("SELECT 1;\n\nDROP TABLE\n  );", NO_PARAMETERS)
    assert refused.value.details["script"] == {"number": 2, "line": 3}
    assert (refused.value.details["line"], refused.value.details["column"]) == (4, 3)


def test_each_statement_gets_the_values_of_its_markers() -> None:
    values = parameters_read({"a": 1, "b": "x:a"})
    script = script_read("SELECT :a; SELECT ':a', :b; SELECT 1; SELECT :a + :a", values)
    assert [sorted(step.parameters.named) for step in script.steps] == [["a"], ["b"], [], ["a"]]


def test_a_path_into_a_variant_is_no_marker() -> None:
    names = [part.names for part in script_split("SELECT v:a; SELECT (v):a, `v`:a[0]:a; SELECT 1 WHERE:a; SELECT v=:a")]
    assert names == [frozenset(), frozenset(), {"a"}, {"a"}]


@pytest.mark.parametrize(
    ("text", "parameters", "said"),
    [
        ("SELECT :a; SELECT 1", {"a": 1, "aa": 2}, "marker :aa"),
        ("SELECT 1; SELECT :b", {}, "Statement 2 "),
        ("SELECT ?; SELECT ?", [1, 2], "Markers \\?"),
    ],
)
def test_unmatched_values_and_places_are_refused(text: str, parameters: Any, said: str) -> None:
    with pytest.raises(InvalidValue, match=said):
        script_read(text, parameters_read(parameters))


@pytest.mark.parametrize(
    ("text", "one_transaction", "said"),
    [
        ("BEGIN; SELECT 1", False, "Statement 1 .*does not end"),
        ("BEGIN; BEGIN; COMMIT", False, "Statement 2 .*open already"),
        ("SELECT 1; COMMIT", False, "Statement 2 .*No transaction"),
        ("SELECT 1; BEGIN", True, "Statement 2 .*open already"),
        ("SELECT 1; COMMIT; SELECT 2", True, "Statement 2 .*No transaction"),
        ("SELECT 1; ROLLBACK", True, "Statement 2 .*No transaction"),
        ("BEGIN; CREATE BRANCH b; COMMIT", False, "Statement 2 .*part of a transaction"),
        ("SELECT 1; USE BRANCH b", True, "Statement 2 .*part of a transaction"),
        ("BEGIN SELECT 1; END", False, "Statement 1 "),
        ("SELECT 1; SET x = 1", False, "Statement 2 .*SET could reach the host"),
    ],
)
def test_misplaced_statement_is_refused_before_anything_runs(text: str, one_transaction: bool, said: str) -> None:
    with pytest.raises(LakeError, match=said):
        script_read(text, NO_PARAMETERS, one_transaction=one_transaction)


def test_a_dry_run_is_that_of_one_transaction() -> None:
    with pytest.raises(InvalidValue, match="no dry run"):
        script_read("SELECT 1", NO_PARAMETERS, dry_run=True)
    script = script_read("SELECT 1", NO_PARAMETERS, one_transaction=True, dry_run=True)
    assert [step.text for step in script.steps] == ["BEGIN", "SELECT 1", "ROLLBACK"]
