"""CHECK constraints: what is kept of them, every way in which rows come into a table, and merges of both sides."""

from __future__ import annotations

import json
import threading
from typing import Any

import pytest
from django.db import connections

from lakeui.common.errors import (
    AlreadyExists,
    CheckViolated,
    InvalidValue,
    MergeConflict,
    NotFound,
    NotSupported,
    SyntaxProblem,
)
from lakeui.frontdoor import Session, execute
from merge_app.jobs.context import Context
from tests.in_memory.conftest import Begun
from tests.support.lake import Lake

POSITIVE = "ALTER TABLE d.t ADD CONSTRAINT positive CHECK (v > 0)"
ORDERED = "ALTER TABLE d.t ADD CONSTRAINT ordered CHECK (low <= high)"


def plain_fill(lake: Lake) -> None:
    lake.sql("CREATE TABLE d.t (id INT, v INT)")
    lake.sql("INSERT INTO d.t VALUES (1, 5)")
    lake.sql("CREATE BRANCH b")


@pytest.fixture
def plain(begun: Begun) -> Lake:
    """Table d.t (id, v) with (1, 5), and branch b."""
    return begun(plain_fill)


def checked_fill(lake: Lake) -> None:
    lake.sql("CREATE TABLE d.t (id INT, v INT, CONSTRAINT positive CHECK (v > 0))")
    lake.sql("INSERT INTO d.t VALUES (1, 5)")
    lake.sql("CREATE BRANCH b")


@pytest.fixture
def checked(begun: Begun) -> Lake:
    """The same with the constraint ``positive``."""
    return begun(checked_fill)


def constraints(lake: Lake, table: str = "d.t", branch: str = "main") -> dict[str, str]:
    rows = lake.sql(f"DESCRIBE EXTENDED {table}", branch).rows
    return {row[0].removeprefix("Constraint "): row[1] for row in rows if row[0].startswith("Constraint ")}


def violated(lake: Lake, text: str, branch: str = "main") -> CheckViolated:
    head = lake.head(branch)
    with pytest.raises(CheckViolated) as refusal:
        lake.sql(text, branch)
    assert lake.head(branch) == head
    return refusal.value


def conflict(lake: Lake, source: str = "b", destination: str = "main") -> dict[str, Any]:
    (found,) = lake.refused(source, destination)
    return found


# -- what is kept -------------------------------------------------------------------------------------------------


def test_a_constraint_is_shown_and_dropped(checked: Lake) -> None:
    assert constraints(checked) == {"positive": "CHECK (`v` > 0)"}
    (row,) = checked.sql("SHOW CREATE TABLE d.t").rows
    assert "CONSTRAINT `positive` CHECK (`v` > 0)" in row[0]
    assert checked.sql("SHOW TBLPROPERTIES d.t").rows == []
    checked.sql("ALTER TABLE d.t DROP CONSTRAINT Positive")
    assert constraints(checked) == {}
    checked.sql("INSERT INTO d.t VALUES (2, -1)")
    with pytest.raises(NotFound, match="constraint positive"):
        checked.sql("ALTER TABLE d.t DROP CONSTRAINT positive")
    checked.sql("ALTER TABLE d.t DROP CONSTRAINT IF EXISTS positive")


def test_show_create_table_makes_the_same_table(checked: Lake) -> None:
    (row,) = checked.sql("SHOW CREATE TABLE d.t").rows
    checked.sql(row[0].replace("`t`", "`u`"))
    assert constraints(checked, "d.u") == constraints(checked)


def test_constraints_without_a_name_get_one(lake: Lake) -> None:
    lake.sql("CREATE TABLE d.t (id INT CHECK (id > 0), v INT DEFAULT 1 CHECK (v < 9), CHECK (id < v))")
    assert sorted(constraints(lake).values()) == ["CHECK (`id` < `v`)", "CHECK (`id` > 0)", "CHECK (`v` < 9)"]
    assert all(name.startswith("t_chk_") for name in constraints(lake))


