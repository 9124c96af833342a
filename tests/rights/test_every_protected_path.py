"""A protected branch x every way to change it: refused to everybody, an owner's reason gets past and is recorded."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.db import transaction

from catalog_app.domain.roles import Action
from catalog_app.models import Branch, ProtectionRule
from catalog_app.selectors.snapshots import catalog_get
from catalog_app.services.files import addresses_allocate
from lakeui.frontdoor import compute
from lakeui.frontdoor.inputs_outputs import ImportLoad
from lakeui.frontdoor.pipelines.work import PipelineWork, PublishedWork
from lakeui.frontdoor.statements import STATEMENTS
from lakeui.sql import statements as sql
from lakeui.sql.parse import parse
from merge_app.audit.models import MergeAttempt
from merge_app.jobs.models import Task
from merge_app.review.verification import audit_verify
from tests.benchmarks.lake import Bench
from tests.rights.paths import Person, begin, command_line, front_door, over_http, queued_before, task_outcome
from tests.support.memory_merging import MergingMemoryEngine

STRICT = {"refuse_direct_writes": True, "refuse_direct_merges": True, "refuse_deletion": True}
REASON = "the pipeline is down"

# All of them act on branch release, which is protected, except those that would put a branch under such a name.
WRITES = {
    "create a database": "CREATE DATABASE e",
    "alter a database": "ALTER DATABASE d SET DBPROPERTIES ('k' = '1')",
    "create a table": "CREATE TABLE d.u (id INT)",
    "create a table as": "CREATE TABLE d.u AS SELECT * FROM d.r",
    "replace a table": "CREATE OR REPLACE TABLE d.r (id INT)",
    "replace a table as": "CREATE OR REPLACE TABLE d.r AS SELECT * FROM d.r",
    "take a database's property": "ALTER DATABASE d UNSET DBPROPERTIES ('p')",
    "rename a database": "ALTER DATABASE d RENAME TO e",
    "alter a table": "ALTER TABLE d.t SET TBLPROPERTIES ('k' = '1')",
    "take a table's property": "ALTER TABLE d.p UNSET TBLPROPERTIES ('p')",
    "add a column": "ALTER TABLE d.t ADD COLUMN x INT",
    "drop a column": "ALTER TABLE d.p DROP COLUMN id",
    "rename a column": "ALTER TABLE d.p RENAME COLUMN id TO x",
    "alter a column": "ALTER TABLE d.p ALTER COLUMN id COMMENT 'x'",
    "alter several columns": "ALTER TABLE d.p ALTER COLUMN id COMMENT 'x', id FIRST",
    "replace the columns": "ALTER TABLE d.p REPLACE COLUMNS (id INT, x INT, k STRING)",
    "add a constraint": "ALTER TABLE d.p ADD CONSTRAINT c CHECK (id > 0)",
    "lay anew": "ALTER TABLE d.p ADD PARTITION FIELD bucket(2, id)",
    "cluster": "ALTER TABLE d.p CLUSTER BY (id)",
    "drop a constraint": "ALTER TABLE d.n DROP CONSTRAINT c",
    "add a partition": "ALTER TABLE d.p ADD PARTITION (k = 'y')",
    "drop a partition": "ALTER TABLE d.p DROP PARTITION (k = 'x')",
    "rename a partition": "ALTER TABLE d.p PARTITION (k = 'x') RENAME TO PARTITION (k = 'z')",
    "rename a table": "ALTER TABLE d.t RENAME TO d.u",
    "drop a table": "DROP TABLE d.t",
    "drop a database": "DROP DATABASE d CASCADE",
    "create a view": "CREATE VIEW d.v AS SELECT * FROM d.r",
    "alter a view": "ALTER VIEW d.w AS SELECT id FROM d.r",
    "rename a view": "ALTER VIEW d.w RENAME TO W",
    "set a property of a view": "ALTER VIEW d.w SET TBLPROPERTIES ('a' = 'b')",
    "unset a property of a view": "ALTER VIEW d.w UNSET TBLPROPERTIES ('a')",
    "drop a view": "DROP VIEW d.w",
    "merge into": "MERGE INTO d.r USING d.r AS s ON r.id = s.id WHEN MATCHED THEN DELETE",
    "optimize": "OPTIMIZE d.r",
    "insert": "INSERT INTO d.r VALUES (9)",
    "overwrite": "INSERT OVERWRITE d.r VALUES (9)",
    "delete": "DELETE FROM d.r WHERE id = 1",
    "update": "UPDATE d.r SET id = 7 WHERE id = 1",
    "truncate": "TRUNCATE TABLE d.r",
    "restore a table": "RESTORE TABLE d.t TO VERSION AS OF {old}",
    "restore a database": "RESTORE DATABASE d TO VERSION AS OF {old}",
    "restore the branch": "RESTORE BRANCH release TO VERSION AS OF {old}",
    "restore a merge": "RESTORE MERGE {merge}",
    "undrop a table": "UNDROP TABLE d.gone",
    "undrop a database": "UNDROP DATABASE gone",
    "merge": "MERGE BRANCH b",
    "merge by name": "MERGE BRANCH b TO release",
    "drop the branch": "DROP BRANCH release",
    "rename the branch": "ALTER BRANCH release RENAME TO other",
    "reset the branch": "ALTER BRANCH release RESET TO PARENT",
    "let the branch expire": "ALTER BRANCH release SET EXPIRY '7 days'",
    "drop the catalog": "DROP CATALOG {c}",
}
NAMING = {
    "create a branch of that name": "CREATE BRANCH `release/2`",
    "rename a branch to that name": "ALTER BRANCH b RENAME TO `release/2`",
    "undrop a branch of that name": "UNDROP BRANCH `release/1`",
    "undrop a branch to that name": "UNDROP BRANCH `release/1` AS `release/2`",
}
TASKS = ("insert", "delete", "update", "truncate", "restore a table", "restore the branch", "restore a merge", "merge")


class Scene:
    """Branch release with something to restore, to undrop and to take back; b has news for it."""

    def __init__(self) -> None:
        self.lake = Bench(1)
        self.catalog = self.lake.catalog
        run = self.lake.sql
        run("CREATE TABLE d.r (id INT)")
        run("INSERT INTO d.r VALUES (1)")
        run("INSERT INTO d.r VALUES (2)")
        run("ALTER DATABASE d SET DBPROPERTIES ('p' = '1')")
        run("CREATE TABLE d.n (id INT, CONSTRAINT c CHECK (id > 0))")
        run("CREATE TABLE d.p (id INT, k STRING) PARTITIONED BY (k) TBLPROPERTIES ('p' = '1')")
        run("INSERT INTO d.p VALUES (1, 'x')")
        run("CREATE VIEW d.w TBLPROPERTIES ('a' = '1') AS SELECT * FROM d.r")
        for name in ("release", "m", "`release/1`"):
            run(f"CREATE BRANCH {name}")
        run("DROP BRANCH `release/1`")
        self.old = self.lake.branch("release").head_version
        run("ALTER TABLE d.t SET TBLPROPERTIES ('m' = '1')", "m")
        for gone in ("TABLE d.gone", "DATABASE gone"):
            run(f"CREATE {gone}{' (id INT)' if gone.startswith('TABLE') else ''}", "release")
            run(f"DROP {gone}", "release")
        self.merge = run("MERGE BRANCH m", "release").extra["merge_id"]
        run("CREATE BRANCH b", "release")
        run("ALTER TABLE d.t SET TBLPROPERTIES ('b' = '1')", "b")
        self.person = Person("person", self.catalog)
        self.person.branch = "release"
        self.person.become("owner")
        self._before = self._state()

    def protect(self, **rule: Any) -> None:
        given = {"pattern": "release*", "merge_role": "owner", **STRICT, **rule}
        ProtectionRule.objects.create(catalog=catalog_get(self.catalog), **given)

    def text(self, statement: str) -> str:
        return statement.format(c=self.catalog, old=self.old, merge=self.merge)

    def run(self, statement: str, **session: Any) -> int:
        return front_door(self.person, self.text(statement), **session)

    def is_untouched(self) -> bool:
        return self._state() == self._before

    def _state(self) -> Any:
        """What the catalog's branches are called and where their heads are."""
        return list(
            Branch.objects.filter(catalog=catalog_get(self.catalog), is_workspace=False)
            .order_by("pk")
            .values_list("name", "head_version", "dropped_at")
        )


