"""``table_changes`` and ``table_difference``: changes of rows as a table in any query."""

from __future__ import annotations

from typing import Any

import pytest

from lakeui.common.errors import ForbiddenStatement, InvalidValue, LakeError, NotFound, NotSupported
from lakeui.frontdoor.queries import change_tables
from tests.in_memory.conftest import Begun
from tests.support.lake import Lake

NAMES = {"insert": "insert", "delete": "delete", "update_before": "update_preimage", "update_after": "update_postimage"}


def made_fill(lake: Lake) -> None:
    lake.sql("CREATE TABLE d.t (id INT, v STRING)")
    lake.sql("INSERT INTO d.t VALUES (1, 'a'), (2, 'b'), (3, 'c')")
    lake.sql("UPDATE d.t SET v = 'B' WHERE id = 2")
    lake.sql("DELETE FROM d.t WHERE id = 1")
    lake.sql("ALTER TABLE d.t ADD COLUMN n INT")
    lake.sql("UPDATE d.t SET n = 5 WHERE id = 2")


@pytest.fixture
def made(begun: Begun) -> Lake:
    """Versions 2 to 7; versions 3, 4, 5 and 7 change rows."""
    return begun(made_fill)


def ask(lake: Lake, text: str, branch: str = "main") -> list[tuple[Any, ...]]:
    return sorted((tuple(row) for row in lake.sql(text, branch).rows), key=repr)


def by_version(lake: Lake, arguments: str, branch: str = "main") -> list[tuple[Any, ...]]:
    """Version, kind and id of each changed row."""
    return ask(lake, f"SELECT _commit_version, _change_type, id FROM table_changes({arguments})", branch)


ALL = [
    (3, "insert", 1),
    (3, "insert", 2),
    (3, "insert", 3),
    (4, "update_postimage", 2),
    (4, "update_preimage", 2),
    (5, "delete", 1),
    (7, "update_postimage", 2),
    (7, "update_preimage", 2),
]


def test_each_commit_with_its_version_and_time(made: Lake) -> None:
    assert by_version(made, "'d.t', 0, 7") == by_version(made, "'d.t', 2") == ALL
    assert by_version(made, "'d.t', 4, 5") == ALL[3:6]
    assert by_version(made, "'d.t', 6, 6") == []
    found = made.sql("SELECT * FROM table_changes('d.t', 5)")
    assert [name for name, _ in found.columns] == [
        "id",
        "v",
        "n",
        "_change_type",
        "_commit_version",
        "_commit_timestamp",
    ]
    assert [kind for _, kind in found.columns][3:] == ["string", "bigint", "timestamp"]
    times = {row[0]: row[1] for row in made.sql("SHOW HISTORY").rows}
    shown = ask(made, "SELECT DISTINCT _commit_version, CAST(_commit_timestamp AS STRING) FROM table_changes('d.t', 1)")
    assert [version for version, _ in shown] == [3, 4, 5, 7]
    assert all(str(times[version])[11:19] in time for version, time in shown)


def test_one_commit_is_what_show_changes_says(made: Lake) -> None:
    for version in range(3, 8):
        said = made.sql(f"SHOW CHANGES d.t FROM VERSION {version - 1} TO VERSION {version}").rows
        expected = sorted(((NAMES[row[0]], *row[2:]) for row in said), key=repr)
        columns = "id, v" if version < 6 else "id, v, n"
        found = ask(made, f"SELECT _change_type, {columns} FROM table_changes('d.t', {version}, {version})")
        assert found == expected


@pytest.mark.parametrize(("first", "last"), [(2, 7), (3, 5), (5, 3), (4, 4)])
def test_version_difference_equals_show_changes(made: Lake, first: int, last: int) -> None:
    said = made.sql(f"SHOW CHANGES d.t FROM VERSION {first} TO VERSION {last}")
    columns = ", ".join(name for name, _ in said.columns[2:])
    text = f"SELECT _change_type, _row_id, {columns} FROM table_difference('d.t', {first}, {last})"
    expected = sorted(((NAMES[row[0]], *row[1:]) for row in said.rows), key=repr)
    assert ask(made, text) == expected
    words = f"FROM d.t CHANGES FROM VERSION {first} TO VERSION {last}"
    assert ask(made, f"SELECT _change_type, _row_id, {columns} {words}") == expected
    assert ask(made, f"SELECT c._change_type, _row_id, {columns} {words} AS c WHERE c._row_id >= 0") == expected


def test_tags_and_times(made: Lake) -> None:
    made.sql("CREATE TAG early VERSION AS OF 4")
    time = {row[0]: row[1] for row in made.sql("SHOW HISTORY").rows}[5]
    assert by_version(made, "'d.t', 'early'") == ALL[3:]
    assert by_version(made, f"'d.t', TIMESTAMP '{time}'") == ALL[5:]
    assert by_version(made, f"'d.t', 'early', '{time}'") == ALL[3:6]
    difference = "SELECT _change_type, id FROM table_difference('d.t', 'early', {})"
    assert ask(made, difference.format(5)) == ask(made, difference.format(f"TIMESTAMP '{time}'")) == [("delete", 1)]