def test_a_constraint_follows_a_renamed_column(checked: Lake) -> None:
    checked.sql("ALTER TABLE d.t RENAME COLUMN v TO amount")
    assert constraints(checked) == {"positive": "CHECK (`amount` > 0)"}
    violated(checked, "INSERT INTO d.t VALUES (2, -1)")


@pytest.mark.parametrize("text", ["ALTER TABLE d.t DROP COLUMN v", "ALTER TABLE d.t ALTER COLUMN v TYPE BIGINT"])
def test_a_column_that_a_constraint_reads_stays(checked: Lake, text: str) -> None:
    with pytest.raises(InvalidValue, match="constraint positive reads column v"):
        checked.sql(text)
    checked.sql("ALTER TABLE d.t DROP CONSTRAINT positive")
    checked.sql(text)


@pytest.mark.parametrize(
    ("text", "error", "says"),
    [
        ("CHECK (v > 1)", AlreadyExists, "constraint"),
        ("CHECK (w > 1)", NotFound, "column w"),
        ("DROP", SyntaxProblem, "CHECK"),
        ("CHECK (v > rand())", Exception, "rand"),
        ("CHECK (v > year(current_date()))", Exception, "time|current_date"),
        ("CHECK (v IN (SELECT 1))", NotSupported, "subquery"),
        ("CHECK (sum(v) > 1)", NotSupported, "aggregate"),
        ("CHECK (v > 0) NOT ENFORCED", NotSupported, "enforced"),
        ("CHECK (current_user() = 'a')", InvalidValue, "current_user"),
        ("PRIMARY KEY (id)", NotSupported, "key"),
        ("FOREIGN KEY (id) REFERENCES d.u (id)", NotSupported, "FOREIGN"),
    ],
)
def test_impossible_constraints_are_refused_by_name(
    checked: Lake, text: str, error: type[Exception], says: str
) -> None:
    with pytest.raises(error, match=f"(?i){says}"):
        checked.sql(f"ALTER TABLE d.t ADD CONSTRAINT positive {text}")


def test_a_name_is_one_that_people_can_see(checked: Lake) -> None:
    with pytest.raises(InvalidValue, match="constraint"):
        checked.sql(f"ALTER TABLE d.t ADD CONSTRAINT {'c' * 256} CHECK (id > 0)")


def test_fields_inside_of_columns_are_not_read(lake: Lake) -> None:
    with pytest.raises(NotSupported, match="fields inside"):
        lake.sql("CREATE TABLE d.t (s STRUCT<x: INT>, CHECK (s.x > 0))")


def test_no_statement_on_properties_changes_a_constraint(checked: Lake) -> None:
    with pytest.raises(InvalidValue, match="no table property"):
        checked.sql("ALTER TABLE d.t SET TBLPROPERTIES ('write.check.positive' = 'true')")
    with pytest.raises(InvalidValue, match="is a constraint"):
        checked.sql("ALTER TABLE d.t UNSET TBLPROPERTIES ('write.check.positive')")


# -- rows ---------------------------------------------------------------------------------------------------------


def test_null_fits_and_refusals_name_constraint_and_rows(checked: Lake) -> None:
    checked.sql("INSERT INTO d.t VALUES (2, NULL), (3, 1)")
    refusal = violated(checked, "INSERT INTO d.t VALUES (4, 1), (5, 0), (6, -1)")
    assert refusal.code == "CHECK_VIOLATED"
    assert (refusal.details["constraint"], refusal.details["rows"]) == ("positive", 2)
    assert '"v": ' in refusal.details["example"].replace('":', '": ')


