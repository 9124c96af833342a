"""What a task may take is said by earlier tasks that did the same."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.utils import timezone

from catalog_app.models import Catalog
from catalog_app.services.catalogs import catalog_create
from merge_app.jobs.models import Task
from merge_app.jobs.selectors import NEWEST, Expectation, task_expectation

pytestmark = pytest.mark.django_db


@pytest.fixture
def catalog() -> Catalog:
    return catalog_create(name="expected")


def task(state: str = "queued", seconds: float = 0, ago: float = 60, **more: Any) -> Task:
    began = timezone.now() - timedelta(minutes=ago)
    finished = None if state == "queued" else began + timedelta(seconds=seconds)
    error = {"code": "X"} if state == "failed" else None
    given = {"kind": "sql", "parameters": {"statement": "OPTIMIZE t", "branch": "main"}, **more}
    times = {"created_at": began, "started_at": None if finished is None else began, "finished_at": finished}
    steps = [{"name": name} for name in ("plan", "write")]
    return Task.objects.create(state=state, error=error, steps=steps, **times, **given)


def test_is_median_of_successes_on_the_same_branch(catalog: Catalog) -> None:
    for seconds in (2, 90, 4):
        task("succeeded", seconds, catalog=catalog)
    task("failed", 1000, catalog=catalog)
    task("succeeded", 1000, catalog=catalog, parameters={"statement": "OPTIMIZE t", "branch": "other"})
    task("succeeded", 1000, catalog=catalog, parameters={"statement": "OPTIMIZE other", "branch": "main"})
    assert task_expectation(task(catalog=catalog, ago=1)) == Expectation(seconds=4, steps=2, runs=3)


def test_counts_the_five_newest(catalog: Catalog) -> None:
    for place in range(7):
        task("succeeded", place, ago=100 - place, catalog=catalog)
    assert task_expectation(task(catalog=catalog, ago=1)) == Expectation(seconds=4, steps=2, runs=5)


def test_says_nothing_of_other_catalogs_and_people(catalog: Catalog) -> None:
    alice, bob = (User.objects.create_user(name) for name in ("alice", "bob"))
    task("succeeded", 3, catalog=catalog, created_by=alice)
    task("succeeded", 7, created_by=alice)
    assert task_expectation(task(catalog=catalog_create(name="second"), ago=1)) is None
    assert task_expectation(task(created_by=bob, ago=1)) is None
    assert task_expectation(task(created_by=alice, ago=1)) == Expectation(seconds=7, steps=2, runs=1)


def test_is_of_tasks_that_are_not_finished(catalog: Catalog) -> None:
    task("succeeded", 3, catalog=catalog)
    assert task_expectation(task("succeeded", 3, ago=1, catalog=catalog)) is None


def test_looks_at_a_bounded_number_of_tasks(catalog: Catalog, django_assert_num_queries: Any) -> None:
    task("succeeded", 3, ago=100, catalog=catalog)
    now = timezone.now() - timedelta(minutes=50)
    Task.objects.bulk_create([Task(kind="other", created_at=now) for _ in range(NEWEST)])
    late = task(catalog=catalog, ago=1)
    with django_assert_num_queries(1):
        assert task_expectation(late) is None
