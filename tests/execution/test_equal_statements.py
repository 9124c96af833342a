"""Two equal statements at once: the later one meets what the earlier did, as if it had come after it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from catalog_app.services import catalogs
from lakeui.common.errors import LakeError
from lakeui.frontdoor.queries import views
from lakeui.frontdoor.rows import committing
from tests.stories.conftest import database, lake, memory_engine, stored
from tests.support.lake import Lake

__all__ = ["database", "lake", "memory_engine", "stored"]

VIEW = "CREATE VIEW d.v AS SELECT * FROM d.t"
AT_COMMIT = (committing, "statement_commit")
AT_VIEW = (views, "view_commit")


@pytest.fixture
def lake_with_columns(lake: Lake) -> Lake:
    lake.sql("CREATE TABLE d.p (id INT, n INT, day STRING) PARTITIONED BY (day)")
    lake.sql("ALTER TABLE d.p ADD PARTITION (day = 'old')")
    lake.sql("CREATE BRANCH c")
    lake.sql("CREATE TAG g")
    return lake


def beside(
    lake: Lake, monkeypatch: pytest.MonkeyPatch, place: tuple[Any, str], earlier: str, later: str
) -> LakeError | None:
    """``earlier`` happens when ``later`` is about to commit; the refusal of ``later``."""
    original: Callable[..., Any] = getattr(*place)
    waiting = [earlier]

    def overtaken(*args: Any, **kwargs: Any) -> Any:
        while waiting:
            lake.sql(waiting.pop())
        return original(*args, **kwargs)

    monkeypatch.setattr(*place, overtaken)
    try:
        lake.sql(later)
    except LakeError as refusal:
        return refusal
    finally:
        assert not waiting
    return None


@pytest.mark.parametrize(
    ("place", "statement", "code"),
    [
        (AT_COMMIT, "ALTER TABLE d.p ADD COLUMN z INT", "ALREADY_EXISTS"),
        (AT_COMMIT, "ALTER TABLE d.p RENAME COLUMN n TO m", "NOT_FOUND"),
        (AT_COMMIT, "ALTER TABLE d.p DROP COLUMN n", "NOT_FOUND"),
        (AT_COMMIT, "ALTER TABLE d.p ADD PARTITION (day = 'new')", "ALREADY_EXISTS"),
        (AT_COMMIT, "ALTER TABLE d.p RENAME TO d.q", "NOT_FOUND"),
        (AT_COMMIT, "DROP TABLE d.p", "NOT_FOUND"),
        (AT_COMMIT, "CREATE TABLE d.new (id INT)", "MERGE_CONFLICT"),
        (AT_COMMIT, "ALTER DATABASE d RENAME TO e", "NOT_FOUND"),
        (AT_COMMIT, "DROP DATABASE d CASCADE", "NOT_FOUND"),
        (AT_VIEW, VIEW, "ALREADY_EXISTS"),
        ((catalogs, "branch_drop"), "DROP BRANCH c", "NOT_FOUND"),
        ((catalogs, "branch_rename"), "ALTER BRANCH c RENAME TO e", "NOT_FOUND"),
    ],
)
def test_the_later_one_is_refused(
    lake_with_columns: Lake, monkeypatch: pytest.MonkeyPatch, place: tuple[Any, str], statement: str, code: str
) -> None:
    refusal = beside(lake_with_columns, monkeypatch, place, statement, statement)
    assert refusal is not None
    assert refusal.code == code


@pytest.mark.parametrize(
    ("place", "statement"),
    [
        (AT_COMMIT, "ALTER TABLE d.p ADD IF NOT EXISTS PARTITION (day = 'new')"),
        (AT_COMMIT, "ALTER TABLE d.p SET TBLPROPERTIES ('a' = 'b')"),
        (AT_COMMIT, "DROP TABLE IF EXISTS d.p"),
        (AT_VIEW, VIEW.replace("CREATE", "CREATE OR REPLACE")),
        ((catalogs, "branch_drop"), "DROP BRANCH IF EXISTS c"),
    ],
)
def test_one_that_says_so_does_nothing(
    lake_with_columns: Lake, monkeypatch: pytest.MonkeyPatch, place: tuple[Any, str], statement: str
) -> None:
    assert beside(lake_with_columns, monkeypatch, place, statement, statement) is None


def test_other_changes_of_one_table_both_land(lake: Lake, monkeypatch: pytest.MonkeyPatch) -> None:
    earlier, later = "ALTER TABLE d.t ADD COLUMN x INT", "ALTER TABLE d.t ADD COLUMN y INT"
    assert beside(lake, monkeypatch, AT_COMMIT, earlier, later) is None
    assert [row[0] for row in lake.sql("DESCRIBE d.t").rows][:4] == ["id", "v", "x", "y"]


def test_a_view_cannot_take_a_tables_name(lake: Lake, monkeypatch: pytest.MonkeyPatch) -> None:
    refusal = beside(lake, monkeypatch, AT_VIEW, "CREATE TABLE d.v (id INT)", VIEW)
    assert refusal is not None
    assert refusal.code == "ALREADY_EXISTS"


def test_a_table_cannot_take_a_views_name(lake: Lake, monkeypatch: pytest.MonkeyPatch) -> None:
    refusal = beside(lake, monkeypatch, AT_COMMIT, VIEW, "CREATE TABLE d.v (id INT)")
    assert refusal is not None
    assert refusal.code == "ALREADY_EXISTS"