@pytest.mark.parametrize(
    "text",
    [
        "INSERT INTO d.t VALUES (2, -1)",
        "INSERT INTO d.t SELECT 2, -1",
        "INSERT OVERWRITE d.t VALUES (2, -1)",
        "INSERT INTO d.t REPLACE WHERE id = 2 SELECT 2 AS id, -1 AS v",
        "UPDATE d.t SET v = v - 9",
        "MERGE INTO d.t USING (SELECT 1 AS id, -1 AS v) s ON t.id = s.id WHEN MATCHED THEN UPDATE SET *",
        "MERGE INTO d.t USING (SELECT 2 AS id, -1 AS v) s ON t.id = s.id WHEN NOT MATCHED THEN INSERT *",
        "CREATE OR REPLACE TABLE d.t (CHECK (v > 0)) AS SELECT 1 AS id, -1 AS v",
        "CREATE TABLE d.u (CHECK (v > 0)) AS SELECT 1 AS id, -1 AS v",
    ],
)
def test_every_statement_that_writes_rows_asks(checked: Lake, text: str) -> None:
    violated(checked, text)
    assert checked.rows("d.t") == [(1, 5)]


def test_a_transaction_asks_too(checked: Lake) -> None:
    transaction = checked.sql("BEGIN").extra["transaction"]
    with pytest.raises(CheckViolated):
        checked.sql("INSERT INTO d.t VALUES (2, -1)", transaction=transaction)


def test_only_rows_that_fit_let_a_constraint_in(plain: Lake) -> None:
    plain.sql("INSERT INTO d.t VALUES (2, -1), (3, NULL)")
    refusal = violated(plain, POSITIVE)
    assert refusal.details["rows"] == 1
    plain.sql("DELETE FROM d.t WHERE v < 0")
    plain.sql(POSITIVE)
    violated(plain, "INSERT INTO d.t VALUES (4, -1)")


def test_a_renamed_partition_has_to_fit(lake: Lake) -> None:
    lake.sql("CREATE TABLE d.t (v INT, p INT, CHECK (p > 0)) PARTITIONED BY (p)")
    lake.sql("INSERT INTO d.t VALUES (1, 1)")
    violated(lake, "ALTER TABLE d.t PARTITION (p = 1) RENAME TO PARTITION (p = -1)")
    lake.sql("ALTER TABLE d.t PARTITION (p = 1) RENAME TO PARTITION (p = 2)")


def test_copies_keep_constraints(checked: Lake) -> None:
    checked.sql("CREATE TABLE d.l LIKE d.t")
    checked.sql("CREATE TABLE d.c CLONE d.t")
    assert constraints(checked, "d.l") == constraints(checked, "d.c") == constraints(checked)
    for table in ("d.l", "d.c"):
        violated(checked, f"INSERT INTO {table} VALUES (2, -1)")


def test_a_replaced_table_has_the_stated_constraints_alone(checked: Lake) -> None:
    checked.sql("CREATE OR REPLACE TABLE d.t (id INT, v INT, CONSTRAINT small CHECK (v < 9))")
    assert constraints(checked) == {"small": "CHECK (`v` < 9)"}


def test_a_restore_returns_a_constraint_with_its_rows(checked: Lake) -> None:
    before = checked.head()
    checked.sql("ALTER TABLE d.t DROP CONSTRAINT positive")
    checked.sql("INSERT INTO d.t VALUES (2, -1)")
    checked.sql(f"RESTORE TABLE d.t TO VERSION AS OF {before}")
    assert constraints(checked) == {"positive": "CHECK (`v` > 0)"}
    assert checked.rows("d.t") == [(1, 5)]
    assert checked.breaches() == []


# -- merges -------------------------------------------------------------------------------------------------------


def test_a_constraint_of_the_source_comes_over(plain: Lake) -> None:
    plain.sql(POSITIVE, "b")
    plain.sql("INSERT INTO d.t VALUES (2, 7)")
    plain.merge("b")
    assert constraints(plain) == {"positive": "CHECK (`v` > 0)"}
    assert plain.rows("d.t") == [(1, 5), (2, 7)]
    violated(plain, "INSERT INTO d.t VALUES (3, -1)")
    assert plain.breaches() == []