@pytest.fixture(autouse=True)
def engine(monkeypatch: pytest.MonkeyPatch) -> None:
    memory = MergingMemoryEngine(addresses_allocate)
    monkeypatch.setattr(compute, "engine_make", lambda: memory)


@pytest.fixture
def scene(db: None) -> Scene:
    return Scene()


@pytest.fixture
def lasting_scene(transactional_db: None, no_worker: None) -> Scene:
    """One that the workers' own connections see."""
    return Scene()


def tried(work: Callable[[], int]) -> int:
    """What comes of it; it is undone."""
    with transaction.atomic():
        found = work()
        transaction.set_rollback(True)
    return found


def test_every_statement_changing_a_branch_is_in_matrix(scene: Scene) -> None:
    changing = {Action.WRITE, Action.MERGE, Action.DROP_BRANCH, Action.CREATE_BRANCH, Action.DROP_CATALOG}
    tried = {type(parse(scene.text(text))) for text in {**WRITES, **NAMING}.values()}
    wanted = {kind for kind, row in STATEMENTS.items() if row.requires.action in changing}
    # A transaction and files are tried below, pipelines in test_every_pipeline, COPY INTO in tests/takeover. A catalog
    # that comes back has the rules that it had: no branch of it is taken.
    of_their_own = {sql.BeginTransaction, sql.CommitTransaction, sql.CopyInto, ImportLoad, PipelineWork, PublishedWork}
    of_their_own |= {sql.UndropCatalog}
    assert wanted - tried == of_their_own


