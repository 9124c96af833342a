"""Keys, partitions, columns, transactions and plans where the two sides of a merge are of two catalogs.

Both catalogs make as many commits before their first merge, so that each number names a commit of either.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from catalog_app.models import CatalogJoin
from lakeui.common.errors import MergeConflict
from tests.in_memory.branches.test_transactions import Open
from tests.support.lake import Lake
from tests.support.two_catalogs import breaches, catalog_of, made, take


@pytest.fixture
def pair(lake: Lake) -> tuple[Lake, Lake]:
    """Two catalogs with a table each, not merged yet."""
    return made(lake, "a.x"), made(Lake(), "e.t")


def codes(target: Lake, source: Lake) -> set[str]:
    with pytest.raises(MergeConflict) as refusal:
        take(target, source)
    return {item["code"] for item in refusal.value.details["conflicts"]}


def there_and_back(one: Lake, other: Lake, *tables: str) -> None:
    """Both read alike then, and come to rest: a decision of the way back may be news once more."""
    heads = []
    for _ in range(3):
        take(one, other)
        take(other, one)
        heads.append((one.head(), other.head()))
        for table in tables:
            assert one.rows(table) == other.rows(table), table
    assert heads[1] == heads[2]
    assert breaches(one, other) == []


@pytest.fixture
def keyed(pair: tuple[Lake, Lake]) -> tuple[Lake, Lake]:
    """e.k of the second catalog is in both; the key 4 came after the first merge."""
    one, other = pair
    other.sql("CREATE TABLE e.k (id INT PRIMARY KEY, v INT, w INT)")
    other.sql("INSERT INTO e.k VALUES (1, 0, 0), (2, 0, 0), (3, 0, 0)")
    other.sql("UPDATE e.k SET v = 9 WHERE id = 3")
    for number in range(4):
        one.sql(f"INSERT INTO a.x VALUES ({number + 10}, 0)")
    take(one, other)
    return one, other


def test_rows_merge_by_key_and_cell(keyed: tuple[Lake, Lake]) -> None:
    one, other = keyed
    one.sql("UPDATE e.k SET v = 1 WHERE id = 1")
    other.sql("UPDATE e.k SET w = 2 WHERE id = 1")
    one.sql("INSERT INTO e.k VALUES (4, 4, 4)")
    other.sql("DELETE FROM e.k WHERE id = 2")
    there_and_back(one, other, "e.k")
    assert one.rows("e.k") == [(1, 1, 2), (3, 9, 0), (4, 4, 4)]


def test_cells_changed_in_both_are_refused_either_way(keyed: tuple[Lake, Lake]) -> None:
    one, other = keyed
    one.sql("UPDATE e.k SET v = 1 WHERE id = 1")
    other.sql("UPDATE e.k SET v = 2 WHERE id = 1")
    assert codes(one, other) == codes(other, one) == {"PRIMARY_KEY_CLASH"}


def test_an_update_against_a_keys_delete_is_refused(keyed: tuple[Lake, Lake]) -> None:
    one, other = keyed
    one.sql("DELETE FROM e.k WHERE id = 1")
    other.sql("UPDATE e.k SET v = 2 WHERE id = 1")
    assert codes(one, other) == codes(other, one) == {"PRIMARY_KEY_CLASH"}


def test_a_keys_base_may_precede_the_join(keyed: tuple[Lake, Lake]) -> None:
    """Row 3 was updated before; its newest image that both know is that one."""
    one, other = keyed
    one.sql("UPDATE e.k SET w = 1 WHERE id = 3")
    other.sql("UPDATE e.k SET v = 8 WHERE id = 3")
    one.sql("OPTIMIZE e.k")
    there_and_back(one, other, "e.k")
    assert one.rows("e.k")[2] == (3, 8, 1)


def test_the_same_key_inserted_alike_is_one_row(keyed: tuple[Lake, Lake]) -> None:
    one, other = keyed
    for lake in keyed:
        lake.sql("INSERT INTO e.k VALUES (5, 5, 5)")
    there_and_back(one, other, "e.k")
    assert one.rows("e.k")[-1] == (5, 5, 5)


@pytest.fixture
def parted(pair: tuple[Lake, Lake]) -> tuple[Lake, Lake]:
    """e.p of the second catalog is in both; its partition z was y before."""
    one, other = pair
    other.sql("CREATE TABLE e.p (id INT, p STRING) PARTITIONED BY (p)")
    other.sql("INSERT INTO e.p VALUES (1, 'x'), (2, 'y')")
    other.sql(renamed("y", "z"))
    for number in range(5):
        one.sql(f"INSERT INTO a.x VALUES ({number + 10}, 0)")
    take(one, other)
    assert one.rows("e.p") == [(1, "x"), (2, "z")]
    return one, other


def renamed(before: str, after: str) -> str:
    return f"ALTER TABLE e.p PARTITION (p = '{before}') RENAME TO PARTITION (p = '{after}')"


def test_a_renamed_partition_takes_the_other_catalogs_rows(parted: tuple[Lake, Lake]) -> None:
    one, other = parted
    other.sql(renamed("x", "w"))
    one.sql("INSERT INTO e.p VALUES (3, 'x')")
    there_and_back(one, other, "e.p")
    assert one.rows("e.p") == [(1, "w"), (2, "z"), (3, "w")]


def test_a_rename_before_the_join_takes_no_rows(parted: tuple[Lake, Lake]) -> None:
    """Whoever has the table knows that rename."""
    one, other = parted
    one.sql("INSERT INTO e.p VALUES (3, 'y')")
    other.sql("INSERT INTO e.p VALUES (4, 'y')")
    there_and_back(one, other, "e.p")
    assert one.rows("e.p") == [(1, "x"), (2, "z"), (3, "y"), (4, "y")]


def test_a_dropped_partition_takes_the_other_catalogs_rows(parted: tuple[Lake, Lake]) -> None:
    one, other = parted
    one.sql("ALTER TABLE e.p DROP PARTITION (p = 'x')")
    other.sql("INSERT INTO e.p VALUES (3, 'x'), (4, 'z')")
    take(other, one)
    assert other.rows("e.p") == [(2, "z"), (4, "z")]
    there_and_back(one, other, "e.p")


def test_renaming_onto_the_other_catalogs_partition_is_refused(parted: tuple[Lake, Lake]) -> None:
    one, other = parted
    one.sql("INSERT INTO e.p VALUES (3, 'w')")
    other.sql(renamed("x", "w"))
    assert codes(one, other) == {"PARTITION_EXISTS"}


def test_a_partition_overwritten_in_one_catalog(parted: tuple[Lake, Lake]) -> None:
    one, other = parted
    one.sql("INSERT OVERWRITE e.p PARTITION (p = 'x') VALUES (7)")
    other.sql("INSERT INTO e.p VALUES (3, 'z')")
    there_and_back(one, other, "e.p")
    assert one.rows("e.p") == [(2, "z"), (3, "z"), (7, "x")]


@pytest.fixture
def joined(pair: tuple[Lake, Lake]) -> tuple[Lake, Lake]:
    one, other = pair
    take(one, other)
    take(other, one)
    return one, other


def test_columns_changed_in_both_catalogs(joined: tuple[Lake, Lake]) -> None:
    one, other = joined
    one.sql("ALTER TABLE e.t RENAME COLUMN v TO value")
    other.sql("ALTER TABLE e.t ALTER COLUMN v TYPE BIGINT")
    other.sql("INSERT INTO e.t VALUES (4, 5000000000)")
    one.sql("ALTER TABLE e.t ADD COLUMN w INT DEFAULT 3")
    there_and_back(one, other, "e.t")
    assert one.rows("e.t", columns="id, value, w") == [(1, 0, 3), (2, 0, 3), (3, 0, 3), (4, 5000000000, 3)]
    for lake in joined:
        assert [row[:2] for row in lake.sql("DESCRIBE TABLE e.t").rows][:3] == [
            ["id", "int"],
            ["value", "bigint"],
            ["w", "int"],
        ]


def test_one_column_added_in_both_catalogs_is_one(joined: tuple[Lake, Lake]) -> None:
    one, other = joined
    for number, lake in enumerate(joined, start=4):
        lake.sql("ALTER TABLE e.t ADD COLUMN w INT")
        lake.sql(f"INSERT INTO e.t VALUES ({number}, 0, {number * 10})")
    there_and_back(one, other, "e.t")
    assert one.rows("e.t")[3:] == [(4, 0, 40), (5, 0, 50)]
    one.sql("ALTER TABLE e.t RENAME COLUMN w TO n")
    other.sql("UPDATE e.t SET w = 1 WHERE id = 5")
    there_and_back(one, other, "e.t")
    assert one.rows("e.t", columns="id, n")[3:] == [(4, 40), (5, 1)]


def test_a_column_dropped_there_and_changed_here_conflicts(joined: tuple[Lake, Lake]) -> None:
    one, other = joined
    one.sql("ALTER TABLE e.t DROP COLUMN v")
    other.sql("ALTER TABLE e.t RENAME COLUMN v TO value")
    assert codes(one, other) == {"COLUMN_MISSING"}


def test_types_narrower_than_the_other_catalogs_are_refused(joined: tuple[Lake, Lake]) -> None:
    one, other = joined
    one.sql("CREATE TABLE a.s (id INT, v SMALLINT)")
    take(other, one)
    one.sql("ALTER TABLE a.s ALTER COLUMN v TYPE BIGINT")
    other.sql("ALTER TABLE a.s ALTER COLUMN v TYPE INT")
    assert codes(one, other) == {"COLUMN_TYPE_NARROWING"}
    take(other, one)
    assert [row[:2] for row in other.sql("DESCRIBE TABLE a.s").rows] == [["id", "int"], ["v", "bigint"]]


def test_a_required_column_judges_the_other_catalogs_rows(joined: tuple[Lake, Lake]) -> None:
    one, other = joined
    one.sql("ALTER TABLE e.t ALTER COLUMN v SET NOT NULL")
    other.sql("INSERT INTO e.t VALUES (4, NULL)")
    assert codes(one, other) == codes(other, one) == {"NOT_NULL_WITHOUT_VALUE"}


def test_a_dropped_table_of_the_other_catalog(joined: tuple[Lake, Lake]) -> None:
    one, other = joined
    one.sql("DROP TABLE e.t")
    other.sql("UPDATE e.t SET v = 1 WHERE id = 1")
    assert codes(one, other) == {"OBJECT_DROPPED_ON_DEST"}
    take(other, one)
    assert [row for row in other.sql("SHOW TABLES IN e").rows if "t" in row] == []


def test_a_transaction_beside_a_merge_of_another_catalog(joined: tuple[Lake, Lake]) -> None:
    one, other = joined
    opened = Open(one)
    opened.sql("UPDATE e.t SET v = 1 WHERE id = 1")
    opened.sql("UPDATE a.x SET v = 1 WHERE id = 1")
    other.sql("UPDATE e.t SET v = 2 WHERE id = 2")
    take(one, other)
    opened.sql("COMMIT")
    there_and_back(one, other, "e.t", "a.x")
    assert one.rows("e.t") == [(1, 1), (2, 2), (3, 0)]
    assert one.rows("a.x") == [(1, 1), (2, 0), (3, 0)]


def test_a_transaction_is_judged_against_another_catalogs_merge(joined: tuple[Lake, Lake]) -> None:
    one, other = joined
    opened = Open(one)
    opened.sql("UPDATE e.t SET v = 1 WHERE id = 1")
    other.sql("UPDATE e.t SET v = 2 WHERE id = 1")
    take(one, other)
    with pytest.raises(MergeConflict) as refusal:
        opened.sql("COMMIT")
    assert {item["code"] for item in refusal.value.details["conflicts"]} == {"SAME_FILE_UPDATE_UPDATE"}


def test_a_transaction_that_began_before_the_join(pair: tuple[Lake, Lake]) -> None:
    one, other = pair
    opened = Open(one)
    opened.sql("UPDATE a.x SET v = 1 WHERE id = 1")
    take(one, other)
    one.sql("UPDATE a.x SET v = 2 WHERE id = 2")
    opened.sql("COMMIT")
    there_and_back(one, other, "e.t", "a.x")
    assert one.rows("a.x") == [(1, 1), (2, 2), (3, 0)]


def test_a_transaction_of_the_other_catalog_continues(joined: tuple[Lake, Lake]) -> None:
    one, other = joined
    opened = Open(other)
    opened.sql("INSERT INTO a.x VALUES (4, 4)")
    opened.sql("ALTER TABLE a.x SET TBLPROPERTIES ('k' = 'v')")
    opened.sql("DELETE FROM e.t WHERE id = 3")
    opened.sql("COMMIT")
    there_and_back(one, other, "e.t", "a.x")
    assert one.rows("a.x")[3:] == [(4, 4)]
    assert one.rows("e.t") == [(1, 0), (2, 0)]


def numbers(value: Any) -> Iterator[int]:
    if isinstance(value, dict):
        yield from (found for item in value.values() for found in numbers(item))
    elif isinstance(value, list | tuple):
        yield from (found for item in value for found in numbers(item))
    elif isinstance(value, int) and not isinstance(value, bool):
        yield value


def shown_versions(value: Any) -> Iterator[int]:
    """All that stands under a name with ``version``."""
    if isinstance(value, dict):
        for name, item in value.items():
            yield from numbers(item) if "version" in name else shown_versions(item)
    elif isinstance(value, list | tuple):
        yield from (found for item in value for found in shown_versions(item))


def test_a_plan_names_versions_of_commits(joined: tuple[Lake, Lake]) -> None:
    """Of tables of both homes, notes and conflicts, in the dry run and in the record of the merge."""
    one, other = joined
    for table in ("e.t", "a.x"):
        one.sql(f"ALTER TABLE {table} SET TBLPROPERTIES ('k' = 'one')")
        other.sql(f"ALTER TABLE {table} SET TBLPROPERTIES ('k' = 'other', 'm' = '1')")
        other.sql(f"ALTER TABLE {table} RENAME COLUMN v TO value")
        one.sql(f"ALTER TABLE {table} ALTER COLUMN v COMMENT 'one'")
        other.sql(f"ALTER TABLE {table} ADD COLUMN w INT")
    heads = one.head(), other.head()
    dry = one.sql(f"MERGE BRANCH {other.catalog}.main TO main DRY RUN")
    assert dry.extra["notes"]
    merged = one.sql(f"MERGE BRANCH {other.catalog}.main TO main")
    newest = one.head()
    for body in (dry.extra, merged.extra, one.audit(merged.extra["merge_id"])):
        assert min(numbers(body)) >= 0
        versions = set(shown_versions(body))
        assert versions
        assert max(versions) <= newest
    joined_at = CatalogJoin.objects.get(catalog=catalog_of(one), other=catalog_of(other)).version
    reported = set(shown_versions(dry.extra["notes"]))
    assert reported
    assert all(joined_at < version <= max(heads) for version in reported)


def test_a_refusal_names_versions_of_commits(joined: tuple[Lake, Lake]) -> None:
    one, other = joined
    for table in ("e.t", "a.x"):
        one.sql(f"ALTER TABLE {table} DROP COLUMN v")
        other.sql(f"ALTER TABLE {table} RENAME COLUMN v TO value")
    heads = one.head(), other.head()
    with pytest.raises(MergeConflict) as refusal:
        take(one, other)
    conflicts = refusal.value.details["conflicts"]
    assert [item["code"] for item in conflicts] == ["COLUMN_MISSING"] * 2
    reported = set(shown_versions(conflicts))
    assert reported
    assert all(0 < version <= max(heads) for version in reported)
    assert min(numbers(conflicts)) >= 0
