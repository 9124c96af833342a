"""Role x path x action: allowed, 403 or 404, with the statements really carried out on PostgreSQL.

Roles are tried from none to owner, so what is refused must have left things as they were for the next one.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest

from catalog_app.domain.roles import Principal
from catalog_app.services.transactions import transaction_get
from merge_app.jobs.models import Task
from tests.benchmarks.lake import Bench
from tests.rights.conftest import ROLES
from tests.rights.paths import Person, begin, command_line, front_door, over_http, queued_before, task_outcome
from tests.support.stored_databases import StoredDatabases

ACTIONS = {
    "read": ("viewer", "SHOW TABLES IN d"),
    "read with its catalog's name": ("viewer", "DESCRIBE TABLE {c}.d.t"),
    "dry run": ("viewer", "MERGE BRANCH b DRY RUN"),
    "alter": ("contributor", "ALTER TABLE d.t SET TBLPROPERTIES ('k' = '{n}')"),
    "alter with its catalog's name": ("contributor", "ALTER TABLE {c}.d.t SET TBLPROPERTIES ('k' = '{n}')"),
    "create": ("contributor", "CREATE TABLE d.t{n} (id INT)"),
    "branch": ("contributor", "CREATE BRANCH n{n}"),
    "merge": ("contributor", "MERGE BRANCH b"),
    "merge into another": ("contributor", "MERGE BRANCH main TO b"),
    "restore a table": ("contributor", "RESTORE TABLE d.t TO VERSION AS OF {v}"),
    "restore a database": ("contributor", "RESTORE DATABASE d TO VERSION AS OF {v}"),
    "restore a branch": ("contributor", "RESTORE BRANCH main TO VERSION AS OF {v}"),
    "drop a tag": ("maintainer", "DROP TAG tag{n}"),
    "rename the catalog": ("owner", "ALTER CATALOG {c} RENAME TO n{n}"),
    "drop the catalog": ("owner", "DROP CATALOG {c}"),
}
PATHS = {"front door": front_door, "over HTTP": over_http, "command line": command_line}
QUEUED = ("merge", "merge into another", "restore a table", "restore a database", "restore a branch")
IN_TRANSACTION = ("alter", "create", "restore a table")


@pytest.fixture
def lake(stored: StoredDatabases, monkeypatch: pytest.MonkeyPatch) -> Bench:
    """Branch b differs from main, main from where b was cut, and there is a tag for each role. No worker listens."""
    monkeypatch.setattr("merge_app.jobs.tasks.run_task.apply_async", lambda *_, **__: None)
    return stored.once("lake", _lake_make)


def _lake_make() -> Bench:
    fresh = Bench(1)
    fresh.sql("CREATE BRANCH b")
    fresh.sql("ALTER TABLE d.t SET TBLPROPERTIES ('of b' = '1')", "b")
    fresh.sql("ALTER TABLE d.t SET TBLPROPERTIES ('of main' = '1')")
    for number in range(len(ROLES)):
        fresh.sql(f"CREATE TAG tag{number}")
    return fresh


@pytest.fixture
def person(lake: Bench) -> Person:
    return Person("person", lake.catalog)


def statement(lake: Bench, text: str, number: int) -> str:
    return text.format(c=lake.catalog, n=number, v=lake.branch("b").fork_version)


def expected(least: str) -> dict[str, int]:
    enough = ROLES.index(least)
    return {role: 404 if role == "none" else 200 if place >= enough else 403 for place, role in enumerate(ROLES)}


@pytest.mark.parametrize("action", ACTIONS)
@pytest.mark.parametrize("path", ["front door", "over HTTP"])
def test_on_every_path_a_role_may_the_same(lake: Bench, person: Person, path: str, action: str) -> None:
    least, text = ACTIONS[action]
    found = {}
    for number, role in enumerate(ROLES):
        person.become(role)
        found[role] = PATHS[path](person, statement(lake, text, number))
    assert found == expected(least)


@pytest.mark.parametrize("action", ACTIONS)
def test_so_it_may_on_the_command_line(
    lake: Bench, person: Person, action: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def answered(args: list[str], **_: object) -> None:
        task_outcome(args[0])

    monkeypatch.setattr("merge_app.jobs.tasks.run_task.apply_async", answered)
    least, text = ACTIONS[action]
    found = {}
    for number, role in enumerate(ROLES):
        person.become(role)
        found[role] = command_line(person, statement(lake, text, number))
    assert found == expected(least)


@pytest.mark.parametrize("action", QUEUED)
def test_role_lost_while_task_waits_counts_as_lost(lake: Bench, person: Person, action: str) -> None:
    least, text = ACTIONS[action]
    found = {}
    for number, role in enumerate(ROLES):
        found[role] = queued_before(person, statement(lake, text, number), lambda role=role: person.become(role))
    assert found == expected(least)
    assert not Task.objects.filter(state="queued").exists()


@pytest.mark.parametrize("action", IN_TRANSACTION)
def test_role_lost_in_transaction_writes_nothing_more(lake: Bench, person: Person, action: str) -> None:
    least, text = ACTIONS[action]
    person.become("owner")
    found = {}
    for number, role in enumerate(ROLES):
        person.become("owner")
        opened = begin(person)
        person.become(role)
        found[role] = front_door(person, statement(lake, text, number), transaction=opened)
        person.become("owner")
        front_door(person, "ROLLBACK", transaction=opened)
    assert found == expected(least)


@pytest.mark.parametrize("path", [front_door, over_http])
def test_role_lost_before_commit_commits_nothing(lake: Bench, person: Person, path: Callable[..., int]) -> None:
    found = {}
    for number, role in enumerate(ROLES):
        person.become("owner")
        opened = begin(person)
        assert front_door(person, statement(lake, ACTIONS["alter"][1], number), transaction=opened) == 200
        head = lake.branch("main").head_version
        person.become(role)
        found[role] = path(person, "COMMIT", transaction=opened)
        assert (lake.branch("main").head_version > head) is (found[role] == 200)
        if found[role] != 200:
            assert transaction_get(identity=opened, principal=Principal(person.user.pk)).state == "open"
    assert found == expected("contributor")


@pytest.mark.parametrize("role", ROLES)
def test_a_transaction_belongs_to_one_person(lake: Bench, person: Person, role: str) -> None:
    person.become("contributor")
    opened = begin(person)
    other = Person("other", lake.catalog)
    other.become(role)
    assert front_door(other, "ALTER TABLE d.t SET TBLPROPERTIES ('k' = '1')", transaction=opened) == (
        403 if role == "viewer" else 404
    )
    assert front_door(other, "COMMIT", transaction=opened) == 404
