"""``table_changes`` and ``table_difference``: changes of rows as a table in any query."""

from __future__ import annotations

from typing import Any

import pytest

from lakeui.common.errors import ForbiddenStatement, InvalidValue, LakeError, NotFound, NotSupported, SyntaxProblem
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


def shown(lake: Lake, ends: str, branch: str = "main", table: str = "d.t") -> list[list[Any]]:
    """The changes without their row ids."""
    return [[row[0], *row[2:]] for row in lake.sql(f"SHOW CHANGES {table} FROM {ends}", branch).rows]


def test_show_changes_between_branches_and_tags(made: Lake) -> None:
    made.sql("CREATE TAG early VERSION AS OF 4")
    made.sql("CREATE BRANCH b")
    made.sql("INSERT INTO d.t VALUES (9, 'i', 9)", "b")
    made.sql("DELETE FROM d.t WHERE id = 2")
    since_main = [["insert", 2, "B", 5], ["insert", 9, "i", 9]]
    assert shown(made, "BRANCH main TO BRANCH b") == since_main
    assert shown(made, "BRANCH main TO BRANCH B", "b") == since_main
    assert shown(made, f"BRANCH main TO VERSION {made.head('b')}", "b") == since_main
    assert shown(made, "BRANCH b TO BRANCH main") == [["delete", *row[1:]] for row in since_main]
    assert shown(made, "TAG early TO VERSION 5") == [["delete", 1, "a"]]
    assert shown(made, "VERSION 5 TO TAG early") == [["insert", 1, "a"]]
    found = made.sql("SHOW CHANGES d.t FROM TAG early TO BRANCH b")
    assert found.version == made.head("b")
    assert [row[0] for row in found.rows] == ["delete", "update_before", "update_after", "insert"]


def test_files_of_both_branches_are_not_read(made: Lake) -> None:
    made.sql("CREATE BRANCH b")
    made.sql("INSERT INTO d.t VALUES (9, 'i', 9)", "b")
    found = made.sql("SHOW CHANGES d.t FROM BRANCH main TO BRANCH b")
    assert found.metrics["files_scanned"] == 1
    assert found.metrics["files_skipped"] >= 1
    assert len(found.rows) == 1


def test_rows_read_as_the_end_shows_them(made: Lake) -> None:
    made.sql("CREATE BRANCH b")
    made.sql("ALTER TABLE d.t RENAME COLUMN v TO label", "b")
    made.sql("UPDATE d.t SET label = 'x' WHERE id = 3", "b")
    made.sql("ALTER TABLE d.t ADD COLUMN k INT")
    made.sql("UPDATE d.t SET k = 1 WHERE id = 2")
    forth = made.sql("SHOW CHANGES d.t FROM BRANCH main TO BRANCH b")
    assert [name for name, _ in forth.columns[2:]] == ["id", "label", "n"]
    assert [[row[0], *row[2:]] for row in forth.rows] == [
        ["update_before", 3, "c", None],
        ["update_after", 3, "x", None],
    ]
    back = made.sql("SHOW CHANGES d.t FROM BRANCH b TO BRANCH main")
    assert [name for name, _ in back.columns[2:]] == ["id", "v", "n", "k"]
    assert sorted(row[0] for row in back.rows) == ["update_after", "update_after", "update_before", "update_before"]


def test_a_table_of_one_branch_alone(made: Lake) -> None:
    made.sql("CREATE BRANCH b")
    made.sql("CREATE TABLE d.u (id INT)", "b")
    made.sql("INSERT INTO d.u VALUES (1)", "b")
    assert shown(made, "BRANCH main TO BRANCH b", table="d.`u@b`") == [["insert", 1]]
    with pytest.raises(NotFound, match="on branch main"):
        shown(made, "BRANCH b TO BRANCH main", table="d.`u@b`")


def test_its_words_in_a_query(made: Lake) -> None:
    made.sql("CREATE TAG early VERSION AS OF 4")
    made.sql("CREATE BRANCH `a/b`")
    made.sql("INSERT INTO d.t VALUES (9, 'i', 9)", "a/b")
    said = "SELECT _change_type, id FROM d.t CHANGES FROM {}"
    assert ask(made, said.format("BRANCH main TO BRANCH `a/b`")) == [("insert", 9)]
    assert ask(made, said.format("TAG early TO VERSION 5 AS c WHERE c.id < 9")) == [("delete", 1)]
    for wrong in ("BRANCH TO VERSION 5", "BRANCH main", "4 TO VERSION 5"):
        with pytest.raises(SyntaxProblem):
            made.sql(said.format(wrong))


def test_a_point_says_what_it_is(made: Lake) -> None:
    made.sql("CREATE TAG early VERSION AS OF 4")
    for missing in ("branch early", "tag main"):
        with pytest.raises(NotFound, match=f"(?i){missing}"):
            ask(made, f"SELECT * FROM d.t CHANGES FROM VERSION 3 TO {missing}")
    count = "SELECT count(*) FROM table_difference('d.t', {}, branch => 'main')"
    assert ask(made, count.format("tag => 'early'")) == ask(made, count.format("'early'")) != [(0,)]
    assert by_version(made, "'d.t', tag => 'early', 4") == by_version(made, "'d.t', 4, 4")
    for point in ("branch => 'main'", "tags => 'early'", "tag => 4"):
        with pytest.raises(InvalidValue):
            by_version(made, f"'d.t', {point}")


def test_in_a_transaction_show_changes_too(made: Lake) -> None:
    opened = made.sql("BEGIN").extra["transaction"]
    made.sql("INSERT INTO d.t VALUES (8, 'h', 8)", transaction=opened)
    found = made.sql("SHOW CHANGES d.t FROM VERSION 7 TO BRANCH main", transaction=opened)
    assert [row[0] for row in found.rows] == ["insert"]
    made.sql("ROLLBACK", transaction=opened)


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