@pytest.mark.parametrize("strict", ["main", "b"])
def test_the_other_sides_rows_refuse_merges_by_name(plain: Lake, strict: str) -> None:
    other = "b" if strict == "main" else "main"
    plain.sql(POSITIVE, strict)
    plain.sql("INSERT INTO d.t VALUES (2, -1), (3, -2), (4, 4)", other)
    found = conflict(plain)
    assert found["code"] == "CHECK_VIOLATED"
    details = found["details"]
    assert (details["constraint"], details["rows"]) == ("positive", 2)
    assert details["side"] == ("source" if other == "b" else "destination")
    plain.sql("DELETE FROM d.t WHERE v < 0", other)
    plain.merge("b")
    assert plain.rows("d.t") == [(1, 5), (4, 4)]


def test_rows_that_the_source_deleted_do_not_count(plain: Lake) -> None:
    plain.sql("INSERT INTO d.t VALUES (2, -1), (3, 3)")
    plain.sql("MERGE BRANCH main TO b")
    plain.sql("DELETE FROM d.t WHERE v < 0", "b")
    plain.sql(POSITIVE, "b")
    plain.merge("b")
    assert plain.rows("d.t") == [(1, 5), (3, 3)]


def test_two_conditions_of_one_name_are_a_conflict(plain: Lake) -> None:
    plain.sql(POSITIVE, "b")
    plain.sql("ALTER TABLE d.t ADD CONSTRAINT positive CHECK (v > 1)")
    found = conflict(plain)
    assert found["code"] == "CHECK_DIFFERS"
    assert (found["details"]["source"], found["details"]["destination"]) == ("`v` > 0", "`v` > 1")


def test_the_same_constraint_on_both_sides_is_one(plain: Lake) -> None:
    for branch in ("main", "b"):
        plain.sql(POSITIVE, branch)
    plain.merge("b")
    assert constraints(plain) == {"positive": "CHECK (`v` > 0)"}


def test_a_constraint_that_both_sides_dropped_is_gone(checked: Lake) -> None:
    for branch in ("main", "b"):
        checked.sql("ALTER TABLE d.t DROP CONSTRAINT positive", branch)
    checked.merge("b")
    assert constraints(checked) == {}


def test_a_note_calls_a_constraint_by_its_name(checked: Lake) -> None:
    checked.sql("ALTER TABLE d.t DROP CONSTRAINT positive", "b")
    checked.sql("ALTER TABLE d.t DROP CONSTRAINT positive")
    checked.sql("ALTER TABLE d.t ADD CONSTRAINT positive CHECK (v > 1)")
    (note,) = checked.merge("b")["notes"]
    assert note["message"].endswith("Source and target changed the constraint positive; the source's value wins.")
    assert constraints(checked) == {}


@pytest.mark.parametrize("strict", ["main", "b"])
def test_a_constraint_conflicts_with_its_columns_drop(plain: Lake, strict: str) -> None:
    other = "b" if strict == "main" else "main"
    plain.sql(POSITIVE, strict)
    plain.sql("ALTER TABLE d.t DROP COLUMN v", other)
    found = conflict(plain)
    assert found["code"] == "CHECK_COLUMN_MISSING"
    assert (found["details"]["constraint"], found["details"]["column"]) == ("positive", "v")


def test_a_row_combined_from_both_sides_must_fit(lake: Lake) -> None:
    lake.sql("CREATE TABLE d.t (id INT, low INT, high INT, PRIMARY KEY (id), CONSTRAINT ordered CHECK (low <= high))")
    lake.sql("INSERT INTO d.t VALUES (1, 5, 10)")
    lake.sql("CREATE BRANCH b")
    lake.sql("UPDATE d.t SET low = 9", "b")
    lake.sql("UPDATE d.t SET high = 6")
    found = conflict(lake)
    assert (found["code"], found["details"]["rows"]) == ("CHECK_VIOLATED", 1)
    lake.sql("UPDATE d.t SET high = 9")
    lake.merge("b")
    assert lake.rows("d.t") == [(1, 9, 9)]


