"""RESTORE of tables, databases, branches and merges: a past state as one new version (semantics §5)."""

from __future__ import annotations

import pytest

from lakeui.common.errors import InvalidValue, MergeConflict, NotFound
from tests.support.lake import Lake


def people(lake: Lake) -> int:
    """A table of two inserts; answers the version after the first."""
    lake.sql("CREATE TABLE d.t (id int, name string)")
    lake.sql("INSERT INTO d.t VALUES (1, 'a'), (2, 'b')")
    version = lake.head()
    lake.sql("INSERT INTO d.t VALUES (3, 'c')")
    return version


def test_a_table_restores_rows_schema_properties_and_name(lake: Lake) -> None:
    version = people(lake)
    lake.sql("UPDATE d.t SET name = 'x' WHERE id = 1")
    lake.sql("ALTER TABLE d.t ADD COLUMN age int FIRST")
    lake.sql("ALTER TABLE d.t DROP COLUMN name")
    lake.sql("ALTER TABLE d.t ALTER COLUMN id TYPE bigint")
    lake.sql("ALTER TABLE d.t SET TBLPROPERTIES ('owner' = 'me')")
    lake.sql("ALTER TABLE d.t RENAME TO u")
    before = lake.head()
    restored = lake.sql(f"RESTORE TABLE d.u TO VERSION AS OF {version}")
    assert restored.version is not None
    assert restored.version > before
    assert lake.rows("d.t") == [(1, "a"), (2, "b")]
    assert [row[:2] for row in lake.sql("DESCRIBE TABLE d.t").rows] == [["id", "int"], ["name", "string"]]
    assert "owner" not in str(lake.sql("DESCRIBE TABLE EXTENDED d.t").rows)
    assert lake.rows(f"d.u VERSION AS OF {before}", columns="count(*)") == [(3,)]
    assert lake.sql("SHOW HISTORY LIMIT 1").rows[0][2] == "RESTORE TABLE"


def test_a_restore_copies_no_file(lake: Lake) -> None:
    version = people(lake)
    files = {row[0] for row in lake.sql("SHOW SEGMENTS d.t").rows}
    lake.sql("DELETE FROM d.t WHERE id = 1")
    lake.sql("OPTIMIZE d.t")
    result = lake.sql(f"RESTORE TABLE d.t TO VERSION AS OF {version}")
    assert {row[0] for row in lake.sql("SHOW SEGMENTS d.t").rows} < files
    assert result.extra["outcome"] == "restore"


def test_a_restore_can_itself_be_taken_back(lake: Lake) -> None:
    version = people(lake)
    lake.sql("DELETE FROM d.t WHERE id = 1")
    later = lake.head()
    lake.sql(f"RESTORE TABLE d.t TO VERSION AS OF {version}")
    lake.sql(f"RESTORE TABLE d.t TO VERSION AS OF {later}")
    assert lake.rows("d.t") == [(2, "b"), (3, "c")]


def test_restoring_what_is_there_makes_no_version(lake: Lake) -> None:
    people(lake)
    head = lake.head()
    assert lake.sql(f"RESTORE TABLE d.t TO VERSION AS OF {head}").extra["outcome"] == "nothing to do"
    assert lake.head() == head


def test_a_dropped_table_returns_under_its_former_name(lake: Lake) -> None:
    version = people(lake)
    lake.sql("DROP TABLE d.t")
    lake.sql(f"RESTORE TABLE d.t TO VERSION AS OF {version}")
    assert lake.rows("d.t") == [(1, "a"), (2, "b")]


def test_a_former_name_now_taken_is_a_conflict(lake: Lake) -> None:
    version = people(lake)
    lake.sql("ALTER TABLE d.t RENAME TO u")
    lake.sql("CREATE TABLE d.t (other int)")
    head = lake.head()
    with pytest.raises(MergeConflict) as refusal:
        lake.sql(f"RESTORE TABLE d.u TO VERSION AS OF {version}")
    assert [item["code"] for item in refusal.value.details["conflicts"]] == ["NAME_EXISTS"]
    assert lake.head() == head


def test_a_version_before_the_table_is_not_found(lake: Lake) -> None:
    before = lake.head()
    people(lake)
    with pytest.raises(NotFound):
        lake.sql(f"RESTORE TABLE d.t TO VERSION AS OF {before}")
    with pytest.raises(NotFound):
        lake.sql(f"RESTORE TABLE d.t TO VERSION AS OF {lake.head() + 100}")


def test_an_inherited_version_is_restored_on_a_branch(lake: Lake) -> None:
    version = people(lake)
    lake.sql("CREATE BRANCH dev")
    lake.sql("INSERT INTO d.t VALUES (4, 'd')", "dev")
    lake.sql(f"RESTORE TABLE d.t TO VERSION AS OF {version}", "dev")
    assert lake.rows("d.t", "dev") == [(1, "a"), (2, "b")]
    assert len(lake.rows("d.t")) == 3


