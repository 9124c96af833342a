"""A sample lake that a person loads: who may, what is refused, and what an attempt leaves."""

from __future__ import annotations

from dataclasses import replace
from typing import Any
from uuid import UUID, uuid4

import pytest
from django.contrib.auth.models import User

from catalog_app.domain.roles import Role, Scope
from catalog_app.models import Catalog, Commit
from catalog_app.selectors.people import role_of
from catalog_app.services.files import addresses_allocate
from lakeui.access.tokens import token_create
from lakeui.demo import load, steps
from lakeui.demo.pipelines import PIPELINES
from lakeui.frontdoor import Session, compute, execute
from lakeui.tasks import samples
from merge_app.jobs.context import TaskContext
from merge_app.jobs.models import Task, TaskState
from merge_app.jobs.runner import task_run
from merge_app.pipelines.models import Pipeline
from tests.api.conftest import Caller
from tests.api.sql.test_statements import problem
from tests.support.lake_memory_engine import LakeMemoryEngine

pytestmark = [pytest.mark.usefixtures("no_worker", "engine"), pytest.mark.django_db]

STORY = (
    ("main", "CREATE DATABASE d"),
    ("main", "CREATE TABLE d.t (id INT)"),
    ("main", "INSERT INTO d.t VALUES (1)"),
    ("main", "CREATE BRANCH b"),
    ("b", "INSERT INTO d.t VALUES (2)"),
)


@pytest.fixture
def engine(monkeypatch: pytest.MonkeyPatch) -> None:
    made = LakeMemoryEngine(addresses_allocate)
    monkeypatch.setattr(compute, "engine_make", lambda: made)


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """A shop of two rows."""
    sample = load.Sample("demo_shop", "Small", lambda: steps.statement_steps(STORY))
    monkeypatch.setitem(load.SAMPLES, "shop", sample)


@pytest.fixture
def ada() -> Caller:
    """A person without a role in any catalog."""
    return Caller(User.objects.create_user("ada"))


def ask(caller: Caller, sample: str = "shop", **headers: str) -> Any:
    return caller.post("/api/v1/samples/", {"sample": sample}, **{"Prefer": "respond-async", **headers})


def begun(caller: Caller, sample: str = "shop") -> UUID:
    answer = ask(caller, sample)
    assert answer.status_code == 202, answer.content
    return UUID(answer.json()["id"])


def ended(task_id: UUID) -> Task:
    task_run(task_id=task_id, worker="here")
    return Task.objects.get(pk=task_id)


def rows(branch: str = "main") -> list[list[Any]]:
    return execute("SELECT id FROM d.t ORDER BY id", Session("demo_shop", branch)).rows


def test_a_person_loads_and_owns_sample(ada: Caller, small: None) -> None:
    task = ended(begun(ada))
    assert (task.state, task.error, task.result) == (TaskState.SUCCEEDED, None, {"catalog": "demo_shop"})
    assert (rows(), rows("b")) == ([[1]], [[1], [2]])
    found = Catalog.objects.get(name="demo_shop", dropped_at=None)
    assert role_of(Session(user=ada.user).principal, found.pk) == Role.OWNER
    assert set(Commit.objects.filter(catalog=found).values_list("author_name", flat=True)) == {"ada"}


def test_what_is_there_is_refused(ada: Caller, small: None) -> None:
    execute("CREATE CATALOG demo_shop", Session())
    refused = problem(ask(ada), 409, "ALREADY_EXISTS")
    assert (refused["kind"], refused["name"]) == ("catalog", "demo_shop")
    assert not Task.objects.filter(kind="sample").exists()


def test_catalog_made_meanwhile_stays_as_is(ada: Caller, small: None) -> None:
    task_id = begun(ada)
    execute("CREATE CATALOG demo_shop", Session())
    task = ended(task_id)
    assert (task.state, (task.error or {}).get("code")) == (TaskState.FAILED, "ALREADY_EXISTS")
    assert Catalog.objects.filter(name="demo_shop", dropped_at=None).exists()


def test_token_without_scope_admin_is_refused(ada: Caller) -> None:
    _, secret = token_create(user=ada.user, name="writes", scopes=[Scope.READ, Scope.WRITE])
    answer = ada.client.post(
        "/api/v1/samples/", {"sample": "shop"}, "application/json", headers={"Authorization": f"Bearer {secret}"}
    )
    problem(answer, 403, "PERMISSION_DENIED")


def test_an_unknown_sample_is_refused_by_name(ada: Caller) -> None:
    answer = ask(ada, "shops")
    assert "shops" in problem(answer, 400, "INVALID_VALUE")["detail"]


def test_a_failed_load_leaves_no_catalog(ada: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    sample = load.Sample(
        "demo_shop", "", lambda: steps.statement_steps((*STORY, ("main", "INSERT INTO d.none VALUES (1)")))
    )
    monkeypatch.setitem(load.SAMPLES, "shop", sample)
    task = ended(begun(ada))
    assert (task.state, (task.error or {}).get("code")) == (TaskState.FAILED, "NOT_FOUND")
    assert not Catalog.objects.filter(name="demo_shop", dropped_at=None).exists()
    assert ask(ada).status_code == 202


def test_next_attempt_continues_behind_steps_done(ada: Caller, small: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first attempt dies when its INSERT is committed and before that is kept."""
    task_id = begun(ada)
    kept = samples.task_part_keep

    class Died(BaseException):
        """As the end of a process: nothing cleans up."""

    def dies(**given: Any) -> None:
        if "3" in given["parts"]:
            raise Died
        kept(**given)

    claim = uuid4()

    def attempt() -> dict[str, Any]:
        Task.objects.filter(pk=task_id).update(state="running", claim=claim, heartbeat_at="2026-01-01T00:00:00Z")
        context = TaskContext(task_id, claim=claim, user=ada.user)
        return samples.run_sample_task(context, Task.objects.get(pk=task_id).parameters)

    with monkeypatch.context() as patch:
        patch.setattr(samples, "task_part_keep", dies)
        with pytest.raises(Died):
            attempt()
    assert rows() == [[1]]
    assert attempt() == {"catalog": "demo_shop"}
    assert (rows(), rows("b")) == ([[1]], [[1], [2]])


def test_a_key_answers_the_same_task(ada: Caller, small: None) -> None:
    key = {"Idempotency-Key": "once"}
    first = ask(ada, **key).json()["id"]
    ended(UUID(first))
    again = ask(ada, **key)
    assert (again.status_code, again.json()) == (200, {"catalog": "demo_shop"})
    assert Task.objects.filter(kind="sample").count() == 1


def test_pipelines_of_flights_belong_to_person(ada: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the rows, which the engine in memory does not load from files."""
    flights = load.SAMPLES["flights"]
    made = tuple(
        step for step in flights.fill() if step.label in ("on main: CREATE DATABASE flights", "create the pipelines")
    )
    monkeypatch.setitem(load.SAMPLES, "flights", replace(flights, fill=lambda: made))
    task = ended(begun(ada, "flights"))
    assert (task.state, task.error) == (TaskState.SUCCEEDED, None)
    owners = Pipeline.objects.filter(catalog__name="demo").values_list("name", "owner__username")
    assert dict(owners) == dict.fromkeys(PIPELINES, "ada")
