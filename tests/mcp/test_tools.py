"""The tools, used over HTTP by the SDK's own client, in both eras of the protocol."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

import httpx2
import pytest
from django.contrib.auth.models import User

from catalog_app.domain.roles import Role
from catalog_app.models import Agent, Commit
from catalog_app.services.files import addresses_allocate
from lakeui.access.tokens import token_create
from lakeui.frontdoor import compute
from tests.review.conftest import ReviewLake
from tests.support.members import join
from tests.support.memory_engine import MemoryEngine
from tests.support.stored_databases import StoredDatabases

if TYPE_CHECKING:
    from mcp import Client

ERAS = ("legacy", "auto")
TOOLS = {
    *("list", "describe", "query", "open_branch", "write", "diff", "dry_run_merge", "open_request", "request_status"),
    "undo_own",
}
OWN = "agent/fixer/1"


class Desk:
    """A lake with table d.r, and the agent fixer."""

    def __init__(self) -> None:
        self.lake = ReviewLake()
        self.lake.write("CREATE TABLE d.r (id INT, v STRING)", "alice")
        self.lake.write("INSERT INTO d.r VALUES (1, 'base')", "alice")
        self.user = User.objects.create_user("fixer")
        join(self.user, self.lake.catalog, Role.CONTRIBUTOR)
        Agent.objects.create(user=self.user, owner=self.lake.people["dora"].user, purpose="corrects values")
        self.secret = token_create(user=self.user, name="mcp")[1]

    def talk(self, server: Any, ask: Callable[[Client], Awaitable[Any]], mode: str = "auto", **headers: str) -> Any:
        """What ``ask`` comes to, with a client that is connected."""
        # Each worker imports all tests; the library takes 0.6 s of CPU.
        from mcp import Client
        from mcp.client.streamable_http import streamable_http_client

        sent = {"Authorization": f"Bearer {self.secret}", **headers}

        async def run() -> Any:
            async with httpx2.AsyncClient(headers=sent, timeout=30) as http:
                transport = streamable_http_client(f"{server.url}/mcp", http_client=http)
                async with Client(transport, mode=mode) as client:
                    return await ask(client)

        return asyncio.run(run())

    def call(self, server: Any, tool: str, **arguments: Any) -> Any:
        """The JSON that the tool answers."""
        result = self.talk(server, lambda client: client.call_tool(tool, arguments))
        content = json.loads(result.content[0].text)
        assert not result.is_error, content
        return content

    def refused(self, server: Any, tool: str, **arguments: Any) -> Any:
        """The problem document of its refusal."""
        result = self.talk(server, lambda client: client.call_tool(tool, arguments))
        assert result.is_error
        return json.loads(result.content[0].text)


@pytest.fixture
def desk(stored: StoredDatabases, local_worker: None, monkeypatch: pytest.MonkeyPatch) -> Desk:
    engine = MemoryEngine(addresses_allocate)
    monkeypatch.setattr(compute, "engine_make", lambda: engine)
    return stored.once("desk", Desk, engine)


@pytest.mark.parametrize("mode", ERAS)
def test_ten_tools_are_offered_with_what_they_take(desk: Desk, live_server: Any, mode: str) -> None:
    offered = desk.talk(live_server, lambda client: client.list_tools(), mode).tools
    assert {tool.name for tool in offered} == TOOLS
    assert all(tool.input_schema["additionalProperties"] is False for tool in offered)
    writing = {tool.name for tool in offered if not tool.annotations.read_only_hint}
    assert writing == {"open_branch", "write", "open_request", "undo_own"}


def test_an_agent_does_its_work_and_people_merge(desk: Desk, live_server: Any) -> None:
    catalog, call = desk.lake.catalog, desk.call
    assert [entry["name"] for entry in call(live_server, "list")["catalogs"]] == [catalog]
    assert "d" in json.dumps(call(live_server, "list", catalog=catalog)["databases"])
    assert "r" in json.dumps(call(live_server, "list", catalog=catalog, database="d")["tables"])
    assert "`v` string" in json.dumps(call(live_server, "describe", catalog=catalog, database="d", table="r")["create"])
    assert call(live_server, "open_branch", catalog=catalog, name=OWN)["branch"] == OWN
    written = call(
        live_server,
        "write",
        catalog=catalog,
        branch=OWN,
        statement="INSERT INTO d.r VALUES (?, ?)",
        parameters=[7, "x'; DROP TABLE d.r"],
    )
    assert written["version"] == desk.lake.branch(OWN).head_version
    rows = call(live_server, "query", catalog=catalog, branch=OWN, statement="SELECT * FROM d.r")["rows"]
    assert sorted(rows) == [[1, "base"], [7, "x'; DROP TABLE d.r"]]
    (changed,) = call(live_server, "diff", catalog=catalog, source=OWN)["objects"]
    assert (changed["name"], changed["kind"]) == ("d.r", "table")
    assert call(live_server, "dry_run_merge", catalog=catalog, source=OWN)["mergeable"] is True
    opened = call(live_server, "open_request", catalog=catalog, source=OWN, title="One more row")
    status = call(live_server, "request_status", catalog=catalog, number=opened["number"])
    assert (status["state"], status["author"]) == ("open", "fixer")
    head = desk.lake.branch("main").head_version
    undone = call(live_server, "undo_own", catalog=catalog, branch=OWN, version=written["version"])
    assert undone["version"] > written["version"]
    left = call(live_server, "query", catalog=catalog, branch=OWN, statement="SELECT * FROM d.r")["rows"]
    assert left == [[1, "base"]]
    assert desk.lake.branch("main").head_version == head


def test_no_tool_does_what_agent_may_not(desk: Desk, live_server: Any) -> None:
    catalog, refused = desk.lake.catalog, desk.refused
    before = Commit.objects.count()
    for tool, arguments, code in (
        ("write", {"branch": "main", "statement": "INSERT INTO d.r VALUES (7, 'x')"}, "PERMISSION_DENIED"),
        ("write", {"branch": "main", "statement": "MERGE BRANCH b"}, "INVALID_VALUE"),
        ("write", {"branch": "main", "statement": "DROP BRANCH b"}, "INVALID_VALUE"),
        ("write", {"branch": "main", "statement": "VACUUM"}, "INVALID_VALUE"),
        ("query", {"branch": "main", "statement": "DELETE FROM d.r"}, "INVALID_VALUE"),
        ("open_branch", {"name": "mine"}, "PERMISSION_DENIED"),
        ("open_request", {"source": "b", "title": "Not mine"}, "PERMISSION_DENIED"),
        ("undo_own", {"branch": "b", "version": desk.lake.branch("b").head_version}, "PERMISSION_DENIED"),
        ("undo_own", {"branch": "b", "version": 1}, "INVALID_VALUE"),
        ("list", {"catalog": "nowhere"}, "NOT_FOUND"),
        ("query", {"statement": "SELECT 1", "brnach": "x"}, "INVALID_VALUE"),
        ("query", {"statement": 1}, "INVALID_VALUE"),
        ("query", {"statement": "SELECT ?", "parameters": [{"a": ["x\0"]}]}, "INVALID_VALUE"),
        ("open_request", {"source": "b", "title": " "}, "INVALID_VALUE"),
        ("open_request", {"source": "b", "title": "a\0b"}, "INVALID_VALUE"),
        ("list", {"catalog": "a\0"}, "INVALID_VALUE"),
        ("merge", {}, "INVALID_VALUE"),
    ):
        given = arguments if tool == "merge" else {"catalog": catalog, **arguments}
        problem = refused(live_server, tool, **given)
        assert (tool, problem["code"]) == (tool, code)
        assert problem["remedy"] or code == "NOT_FOUND"
    assert Commit.objects.count() == before


def test_only_tokens_and_no_foreign_pages_get_in(desk: Desk, live_server: Any) -> None:
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    accept = {"Accept": "application/json, text/event-stream"}
    token = {"Authorization": f"Bearer {desk.secret}"}
    address = f"{live_server.url}/mcp"

    def status(**headers: str) -> int:
        return int(httpx2.post(address, json=body, headers={**accept, **headers}, timeout=30).status_code)

    assert status(**token) == 200
    assert status() == 401
    assert status(Authorization="Bearer lake_wrong") == 401
    assert status(**token, Origin="https://elsewhere.example") == 403
    assert status(**token, Origin="http://[::1") == 403
    assert status(**token, Origin=live_server.url) == 200
    assert httpx2.get(address, headers={**accept, **token}, timeout=30).status_code == 405
    assert (
        httpx2.post(address, content=b"{", headers={**accept, **token, "Content-Type": "application/json"}).status_code
        == 400
    )