def parted_fill(lake: Lake) -> None:
    lake.sql("CREATE TABLE d.t (v INT, p INT) PARTITIONED BY (p)")
    lake.sql("INSERT INTO d.t VALUES (1, 1)")
    lake.sql("CREATE BRANCH b")


@pytest.fixture
def parted(begun: Begun) -> Lake:
    """Table d.t (v, p), partitioned by p, with (1, 1), and branch b."""
    return begun(parted_fill)


RENAMED = "ALTER TABLE d.t PARTITION (p = 1) RENAME TO PARTITION (p = -1)"


@pytest.mark.parametrize("strict", ["main", "b"])
@pytest.mark.parametrize("beside", [None, "INSERT INTO d.t VALUES (1, 8)"])
def test_a_renamed_partition_that_violates_is_named(parted: Lake, strict: str, beside: str | None) -> None:
    other = "b" if strict == "main" else "main"
    parted.sql("ALTER TABLE d.t ADD CONSTRAINT c CHECK (p > 0)", strict)
    if beside is not None:
        parted.sql(beside, other)
    parted.sql(RENAMED, other)
    renamed = parted.head(other)
    found = conflict(parted)
    side, rule = ("source", "dest") if other == "b" else ("dest", "source")
    assert (found["code"], found["details"]["side"][:4]) == ("CHECK_VIOLATED", side[:4])
    assert (found[f"{side}_op"], found[f"{rule}_op"]) == ("partition", "properties")
    assert found[f"{side}_versions"] == [renamed]


def test_row_beside_a_fitting_renamed_partition_is_named(parted: Lake) -> None:
    parted.sql("ALTER TABLE d.t ADD CONSTRAINT c CHECK (p > 0)")
    parted.sql("ALTER TABLE d.t PARTITION (p = 1) RENAME TO PARTITION (p = 2)", "b")
    parted.sql("INSERT INTO d.t VALUES (1, -8)", "b")
    found = conflict(parted)
    assert (found["source_op"], found["source_versions"]) == ("insert", [parted.head("b")])


def test_rows_and_partition_that_jointly_violate_are_named(lake: Lake) -> None:
    lake.sql("CREATE TABLE d.t (v INT, p INT, CHECK (v <> p)) PARTITIONED BY (p)")
    lake.sql("INSERT INTO d.t VALUES (5, 1)")
    lake.sql("CREATE BRANCH b")
    lake.sql("ALTER TABLE d.t PARTITION (p = 1) RENAME TO PARTITION (p = 2)", "b")
    lake.sql("INSERT INTO d.t VALUES (2, 1)")
    found = conflict(lake)
    assert (found["code"], found["source_op"], found["dest_op"]) == ("CHECK_VIOLATED", "partition", "insert")
    assert (found["source_versions"], found["dest_versions"]) == ([lake.head("b")], [lake.head()])


def test_cells_of_both_sides_jointly_violating_are_named(lake: Lake) -> None:
    lake.sql("CREATE TABLE d.t (id INT, low INT, high INT, PRIMARY KEY (id), CONSTRAINT ordered CHECK (low <= high))")
    lake.sql("INSERT INTO d.t VALUES (1, 5, 10)")
    lake.sql("CREATE BRANCH b")
    lake.sql("UPDATE d.t SET low = 9", "b")
    lake.sql("UPDATE d.t SET high = 6")
    found = conflict(lake)
    assert (found["source_op"], found["dest_op"]) == ("update", "update")
    assert (found["source_versions"], found["dest_versions"]) == ([lake.head("b")], [lake.head()])


def test_a_transaction_ending_after_a_constraint_is_judged(plain: Lake) -> None:
    transaction = plain.sql("BEGIN").extra["transaction"]
    plain.sql("INSERT INTO d.t VALUES (2, -1)", transaction=transaction)
    plain.sql(POSITIVE)
    with pytest.raises(MergeConflict) as refusal:
        plain.sql("COMMIT", transaction=transaction)
    assert [item["code"] for item in refusal.value.details["conflicts"]] == ["CHECK_VIOLATED"]


