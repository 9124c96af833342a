"""People do whatever they may, in any order: a request is in a state because of one entry of its timeline, always."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest

from catalog_app.models import Commit
from lakeui.tasks.merge_requests import queues_notify
from merge_app.audit.models import MergeAttempt
from merge_app.jobs.models import Task
from merge_app.jobs.runner import task_run
from merge_app.jobs.services import task_cancel
from merge_app.review.branch_events import requests_follow
from merge_app.review.models import MergeRequest, TimelineEntry
from merge_app.review.states import RequestState, may_become
from merge_app.review.verification import audit_verify
from tests.review.conftest import ReviewLake

STEPS = 60
SEEDS = (1, 2)
PEOPLE = ("alice", "bob", "carol", "dora", "victor")


class People:
    """What they do to one request from b into main; every answer but a failure of the server is fine."""

    def __init__(self, lake: ReviewLake, dice: random.Random) -> None:
        self.lake, self.dice = lake, dice
        self.request = lake.open(reviewers=("bob",))
        self.writes = 0

    def step(self) -> None:
        acts: list[Callable[[], None]] = [
            *[self.review] * 4,
            *[self.merge, self.queue, self.unqueue, self.push, self.work, self.cancel, self.sweep],
            *[self.set_state] * 2,
        ]
        self.dice.choice(acts)()

    def sent(self, path: str, body: object = None, method: str = "post") -> None:
        person = self.lake.people[self.dice.choice(PEOPLE)]
        address = f"{self.lake.requests}{self.request.number}/{path}"
        headers = {**person.headers, "Prefer": "respond-async"}
        response = getattr(person.client, method)(address, body, content_type="application/json", headers=headers)
        assert response.status_code < 500, response.content

    def review(self) -> None:
        verdict = self.dice.choice(("approve", "approve", "request_changes", "withdraw"))
        self.sent("reviews/", {"verdict": verdict, "fingerprint": self.lake.fingerprint()})

    def merge(self) -> None:
        self.sent("merge/", {})

    def queue(self) -> None:
        self.sent("queue/")

    def unqueue(self) -> None:
        self.sent("queue/", method="delete")

    def set_state(self) -> None:
        self.sent("", {"state": self.dice.choice(("draft", "open", "open", "closed"))}, method="patch")

    def push(self) -> None:
        self.writes += 1
        value, branch = self.writes, self.dice.choice(("b", "main"))
        text = f"ALTER TABLE d.t SET TBLPROPERTIES ('{branch}' = '{value}')"
        self.lake.write(text, self.dice.choice(("alice", "bob")), branch)

    def work(self) -> None:
        task = Task.objects.filter(state="queued").order_by("created_at").first()
        if task is not None:
            task_run(task_id=task.pk, worker="any order")

    def cancel(self) -> None:
        task = Task.objects.filter(state="queued").order_by("created_at").first()
        if task is not None:
            task_cancel(task_id=task.pk)

    def sweep(self) -> None:
        requests_follow()
        queues_notify()


def states(request: MergeRequest) -> list[tuple[str, str]]:
    entries = TimelineEntry.objects.filter(request=request).exclude(to_state="").order_by("number")
    return list(entries.values_list("from_state", "to_state"))


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.usefixtures("no_worker")
def test_each_change_of_state_is_one_entry(lake: ReviewLake, seed: int) -> None:
    lake.protect()
    people = People(lake, random.Random(seed))
    for number in range(STEPS):
        before = len(states(people.request))
        people.step()
        changes = states(people.request)
        now = MergeRequest.objects.get(pk=people.request.pk).state
        assert changes[-1][1] == now, (number, changes[before:])
        for (_, reached), (left, wanted) in zip(changes[before - 1 :], changes[before:], strict=False):
            assert reached == left
            assert may_become(RequestState(left), RequestState(wanted))
        if now == RequestState.MERGED:
            break
    merged = [wanted for _, wanted in states(people.request)].count("merged")
    assert MergeAttempt.objects.filter(kind="merge", outcome__in=("merged", "nothing to merge")).count() == merged
    assert Commit.objects.filter(branch=people.request.destination, merge_parent__isnull=False).count() <= merged
    assert audit_verify(people.request.catalog) == []