@pytest.mark.parametrize("what", ["TABLE d.t", "DATABASE d", "BRANCH main"])
def test_a_timestamp_names_the_version_of_then(lake: Lake, what: str) -> None:
    version = people(lake)
    moment = next(row[1] for row in lake.sql("SHOW HISTORY").rows if row[0] == version)
    lake.sql(f"RESTORE {what} TO TIMESTAMP AS OF '{moment}'")
    assert lake.rows("d.t") == [(1, "a"), (2, "b")]


def test_a_database_goes_back_with_all_its_tables(lake: Lake) -> None:
    people(lake)
    lake.sql("CREATE TABLE d.gone (a int)")
    lake.sql("INSERT INTO d.gone VALUES (1)")
    lake.sql("ALTER DATABASE d SET DBPROPERTIES ('k' = 'v')")
    version = lake.head()
    lake.sql("DROP TABLE d.gone")
    lake.sql("CREATE TABLE d.fresh (a int)")
    lake.sql("DELETE FROM d.t WHERE id = 1")
    lake.sql("ALTER DATABASE d UNSET DBPROPERTIES ('k')")
    lake.sql("ALTER DATABASE d RENAME TO e")
    lake.sql(f"RESTORE DATABASE e TO VERSION AS OF {version}")
    assert [row[1] for row in lake.sql("SHOW TABLES IN d").rows] == ["gone", "t"]
    assert lake.rows("d.gone") == [(1,)]
    assert len(lake.rows("d.t")) == 3
    assert ["Properties", "(k=v)"] in lake.sql("DESCRIBE DATABASE d").rows


def test_a_branch_goes_back_whole(lake: Lake) -> None:
    people(lake)
    lake.sql("CREATE DATABASE other")
    version = lake.head()
    lake.sql("DROP DATABASE d CASCADE")
    lake.sql("DROP DATABASE other")
    lake.sql("CREATE DATABASE d")
    lake.sql("CREATE TABLE d.t (z int)")
    lake.sql(f"RESTORE BRANCH main TO VERSION AS OF {version}")
    assert lake.rows("d.t", columns="id") == [(1,), (2,), (3,)]
    assert [row[0] for row in lake.sql("SHOW DATABASES").rows] == ["d", "other"]


def test_tables_of_a_dropped_database_return_unchanged(lake: Lake) -> None:
    version = people(lake)
    lake.sql("ALTER TABLE d.t ADD COLUMN extra int")
    lake.sql("DELETE FROM d.t WHERE id = 1")
    lake.sql("DROP DATABASE d CASCADE")
    lake.sql(f"RESTORE DATABASE d TO VERSION AS OF {version}")
    assert lake.rows("d.t") == [(1, "a"), (2, "b")]


def merged_two_tables(lake: Lake) -> str:
    people(lake)
    lake.sql("CREATE TABLE d.u (a int)")
    lake.sql("CREATE BRANCH dev")
    lake.sql("INSERT INTO d.t VALUES (9, 'z')", "dev")
    lake.sql("INSERT INTO d.u VALUES (1)", "dev")
    return str(lake.merge("dev")["merge_id"])


def test_a_merge_is_taken_back_as_one_unit(lake: Lake) -> None:
    merge_id = merged_two_tables(lake)
    lake.sql(f"RESTORE MERGE {merge_id}")
    assert len(lake.rows("d.t")) == 3
    assert lake.rows("d.u") == []
    assert lake.merge("dev")["outcome"] == "nothing to merge"


def test_taking_back_a_merge_names_lost_later_changes(lake: Lake) -> None:
    merge_id = merged_two_tables(lake)
    lake.sql("INSERT INTO d.u VALUES (2)")
    later = lake.head()
    notes = lake.sql(f"RESTORE MERGE '{merge_id}'").extra["notes"]
    assert [(note["code"], note["details"]["versions"]) for note in notes] == [("DROPS_DEST_CHANGES", [later])]


def test_taking_back_one_table_of_a_merge_warns(lake: Lake) -> None:
    merged_two_tables(lake)
    notes = lake.sql(f"RESTORE TABLE d.u TO VERSION AS OF {lake.head() - 1}").extra["notes"]
    assert [note["code"] for note in notes] == ["PART_OF_MERGE"]
    with pytest.raises(InvalidValue):
        lake.sql("RESTORE MERGE 'no-such-id'")


def test_only_visible_schemas_return_after_the_worked_example(lake: Lake) -> None:
    """Semantics §4: restoring to d1's version gives schema S0 and the rows of base and d1."""
    lake.sql("CREATE TABLE d.t (id int)")
    lake.sql("INSERT INTO d.t VALUES (0)")
    lake.sql("CREATE BRANCH dev")
    lake.sql("ALTER TABLE d.t ADD COLUMN s1 int", "dev")
    lake.sql("ALTER TABLE d.t ADD COLUMN s2 int", "dev")
    lake.sql("INSERT INTO d.t VALUES (2, 2, 2)", "dev")
    lake.sql("ALTER TABLE d.t ADD COLUMN s3 int", "dev")
    lake.sql("INSERT INTO d.t VALUES (3, 3, 3, 3)", "dev")
    lake.sql("INSERT INTO d.t VALUES (1)")
    version = lake.head()
    lake.merge("dev")
    lake.sql(f"RESTORE TABLE d.t TO VERSION AS OF {version}")
    assert lake.rows("d.t") == [(0,), (1,)]
    assert [row[0] for row in lake.sql("DESCRIBE TABLE d.t").rows] == ["id"]


