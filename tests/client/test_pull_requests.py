"""A branch for each pull request: begin, report, merge and close, with a host's interface over HTTP."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
import yaml

from catalog_app.domain.roles import Role
from lakeui_client import Catalog, LakeError
from lakeui_client.cli.parser import parser_make
from lakeui_client.pull_requests import Host, PullRequest
from tests.client.conftest import Person, protect
from tests.client.test_command import ROOT, Call, document, lake
from tests.client.test_pipeline_files import write

__all__ = ["lake"]

REPOSITORY, TOKEN = "ada/flights", "of-the-host"


class GitHost:
    """Comments of pull requests, as GitHub's interface answers them: 30 a page at first, 100 at most."""

    def __init__(self) -> None:
        self.comments: list[dict[str, Any]] = []
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self.thread = threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.01})
        self.thread.start()
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}/api"

    def end(self) -> None:
        self.server.shutdown()
        self.server.server_close()
        self.thread.join(20)

    def said(self) -> list[str]:
        return [comment["body"] for comment in self.comments]

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        comments = self.comments

        class Handler(BaseHTTPRequestHandler):
            def log_message(self, *_: object) -> None:
                pass

            def answer(self, status: int, body: Any) -> None:
                content = json.dumps(body).encode()
                self.send_response(status)
                self.send_header("Content-Type", "application/json; charset=utf-8")
                self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)

            def handled(self) -> None:
                asked = urlsplit(self.path)
                body = json.loads(self.rfile.read(int(self.headers.get("Content-Length") or 0)) or "{}")
                base = f"/api/repos/{REPOSITORY}/issues"
                if not self.headers.get("User-Agent") or self.headers["Authorization"] != f"Bearer {TOKEN}":
                    self.answer(403, {"message": "Resource not accessible by integration"})
                elif (self.command, asked.path) == ("GET", f"{base}/7/comments"):
                    query = {name: int(values[0]) for name, values in parse_qs(asked.query).items()}
                    size = min(query.get("per_page", 30), 100)
                    self.answer(200, comments[(query["page"] - 1) * size :][:size])
                elif (self.command, asked.path) == ("POST", f"{base}/7/comments"):
                    comments.append({"id": len(comments) + 1, "html_url": "https://git.example.org/7", **body})
                    self.answer(201, comments[-1])
                elif self.command == "PATCH" and asked.path.startswith(f"{base}/comments/"):
                    found = comments[int(asked.path.rpartition("/")[2]) - 1]
                    found.update(body)
                    self.answer(200, found)
                else:
                    self.answer(404, {"message": "Not Found"})

            do_GET = do_POST = do_PATCH = handled  # noqa: N815  (names of http.server)

        return Handler


@pytest.fixture
def host() -> Iterator[GitHost]:
    made = GitHost()
    yield made
    made.end()


