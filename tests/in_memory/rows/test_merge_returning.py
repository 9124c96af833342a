"""USING (columns) and RETURNING of MERGE INTO."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User

from catalog_app.domain.roles import Role
from lakeui.common.errors import InvalidValue, PermissionDenied
from lakeui.frontdoor import Session, execute
from lakeui.frontdoor.rows import returned_rows
from tests.in_memory.conftest import Begun
from tests.in_memory.rows.test_dry_runs import everything, filled_fill
from tests.support.lake import Lake
from tests.support.members import join

MERGE = (
    "MERGE INTO d.t USING (SELECT 1 AS id, 'm' AS v UNION ALL SELECT 7, 'n') s USING (id)"
    " WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT * WHEN NOT MATCHED BY SOURCE THEN DELETE"
)


@pytest.fixture
def filled(begun: Begun) -> Lake:
    """Table d.t of two files with a key: (1, a) and (2, b)."""
    return begun(filled_fill)


def test_using_compares_the_named_columns(filled: Lake) -> None:
    filled.sql(MERGE)
    assert filled.rows("d.t") == [(1, "m"), (7, "n")]


def test_returning_gives_changed_rows_as_after_merge(filled: Lake) -> None:
    found = filled.sql(f"{MERGE} RETURNING merge_action, *")
    assert found.columns == [("merge_action", "string"), ("id", "int"), ("v", "string")]
    assert sorted(found.rows) == [["DELETE", 2, "b"], ["INSERT", 7, "n"], ["UPDATE", 1, "m"]]
    assert (found.row_count, found.truncated, found.version) == (3, False, filled.head())
    assert found.metrics["rows_inserted"] == 1


def test_returning_takes_some_columns_in_their_order(filled: Lake) -> None:
    found = filled.sql(f"{MERGE} RETURNING V, id, merge_action()")
    assert [name for name, _ in found.columns] == ["v", "id", "merge_action"]
    assert sorted(found.rows) == [["b", 2, "DELETE"], ["m", 1, "UPDATE"], ["n", 7, "INSERT"]]


def test_a_merge_that_changes_nothing_returns_no_row(filled: Lake) -> None:
    found = filled.sql(
        "MERGE INTO d.t USING (SELECT 9 AS id) s USING (id) WHEN MATCHED THEN DELETE RETURNING merge_action, id"
    )
    assert (found.rows, [name for name, _ in found.columns]) == ([], ["merge_action", "id"])


def test_only_rows_of_its_own_commit_are_returned(filled: Lake) -> None:
    filled.sql("INSERT INTO d.t VALUES (5, 'before')")
    merge = "MERGE INTO d.t USING (SELECT 8 AS id, 'n' AS v) s USING (id) WHEN NOT MATCHED THEN INSERT *"
    assert filled.sql(f"{merge} RETURNING *").rows == [[8, "n"]]


def test_new_columns_of_the_source_are_returned(filled: Lake) -> None:
    merge = "MERGE WITH SCHEMA EVOLUTION INTO d.t USING (SELECT 8 AS id, 'n' AS v, true AS w) s USING (id)"
    found = filled.sql(f"{merge} WHEN NOT MATCHED THEN INSERT * RETURNING *")
    assert (found.rows, found.columns[-1]) == ([[8, "n", True]], ("w", "boolean"))


def test_rows_are_bounded_as_those_of_a_query(filled: Lake, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(returned_rows, "ROW_LIMIT", 2)
    found = filled.sql(f"{MERGE} RETURNING id")
    assert (len(found.rows), found.row_count, found.truncated) == (2, 2, True)


def test_merge_stands_where_its_rows_cannot_be_read(filled: Lake, monkeypatch: pytest.MonkeyPatch) -> None:
    def unread(*_: object, **__: object) -> None:
        raise InvalidValue("Spark is gone.", remedy="")

    monkeypatch.setattr(returned_rows, "row_differences", unread)
    head = filled.head()
    found = filled.sql(f"{MERGE} RETURNING *")
    assert filled.rows("d.t") == [(1, "m"), (7, "n")]
    assert found.extra["notices"] == [
        f"The merge is done, and its rows could not be read: Spark is gone. SHOW CHANGES d.t FROM VERSION {head} TO"
        f" VERSION {found.version} lists them."
    ]


def test_its_dry_run_shows_examples_and_changes_nothing(filled: Lake) -> None:
    before = everything(filled)
    dry = filled.sql(f"{MERGE} RETURNING * DRY RUN")
    assert (len(dry.extra["examples"]), dry.rows) == (4, [])
    assert everything(filled) == before


def test_a_transaction_returns_its_own_rows(filled: Lake) -> None:
    opened = filled.sql("BEGIN").extra["transaction"]
    found = filled.sql(f"{MERGE} RETURNING merge_action", transaction=opened)
    assert sorted(found.rows) == [["DELETE"], ["INSERT"], ["UPDATE"]]
    filled.sql("ROLLBACK", transaction=opened)
    assert filled.rows("d.t") == [(1, "a"), (2, "b")]


def test_who_may_not_write_gets_no_rows(filled: Lake) -> None:
    reader = User.objects.create_user("returned")
    join(reader, filled.catalog, Role.VIEWER)
    with pytest.raises(PermissionDenied):
        execute(f"{MERGE} RETURNING *", Session(filled.catalog, user=reader))