def test_a_restore_merges_as_its_changes_and_alterations(lake: Lake) -> None:
    """Rows that the other side inserted meanwhile stay: RESTORE is no overwrite (lineage §1)."""
    version = people(lake)
    lake.sql("ALTER TABLE d.t ADD COLUMN age int")
    lake.sql("CREATE BRANCH dev")
    lake.sql("INSERT INTO d.t VALUES (5, 'main', 1)")
    lake.sql(f"RESTORE TABLE d.t TO VERSION AS OF {version}", "dev")
    lake.merge("dev")
    assert lake.rows("d.t") == [(1, "a"), (2, "b"), (5, "main")]


def test_a_merge_ignores_a_restore_to_the_base(lake: Lake) -> None:
    people(lake)
    lake.sql("CREATE BRANCH dev")
    base = lake.head()
    lake.sql("DELETE FROM d.t WHERE id = 1", "dev")
    lake.sql(f"RESTORE TABLE d.t TO VERSION AS OF {base}", "dev")
    lake.sql("INSERT INTO d.t VALUES (5, 'main')")
    lake.merge("dev")
    assert [row[0] for row in lake.rows("d.t")] == [1, 2, 3, 5]


def test_rows_updated_after_a_restore_stay(lake: Lake) -> None:
    """The source's restore changed neither row; the target updated both since, and the source does not know."""
    before = people(lake)
    lake.sql("CREATE BRANCH dev")
    lake.sql("INSERT INTO d.t VALUES (5, 'main')")
    then = lake.head()
    lake.merge("main", "dev")
    lake.sql(f"RESTORE TABLE d.t TO VERSION AS OF {before}", "dev")
    lake.sql("UPDATE d.t SET name = 'z' WHERE id = 2")
    lake.merge("main", "dev")
    lake.sql(f"RESTORE TABLE d.t TO VERSION AS OF {then}")
    lake.sql("UPDATE d.t SET name = 'later' WHERE id < 3")
    lake.merge("dev")
    assert lake.rows("d.t") == [(1, "later"), (2, "later")]


def test_each_restore_leaves_one_record(lake: Lake) -> None:
    version = people(lake)
    result = lake.sql(f"RESTORE TABLE d.t TO VERSION AS OF {version}")
    record = lake.audit(result.extra["audit_id"])
    assert (record["kind"], record["outcome"], record["version"]) == ("restore", "restored", result.version)
    assert record["restored_version"] == version
    assert lake.sql("SHOW MERGES").rows == []


@pytest.mark.parametrize("order", ["td", "dt"])
def test_restores_of_a_transaction_have_own_versions(lake: Lake, order: str) -> None:
    """P7: of d.t all that b did is taken back, so that main dropped it refuses nothing. Of d.d the last row is."""
    people(lake)
    lake.sql("CREATE BRANCH b")
    whole = lake.head("b")
    lake.sql("UPDATE d.t SET name = 'b' WHERE id = 1", "b")
    lake.sql("CREATE TABLE d.d (id int)", "b")
    lake.sql("INSERT INTO d.d VALUES (1)", "b")
    versions = {"t": whole, "d": lake.head("b")}
    lake.sql("INSERT INTO d.d VALUES (2)", "b")
    opened = lake.sql("BEGIN", "b").extra["transaction"]
    for name in order:
        lake.sql(f"RESTORE TABLE d.{name} TO VERSION AS OF {versions[name]}", "b", transaction=opened)
    lake.sql("COMMIT", "b", transaction=opened)
    lake.sql("DROP TABLE d.t")
    lake.merge("b")
    assert lake.rows("d.d") == [(1,)]
    assert lake.breaches() == []


def test_a_transaction_restores_what_it_knew_alone(lake: Lake) -> None:
    """R5: b takes in row 4 before the transaction ends. The restore knew nothing of it, so it is news of b."""
    people(lake)
    lake.sql("CREATE BRANCH b")
    whole = lake.head("b")
    lake.sql("UPDATE d.t SET name = 'b' WHERE id = 1", "b")
    opened = lake.sql("BEGIN", "b").extra["transaction"]
    lake.sql(f"RESTORE TABLE d.t TO VERSION AS OF {whole}", "b", transaction=opened)
    lake.sql("INSERT INTO d.t VALUES (4, 'b')", "b")
    lake.sql("COMMIT", "b", transaction=opened)
    assert lake.rows("d.t", "b") == [(1, "a"), (2, "b"), (3, "c"), (4, "b")]
    lake.sql("DROP TABLE d.t")
    assert lake.codes("b") == {"OBJECT_DROPPED_ON_DEST"}
    assert lake.breaches() == []