@pytest.fixture
def event(host: GitHost, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Sets the environment of a step of a workflow, as of a commit of pull request 7."""
    file = tmp_path / "event.json"
    values = {"EVENT_PATH": str(file), "API_URL": host.url, "REPOSITORY": REPOSITORY, "TOKEN": TOKEN}
    for name, value in {**values, "ENV": str(tmp_path / "later")}.items():
        monkeypatch.setenv(f"GITHUB_{name}", value)

    def at(commit: str) -> None:
        shown = {"number": 7, "title": "Airlines", "html_url": "https://git.example.org/7", "head": {"sha": commit}}
        file.write_text(json.dumps({"pull_request": shown}))

    at("c1")
    return at


def names(catalog: Catalog) -> list[str]:
    return sorted(entry["name"] for entry in catalog.branches())


def ids(catalog: Catalog, branch: str = "main") -> list[int]:
    return sorted(row[0] for row in catalog.branch(branch).sql("SELECT id FROM d.t").rows)


def test_a_pull_request_has_branch_comment_and_merge(
    lake: Call, catalog: Catalog, host: GitHost, event: Callable[[str], None], tmp_path: Path
) -> None:
    host.comments += [{"id": number, "body": "of a person"} for number in range(1, 151)]
    assert lake("pull-request", "begin")[0] == 0
    assert (tmp_path / "later").read_text() == "LAKEUI_BRANCH=pull/7\n"
    lake("sql", "INSERT INTO d.t VALUES (3, 'c')", "-b", "pull/7")
    assert document(lake, "pull-request", "report")["request"] == 1
    (said,) = host.said()[150:]
    assert said.startswith(f"<!-- lakeui {catalog.name} pull/7 -->\n")
    assert "1 inserted" in said
    assert "It merges." in said
    # The next commit begins anew, in a request of its own, and replaces the comment.
    event("c2")
    lake("pull-request", "begin")
    lake("sql", "INSERT INTO d.t VALUES (4, 'd'), (5, 'e')", "-b", "pull/7")
    assert document(lake, "pull-request", "report")["request"] == 2
    assert catalog.merge_request(1).get()["state"] == "closed"
    (said,) = host.said()[150:]
    assert "2 inserted" in said
    merged = document(lake, "pull-request", "merge")
    assert (ids(catalog), names(catalog)) == ([1, 2, 4, 5], ["main"])
    assert f"lake revert {merged['merge_id']}" in host.said()[150]
    again = document(lake, "pull-request", "merge")
    assert (again["outcome"], again["merge_id"]) == ("merged before", merged["merge_id"])
    assert len(host.comments) == 151


def test_merge_needs_a_report_of_the_newest_commit(lake: Call, catalog: Catalog, event: Callable[[str], None]) -> None:
    lake("pull-request", "begin")
    lake("sql", "INSERT INTO d.t VALUES (3, 'c')", "-b", "pull/7")
    assert "no merge request" in document(lake, "pull-request", "merge", status=1)["detail"]
    assert document(lake, "pull-request", "report", "--result", "failure", status=1)["state"] == "failure"
    assert "the report is failure" in document(lake, "pull-request", "merge", status=1)["detail"]
    document(lake, "pull-request", "report")
    event("c2")
    assert "commit c1" in document(lake, "pull-request", "merge", status=1)["detail"]
    event("c1")
    lake("sql", "INSERT INTO d.t VALUES (4, 'd')", "-b", "pull/7")
    assert "changed after" in document(lake, "pull-request", "merge", status=1)["detail"]
    assert ids(catalog) == [1, 2]
    document(lake, "pull-request", "report")
    document(lake, "pull-request", "merge")
    assert ids(catalog) == [1, 2, 3, 4]


def test_a_conflict_is_commented_and_ends_with_2(
    lake: Call, catalog: Catalog, host: GitHost, event: Callable[[str], None]
) -> None:
    lake("pull-request", "begin")
    lake("sql", "UPDATE d.t SET name = 'x' WHERE id = 1", "-b", "pull/7")
    lake("sql", "UPDATE d.t SET name = 'y' WHERE id = 1", "-b", "main")
    assert document(lake, "pull-request", "report", status=2)["state"] == "success"
    assert "A merge is refused." in host.said()[0]
    assert lake("pull-request", "merge")[0] in (2, 3)
    assert "d.t" in host.said()[0]
    assert names(catalog) == ["main", "pull/7"]


def test_waiting_for_people_ends_with_3_until_decided(
    lake: Call, catalog: Catalog, person: Person, host: GitHost, event: Callable[[str], None]
) -> None:
    protect(catalog)
    lake("pull-request", "begin")
    lake("sql", "INSERT INTO d.t VALUES (3, 'c')", "-b", "pull/7")
    number = document(lake, "pull-request", "report")["request"]
    assert lake("pull-request", "merge")[0] == 3
    assert "approval" in host.said()[0]
    person(Role.MAINTAINER).merge_request(number).approve()
    assert document(lake, "pull-request", "merge")["outcome"] == "merged"
    assert ids(catalog) == [1, 2, 3]


def test_closed_or_unchanged_pull_requests_leave_no_branch(
    lake: Call, catalog: Catalog, event: Callable[[str], None]
) -> None:
    lake("pull-request", "begin")
    assert document(lake, "pull-request", "report")["request"] is None
    assert document(lake, "pull-request", "merge")["outcome"] == "nothing to merge"
    lake("pull-request", "begin")
    lake("sql", "INSERT INTO d.t VALUES (3, 'c')", "-b", "pull/7")
    number = document(lake, "pull-request", "report")["request"]
    for _ in range(2):
        assert document(lake, "pull-request", "close")["outcome"] == "closed"
    assert (ids(catalog), names(catalog)) == ([1, 2], ["main"])
    assert catalog.merge_request(number).get()["state"] == "closed"


def test_no_text_of_a_comment_is_markdown(
    lake: Call, catalog: Catalog, host: GitHost, event: Callable[[str], None]
) -> None:
    lake("pull-request", "begin")
    lake("sql", "CREATE TABLE d.`a``````\n@all <b>` (id INT)", "-b", "pull/7")
    lake("pull-request", "report")
    (said,) = host.said()
    fence = said.split("\n\n", 1)[1].split("\n", 1)[0]
    assert set(fence) == {"`"}
    assert said.count(fence) == 2


def test_a_host_that_refuses_names_the_way_out(catalog: Catalog, host: GitHost) -> None:
    with pytest.raises(LakeError, match="not accessible by integration") as refused:
        Host(host.url, REPOSITORY, "other").comment(7, "mark", "text")
    assert refused.value.code == "HOST_REFUSED"
    with pytest.raises(LakeError, match="OWNER/NAME"):
        Host(host.url, "flights", TOKEN)


def test_a_branch_of_somebody_else_is_not_taken(catalog: Catalog) -> None:
    catalog.branch("other", from_="main")
    catalog.branch("pull/7", from_="other")
    with pytest.raises(LakeError, match="made from other"):
        PullRequest(catalog, 7, "c1").begin()


def test_pipelines_of_files_run_on_branch_without_saving(lake: Call, catalog: Catalog, tmp_path: Path) -> None:
    write(tmp_path, "One", config="")
    write(tmp_path, "Two", config="", source="SELECT id + 1 AS id FROM d.one")
    lake("branch", "pull/7")
    assert "branch main itself" in lake("pipelines", "try", str(tmp_path))[2]
    assert "Did you mean One?" in lake("pipelines", "try", str(tmp_path), "On", "-b", "pull/7")[2]
    runs = document(lake, "pipelines", "try", str(tmp_path), "One", "Two", "-b", "pull/7")
    assert [run["name"] for run in runs] == ["One", "Two"]
    assert catalog.branch("pull/7").sql("SELECT id FROM d.two").rows == [(2,)]
    assert document(lake, "pipelines") == []
    assert [entry["name"] for entry in catalog.branch("main").sql("SHOW TABLES IN d").to_dicts()] == ["t"]


def test_the_workflow_says_commands_that_there_are() -> None:
    workflow = yaml.safe_load((ROOT / "examples" / "pull-requests.yml").read_text())
    steps = [step for job in workflow["jobs"].values() for step in job["steps"]]
    commands = [line for step in steps for line in str(step.get("run", "")).splitlines() if line.startswith("lake ")]
    assert len(commands) == 5
    for command in commands:
        words = command.replace('"${{ job.status }}"', "success").split()
        assert parser_make().parse_args(words[1:]).command == words[1]