@pytest.mark.parametrize("role", ["contributor", "reviewer", "maintainer", "owner"])
def test_without_a_rule_every_write_goes_through(scene: Scene, role: str) -> None:
    scene.person.become(role)
    found = {name: tried(lambda text=text: scene.run(text)) for name, text in {**WRITES, **NAMING}.items()}
    assert found == dict.fromkeys(found, 200) | ({} if role == "owner" else {"drop the catalog": 403})


@pytest.mark.parametrize("role", ["contributor", "reviewer", "maintainer", "owner"])
def test_protected_branch_refuses_every_write_of_any_role(scene: Scene, role: str) -> None:
    scene.protect()
    scene.person.become(role)
    found = {name: scene.run(text) for name, text in WRITES.items()}
    assert found == dict.fromkeys(WRITES, 403)
    named = {name: tried(lambda text=text: scene.run(text)) for name, text in NAMING.items()}
    # An owner holds the role that the rule asks of who merges, and so of who puts a branch there.
    assert named == dict.fromkeys(NAMING, 200 if role == "owner" else 403)
    assert scene.is_untouched()


@pytest.mark.parametrize("path", [over_http, command_line])
def test_so_it_is_on_every_path(
    lasting_scene: Scene, path: Callable[..., int], monkeypatch: pytest.MonkeyPatch
) -> None:
    scene = lasting_scene
    scene.protect()
    if path is command_line:
        monkeypatch.setattr("merge_app.jobs.tasks.run_task.apply_async", lambda args, **_: task_outcome(args[0]))
    found = {name: path(scene.person, scene.text(text)) for name, text in WRITES.items()}
    assert found == dict.fromkeys(WRITES, 403)
    assert scene.is_untouched()


