"""Results as files over HTTP. tests/on_spark has what is in them."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest

from lakeui import frontdoor
from lakeui.api.http import downloads
from lakeui.common.errors import InvalidValue
from merge_app.jobs.context import Context
from tests.api.conftest import Caller
from tests.api.sql.test_statements import problem

CSV, PARQUET = "text/csv", "application/vnd.apache.parquet"


class FakeExport:
    """Writes a line about what it was asked for."""

    def __init__(self) -> None:
        self.paths: list[Path] = []
        self.error: Exception | None = None

    def __call__(self, text: str, session: Any, target: Any, _context: Any) -> frontdoor.StatementResult:
        self.paths.append(target.path)
        target.path.write_text(f"{target.format} {target.most_rows} {target.escape_formulas}\n" * 100_000)
        if self.error is not None:
            raise self.error
        return frontdoor.StatementResult(row_count=3, version=7 if session.catalog else None)


@pytest.fixture
def export(monkeypatch: pytest.MonkeyPatch) -> FakeExport:
    fake = FakeExport()
    monkeypatch.setattr(frontdoor, "export", fake)
    monkeypatch.setattr(downloads, "query_of", lambda *_: nullcontext(Context()))
    return fake


def ask(caller: Caller, accept: str, **body: Any) -> Any:
    wanted = {"catalog": "demo", "branch": "feature/x", "statement": "SELECT 1", **body}
    return caller.post("/api/v1/sql/", wanted, Accept=accept)


@pytest.mark.parametrize(("accept", "suffix"), [(CSV, "csv"), (PARQUET, "parquet")])
def test_accept_chooses_the_file(alice: Caller, export: FakeExport, accept: str, suffix: str) -> None:
    response = ask(alice, accept)
    assert (response.status_code, response["Content-Type"]) == (200, accept)
    assert response["Content-Disposition"] == f'attachment; filename="demo-feature-x-v7.{suffix}"'
    assert response["Lakeui-Rows"] == "3"
    assert b"".join(response.streaming_content) == f"{suffix} 1000000 False\n".encode() * 100_000
    response.close()
    assert not export.paths[0].exists()


def test_a_result_without_catalog_has_a_name(alice: Caller, export: FakeExport) -> None:
    response = ask(alice, CSV, catalog=None)
    assert response["Content-Disposition"] == 'attachment; filename="result.csv"'
    response.close()


def test_guarding_against_formulas_is_asked_for(alice: Caller, export: FakeExport) -> None:
    response = ask(alice, CSV, escape_formulas=True)
    assert next(iter(response.streaming_content)).startswith(b"csv 1000000 True")
    response.close()


def test_a_failure_is_a_problem_without_a_file(alice: Caller, export: FakeExport) -> None:
    export.error = InvalidValue("no such column")
    problem(ask(alice, CSV), 400, "INVALID_VALUE")
    assert not export.paths[0].exists()


@pytest.mark.parametrize("statement", ["INSERT INTO d.t VALUES (1)", "SHOW TABLES", "DROP TABLE d.t"])
def test_only_a_select_can_be_downloaded(alice: Caller, statement: str) -> None:
    assert (
        "Only the result of a SELECT" in problem(ask(alice, CSV, statement=statement), 400, "INVALID_VALUE")["detail"]
    )


def test_json_stays_what_is_answered_without_a_wish(alice: Caller, door: Any, export: FakeExport) -> None:
    for accept in ("*/*", "application/json"):
        assert ask(alice, accept).json()["rows"]
    problem(ask(alice, "image/png"), 406, "NOT_ACCEPTABLE")
    assert export.paths == []
