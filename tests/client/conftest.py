"""A real server in a thread and a real worker, without Spark, and people with tokens who only have the client."""

from __future__ import annotations

import json
import re
import secrets
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth import get_user_model
from django.core.servers.basehttp import WSGIRequestHandler

from catalog_app.domain.roles import Role
from lakeui.access.tokens import token_create
from lakeui.frontdoor import Session, execute
from lakeui.wsgi import application
from lakeui_client import Catalog, Lake
from lakeui_client.http import Http
from tests.support.kept_server import Server
from tests.support.lake import Lake as Store
from tests.support.members import join
from tests.without_spark.conftest import lake as store
from tests.without_spark.conftest import services, worker_module

__all__ = ["services", "store", "worker_module"]

Person = Callable[..., Catalog]
DOCUMENT = json.loads((Path(__file__).resolve().parents[2] / "frontend" / "openapi.json").read_text())
# The most exact address first: the name of a branch may hold slashes.
OPERATIONS = [
    (re.compile(re.sub(r"\\{[^}]*\\}", "(.+)", re.escape(path))), item)
    for path, item in sorted(DOCUMENT["paths"].items(), key=lambda entry: -len(re.sub("{[^}]*}", "", entry[0])))
]


class Silent(WSGIRequestHandler):
    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture(scope="module")
def url(services: None, celery_worker: None) -> Iterator[str]:
    """The address of the server."""
    server = Server(("127.0.0.1", 0), Silent)
    server.set_app(application)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield f"http://127.0.0.1:{server.server_address[1]}"
    server.shutdown()
    server.server_close()
    thread.join(timeout=20)


@pytest.fixture(autouse=True)
def keys_are_declared(monkeypatch: pytest.MonkeyPatch) -> None:
    """A key that an operation does not know protects nothing: each that is sent is one that the document declares."""
    send = Http.send

    def judged(http: Http, method: str, path: str, **given: Any) -> Any:
        if "Idempotency-Key" in (given.get("headers") or {}):
            item = next(item for template, item in OPERATIONS if template.fullmatch(path.partition("?")[0]))
            declared = {parameter["name"] for parameter in item[method.lower()]["parameters"]}
            assert "Idempotency-Key" in declared, f"{method} {path}"
        return send(http, method, path, **given)

    monkeypatch.setattr(Http, "send", judged)


@pytest.fixture
def person(url: str, store: Store) -> Iterator[Person]:
    """Makes somebody with that role, and answers the catalog as they have it."""
    opened: list[Lake] = []

    def make(role: Role = Role.OWNER, at: str = url) -> Catalog:
        user = get_user_model().objects.create_user(f"{role.value}-{secrets.token_hex(4)}")
        join(user, store.catalog, role)
        lake = Lake(at, token_create(user=user, name="client")[1])
        opened.append(lake)
        return lake.catalog(store.catalog)

    yield make
    for lake in opened:
        lake.http.close()


@pytest.fixture
def catalog(person: Person, store: Store) -> Catalog:
    """The catalog as its owner has it, with table d.t of two rows. They are written in this process, not by a task."""
    found = person()
    owner = get_user_model().objects.latest("pk")
    for text in (
        "CREATE TABLE d.t (id INT, name STRING, PRIMARY KEY (id))",
        "INSERT INTO d.t VALUES (1, 'a'), (2, 'b')",
    ):
        execute(text, Session(store.catalog, user=owner))
    return found


def protect(catalog: Catalog) -> None:
    """Only approved merge requests get into main."""
    rule = {"pattern": "main", "required_approvals": 1}
    catalog.http.write("POST", f"{catalog.path}protection-rules/", rule, has_key=False)


@pytest.fixture
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the command keeps its settings; no variable says anything."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    for name in ("LAKEUI_URL", "LAKEUI_TOKEN", "LAKEUI_CATALOG", "LAKEUI_BRANCH", "LAKEUI_SESSION"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path / "config" / "lakeui" / "client.json"