def test_rule_made_while_the_task_waits_holds(lasting_scene: Scene) -> None:
    scene, found = lasting_scene, {}
    for name in TASKS:
        ProtectionRule.objects.all().delete()
        found[name] = queued_before(scene.person, scene.text(WRITES[name]), scene.protect)
    assert found == dict.fromkeys(TASKS, 403)
    assert not Task.objects.filter(state="queued").exists()
    assert scene.is_untouched()


def test_rule_made_in_transaction_refuses_its_commit(scene: Scene) -> None:
    opened = begin(scene.person)
    assert scene.run("ALTER TABLE d.t SET TBLPROPERTIES ('k' = '1')", transaction=opened) == 200
    scene.protect()
    assert scene.run("COMMIT", transaction=opened) == 403
    assert scene.run("BEGIN") == 403
    assert scene.is_untouched()


def test_files_are_not_loaded_into_a_protected_branch(lasting_scene: Scene) -> None:
    scene = lasting_scene
    address = f"/api/v1/catalogs/{scene.catalog}/branches/release/imports/"
    sent = scene.person.client.post(
        address, b"a\n1\n", content_type="application/octet-stream", headers=scene.person.headers
    )
    load = f"{address}{sent.json()['id']}/load/"
    wanted = {"database": "d", "table": "loaded", "mode": "create"}
    queued = scene.person.send("post", load, wanted)
    assert queued.status_code == 202, queued.content
    scene.protect()
    assert scene.person.send("post", load, wanted).status_code == 403
    assert task_outcome(queued.json()["id"]) == 403
    assert scene.is_untouched()


def test_no_rows_merge_by_key_into_protected_branch(lasting_scene: Scene) -> None:
    scene = lasting_scene
    tables = f"/api/v1/catalogs/{scene.catalog}/branches/release/databases/d/tables/"
    address = f"{tables}r/rows/merge/?strategy=upsert&key_columns=id"

    def send() -> Any:
        given = {"content_type": "application/octet-stream", "headers": scene.person.headers}
        return scene.person.client.post(address, b"id\n1\n", **given)

    queued = send()
    assert queued.status_code == 202, queued.content
    scene.protect()
    assert send().status_code == 403
    assert task_outcome(queued.json()["id"]) == 403
    assert scene.is_untouched()


def test_owner_bypasses_everything_with_reason_recorded_each_time(scene: Scene) -> None:
    scene.protect()
    for name, text in WRITES.items():
        with transaction.atomic():
            assert scene.run(text, bypass_reason=REASON) == 200, name
            (record,) = MergeAttempt.objects.filter(kind="bypass")
            assert (record.body["reason"], record.destination) == (REASON, "release"), name
            assert audit_verify(scene.lake.branch("b").catalog) == [] if name != "drop the catalog" else True
            transaction.set_rollback(True)


@pytest.mark.parametrize("role", ["contributor", "reviewer", "maintainer"])
def test_no_other_reason_does(scene: Scene, role: str) -> None:
    scene.protect()
    scene.person.become(role)
    found = {name: scene.run(text, bypass_reason=REASON) for name, text in {**WRITES, **NAMING}.items()}
    assert found == dict.fromkeys(found, 403)
    assert not MergeAttempt.objects.filter(kind="bypass").exists()


def test_no_reason_bypasses_rule_that_takes_none(scene: Scene) -> None:
    scene.protect(allow_bypass=False)
    found = {name: scene.run(text, bypass_reason=REASON) for name, text in WRITES.items()}
    assert found == dict.fromkeys(WRITES, 403)


def test_protection_refusals_of_merges_and_restores_are_audited(scene: Scene) -> None:
    scene.protect()
    before = MergeAttempt.objects.count()
    for name in ("merge", "restore the branch", "undrop a table"):
        scene.run(WRITES[name])
    refused = MergeAttempt.objects.order_by("number")[before:]
    assert [(record.outcome, "protection" in record.body) for record in refused] == [("refused", True)] * 3
