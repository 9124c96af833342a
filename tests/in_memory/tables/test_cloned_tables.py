"""CREATE TABLE .. CLONE: a table of its own with the files of another, none of them written again."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from django.conf import settings

from catalog_app.models import DataFile, ExpiredFile
from catalog_app.selectors.listed_files import folders_shown
from catalog_app.selectors.objects import database_get, table_get
from catalog_app.selectors.segments import SegmentState, segments_list
from catalog_app.selectors.snapshots import branch_get, branch_snapshot, catalog_get
from catalog_app.storage.warehouse import Warehouse
from lakeui.common.errors import AlreadyExists, InvalidValue, NotFound, NotSupported, Stale
from lakeui.frontdoor.tables import cloning
from tests.in_memory.conftest import Begun
from tests.in_memory.rows.test_concurrent_statements import elsewhere
from tests.support.lake import Lake


@contextmanager
def before_the_commit(monkeypatch: pytest.MonkeyPatch, act: Callable[[], Any]) -> Iterator[None]:
    """``act`` happens when a clone has looked at its source and not committed."""
    commit = cloning.commit_operations

    def later(*args: Any, **kwargs: Any) -> Any:
        elsewhere(act)
        return commit(*args, **kwargs)

    with monkeypatch.context() as patch:
        patch.setattr(cloning, "commit_operations", later)
        yield


def made_fill(lake: Lake) -> None:
    lake.sql("CREATE TABLE d.t (id INT, v STRING DEFAULT 'x') COMMENT 'first' TBLPROPERTIES ('owner' = 'me')")
    lake.sql("INSERT INTO d.t VALUES (1, 'a'), (2, 'b')")
    lake.sql("ALTER TABLE d.t ADD COLUMN n INT DEFAULT 7")
    lake.sql("ALTER TABLE d.t ALTER COLUMN id TYPE BIGINT")
    lake.sql("INSERT INTO d.t VALUES (3, 'c', 3), (4, 'd', 4)")
    lake.sql("DELETE FROM d.t WHERE id = 4")
    lake.sql("UPDATE d.t SET v = 'B' WHERE id = 2")


@pytest.fixture
def made(begun: Begun) -> Lake:
    """A table of three files, one of them with deletes, and one written before a column came and a type grew."""
    return begun(made_fill)


ROWS = [(1, "a", 7), (2, "B", 7), (3, "c", 3)]


def segments(lake: Lake, name: str, branch: str = "main") -> list[SegmentState]:
    snapshot = branch_snapshot(branch_get(catalog_get(lake.catalog), branch))
    table = table_get(snapshot, database_get(snapshot, "d"), name)
    return segments_list(snapshot, table.table_id)


def paths(lake: Lake, name: str, branch: str = "main") -> list[tuple[str, tuple[str, ...]]]:
    return sorted((item.path, item.delete_paths) for item in segments(lake, name, branch))


def test_it_has_the_rows_and_writes_no_file(made: Lake) -> None:
    known = set(DataFile.objects.values_list("path", flat=True))
    found = made.sql("CREATE TABLE d.c CLONE d.t")
    assert made.rows("d.c") == ROWS
    assert set(DataFile.objects.values_list("path", flat=True)) == known
    assert paths(made, "c") == paths(made, "t")
    assert (found.metrics["rows_inserted"], found.metrics["bytes_written"]) == (3, 0)
    assert found.metrics["files_added"] == len(segments(made, "t"))
    assert made.breaches() == []


def test_columns_key_partitions_and_properties_come_with_it(lake: Lake) -> None:
    lake.sql(
        "CREATE TABLE d.t (id INT COMMENT 'it', p STRING, s STRUCT<x: INT, y: STRING>, v INT NOT NULL DEFAULT 5, "
        "PRIMARY KEY (id)) PARTITIONED BY (p) COMMENT 'first' TBLPROPERTIES ('owner' = 'me', 'k' = '1')"
    )
    lake.sql("ALTER TABLE d.t ADD PARTITION (p = 'declared')")
    lake.sql("COMMENT ON TABLE d.t IS 'second'")
    lake.sql("CREATE TABLE d.c SHALLOW CLONE d.t TBLPROPERTIES ('k' = '2')")
    shown = [lake.sql(f"SHOW CREATE TABLE d.{name}").rows[0][0] for name in "tc"]
    assert shown[1] == shown[0].replace("`d`.`t`", "`d`.`c`").replace("'k' = '1'", "'k' = '2'")
    assert lake.sql("DESCRIBE TABLE d.c").rows == lake.sql("DESCRIBE TABLE d.t").rows
    assert lake.sql("SHOW PARTITIONS d.c").rows == lake.sql("SHOW PARTITIONS d.t").rows == [["p=declared"]]
    lake.sql("ALTER TABLE d.c ADD COLUMN w INT")
    assert lake.sql("SHOW COLUMNS IN d.c").rows == [["id"], ["p"], ["s"], ["v"], ["w"]]
    assert lake.sql("SHOW COLUMNS IN d.t").rows == [["id"], ["p"], ["s"], ["v"]]
    assert lake.breaches() == []


def test_both_go_their_own_way(made: Lake) -> None:
    made.sql("CREATE TABLE d.c CLONE d.t")
    made.sql("DELETE FROM d.c WHERE id = 1")
    made.sql("UPDATE d.t SET v = 'T' WHERE id = 1")
    made.sql("INSERT INTO d.c VALUES (9, 'n', 9)")
    made.sql("ALTER TABLE d.t DROP COLUMN n")
    made.sql("OPTIMIZE d.c")
    assert made.rows("d.t") == [(1, "T"), (2, "B"), (3, "c")]
    assert made.rows("d.c") == [(2, "B", 7), (3, "c", 3), (9, "n", 9)]
    assert made.breaches() == []


def test_its_history_begins_with_it(made: Lake) -> None:
    before = made.head()
    made.sql("CREATE TABLE d.c CLONE d.t")
    cloned = made.head()
    assert [row[2] for row in made.sql("DESCRIBE HISTORY d.c").rows] == ["CREATE TABLE CLONE"]
    with pytest.raises(NotFound):
        made.rows(f"d.c VERSION AS OF {before}")
    states = [(row[1], row[2]) for row in made.sql("SHOW SCHEMA VERSIONS d.c").rows]
    assert sorted(states)[0] == ("current", 2)
    assert {state for state, _ in states} == {"current", "invisible"}
    made.sql("TRUNCATE TABLE d.c")
    made.sql(f"RESTORE TABLE d.c TO VERSION AS OF {cloned}")
    assert made.rows("d.c") == ROWS
    changes = made.sql(f"SHOW CHANGES d.c FROM VERSION {cloned} TO VERSION {made.head()}")
    assert changes.rows == []
    assert made.breaches() == []


def test_a_past_version_another_branch_and_a_tag(made: Lake) -> None:
    before = made.head()
    made.sql("CREATE TAG g")
    made.sql("CREATE BRANCH b")
    made.sql("DELETE FROM d.t WHERE id < 3")
    made.sql("INSERT INTO d.t VALUES (5, 'e', 5)", "b")
    made.sql(f"CREATE TABLE d.past CLONE d.t VERSION AS OF {before}")
    made.sql("CREATE TABLE d.other CLONE d.`t@b`")
    made.sql("CREATE TABLE d.tagged CLONE d.`t@g`")
    at = made.sql("SHOW HISTORY LIMIT 1").rows[0][1]
    made.sql(f"CREATE TABLE d.timed CLONE d.t TIMESTAMP AS OF '{at}'")
    assert made.rows("d.past") == made.rows("d.tagged") == ROWS
    assert made.rows("d.other") == [*ROWS, (5, "e", 5)]
    assert made.rows("d.timed") == [(3, "c", 3)]
    assert made.breaches() == []


def test_the_source_may_go_and_come_back(made: Lake) -> None:
    made.sql("CREATE TABLE d.c CLONE d.t")
    made.sql("DROP TABLE d.t")
    assert made.rows("d.c") == ROWS
    made.sql("UNDROP TABLE d.t")
    made.sql("DROP TABLE d.c")
    assert made.rows("d.t") == ROWS
    made.sql("UNDROP TABLE d.c")
    assert made.rows("d.c") == ROWS
    assert made.breaches() == []


def test_a_clone_of_a_clone(made: Lake) -> None:
    made.sql("CREATE TABLE d.c CLONE d.t")
    made.sql("UPDATE d.c SET n = 1 WHERE id = 3")
    made.sql("CREATE TABLE d.e CLONE d.c")
    assert made.rows("d.e") == [(1, "a", 7), (2, "B", 7), (3, "c", 1)]
    assert made.breaches() == []


def test_renamed_partitions_lie_where_they_lay(lake: Lake) -> None:
    lake.sql("CREATE TABLE d.t (id INT, p STRING) PARTITIONED BY (p)")
    lake.sql("INSERT INTO d.t VALUES (1, 'a'), (2, 'b')")
    lake.sql("ALTER TABLE d.t PARTITION (p = 'a') RENAME TO PARTITION (p = 'z')")
    lake.sql("CREATE TABLE d.c CLONE d.t")
    assert lake.rows("d.c") == [(1, "z"), (2, "b")]
    lake.sql("ALTER TABLE d.c DROP PARTITION (p = 'z')")
    assert (lake.rows("d.c"), lake.rows("d.t")) == ([(2, "b")], [(1, "z"), (2, "b")])
    assert lake.breaches() == []


def test_an_empty_table(lake: Lake) -> None:
    lake.sql("CREATE TABLE d.t (id INT)")
    assert lake.sql("CREATE TABLE d.c CLONE d.t").metrics["files_added"] == 0
    lake.sql("INSERT INTO d.c VALUES (1)")
    assert (lake.rows("d.c"), lake.rows("d.t")) == ([(1,)], [])
    assert lake.breaches() == []


# -- refused ----------------------------------------------------------------------------------------------------------


def test_names_that_are_taken_or_lead_nowhere(made: Lake) -> None:
    made.sql("CREATE TABLE d.c CLONE d.t")
    made.sql("CREATE VIEW d.v AS SELECT 1 AS x")
    head = made.head()
    assert made.sql("CREATE TABLE IF NOT EXISTS d.c CLONE d.nowhere").version is None
    for statement, error in {
        "CREATE TABLE d.c CLONE d.t": AlreadyExists,
        "CREATE TABLE d.v CLONE d.t": AlreadyExists,
        "CREATE TABLE d.e CLONE d.nowhere": NotFound,
        "CREATE TABLE d.e CLONE d.t VERSION AS OF 999": NotFound,
        "CREATE TABLE d.e CLONE d.v": NotSupported,
        "CREATE TABLE d.e DEEP CLONE d.t": NotSupported,
        "CREATE TABLE d.e CLONE d.t TBLPROPERTIES ('merge.conflicts' = 'x')": InvalidValue,
        "CREATE OR REPLACE TABLE d.c CLONE d.t": NotSupported,
        "CREATE TABLE d.`e@b` CLONE d.t": InvalidValue,
    }.items():
        with pytest.raises(error):
            made.sql(statement)
    assert made.head() == head
    assert made.breaches() == []


def test_a_dry_run_leaves_nothing(made: Lake) -> None:
    head, files = made.head(), DataFile.objects.count()
    found = made.sql("CREATE TABLE d.c CLONE d.t DRY RUN")
    assert found.metrics["rows_inserted"] == 3
    assert [row["row"]["id"] for row in found.extra["examples"]] == [1, 2, 3]
    assert (made.head(), DataFile.objects.count()) == (head, files)
    assert made.rows("d.t") == ROWS


# -- branches ---------------------------------------------------------------------------------------------------------


def test_it_merges_as_a_new_table(made: Lake) -> None:
    made.sql("CREATE BRANCH b")
    made.sql("CREATE TABLE d.c CLONE d.t", "b")
    made.sql("DELETE FROM d.c WHERE id = 1", "b")
    made.sql("DELETE FROM d.t WHERE id = 3")
    made.merge("b")
    assert made.rows("d.c") == [(2, "B", 7), (3, "c", 3)]
    assert made.rows("d.t") == [(1, "a", 7), (2, "B", 7)]
    made.sql("INSERT INTO d.c VALUES (6, 'm', 6)")
    made.sql("UPDATE d.c SET v = 'S' WHERE id = 3", "b")
    made.merge("main", "b")
    assert made.rows("d.c", "b") == [(2, "B", 7), (3, "S", 3), (6, "m", 6)]
    made.merge("b")
    assert made.rows("d.c") == made.rows("d.c", "b")
    assert made.breaches() == []


def test_same_clone_on_two_branches_is_two_tables(made: Lake) -> None:
    made.sql("CREATE BRANCH b")
    made.sql("CREATE TABLE d.c CLONE d.t", "b")
    made.sql("CREATE TABLE d.c CLONE d.t")
    assert made.codes("b") == {"NAME_EXISTS"}


def test_clone_rows_changed_on_both_sides_are_judged(made: Lake) -> None:
    made.sql("CREATE TABLE d.c CLONE d.t TBLPROPERTIES ('merge.conflicts' = 'cell')")
    made.sql("CREATE BRANCH b")
    made.sql("UPDATE d.c SET v = 'S' WHERE id = 1", "b")
    made.sql("UPDATE d.c SET n = 1 WHERE id = 1")
    made.sql("UPDATE d.c SET n = 2 WHERE id = 3")
    made.merge("b")
    assert made.rows("d.c") == [(1, "S", 1), (2, "B", 7), (3, "c", 2)]
    made.sql("UPDATE d.c SET n = 8 WHERE id = 2", "b")
    made.sql("UPDATE d.c SET n = 9 WHERE id = 2")
    assert made.codes("b") == {"SAME_FILE_UPDATE_UPDATE"}
    assert made.breaches() == []


def test_file_that_stores_stamps_stores_none_of_clone(made: Lake) -> None:
    made.sql("OPTIMIZE d.t")
    made.sql("CREATE BRANCH b")
    made.sql("CREATE TABLE d.c CLONE d.t TBLPROPERTIES ('merge.conflicts' = 'row')", "b")
    made.merge("b")
    made.sql("UPDATE d.c SET n = 1 WHERE id = 1", "b")
    made.sql("UPDATE d.c SET n = 2 WHERE id = 2")
    made.merge("b")
    assert made.rows("d.c", columns="id, n") == [(1, 1), (2, 2), (3, 3)]
    made.sql("OPTIMIZE d.c")
    made.merge("main", "b")
    assert made.rows("d.c", "b", columns="id, n") == [(1, 1), (2, 2), (3, 3)]
    assert made.breaches() == []


def test_in_transaction_it_has_what_the_transaction_wrote(made: Lake) -> None:
    opened = made.sql("BEGIN").extra["transaction"]
    made.sql("DELETE FROM d.t WHERE id = 1", transaction=opened)
    made.sql("CREATE TABLE d.c CLONE d.t", transaction=opened)
    made.sql("INSERT INTO d.c VALUES (8, 'h', 8)", transaction=opened)
    made.sql("CREATE TABLE d.meanwhile CLONE d.t")
    made.sql("COMMIT", transaction=opened)
    assert made.rows("d.c") == [(2, "B", 7), (3, "c", 3), (8, "h", 8)]
    assert (made.rows("d.t"), made.rows("d.meanwhile")) == (ROWS[1:], ROWS)
    opened = made.sql("BEGIN").extra["transaction"]
    made.sql("CREATE TABLE d.e CLONE d.c", transaction=opened)
    made.sql("ROLLBACK", transaction=opened)
    assert {row[1] for row in made.sql("SHOW TABLES IN d").rows} == {"t", "c", "meanwhile"}
    assert made.breaches() == []


def test_a_clone_of_another_catalog(made: Lake) -> None:
    other = Lake()
    other.sql("CREATE DATABASE d")
    other.sql(f"CREATE TABLE d.c CLONE {made.catalog}.d.t")
    made.sql("TRUNCATE TABLE d.t")
    other.sql("DELETE FROM d.c WHERE id = 3")
    assert other.rows("d.c") == ROWS[:2]
    assert (made.breaches(), other.breaches()) == ([], [])


def test_folders_of_another_catalog_are_not_named(made: Lake) -> None:
    """Keys of the store are for folders, and the folder of a table holds all that its catalog ever wrote there."""
    other = Lake()
    other.sql("CREATE DATABASE d")
    other.sql(f"CREATE TABLE d.c CLONE {made.catalog}.d.t")
    made.sql("CREATE TABLE d.c CLONE d.t")
    for lake, folders in ((made, 2), (other, None)):
        catalog = catalog_get(lake.catalog)
        seen = branch_snapshot(branch_get(catalog, "main"))
        found = folders_shown(catalog.pk, seen, table_get(seen, database_get(seen, "d"), "c").table_id)
        assert (found if found is None else len(found)) == folders
    other.sql("TRUNCATE TABLE d.c")
    other.sql("INSERT INTO d.c (id, v) VALUES (9, 'own')")
    catalog = catalog_get(other.catalog)
    seen = branch_snapshot(branch_get(catalog, "main"))
    table = table_get(seen, database_get(seen, "d"), "c").table_id
    assert folders_shown(catalog.pk, seen, table) == {str(table)}
    # Nor by a catalog that shows the table, where another one made it.
    assert folders_shown(catalog_get(made.catalog).pk, seen, table) is None


def test_others_write_meanwhile(made: Lake, monkeypatch: pytest.MonkeyPatch) -> None:
    with before_the_commit(monkeypatch, lambda: made.sql("DELETE FROM d.t WHERE id = 1")):
        made.sql("CREATE TABLE d.c CLONE d.t")
    assert made.rows("d.c") == ROWS
    assert made.rows("d.t") == ROWS[1:]
    assert made.breaches() == []


# -- VACUUM -----------------------------------------------------------------------------------------------------------


@pytest.fixture
def removed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """No retention; the paths whose bytes VACUUM removes."""
    found: list[str] = []
    monkeypatch.setitem(settings.LAKEUI, "RETENTION_DAYS", 0)
    monkeypatch.setitem(settings.LAKEUI, "STAGED_HOURS", 0)
    monkeypatch.setattr(Warehouse, "remove_all", lambda _self, paths: found.extend(paths))
    return found


def test_vacuum_leaves_what_a_clone_needs(made: Lake, removed: list[str]) -> None:
    made.sql("CREATE TABLE d.c CLONE d.t")
    shared = {path for path, _ in paths(made, "c")} | {one for _, deletes in paths(made, "c") for one in deletes}
    made.sql("TRUNCATE TABLE d.t")
    made.sql("DROP TABLE d.t")
    found = made.sql("VACUUM")
    assert found.metrics["bytes_removed"] == 0
    assert shared.isdisjoint(removed)
    assert made.rows("d.c") == ROWS
    assert made.breaches() == []
    made.sql("TRUNCATE TABLE d.c")
    assert made.sql("VACUUM").metrics["files_removed"] == len(shared)
    assert shared == set(removed)
    assert not ExpiredFile.objects.filter(removed_at__isnull=True).exists()
    assert made.sql("VACUUM DRY RUN").row_count == 0


def test_vacuum_removes_at_once_what_both_let_go(made: Lake, removed: list[str]) -> None:
    made.sql("CREATE TABLE d.c CLONE d.t")
    shared = {path for path, _ in paths(made, "c")} | {one for _, deletes in paths(made, "c") for one in deletes}
    made.sql("TRUNCATE TABLE d.t")
    made.sql("TRUNCATE TABLE d.c")
    assert made.sql("VACUUM DRY RUN").row_count == len(shared)
    made.sql("VACUUM")
    assert set(removed) == shared
    assert made.breaches() == []


def test_vacuum_of_one_catalog_leaves_what_other_needs(made: Lake, removed: list[str]) -> None:
    other = Lake()
    other.sql("CREATE DATABASE d")
    other.sql(f"CREATE TABLE d.c CLONE {made.catalog}.d.t")
    shared = {path for path, _ in paths(other, "c")}
    made.sql("TRUNCATE TABLE d.t")
    made.sql("VACUUM")
    assert shared.isdisjoint(removed)
    assert other.rows("d.c") == ROWS
    other.sql("TRUNCATE TABLE d.c")
    other.sql("VACUUM")
    assert shared <= set(removed)


def test_what_expires_meanwhile_is_not_cloned(made: Lake, removed: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    def let_go() -> Any:
        made.sql("TRUNCATE TABLE d.t")
        made.sql("VACUUM")

    with before_the_commit(monkeypatch, let_go), pytest.raises(Stale):
        made.sql("CREATE TABLE d.c CLONE d.t")
    assert [row[1] for row in made.sql("SHOW TABLES IN d").rows] == ["t"]
    assert made.breaches() == []


def test_overlapping_ids_lie_in_their_own_file(lake: Lake) -> None:
    """OPTIMIZE leaves a file for each partition, with every other row id; by ``file`` only rows of one file meet."""
    lake.sql("CREATE TABLE d.p (id INT, v STRING, p STRING) PARTITIONED BY (p)")
    for number in range(1, 5):
        lake.sql(f"INSERT INTO d.p VALUES ({number}, 'a', '{'even' if number % 2 == 0 else 'odd'}')")
    lake.sql("OPTIMIZE d.p")
    lake.sql("CREATE TABLE d.c CLONE d.p")
    lake.sql("CREATE BRANCH c")
    lake.sql("CREATE BRANCH e")
    lake.sql("UPDATE d.c SET v = 'c' WHERE id = 1", "c")
    lake.sql("UPDATE d.c SET v = 'e' WHERE id = 3", "e")
    lake.sql("UPDATE d.c SET v = 'm' WHERE id = 2")
    lake.merge("c")
    assert lake.rows("d.c") == [(1, "c", "odd"), (2, "m", "even"), (3, "a", "odd"), (4, "a", "even")]
    assert lake.codes("e") == {"SAME_FILE_UPDATE_UPDATE"}
    assert lake.breaches() == []
