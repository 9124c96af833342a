"""Two statements on one branch at once: both land, or the later one is refused with verdicts (semantics P8)."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from django.db import connection

from lakeui.common.errors import DuplicateKey, MergeConflict
from lakeui.frontdoor import compute
from lakeui.frontdoor.tables import recovery
from merge_app.execution.commit import BEGIN_AGAIN, RUN_AGAIN
from tests.support.lake import Lake


@contextmanager
def between_staging_and_commit(monkeypatch: pytest.MonkeyPatch, method: str, act: Callable[[], Any]) -> Iterator[None]:
    """``act`` happens after the next call of an engine method, when its statement has staged but not committed."""
    used = type(compute.engine())
    original = getattr(used, method)
    done = threading.Event()

    def staged(self: Any, *args: Any, **kwargs: Any) -> Any:
        result = original(self, *args, **kwargs)
        if not done.is_set():
            done.set()
            elsewhere(act)
        return result

    with monkeypatch.context() as patch:
        patch.setattr(used, method, staged)
        yield
    assert done.is_set(), f"no statement called {method}"


def elsewhere(act: Callable[[], Any]) -> None:
    """In a thread with a database connection of its own."""
    failures: list[BaseException] = []

    def run() -> None:
        try:
            act()
        except BaseException as failure:  # noqa: BLE001 - handed to the thread that waits
            failures.append(failure)
        finally:
            connection.close()

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    if failures:
        raise failures[0]


def small_table(lake: Lake) -> None:
    lake.sql("CREATE TABLE d.t (id int, name string)")
    lake.sql("INSERT INTO d.t VALUES (1, 'a'), (2, 'b')")
    lake.sql("INSERT INTO d.t VALUES (3, 'c'), (4, 'd')")


def test_two_inserts_both_land(lake: Lake, monkeypatch: pytest.MonkeyPatch) -> None:
    small_table(lake)
    with between_staging_and_commit(monkeypatch, "append", lambda: lake.sql("INSERT INTO d.t VALUES (5, 'e')")):
        lake.sql("INSERT INTO d.t VALUES (6, 'f')")
    assert [row[0] for row in lake.rows("d.t")] == [1, 2, 3, 4, 5, 6]


def test_an_insert_beside_a_compaction_lands(lake: Lake, monkeypatch: pytest.MonkeyPatch) -> None:
    small_table(lake)
    with between_staging_and_commit(monkeypatch, "compact", lambda: lake.sql("INSERT INTO d.t VALUES (5, 'e')")):
        lake.sql("OPTIMIZE d.t")
    assert [row[0] for row in lake.rows("d.t")] == [1, 2, 3, 4, 5]
    assert len(lake.sql("SHOW SEGMENTS d.t").rows) == 2


def test_a_compaction_beside_an_insert_lands(lake: Lake, monkeypatch: pytest.MonkeyPatch) -> None:
    small_table(lake)
    with between_staging_and_commit(monkeypatch, "append", lambda: lake.sql("OPTIMIZE d.t")):
        lake.sql("INSERT INTO d.t VALUES (5, 'e')")
    assert [row[0] for row in lake.rows("d.t")] == [1, 2, 3, 4, 5]


def test_delete_follows_rows_into_files_compacted_meanwhile(lake: Lake, monkeypatch: pytest.MonkeyPatch) -> None:
    small_table(lake)
    with between_staging_and_commit(monkeypatch, "delete", lambda: lake.sql("OPTIMIZE d.t")):
        lake.sql("DELETE FROM d.t WHERE id = 2")
    assert [row[0] for row in lake.rows("d.t")] == [1, 3, 4]


def test_update_follows_rows_into_files_compacted_meanwhile(lake: Lake, monkeypatch: pytest.MonkeyPatch) -> None:
    small_table(lake)
    with between_staging_and_commit(monkeypatch, "update", lambda: lake.sql("OPTIMIZE d.t")):
        lake.sql("UPDATE d.t SET name = 'x' WHERE id >= 3")
    assert lake.rows("d.t") == [(1, "a"), (2, "b"), (3, "x"), (4, "x")]


def test_delete_looks_again_when_rows_were_updated_meanwhile(lake: Lake, monkeypatch: pytest.MonkeyPatch) -> None:
    small_table(lake)
    update = "UPDATE d.t SET name = 'x' WHERE id IN (1, 2)"
    with between_staging_and_commit(monkeypatch, "delete", lambda: lake.sql(update)):
        result = lake.sql("DELETE FROM d.t WHERE id = 2 OR name = 'c'")
    assert lake.rows("d.t") == [(1, "x"), (4, "d")]
    assert result.metrics["rows_deleted"] == 2


def test_delete_is_refused_when_unseen_rows_arrived(lake: Lake, monkeypatch: pytest.MonkeyPatch) -> None:
    small_table(lake)
    with (
        between_staging_and_commit(monkeypatch, "delete", lambda: lake.sql("INSERT INTO d.t VALUES (5, 'e')")),
        pytest.raises(MergeConflict) as refusal,
    ):
        lake.sql("DELETE FROM d.t WHERE id >= 2")
    (conflict,) = refusal.value.details["conflicts"]
    assert (conflict["code"], conflict["decisions"]) == ("PREDICATE_DML_VS_INSERT", [])
    assert conflict["remedy"] == refusal.value.remedy == RUN_AGAIN
    assert [row[0] for row in lake.rows("d.t")] == [1, 2, 3, 4, 5]


def test_two_inserts_of_one_key_never_both_commit(lake: Lake, monkeypatch: pytest.MonkeyPatch) -> None:
    lake.sql("CREATE TABLE d.k (id int, name string, PRIMARY KEY (id))")
    with (
        between_staging_and_commit(monkeypatch, "append", lambda: lake.sql("INSERT INTO d.k VALUES (1, 'theirs')")),
        pytest.raises((MergeConflict, DuplicateKey)),
    ):
        lake.sql("INSERT INTO d.k VALUES (1, 'mine')")
    assert lake.rows("d.k") == [(1, "theirs")]


def test_inserts_of_other_keys_both_land(lake: Lake, monkeypatch: pytest.MonkeyPatch) -> None:
    lake.sql("CREATE TABLE d.k (id int, name string, PRIMARY KEY (id))")
    with between_staging_and_commit(monkeypatch, "append", lambda: lake.sql("INSERT INTO d.k VALUES (1, 'theirs')")):
        lake.sql("INSERT INTO d.k VALUES (2, 'mine')")
    assert lake.rows("d.k") == [(1, "theirs"), (2, "mine")]


@pytest.mark.parametrize("meanwhile", ["INSERT INTO d.t VALUES (5, 'e')", "UPDATE d.t SET name = 'z' WHERE id = 3"])
def test_restored_table_is_as_before_despite_concurrent_changes(
    lake: Lake, monkeypatch: pytest.MonkeyPatch, meanwhile: str
) -> None:
    """The statement that came first counts as before the restore, as versions say; the restore looks again."""
    small_table(lake)
    version, rows = lake.head(), lake.rows("d.t")
    lake.sql("DELETE FROM d.t WHERE id = 1")
    original, once = recovery.restore_plan, threading.Event()

    def planned(*args: Any) -> Any:
        found = original(*args)
        if not once.is_set():
            once.set()
            elsewhere(lambda: lake.sql(meanwhile))
        return found

    monkeypatch.setattr(recovery, "restore_plan", planned)
    lake.sql(f"RESTORE TABLE d.t TO VERSION AS OF {version}")
    assert once.is_set()
    assert lake.rows("d.t") == rows


@pytest.mark.parametrize(
    "statement", ["UPDATE d.t SET name = 'u' WHERE id = 1", "DELETE FROM d.t WHERE id = 1"], ids=["update", "delete"]
)
def test_statements_look_again_at_overwritten_rows(lake: Lake, monkeypatch: pytest.MonkeyPatch, statement: str) -> None:
    small_table(lake)
    copied = "INSERT OVERWRITE d.t SELECT id, concat(name, '!') FROM d.t"
    with between_staging_and_commit(monkeypatch, statement.split(maxsplit=1)[0].lower(), lambda: lake.sql(copied)):
        lake.sql(statement)
    first = [(1, "u")] if statement.startswith("UPDATE") else []
    assert lake.rows("d.t") == [*first, (2, "b!"), (3, "c!"), (4, "d!")]


UPSERT = (
    "MERGE INTO d.t AS t USING (SELECT 9 AS id, 'z' AS name) AS s ON t.id = s.id"
    " WHEN MATCHED THEN UPDATE SET name = s.name WHEN NOT MATCHED THEN INSERT *"
)


@pytest.mark.parametrize(
    "meanwhile",
    [
        "INSERT INTO d.t VALUES (9, 'new')",
        "UPDATE d.t SET id = 9 WHERE id = 1",
        "INSERT OVERWRITE d.t VALUES (9, 'new')",
        "CREATE OR REPLACE TABLE d.t AS SELECT 9 AS id, name FROM d.t",
    ],
    ids=["insert", "update", "overwrite", "replace"],
)
def test_transactions_insert_no_row_others_wrote(lake: Lake, meanwhile: str) -> None:
    small_table(lake)
    transaction = str(lake.sql("BEGIN").extra["transaction"])
    lake.sql(UPSERT, transaction=transaction)
    lake.sql(meanwhile)
    rows = lake.rows("d.t")
    for statement in ("COMMIT DRY RUN", "COMMIT"):
        with pytest.raises(MergeConflict, match="branch main moved since BEGIN") as refusal:
            lake.sql(statement, transaction=transaction)
        assert [item["code"] for item in refusal.value.details["conflicts"]] == ["PREDICATE_DML_VS_INSERT"]
        assert refusal.value.remedy == BEGIN_AGAIN
    assert lake.rows("d.t") == rows


@pytest.mark.parametrize(
    "meanwhile",
    ["OPTIMIZE d.t", "DELETE FROM d.t WHERE id = 1", "TRUNCATE TABLE d.t", "ALTER TABLE d.t RENAME TO d.u"],
    ids=["compaction", "delete", "truncate", "rename"],
)
def test_transactions_insert_rows_still_not_matched(lake: Lake, meanwhile: str) -> None:
    small_table(lake)
    transaction = str(lake.sql("BEGIN").extra["transaction"])
    lake.sql(UPSERT, transaction=transaction)
    lake.sql(meanwhile)
    lake.sql("COMMIT", transaction=transaction)
    assert (9, "z") in lake.rows("d.u" if "RENAME" in meanwhile else "d.t")