def test_a_statement_that_runs_again_is_asked_too(lake: Lake) -> None:
    lake.sql("CREATE TABLE d.t (id INT, v INT, CONSTRAINT small CHECK (v < 10))")
    lake.sql("INSERT INTO d.t VALUES (1, 1)")
    lake.sql("CREATE BRANCH b")
    lake.sql("UPDATE d.t SET v = v + 5", "b")
    lake.sql("INSERT INTO d.t VALUES (2, 7)")
    again = "MERGE BRANCH b TO main RESOLVE (TABLE d.t RUN AGAIN)"
    assert " of d.t, " in violated(lake, again).message
    lake.sql("ALTER TABLE d.t DROP CONSTRAINT small")
    lake.sql(again)
    assert lake.rows("d.t") == [(1, 6), (2, 12)]


def test_decisions_omit_the_constraint_or_take_one_side(plain: Lake) -> None:
    plain.sql(POSITIVE, "b")
    plain.sql("INSERT INTO d.t VALUES (2, -1)")
    plain.sql("CREATE BRANCH c")
    plain.sql("MERGE BRANCH b TO main RESOLVE (TABLE d.t PROPERTY 'write.check.positive' TAKE TARGET)")
    assert constraints(plain) == {}
    assert plain.rows("d.t") == [(1, 5), (2, -1)]
    plain.sql("MERGE BRANCH b TO c RESOLVE (TABLE d.t TAKE SOURCE)")
    assert constraints(plain, branch="c") == {"positive": "CHECK (`v` > 0)"}
    assert plain.rows("d.t", "c") == [(1, 5)]


class Meanwhile(Context):
    """Has somebody else commit a statement just before the statement does."""

    def __init__(self, lake: Lake, text: str) -> None:
        super().__init__()
        self._lake, self._text = lake, text

    def step(self, name: str, detail: str = "") -> None:
        if name in ("commit", "check rows") and self._text:
            text, self._text = self._text, ""
            other = threading.Thread(target=self._commit, args=(text,))
            other.start()
            other.join()

    def _commit(self, text: str) -> None:
        self._lake.sql(text)
        connections.close_all()


def test_a_row_beside_a_new_constraint_is_judged(plain: Lake) -> None:
    with pytest.raises(MergeConflict) as refusal:
        execute("INSERT INTO d.t VALUES (2, -1)", Session(catalog=plain.catalog), Meanwhile(plain, POSITIVE))
    assert [item["code"] for item in refusal.value.details["conflicts"]] == ["CHECK_VIOLATED"]
    assert plain.rows("d.t") == [(1, 5)]


def test_a_constraint_beside_a_new_row_is_judged(plain: Lake) -> None:
    other = "INSERT INTO d.t VALUES (2, -1)"
    with pytest.raises((MergeConflict, CheckViolated)):
        execute(POSITIVE, Session(catalog=plain.catalog), Meanwhile(plain, other))
    assert constraints(plain) == {}


def test_rows_are_asked_as_columns_are_decided(lake: Lake) -> None:
    lake.sql("CREATE TABLE d.t (id INT)")
    lake.sql("INSERT INTO d.t VALUES (1)")
    lake.sql("ALTER TABLE d.t ADD COLUMN v INT DEFAULT -1")
    lake.sql("UPDATE d.t SET v = 1")
    lake.sql("CREATE BRANCH b")
    lake.sql(POSITIVE)
    lake.sql("ALTER TABLE d.t DROP COLUMN v", "b")
    lake.sql("INSERT INTO d.t VALUES (2)", "b")
    assert conflict(lake)["code"] == "CHECK_COLUMN_MISSING"
    with pytest.raises(MergeConflict) as refusal:
        lake.sql("MERGE BRANCH b TO main RESOLVE (TABLE d.t COLUMN v TAKE TARGET)")
    (found,) = refusal.value.details["conflicts"]
    assert (found["code"], found["details"]["side"], found["details"]["rows"]) == ("CHECK_VIOLATED", "source", 1)
    assert lake.rows("d.t") == [(1, 1)]


