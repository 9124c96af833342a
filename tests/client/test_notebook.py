"""%lake and %%lake in a real IPython, against a real server."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas
import pyarrow
import pytest
from IPython.core.error import UsageError
from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import capture_output
from traitlets.config import Config

from lakeui_client import Catalog
from lakeui_client.cli.settings import settings_keep
from tests.client.conftest import protect


@pytest.fixture
def shell(catalog: Catalog, kept: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[InteractiveShell]:
    """A notebook of the catalog's owner, who is on main."""
    monkeypatch.setenv("IPYTHONDIR", str(kept.parent))
    settings_keep(url=catalog.http.url, token=catalog.http._token, catalog=catalog.name, branch="main")
    config = Config()
    config.HistoryManager.enabled = False
    made = InteractiveShell.instance(config=config)
    made.run_line_magic("load_ext", "lakeui_client")
    yield made
    InteractiveShell.clear_instance()


def cell(shell: InteractiveShell, text: str) -> tuple[Any, Any]:
    """The value of a cell and what it showed."""
    with capture_output() as shown:
        done = shell.run_cell(text)
    if done.error_in_exec:
        raise done.error_in_exec
    return done.result, shown


def refused(shell: InteractiveShell, text: str) -> tuple[str, Any]:
    """Why a cell ended, and what it showed."""
    with capture_output() as shown:
        done = shell.run_cell(text)
    assert isinstance(done.error_in_exec, UsageError), done
    assert "Traceback" not in shown.stdout + shown.stderr
    return str(done.error_in_exec), shown


def test_a_query_is_data_frame_and_arrow_table(shell: InteractiveShell) -> None:
    found, _ = cell(shell, "%%lake\nSELECT id, name FROM d.t ORDER BY id")
    assert isinstance(found, pandas.DataFrame)
    assert found.to_dict("list") == {"id": [1, 2], "name": ["a", "b"]}
    cell(shell, "%%lake -o kept --form arrow -d d\nSELECT id FROM t ORDER BY id")
    assert isinstance(shell.user_ns["kept"], pyarrow.Table)
    assert shell.user_ns["kept"].to_pydict() == {"id": [1, 2]}


def test_notebook_variables_are_values_and_never_text(shell: InteractiveShell) -> None:
    cell(shell, 'name = "it\'s; DROP"\nbound = 1')
    written, _ = cell(shell, "%%lake -p name -p bound\nUPDATE d.t SET name = :name WHERE id = :bound")
    assert "rows updated 1" in repr(written)
    found, _ = cell(shell, "%%lake -p name\nSELECT id FROM d.t WHERE name = :name")
    assert found["id"].tolist() == [1]
    said, _ = refused(shell, "%%lake -p none\nSELECT :none")
    assert "no variable none" in said


def test_long_whole_numbers_beside_null_are_whole(shell: InteractiveShell) -> None:
    found = shell.run_cell_magic("lake", "", "SELECT * FROM VALUES (9007199254740993), (NULL) AS t(v)")
    assert list(found["v"]) == [9007199254740993, None]


def test_surplus_rows_are_reported_and_not_kept(shell: InteractiveShell) -> None:
    found, shown = cell(shell, "%%lake --rows 1\nSELECT id FROM d.t ORDER BY id")
    assert (found["id"].tolist(), shown.stdout.partition(".")[0]) == ([1], "1 of 2 rows")
    found, shown = cell(shell, "%%lake --rows 0\nSELECT id FROM d.t ORDER BY id")
    assert (found["id"].tolist(), " rows." in shown.stdout) == ([1, 2], False)


def test_a_refused_merge_shows_conflicts_as_a_table(catalog: Catalog, shell: InteractiveShell) -> None:
    catalog.branch("fix", from_="main")
    cell(shell, "%%lake -b fix\nUPDATE d.t SET name = '<b>x</b>' WHERE id = 1")
    cell(shell, "%%lake\nUPDATE d.t SET name = 'y' WHERE id = 1")
    said, shown = refused(shell, "%lake merge fix")
    assert said.startswith("MERGE_CONFLICT")
    (output,) = shown.outputs
    assert "d.t" in output.data["text/plain"]
    assert "<th>ways out</th>" in output.data["text/html"]
    assert "source" in output.data["text/html"]
    with capture_output():
        done = shell.run_cell("%lake merge fix\nafter = 1")
    assert (done.success, "after" in shell.user_ns) == (False, False)
    _, shown = cell(shell, '%lake merge fix --resolve "TABLE d.t ROWS TAKE SOURCE"')
    assert shown.stdout.startswith("Merged fix into main")
    found, _ = cell(shell, "%%lake\nSELECT name FROM d.t WHERE id = 1")
    assert found["name"].tolist() == ["<b>x</b>"]


def test_a_table_shows_text_and_no_markup() -> None:
    from lakeui_client.notebook import Shown

    drawn = Shown("<i>", ("<a>",), (("<script>",), (None,)))._repr_html_()
    assert drawn.count("&lt;") == 3
    assert "NULL" in drawn


def test_commands_scripts_and_dry_runs(catalog: Catalog, shell: InteractiveShell) -> None:
    _, shown = cell(shell, "%lake switch -c feature")
    assert shown.stdout.startswith("On branch feature")
    answers, _ = cell(shell, "%%lake --script\nINSERT INTO d.t VALUES (3, 'c');\nSELECT count(*) FROM d.t")
    assert [answer.rows for answer in answers] == [(), ((3,),)]
    rehearsed, _ = cell(shell, "%%lake --dry-run\nDELETE FROM d.t WHERE id = 3")
    assert "rows deleted 1" in repr(rehearsed)
    _, shown = cell(shell, "%lake diff")
    assert "d.t" in shown.stdout
    protect(catalog)
    said, _ = refused(shell, "%lake merge feature --into main")
    assert "merge request" in said


def test_what_is_wrong_is_named_without_a_traceback(shell: InteractiveShell) -> None:
    said, _ = refused(shell, "%%lake\nSELEC 1")
    assert said.startswith("SYNTAX_ERROR")
    assert "holds no statement" in refused(shell, "%%lake\n ")[0]
    assert "Close the quote" in refused(shell, "%lake sql 'x")[0]
    assert "--form" in refused(shell, "%%lake --form excel\nSELECT 1")[0]
    assert "is not a command" in refused(shell, "%lake marge fix")[0]
    assert "needs a terminal" in refused(shell, "%lake login")[0]
