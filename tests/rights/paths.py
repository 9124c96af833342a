"""The ways in which a statement reaches a lake, each answering 200, 403 or 404."""

from __future__ import annotations

import json
from collections.abc import Callable
from io import StringIO
from typing import Any

from django.contrib.auth.models import User
from django.core.management import call_command
from django.test import Client

from catalog_app.domain.roles import Role
from catalog_app.models import CatalogMember
from catalog_app.selectors.snapshots import catalog_get
from lakeui.access.tokens import token_create
from lakeui.common.errors import LakeError
from lakeui.frontdoor import Session, execute, parsed
from merge_app.jobs.models import Task
from merge_app.jobs.runner import task_run
from tests.support.members import join


class Person:
    """Somebody with a role in a catalog, or none, and a token, whose session is on ``branch``."""

    def __init__(self, name: str, catalog: str) -> None:
        self.catalog = catalog
        self.branch = "main"
        self.user = User.objects.create_user(name)
        self.client = Client(raise_request_exception=False)
        token = token_create(user=self.user, name="rights")[1]
        self.headers = {"Authorization": f"Bearer {token}", "Prefer": "respond-async"}

    def become(self, role: str) -> None:
        """``none`` takes the role away."""
        if role == "none":
            CatalogMember.objects.filter(user=self.user, catalog=catalog_get(self.catalog)).delete()
        else:
            join(self.user, self.catalog, Role(role))

    def send(self, method: str, path: str, body: Any = None, **headers: str) -> Any:
        """The answer to a request of the interface."""
        send = getattr(self.client, method)
        given = {"data": body, "content_type": "application/json"} if method != "get" else {}
        return send(path, headers=self.headers | headers, **given)


def front_door(person: Person, text: str, **session: Any) -> int:
    """The call that everything else comes down to."""
    try:
        execute(text, Session(person.catalog, person.branch, person.user, **session))
    except LakeError as refusal:
        return refusal.status
    return 200


def over_http(person: Person, text: str, **session: Any) -> int:
    """``POST /api/v1/sql/``; a statement that is a task is run as its worker would."""
    body = {"catalog": person.catalog, "branch": person.branch, "statement": text, **session}
    response = person.send("post", "/api/v1/sql/", body)
    return task_outcome(response.json()["id"]) if response.status_code == 202 else int(response.status_code)


def task_outcome(identity: str) -> int:
    """Run the task; what it comes to."""
    task_run(task_id=Task.objects.get(pk=identity).pk, worker="rights")
    task = Task.objects.get(pk=identity)
    return 200 if task.state == "succeeded" else int(task.error["status"])


def command_line(person: Person, text: str, **session: Any) -> int:
    """``manage.py sql --user``."""
    answer = StringIO()
    options = [item for name, value in session.items() for item in (f"--{name.replace('_', '-')}", value)]
    options += ["-c", person.catalog, "-b", person.branch, "--user", person.user.username, "--json"]
    try:
        call_command("sql", *options, text, stdout=answer, stderr=StringIO())
    except SystemExit:
        return int(json.loads(answer.getvalue())["status"])
    return 200


def queued_before(person: Person, text: str, then: Callable[[], None]) -> int:
    """A task that was asked for by an owner, and runs after ``then``."""
    assert parsed(text).is_task
    person.become("owner")
    body = {"catalog": person.catalog, "branch": person.branch, "statement": text}
    response = person.send("post", "/api/v1/sql/", body)
    assert response.status_code == 202, response.content
    then()
    return task_outcome(response.json()["id"])


def begin(person: Person) -> str:
    """The transaction that the person opens."""
    return str(execute("BEGIN", Session(person.catalog, person.branch, person.user)).extra["transaction"])