def test_rows_are_checked_by_the_decided_condition(plain: Lake) -> None:
    plain.sql(POSITIVE)
    plain.sql("INSERT INTO d.t VALUES (2, 2)")
    plain.sql("ALTER TABLE d.t ADD CONSTRAINT positive CHECK (v > 4)", "b")
    plain.sql("INSERT INTO d.t VALUES (3, 20)", "b")
    decision = "MERGE BRANCH b TO main RESOLVE (TABLE d.t PROPERTY 'write.check.positive' TAKE {})"
    with pytest.raises(MergeConflict) as refusal:
        plain.sql(decision.format("SOURCE"))
    (found,) = refusal.value.details["conflicts"]
    assert (found["code"], found["details"]["condition"]) == ("CHECK_VIOLATED", "`v` > 4")
    plain.sql(decision.format("TARGET"))
    assert constraints(plain) == {"positive": "CHECK (`v` > 0)"}
    assert plain.rows("d.t") == [(1, 5), (2, 2), (3, 20)]


def test_rows_are_checked_after_a_statement_runs_again(plain: Lake) -> None:
    plain.sql("UPDATE d.t SET v = v - 4", "b")
    plain.sql("ALTER TABLE d.t ADD CONSTRAINT small CHECK (v < 5)", "b")
    plain.sql("INSERT INTO d.t VALUES (2, 7)")
    plain.sql("MERGE BRANCH b TO main RESOLVE (TABLE d.t RUN AGAIN)")
    assert plain.rows("d.t") == [(1, 1), (2, 3)]


@pytest.mark.parametrize("gone", ["TABLE d.t", "DATABASE d"])
def test_undropping_checks_what_was_merged_below_the_drop(plain: Lake, gone: str) -> None:
    cascade = " CASCADE" if gone == "DATABASE d" else ""
    plain.sql(POSITIVE)
    plain.sql(f"DROP {gone}{cascade}")
    plain.sql("INSERT INTO d.t VALUES (2, -1)", "b")
    inserted = plain.head("b")
    plain.sql("MERGE BRANCH main TO b")
    refusal = violated(plain, f"UNDROP {gone}", "b")
    assert (refusal.details["constraint"], refusal.details["rows"]) == ("positive", 1)
    assert "RESTORE" in refusal.remedy
    plain.sql(f"RESTORE {gone} TO VERSION AS OF {inserted}", "b")
    assert plain.rows("d.t", "b") == [(1, 5), (2, -1)]
    assert constraints(plain, branch="b") == {}


def test_an_undrop_that_a_merge_brings_is_judged(plain: Lake) -> None:
    plain.sql(POSITIVE)
    plain.sql("DROP TABLE d.t")
    plain.sql("INSERT INTO d.t VALUES (2, -1)", "b")
    plain.sql("DROP TABLE d.t", "b")
    plain.merge("b")
    plain.sql("UNDROP TABLE d.t", "b")
    assert conflict(plain)["code"] == "CHECK_VIOLATED"


def test_a_conflict_shows_the_first_rows_that_violate(plain: Lake) -> None:
    plain.sql("ALTER TABLE d.t ADD CONSTRAINT small CHECK (v < 100)", "b")
    values = ", ".join(f"({number}, {100 + number})" for number in range(10, 35))
    plain.sql(f"INSERT INTO d.t VALUES {values}")
    details = conflict(plain)["details"]
    assert (details["rows"], len(details["examples"])) == (25, 20)
    assert [json.loads(text)["v"] for text in details["examples"]] == list(range(110, 130))
    assert details["example"] == details["examples"][0]
