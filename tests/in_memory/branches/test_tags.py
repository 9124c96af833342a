"""Tags name a version of a branch, for reading (interfaces §1)."""

from __future__ import annotations

import pytest

from lakeui.common.errors import AlreadyExists, InvalidValue, NotFound
from tests.support.lake import Lake


def tagged(lake: Lake) -> int:
    lake.sql("CREATE TABLE d.t (a int)")
    lake.sql("INSERT INTO d.t VALUES (1)")
    lake.sql("CREATE TAG first")
    version = lake.head()
    lake.sql("INSERT INTO d.t VALUES (2)")
    return version


def test_a_tag_reads_what_its_branch_was(lake: Lake) -> None:
    version = tagged(lake)
    assert lake.rows("d.`t@first`") == [(1,)]
    assert lake.sql("SHOW TAGS").rows == [["first", "main", version]]
    assert lake.rows(f"d.`t@first` VERSION AS OF {version - 1}") == []


def test_a_tag_names_a_version_of_another_branch(lake: Lake) -> None:
    version = tagged(lake)
    lake.sql("CREATE BRANCH dev")
    lake.sql("INSERT INTO d.t VALUES (3)", "dev")
    lake.sql(f"CREATE TAG early FROM dev VERSION AS OF {version}")
    lake.sql("CREATE TAG late FROM dev")
    assert lake.rows("d.`t@early`") == [(1,)]
    assert lake.rows("d.`t@late`") == [(1,), (2,), (3,)]


def test_a_tag_is_not_written_to(lake: Lake) -> None:
    tagged(lake)
    with pytest.raises(InvalidValue):
        lake.sql("INSERT INTO d.`t@first` VALUES (9)")


def test_tags_and_branches_share_their_names(lake: Lake) -> None:
    tagged(lake)
    with pytest.raises(AlreadyExists):
        lake.sql("CREATE BRANCH First")
    with pytest.raises(AlreadyExists):
        lake.sql("CREATE TAG main")
    with pytest.raises(AlreadyExists):
        lake.sql("CREATE TAG first")


def test_a_tag_outlives_its_branch_until_dropped(lake: Lake) -> None:
    tagged(lake)
    lake.sql("CREATE BRANCH dev")
    lake.sql("INSERT INTO d.t VALUES (3)", "dev")
    lake.sql("CREATE TAG kept FROM dev")
    lake.sql("DROP BRANCH dev")
    assert len(lake.rows("d.`t@kept`")) == 3
    lake.sql("DROP TAG kept")
    with pytest.raises(NotFound):
        lake.rows("d.`t@kept`")
    with pytest.raises(NotFound) as unknown:
        lake.sql("DROP TAG frist")
    assert unknown.value.details["nearest"] == "first"