def test_branches_are_compared_joined_and_aggregated(made: Lake) -> None:
    made.sql("CREATE BRANCH b")
    made.sql("INSERT INTO d.t VALUES (9, 'i', 9)", "b")
    made.sql("UPDATE d.t SET v = 'C' WHERE id = 3", "b")
    made.sql("DELETE FROM d.t WHERE id = 2")
    counted = "SELECT _change_type, count(*) AS n FROM table_difference('d.t', 'main', 'b') GROUP BY _change_type"
    expected = [("insert", 2), ("update_postimage", 1), ("update_preimage", 1)]
    assert ask(made, counted) == ask(made, counted, "b") == expected
    joined = (
        "SELECT x.id, x.v AS now, t.v AS before FROM table_difference('d.t', 'main', 'b') x JOIN d.t ON t.id = x.id "
        "WHERE x._change_type = 'update_postimage'"
    )
    assert ask(made, joined) == [(3, "C", "c")]
    assert by_version(made, "'d.`t@b`', 8") == by_version(made, "'d.t', 8", "b")
    made.merge("b")
    merged = made.head()
    assert [row[1:3] for row in by_version(made, f"'d.t', {merged}")] == [
        ("insert", 9),
        ("update_postimage", 3),
        ("update_preimage", 3),
    ]


def test_a_compaction_changes_no_row(made: Lake) -> None:
    made.sql("OPTIMIZE d.t")
    assert by_version(made, f"'d.t', {made.head()}") == []
    assert ask(made, f"SELECT * FROM table_difference('d.t', 7, {made.head()})") == []


def test_they_stand_where_tables_stand(made: Lake) -> None:
    made.sql("CREATE TABLE d.log AS SELECT * FROM table_changes('d.t', 3, 4)")
    assert len(made.rows("d.log")) == 5
    made.sql("CREATE VIEW d.seen AS SELECT id, _change_type FROM table_changes('d.t', 5)")
    assert ask(made, "SELECT _change_type FROM d.seen") == [("delete",), ("update_postimage",), ("update_preimage",)]
    made.sql("DELETE FROM d.t WHERE id IN (SELECT id FROM table_changes('d.t', 4, 4))")
    assert made.rows("d.t", columns="id") == [(3,)]
    assert ask(made, "SELECT count(*) FROM table_changes('d.t', 3, 5) WHERE id = 2") == [(3,)]
    assert ask(made, "SELECT table_changes._change_type FROM table_changes('d.t', 5, 5)") == [("delete",)]


def test_in_a_transaction_they_show_what_it_wrote(made: Lake) -> None:
    opened = made.sql("BEGIN").extra["transaction"]
    made.sql("INSERT INTO d.t VALUES (8, 'h', 8)", transaction=opened)
    text = "SELECT _change_type, id FROM table_difference('d.t', 7, 'main')"
    assert [tuple(row) for row in made.sql(text, transaction=opened).rows] == [("insert", 8)]
    made.sql("ROLLBACK", transaction=opened)
    assert made.sql(text).rows == []


def test_explain_says_what_is_compared(made: Lake) -> None:
    steps = made.sql("EXPLAIN SELECT * FROM table_changes('d.t', 3, 5)").rows
    assert steps[0][0] == "compare"
    assert "d.t, versions 3 to 5: 3 commits" in steps[0][1]
    steps = made.sql("EXPLAIN SELECT * FROM table_difference('d.t', 3, 'main')").rows
    assert "3 against main" in steps[0][1]


def test_a_name_with_a_tag_ends_there(made: Lake) -> None:
    made.sql("CREATE TAG early VERSION AS OF 4")
    assert by_version(made, "'d.`t@early`', 0") == ALL[:5]
    with pytest.raises(NotFound, match="of which early is the tag"):
        by_version(made, "'d.`t@early`', 0, 5")


REFUSED: dict[str, tuple[type[LakeError], str]] = {
    "SELECT * FROM table_changes('d.t', 99)": (NotFound, "99"),
    "SELECT * FROM table_changes('d.t', 5, 4)": (InvalidValue, "later than"),
    "SELECT * FROM table_changes('d.nowhere', 1)": (NotFound, "nowhere"),
    "SELECT * FROM table_changes('d.v', 1)": (NotSupported, "is a view"),
    "SELECT * FROM table_changes('d.t', 'nowhere')": (InvalidValue, "nowhere"),
    "SELECT * FROM table_difference('d.t', 1, 'nowhere')": (NotFound, "nowhere"),
    "SELECT * FROM table_changes('t', 1)": (InvalidValue, "without its database"),
    "SELECT * FROM table_changes('not a name', 1)": (InvalidValue, "without its database"),
    "SELECT * FROM table_changes('d.t; DROP', 1)": (InvalidValue, "no name of a table"),
    "SELECT * FROM table_changes('d.t', 1 + 1)": (InvalidValue, "constants"),
    "SELECT * FROM table_changes('d.t', 1.5)": (InvalidValue, "whole"),
    "SELECT * FROM table_changes('d.t')": (InvalidValue, "takes a table"),
    "SELECT * FROM table_difference('d.t', 1)": (InvalidValue, "takes a table"),
    "SELECT table_changes('d.t', 1)": (ForbiddenStatement, "is a table"),
    "SELECT * FROM table_changes('parquet.`/etc/x`', 1)": (ForbiddenStatement, "file"),
    "SELECT * FROM table_changes('d.odd', 1)": (InvalidValue, "_change_type"),
}


@pytest.mark.parametrize("text", REFUSED)
def test_refused_by_name(made: Lake, text: str) -> None:
    made.sql("CREATE VIEW d.v AS SELECT 1 AS x")
    made.sql("CREATE TABLE d.odd (_change_type INT)")
    error, words = REFUSED[text]
    with pytest.raises(error) as caught:
        made.sql(text)
    assert words in f"{caught.value.message} {caught.value.remedy}"


def test_too_many_commits_are_refused(made: Lake, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(change_tables, "MOST_COMMITS", 3)
    with pytest.raises(InvalidValue, match="More than 3 commits"):
        by_version(made, "'d.t', 0")
    assert by_version(made, "'d.t', 4") == ALL[3:]
