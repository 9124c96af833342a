"""Every bad case of every statement: the code it ends in, what the error mentions, and a way out (interfaces §1, §2).

The table is ``cases/failures.sql``. Statements run on real PostgreSQL with the engine in memory; what only Spark finds
is tested in tests/engine.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path

import pytest

from catalog_app.services.files import addresses_allocate
from lakeui.common.errors import BranchMoved, LakeError, MergeConflict
from lakeui.frontdoor import Session, compute, execute
from lakeui.frontdoor.statements import STATEMENTS
from lakeui.sql.parse import parse
from merge_app.execution import merge
from tests.support.lake import Lake
from tests.support.memory_merging import MergingMemoryEngine

FILE = Path(__file__).with_name("cases") / "failures.sql"


@dataclass(frozen=True, slots=True)
class Case:
    kind: str
    code: str
    session: str
    mentions: tuple[str, ...]
    statement: str

    def __str__(self) -> str:
        return f"{self.session}: {self.statement}"


def read_cases() -> Iterator[Case]:
    kind = ""
    for line in FILE.read_text(encoding="utf-8").splitlines():
        if line.startswith("# "):
            kind = line[2:]
        elif line and not line.startswith("--"):
            code, session, mentions, statement = (part.strip() for part in line.split("|", 3))
            yield Case(kind, code, session, tuple(m.strip() for m in mentions.split(";") if m.strip()), statement)


CASES = tuple(read_cases())

SETUP = """
CREATE DATABASE d WITH DBPROPERTIES ('owner' = 'me')
CREATE DATABASE e
CREATE TABLE d.people (id INT NOT NULL, name STRING, age BIGINT) TBLPROPERTIES ('owner' = 'me')
INSERT INTO d.people VALUES (1, 'a', 10), (2, 'b', NULL)
CREATE TABLE d.sales (id INT, day STRING) PARTITIONED BY (day)
INSERT INTO d.sales VALUES (1, 'mon')
ALTER TABLE d.sales ADD PARTITION (day = 'declared')
CREATE TABLE d.regions (id INT, country STRING, town STRING) PARTITIONED BY (country, town)
CREATE TABLE d.keyed (id INT, name STRING, PRIMARY KEY (id))
INSERT INTO d.keyed VALUES (1, 'a'), (2, 'b')
CREATE TABLE d.dropped (id INT)
DROP TABLE d.dropped
CREATE TABLE d.twice (id INT)
DROP TABLE d.twice
CREATE TABLE d.twice (id INT)
DROP TABLE d.twice
CREATE DATABASE gone
CREATE TABLE gone.inside (id INT)
DROP DATABASE gone CASCADE
CREATE VIEW d.adults AS SELECT * FROM d.people
CREATE BRANCH dev
CREATE BRANCH lost
DROP BRANCH lost
CREATE BRANCH again
DROP BRANCH again
CREATE BRANCH again
CREATE TAG v1
CREATE BRANCH clash
INSERT INTO d.people VALUES (3, 'c', 30)
"""


@dataclass(frozen=True, slots=True)
class World:
    """A lake with something of everything, and the ids that its statements answered."""

    lake: Lake
    names: dict[str, str]
    made: list[list[object]] = field(default_factory=list)
    """The heads that all refused statements leave."""

    def session(self, kind: str) -> Session:
        branch, _, mark = kind.rpartition(" ")
        if mark != "transaction":
            return Session(
                catalog=None if kind == "none" else self.lake.catalog, branch="main" if kind == "none" else kind
            )
        identity = {"unknown": str(uuid.uuid4()), "ended": self.names["ended"]}.get(branch, self.names["transaction"])
        return Session(catalog=self.lake.catalog, branch="dev" if branch == "dev" else "main", transaction=identity)

    def heads(self) -> list[list[object]]:
        return [row for kind in ("BRANCHES", "TAGS") for row in self.lake.sql(f"SHOW {kind}").rows]

    def refused(self, session: Session, text: str) -> LakeError:
        """The error that the statement ends in; it must leave everything as it was."""
        if not self.made:
            self.made.extend(self.heads())
        with pytest.raises(LakeError) as caught:
            execute(text, session)
        assert self.heads() == self.made
        return caught.value


@pytest.fixture(scope="module")
def world(database: None) -> Iterator[World]:
    with pytest.MonkeyPatch.context() as patch:
        engine = MergingMemoryEngine(addresses_allocate)
        patch.setattr(compute, "engine_make", lambda: engine)
        yield _make()


def _make() -> World:
    lake = Lake()
    for text in SETUP.strip().splitlines():
        lake.sql(text)
    lake.sql("CREATE TABLE d.renamed (id INT)")
    names = {"before_rename": str(lake.head())}
    lake.sql("ALTER TABLE d.renamed RENAME TO d.other")
    lake.sql("CREATE TABLE d.renamed (id INT)")
    lake.sql("DELETE FROM d.people WHERE id = 1", "clash")
    lake.refused("clash")
    names["refused"] = lake.sql("SHOW MERGES").rows[0][0]
    lake.sql("CREATE BRANCH target")
    lake.sql("INSERT INTO d.sales VALUES (2, 'mon')", "dev")
    names["merge"] = lake.merge("dev", "target")["merge_id"]
    lake.sql("DROP BRANCH target")
    lake.sql("CREATE BRANCH target")
    names["transaction"] = lake.sql("BEGIN").extra["transaction"]
    names["ended"] = lake.sql("BEGIN").extra["transaction"]
    lake.sql("ROLLBACK", transaction=names["ended"])
    return World(lake, names | {"lake": lake.catalog, "other": Lake().catalog})


def assert_helps(error: LakeError, text: str) -> None:
    """What is wrong, why, and a way out; where a name or a word is wrong, which."""
    problem = error.as_problem()
    assert problem["detail"].endswith((".", "?", "…"))
    assert problem.get("remedy"), problem
    if problem["code"] == "NOT_FOUND":
        assert {"kind", "name", "nearest"} <= problem.keys()
        assert (problem["nearest"] is None) == ("Did you mean" not in problem["remedy"])
    if problem["code"] == "ALREADY_EXISTS":
        assert {"kind", "name"} <= problem.keys()
    if problem["code"] == "SYNTAX_ERROR":
        lines = text.splitlines() or [""]
        assert 1 <= problem["line"] <= len(lines)
        assert 1 <= problem["column"] <= len(lines[problem["line"] - 1]) + 1
        assert lines[problem["line"] - 1][problem["column"] - 1 :].startswith(problem["near"])


@pytest.mark.parametrize("case", CASES, ids=str)
def test_a_bad_statement_ends_in_its_error(world: World, case: Case) -> None:
    def filled(text: str) -> str:
        return text.format_map(world.names) if "{" in text else text

    text = filled(case.statement)
    error = world.refused(world.session(case.session), text)
    problem = error.as_problem()
    assert problem["code"] == case.code, problem
    assert_helps(error, text)
    said = f"{problem['detail']} {problem['remedy']} {problem.get('near', '')}"
    if isinstance(error, MergeConflict):
        said += " ".join(conflict["code"] for conflict in error.details["conflicts"])
    for mention in case.mentions:
        assert filled(mention) in said


# The first word of a key is the kind of the statement.
READING = {
    "Select": "SELECT * FROM {}",
    "DescribeTable": "DESCRIBE TABLE {}",
    "ShowCreateTable": "SHOW CREATE TABLE {}",
    "ShowPartitions": "SHOW PARTITIONS {}",
    "ShowProfile": "SHOW PROFILE {}",
    "DescribeHistory": "DESCRIBE HISTORY {}",
    "ShowSegments": "SHOW SEGMENTS {}",
    "ShowChanges": "SHOW CHANGES {} FROM VERSION 1 TO VERSION 2",
    "CreateView": "CREATE VIEW d.fresh AS SELECT * FROM {}",
    "AlterView": "ALTER VIEW d.adults AS SELECT * FROM {}",
    "CreateTemporaryView": "CREATE TEMP VIEW fresh AS SELECT * FROM {}",
    "DescribeQuery": "DESCRIBE QUERY SELECT * FROM {}",
    "CreateTable": "CREATE TABLE d.fresh AS SELECT * FROM {}",
    "CreateTable like": "CREATE TABLE d.fresh LIKE {}",
    "CreateTable clone": "CREATE TABLE d.fresh CLONE {}",
    "CreateTable replacing": "CREATE OR REPLACE TABLE d.people AS SELECT * FROM {}",
    "MergeInto": "MERGE INTO d.sales USING {} ON true WHEN MATCHED THEN DELETE",
    "Insert": "INSERT INTO d.people TABLE {}",
    "Delete subquery": "DELETE FROM d.people WHERE id IN (SELECT id FROM {})",
    "Update subquery": "UPDATE d.people SET age = (SELECT count(*) FROM {})",
    "Explain": "EXPLAIN SELECT * FROM {}",
    "ShowColumns": "SHOW COLUMNS IN {}",
    "ShowTableProperties": "SHOW TBLPROPERTIES {}",
    "ShowSchemaVersions": "SHOW SCHEMA VERSIONS {}",
    "DescribeDetail": "DESCRIBE DETAIL {}",
}
WRITING = {
    "DropTable": "DROP TABLE {}",
    "RenameTable": "ALTER TABLE {} RENAME TO d.fresh",
    "SetTableProperties": "ALTER TABLE {} SET TBLPROPERTIES ('p' = '1')",
    "UnsetTableProperties": "ALTER TABLE {} UNSET TBLPROPERTIES ('owner')",
    "AddColumns": "ALTER TABLE {} ADD COLUMN x INT",
    "AddConstraint": "ALTER TABLE {} ADD CONSTRAINT c CHECK (id IS NOT NULL)",
    "ChangeLayout": "ALTER TABLE {} ADD PARTITION FIELD bucket(4, id)",
    "ClusterBy": "ALTER TABLE {} CLUSTER BY (id)",
    "DropConstraint": "ALTER TABLE {} DROP CONSTRAINT IF EXISTS c",
    "DropColumns": "ALTER TABLE {} DROP COLUMN name",
    "RenameColumn": "ALTER TABLE {} RENAME COLUMN name TO x",
    "AlterColumn": "ALTER TABLE {} ALTER COLUMN id TYPE BIGINT",
    "AlterColumns": "ALTER TABLE {} ALTER COLUMN id TYPE BIGINT, name COMMENT 'c'",
    "ReplaceColumns": "ALTER TABLE {} REPLACE COLUMNS (id BIGINT)",
    "SetTableProperties comment": "COMMENT ON TABLE {} IS 'c'",
    "CreateTable": "REPLACE TABLE {} (id INT)",
    "AddPartition": "ALTER TABLE {} ADD PARTITION (day = 'x')",
    "DropPartition": "ALTER TABLE {} DROP PARTITION (day = 'mon')",
    "RenamePartition": "ALTER TABLE {} PARTITION (day = 'mon') RENAME TO PARTITION (day = 'x')",
    "Insert": "INSERT INTO {} VALUES (1, 'a', 1)",
    "Insert replacing": "INSERT INTO {} REPLACE WHERE id = 1 VALUES (1, 'a', 1)",
    "Delete": "DELETE FROM {}",
    "Update": "UPDATE {} SET name = 'x'",
    "MergeInto": "MERGE INTO {} USING d.regions ON true WHEN MATCHED THEN DELETE",
    "CopyInto": "COPY INTO {} FROM '/x' FILEFORMAT = CSV",
    "Truncate": "TRUNCATE TABLE {}",
    "Optimize": "OPTIMIZE {}",
    "RestoreTable": "RESTORE TABLE {} TO VERSION AS OF 3",
}
OF_DATABASES = {
    "DropDatabase": "DROP DATABASE {}",
    "RenameDatabase": "ALTER DATABASE {} RENAME TO fresh",
    "SetDatabaseProperties": "ALTER DATABASE {} SET DBPROPERTIES ('p' = '1')",
    "UnsetDatabaseProperties": "ALTER DATABASE {} UNSET DBPROPERTIES ('owner')",
    "DescribeDatabase": "DESCRIBE DATABASE {}",
    "ShowTables": "SHOW TABLES IN {}",
    "ShowViews": "SHOW VIEWS IN {}",
    "ShowTableExtended": "SHOW TABLE EXTENDED IN {} LIKE '*'",
    "SetDatabaseProperties comment": "COMMENT ON DATABASE {} IS 'c'",
    "RestoreDatabase": "RESTORE DATABASE {} TO VERSION AS OF 3",
}

WRONG_TABLES = (
    ("NOT_FOUND", "d.peple", "Did you mean d.people"),
    ("NOT_FOUND", "d.zzzzzz", "SHOW TABLES"),
    ("NOT_FOUND", "d.dropped", "UNDROP TABLE"),
    ("NOT_FOUND", "dd.people", "Did you mean d?"),
    ("NOT_FOUND", "gone.inside", "database gone"),
    ("NOT_FOUND", "nowhere.d.people", "catalog nowhere"),
    ("INVALID_VALUE", "people", "Did you mean d.people?"),
    ("SYNTAX_ERROR", "d.", ""),
)
UNREADABLE_TABLES = (
    ("NOT_FOUND", "d.`people@devv`", "Did you mean dev?"),
    ("NOT_FOUND", "d.`people@lost`", "branch lost"),
    ("NOT_FOUND", "d.`people@transaction {transaction}`", "branch transaction"),
)
UNWRITABLE_TABLES = (
    ("INVALID_VALUE", "d.`people@dev`", "USE BRANCH"),
    ("INVALID_VALUE", "d.`people@v1`", "USE BRANCH"),
)
WRONG_DATABASES = (
    ("NOT_FOUND", "dd", "Did you mean d?"),
    ("NOT_FOUND", "zzzzzz", "SHOW DATABASES"),
    ("NOT_FOUND", "gone", "UNDROP DATABASE"),
    ("NOT_FOUND", "nowhere.d", "catalog nowhere"),
    ("FORBIDDEN_STATEMENT", "'d'", "in backticks"),
)
NAMED = (
    *product((READING, WRITING), WRONG_TABLES),
    *product((READING,), UNREADABLE_TABLES),
    *product((WRITING,), UNWRITABLE_TABLES),
    *product((OF_DATABASES,), WRONG_DATABASES),
)
TRIED = [(kind, template, *wrong) for templates, wrong in NAMED for kind, template in templates.items()]


@pytest.mark.parametrize(("kind", "template", "code", "name", "mention"), TRIED)
def test_every_statement_names_a_wrong_name(
    world: World, kind: str, template: str, code: str, name: str, mention: str
) -> None:
    text = template.format(name.format_map(world.names))
    error = world.refused(world.session("main"), text)
    problem = error.as_problem()
    assert problem["code"] == code, problem
    assert_helps(error, text)
    assert mention in f"{problem['detail']} {problem['remedy']}", problem


SESSIONS = (("nobranch", "NOT_FOUND", "branch nobranch"), ("none", "INVALID_VALUE", "No catalog is chosen"))


@pytest.mark.parametrize(("session", "code", "mention"), SESSIONS)
@pytest.mark.parametrize("template", [*READING.values(), *WRITING.values(), *OF_DATABASES.values()])
def test_session_without_branch_is_reported_by_every_statement(
    world: World, template: str, session: str, code: str, mention: str
) -> None:
    text = template.format("d" if template in OF_DATABASES.values() else "d.people")
    error = world.refused(world.session(session), text)
    assert (error.code, bool(error.remedy)) == (code, True)
    assert mention in error.message


def test_every_statement_is_in_the_table() -> None:
    named = {case.kind for case in CASES}
    assert named - {"Otherwise"} == {kind.__name__ for kind, row in STATEMENTS.items() if row.handler is not None}
    assert {key.split()[0] for key in (*READING, *WRITING, *OF_DATABASES)} <= named


@pytest.mark.parametrize("case", [case for case in CASES if case.kind != "Otherwise"], ids=str)
def test_a_case_stands_under_its_statement(case: Case) -> None:
    try:
        found = parse(case.statement.replace("{", "").replace("}", ""))
    except LakeError:
        return
    assert type(found).__name__ == case.kind


def test_merge_into_constantly_moving_branch_says_so(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("restless", "changed"):
        world.lake.sql(f"CREATE BRANCH {name}")
    world.lake.sql("INSERT INTO d.sales VALUES (3, 'mon')", "changed")
    monkeypatch.setattr(merge, "pause_seconds", lambda _: 0)
    monkeypatch.setattr(
        merge, "row_work_run", lambda *_: world.lake.sql("INSERT INTO d.sales VALUES (4, 'mon')", "restless") and {}
    )
    with pytest.raises(BranchMoved) as caught:
        world.lake.merge("changed", "restless")
    problem = caught.value.as_problem()
    assert (problem["code"], problem["status"], bool(problem["remedy"])) == ("BRANCH_MOVED", 409, True)
    assert [row[0] for row in world.lake.rows("d.sales", "restless", "id")].count(3) == 0
