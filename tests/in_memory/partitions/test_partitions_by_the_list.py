"""ALTER TABLE adds and drops several partitions in one commit, or none."""

from __future__ import annotations

import pytest

from lakeui.common.errors import AlreadyExists, ForbiddenStatement, InvalidValue, LakeError, NotFound
from tests.support.lake import Lake


@pytest.fixture
def made(lake: Lake) -> Lake:
    lake.sql("CREATE TABLE d.t (id INT, a STRING, b INT) PARTITIONED BY (a, b)")
    lake.sql("INSERT INTO d.t VALUES (1, 'x', 1), (2, 'x', 2), (3, 'y', 1), (4, 'z', 3)")
    return lake


def partitions(lake: Lake, branch: str = "main") -> list[str]:
    return [row[0] for row in lake.sql("SHOW PARTITIONS d.t", branch).rows]


PRESENT = ["a=x/b=1", "a=x/b=2", "a=y/b=1", "a=z/b=3"]


@pytest.mark.parametrize("comma", ["", ","])
def test_several_partitions_are_added_by_one_version(made: Lake, comma: str) -> None:
    before = made.head()
    made.sql(f"ALTER TABLE d.t ADD PARTITION (a = 'n', b = 1){comma} PARTITION (b = 2, a = 'n')")
    assert made.head() == before + 1
    assert partitions(made) == ["a=n/b=1", "a=n/b=2", *PRESENT]


def test_existing_partition_is_left_out_or_refuses_all(made: Lake) -> None:
    wanted = "PARTITION (a = 'n', b = 1) PARTITION (a = 'x', b = 2)"
    before = made.head()
    with pytest.raises(AlreadyExists, match="a = x, b = 2"):
        made.sql(f"ALTER TABLE d.t ADD {wanted}")
    assert (made.head(), partitions(made)) == (before, PRESENT)
    made.sql(f"ALTER TABLE d.t ADD IF NOT EXISTS {wanted}")
    assert partitions(made) == ["a=n/b=1", *PRESENT]
    made.sql(f"ALTER TABLE d.t ADD IF NOT EXISTS {wanted}")
    assert made.head() == before + 1


@pytest.mark.parametrize("check", ["", "IF NOT EXISTS "])
def test_one_value_in_two_spellings_is_added_once(made: Lake, check: str) -> None:
    with pytest.raises(InvalidValue, match="added twice"):
        made.sql(f"ALTER TABLE d.t ADD {check}PARTITION (a = 'n', b = 1) PARTITION (b = '1', a = 'n')")
    assert partitions(made) == PRESENT


@pytest.mark.parametrize(
    ("stated", "left"),
    [
        ("PARTITION (a = 'x', b = 1), PARTITION (a = 'z')", [2, 3]),
        ("PARTITION (a = 'x') PARTITION (b = 1)", [4]),
        ("IF EXISTS PARTITION (a = 'none'), PARTITION (b = 3)", [1, 2, 3]),
    ],
)
def test_several_partitions_go_by_one_version(made: Lake, stated: str, left: list[int]) -> None:
    before = made.head()
    made.sql("CREATE BRANCH c")
    made.sql(f"ALTER TABLE d.t DROP {stated}", "c")
    assert made.head("c") == before + 1
    assert made.rows("d.t", "c", "id") == [(i,) for i in left]
    made.merge("c")
    assert made.rows("d.t", columns="id") == [(i,) for i in left]


def test_a_dry_run_leaves_the_partitions(made: Lake) -> None:
    before = made.head()
    for change in (
        "ADD PARTITION (a = 'n', b = 1) PARTITION (a = 'n', b = 2)",
        "DROP PARTITION (a = 'x'), PARTITION (b = 3)",
    ):
        assert made.sql(f"ALTER TABLE d.t {change} DRY RUN").extra["dry_run"]
        assert (made.head(), partitions(made)) == (before, PRESENT)
    with pytest.raises(NotFound, match="a = none"):
        made.sql("ALTER TABLE d.t DROP PARTITION (a = 'x'), PARTITION (a = 'none') DRY RUN")


def test_one_that_is_not_there_leaves_all(made: Lake) -> None:
    before = made.head()
    with pytest.raises(NotFound, match="a = none"):
        made.sql("ALTER TABLE d.t DROP PARTITION (a = 'x'), PARTITION (a = 'none')")
    assert (made.head(), partitions(made)) == (before, PRESENT)


def test_purge_gives_notice_and_rows_can_be_restored(made: Lake) -> None:
    before = made.head()
    purge = "ALTER TABLE d.t DROP PARTITION (a = 'x') PURGE"
    assert "RESTORE" in made.sql(f"{purge} DRY RUN").extra["notices"][0]
    assert "RESTORE" in made.sql(purge).extra["notices"][0]
    assert made.rows("d.t", columns="id") == [(3,), (4,)]
    made.sql(f"RESTORE TABLE d.t TO VERSION AS OF {before}")
    assert made.rows("d.t", columns="id") == [(1,), (2,), (3,), (4,)]
    nothing = made.sql("ALTER TABLE d.t DROP IF EXISTS PARTITION (a = 'none') PURGE")
    assert "notices" not in nothing.extra
    assert "notices" not in made.sql("ALTER TABLE d.t DROP PARTITION (a = 'z')").extra


def test_both_sides_add_and_drop_lists_that_meet(made: Lake) -> None:
    made.sql("CREATE BRANCH c")
    made.sql("ALTER TABLE d.t ADD PARTITION (a = 'n', b = 1) PARTITION (a = 'n', b = 2)", "c")
    made.sql("ALTER TABLE d.t DROP PARTITION (a = 'x', b = 1), PARTITION (a = 'y')", "c")
    made.sql("ALTER TABLE d.t ADD PARTITION (a = 'n', b = 2) PARTITION (a = 'n', b = 3)")
    made.sql("ALTER TABLE d.t DROP PARTITION (a = 'y') PARTITION (a = 'z')")
    made.merge("c")
    assert partitions(made) == ["a=n/b=1", "a=n/b=2", "a=n/b=3", "a=x/b=2"]
    assert made.rows("d.t", columns="id") == [(2,)]


def test_each_drop_applies_to_rows_written_since(made: Lake) -> None:
    made.sql("CREATE BRANCH c")
    made.sql("ALTER TABLE d.t DROP PARTITION (a = 'x') PARTITION (a = 'y')", "c")
    made.sql("INSERT INTO d.t VALUES (5, 'x', 2), (6, 'z', 3)")
    made.sql("UPDATE d.t SET id = 30 WHERE id = 3")
    # One note for each partition that held news.
    assert [note["code"] for note in made.merge("c")["notes"]] == ["DROPS_DEST_CHANGES"] * 2
    assert made.rows("d.t", columns="id") == [(4,), (6,)]


@pytest.mark.parametrize(
    ("stated", "refusal"),
    [
        ("ADD PARTITION (a = 'n', b = 1) PARTITION (a = 'n', b = 2) LOCATION 'x'", ForbiddenStatement),
        ("ADD PARTITION (a = 'n', b = 1) PURGE", LakeError),
        ("DROP PARTITION (a = 'x'),", LakeError),
        ("DROP PARTITION (a = 'x') PARTITION (id = 1)", LakeError),
    ],
)
def test_what_is_not_understood_is_refused(made: Lake, stated: str, refusal: type[LakeError]) -> None:
    before = made.head()
    with pytest.raises(refusal):
        made.sql(f"ALTER TABLE d.t {stated}")
    assert made.head() == before
