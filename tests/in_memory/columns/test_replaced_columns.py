"""ALTER TABLE .. REPLACE COLUMNS: columns of known names stay with their values, others go or come."""

from __future__ import annotations

import pytest

from lakeui.common.errors import LakeError
from tests.in_memory.conftest import Begun
from tests.in_memory.rows.test_dry_runs import everything
from tests.support.lake import Lake

REPLACE = "ALTER TABLE d.t REPLACE COLUMNS (w STRING COMMENT 'new', n BIGINT, id INT)"


def filled_fill(lake: Lake) -> None:
    lake.sql("CREATE TABLE d.t (id INT, v STRING, n INT DEFAULT 7 COMMENT 'old')")
    lake.sql("INSERT INTO d.t VALUES (1, 'a', 10)")
    lake.sql("CREATE BRANCH b")


@pytest.fixture
def filled(begun: Begun) -> Lake:
    return begun(filled_fill)


def described(lake: Lake, branch: str = "main") -> list[list[str]]:
    return [row[:2] for row in lake.sql("DESCRIBE d.t", branch).rows if row[0] in ("id", "v", "n", "w")]


def test_known_columns_keep_values_in_the_stated_order(filled: Lake) -> None:
    head = filled.head()
    done = filled.sql(REPLACE)
    found = filled.sql("SELECT * FROM d.t")
    assert found.columns == [("w", "string"), ("n", "bigint"), ("id", "int")]
    assert found.rows == [[None, 10, 1]]
    assert done.version == filled.head() > head
    assert len([row for row in filled.sql("DESCRIBE HISTORY d.t").rows if row[0] > head]) == 1


def test_default_and_comment_are_as_stated(filled: Lake) -> None:
    filled.sql(REPLACE)
    filled.sql("INSERT INTO d.t (id) VALUES (2)")
    assert filled.rows("d.t", columns="id, n, w") == [(1, 10, None), (2, None, None)]
    found = filled.sql("DESCRIBE d.t")
    place = [name for name, _ in found.columns].index("comment")
    comments = {row[0]: row[place] for row in found.rows}
    assert (comments["w"], comments["n"] or "") == ("new", "")


def test_a_dropped_name_added_later_is_another_column(filled: Lake) -> None:
    filled.sql("ALTER TABLE d.t REPLACE COLUMNS (id INT)")
    filled.sql("ALTER TABLE d.t REPLACE COLUMNS (id INT, v STRING)")
    assert filled.rows("d.t") == [(1, None)]


def test_all_columns_may_be_new(filled: Lake) -> None:
    filled.sql("ALTER TABLE d.t REPLACE COLUMNS (x INT, y STRING)")
    assert filled.rows("d.t") == [(None, None)]


def test_the_same_columns_change_nothing(filled: Lake) -> None:
    head = filled.head()
    filled.sql("ALTER TABLE d.t REPLACE COLUMNS (id INT, v STRING, n INT DEFAULT 7 COMMENT 'old')")
    assert filled.head() == head


def test_its_dry_run_and_explain_change_nothing(filled: Lake) -> None:
    before = everything(filled)
    assert filled.sql(f"{REPLACE} DRY RUN").extra["dry_run"] is True
    steps = filled.sql(f"EXPLAIN {REPLACE}").rows
    assert {"drop column", "add column"} <= {step for step, _ in steps}
    assert everything(filled) == before


def test_a_merge_carries_the_alterations_out(filled: Lake) -> None:
    filled.sql(REPLACE, "b")
    filled.sql("INSERT INTO d.t VALUES (2, 'b', 20)")
    filled.merge("b")
    assert described(filled) == [["w", "string"], ["n", "bigint"], ["id", "int"]]
    assert filled.rows("d.t") == [(None, 10, 1), (None, 20, 2)]


def test_it_is_judged_as_its_alterations(filled: Lake) -> None:
    filled.sql(REPLACE, "b")
    filled.sql("UPDATE d.t SET v = 'changed' WHERE id = 1")
    replaced = filled.dry_run("b")
    filled.sql("CREATE BRANCH c VERSION AS OF 4")
    for text in ("DROP COLUMN v", "ADD COLUMN w STRING COMMENT 'new' FIRST", "ALTER COLUMN n TYPE BIGINT"):
        filled.sql(f"ALTER TABLE d.t {text}", "c")
    altered = filled.dry_run("c")
    assert {item["code"] for item in replaced["conflicts"]} == {item["code"] for item in altered["conflicts"]}
    assert replaced["mergeable"] == altered["mergeable"]


def test_what_a_constraint_reads_stays(filled: Lake) -> None:
    filled.sql("ALTER TABLE d.t ADD CONSTRAINT c CHECK (v <> 'x')")
    head = filled.head()
    with pytest.raises(LakeError, match="v"):
        filled.sql(REPLACE)
    assert filled.head() == head


def test_generated_columns_go_whole_or_stay_generated(filled: Lake) -> None:
    filled.sql("CREATE TABLE d.g (id INT, two INT GENERATED ALWAYS AS (id * 2), v STRING)")
    filled.sql("ALTER TABLE d.g REPLACE COLUMNS (two INT, id INT)")
    filled.sql("INSERT INTO d.g (id) VALUES (4)")
    assert filled.rows("d.g") == [(8, 4)]
    filled.sql("ALTER TABLE d.g REPLACE COLUMNS (id INT)")
    filled.sql("INSERT INTO d.g VALUES (5)")
    assert filled.rows("d.g") == [(4,), (5,)]
