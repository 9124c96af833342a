"""The client against a real server: branch, change, compare, merge, undo, review; refusals as exceptions."""

from __future__ import annotations

import pickle
import socket
import threading
from collections.abc import Iterator
from urllib.parse import urlsplit

import pytest

from catalog_app.domain.roles import Role
from lakeui_client import (
    Catalog,
    ConflictError,
    ConnectionFailed,
    Lake,
    LakeError,
    NotFound,
    PermissionDenied,
    Unauthenticated,
    WaitsForPeople,
)
from lakeui_client.http import Answer
from tests.client.conftest import Person, protect


def names(catalog: Catalog, branch: str = "main") -> list[tuple[int, str]]:
    return sorted(catalog.branch(branch).sql("SELECT id, name FROM d.t").rows)


def test_a_branch_is_changed_compared_merged_and_undone(catalog: Catalog) -> None:
    with catalog.branch("fix", from_="main") as branch:
        written = branch.sql("UPDATE d.t SET name = ? WHERE id = ?", ["it's; DROP", 2])
        assert written.metrics["rows_updated"] == 1
        found = branch.diff()
        assert [(entry.name, entry.source_ops, entry.verdict) for entry in found.objects] == [
            ("d.t", ("update",), "ok")
        ]
        assert branch.rehearse().fingerprint == found.fingerprint
        merged = branch.merge()
    assert (merged.outcome, merged.fingerprint) == ("merged", found.fingerprint)
    assert names(catalog) == [(1, "a"), (2, "it's; DROP")]
    assert catalog.merges()[0]["merge_id"] == merged.merge_id
    undone = catalog.revert(merged.merge_id)
    assert (undone.outcome, names(catalog)) == ("restore", [(1, "a"), (2, "b")])
    assert [entry["operation"] for entry in catalog.branch("main").log(2)] == ["RESTORE MERGE", "MERGE BRANCH"]


def test_a_temporary_branch_ends_with_its_block(catalog: Catalog) -> None:
    with pytest.raises(NotFound), catalog.branch("tmp", from_="main", drop_at_end=True) as branch:
        branch.sql("SELECT * FROM d.none")
    assert [entry["name"] for entry in catalog.branches()] == ["main"]
    catalog.undrop_branch("tmp", as_="back").rename("feature/x")
    assert sorted(entry["name"] for entry in catalog.branches()) == ["feature/x", "main"]


def test_a_conflict_survives_pickling(catalog: Catalog) -> None:
    branch = catalog.branch("fix", from_="main")
    branch.sql("UPDATE d.t SET name = 'x' WHERE id = 1")
    catalog.branch("main").sql("UPDATE d.t SET name = 'y' WHERE id = 1")
    rehearsed = branch.rehearse()
    assert not rehearsed.mergeable
    with pytest.raises(ConflictError) as refused:
        branch.merge()
    (conflict,) = pickle.loads(pickle.dumps(refused.value)).conflicts
    assert (conflict.object, conflict.code) == (rehearsed.conflicts[0].object, rehearsed.conflicts[0].code)
    assert (conflict.object, refused.value.code) == ("d.t", "MERGE_CONFLICT")
    decided = [{"database": "d", "table": "t", "part": "rows", "decision": "source"}]
    assert branch.merge(decisions=decided).outcome == "merged"
    assert names(catalog) == [(1, "x"), (2, "b")]


def test_what_is_protected_waits_for_people(catalog: Catalog, person: Person) -> None:
    protect(catalog)
    author, reviewer = person(Role.CONTRIBUTOR), person(Role.MAINTAINER)
    branch = author.branch("fix", from_="main")
    branch.sql("DELETE FROM d.t WHERE id = 1")
    with pytest.raises(WaitsForPeople):
        branch.merge()
    request = branch.request("Without the first", description="It was wrong.")
    with pytest.raises(WaitsForPeople) as blocked:
        request.merge()
    assert blocked.value.blockers
    seen = reviewer.merge_request(request.number)
    seen.approve(seen.diff().fingerprint)
    merged = seen.merge()
    assert (merged.outcome, request.get()["state"], names(catalog)) == ("merged", "merged", [(2, "b")])


def test_refusals_carry_the_problem_document(catalog: Catalog, person: Person, url: str) -> None:
    with pytest.raises(NotFound) as unknown:
        catalog.branch("mian").get()
    assert (unknown.value.nearest, unknown.value.problem["kind"]) == ("main", "branch")
    with pytest.raises(PermissionDenied):
        person(Role.VIEWER).branch("b", from_="main")
    with pytest.raises(LakeError, match="SELEC") as wrong:
        catalog.branch("main").sql("SELEC 1")
    assert wrong.value.code == "SYNTAX_ERROR"
    with pytest.raises(Unauthenticated):
        Lake(url, "lake_none").catalogs()
    with pytest.raises(ConnectionFailed):
        Lake("http://127.0.0.1:1", "x").http.send("POST", "/")


def test_lists_are_read_through_all_pages(catalog: Catalog) -> None:
    for number in range(5):
        catalog.create_tag(f"t{number}")
    assert len(catalog.http.pages(f"{catalog.path}tags/", limit=3)) == 3
    page = catalog.http.get(f"{catalog.path}tags/", limit=2)
    assert [entry["name"] for entry in catalog.http.follow(page["next"])["results"]] == ["t2", "t3"]
    assert [entry["name"] for entry in catalog.tags()] == ["t0", "t1", "t2", "t3", "t4"]


def test_a_file_becomes_rows_by_key(catalog: Catalog, tmp_path: pytest.TempPathFactory) -> None:
    file = tmp_path / "ünn.csv"  # type: ignore[operator]
    file.write_text("id,name\n2,B\n3,c\n")
    main = catalog.branch("main")
    rehearsed = main.import_file(file, "d.t", mode="upsert", key_columns=["id"], dry_run=True)
    assert (rehearsed.raw["dry_run"], names(catalog)) == (True, [(1, "a"), (2, "b")])
    main.import_file(file, "d.t", mode="upsert", key_columns=["id"])
    assert names(catalog) == [(1, "a"), (2, "B"), (3, "c")]


class LossyLine:
    """Passes requests on to the server and loses the first answer to a POST on its way back."""

    def __init__(self, server: str) -> None:
        parts = urlsplit(server)
        self._server = (parts.hostname, parts.port)
        self.lost = 0
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._listener.getsockname()[1]}"
        self._thread = threading.Thread(target=self._serve)
        self._thread.start()

    def _serve(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            with client, socket.create_connection(self._server) as server:
                request = client.recv(1 << 16)
                while (separator := request.find(b"\r\n\r\n")) < 0 or len(request) < separator + 4 + _length(request):
                    request += client.recv(1 << 16)
                # One exchange a connection, so that the end of the answer is the end of the line.
                server.sendall(request.replace(b"\r\n", b"\r\nConnection: close\r\n", 1))
                answer = b"".join(iter(lambda: server.recv(1 << 16), b""))
                if request.startswith(b"POST") and not self.lost:
                    self.lost += 1
                else:
                    client.sendall(answer)

    def close(self) -> None:
        # A listener that is only closed leaves its accept waiting.
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self._thread.join(timeout=10)


def _length(request: bytes) -> int:
    for line in request.split(b"\r\n"):
        name, _, value = line.partition(b":")
        if name.lower() == b"content-length":
            return int(value)
    return 0


@pytest.fixture
def line(url: str) -> Iterator[LossyLine]:
    made = LossyLine(url)
    yield made
    made.close()


def test_a_write_whose_answer_is_lost_happens_once(catalog: Catalog, line: LossyLine) -> None:
    token = catalog.http._token
    far = Lake(line.url, token).catalog(catalog.name)
    version = far.branch("main").sql("WITH s AS (SELECT 3, 'c') INSERT INTO d.t SELECT * FROM s").version
    assert (line.lost, len(names(catalog))) == (1, 3)
    assert catalog.branch("main").log(1)[0]["version"] == version


def test_a_query_with_lost_answer_is_repeated(catalog: Catalog, line: LossyLine) -> None:
    far = Lake(line.url, catalog.http._token).catalog(catalog.name)
    assert far.branch("main").sql("-- all\nSELECT count(*) FROM d.t").rows == [(2,)]
    assert line.lost == 1


def test_a_connection_the_server_ended_is_not_used(catalog: Catalog) -> None:
    """What has no key is sent once, so it must not be sent where nothing answers any more."""
    http = catalog.http
    http.get(catalog.path)
    ended = http._connection
    assert ended is not None
    assert ended.sock is not None
    # As after the seconds for which a server keeps a connection that says nothing.
    ended.sock.shutdown(socket.SHUT_RD)
    asked = {"name": "late", "text": "SELECT 1"}
    assert http.write("POST", f"{catalog.path}queries/", asked, has_key=False)["name"] == "late"
    assert http._connection is not ended


def test_what_is_no_lakeui_server_is_named() -> None:
    answers = {
        b"302 Found\r\nLocation: https://lake.example.org/": "MOVED",
        b"200 OK\r\nContent-Type: text/html": "UNEXPECTED_ANSWER",
        b"404 Not Found\r\nContent-Type: text/html": "UNEXPECTED_ANSWER",
    }
    for head, code in answers.items():
        with socket.create_server(("127.0.0.1", 0)) as listener:
            reported = threading.Thread(target=answer_once, args=(listener, head))
            reported.start()
            with pytest.raises(LakeError) as refused:
                Lake(f"http://127.0.0.1:{listener.getsockname()[1]}", "x").catalogs()
            reported.join(timeout=10)
        assert refused.value.code == code
        assert refused.value.remedy


def answer_once(listener: socket.socket, head: bytes) -> None:
    client, _ = listener.accept()
    with client:
        client.recv(1 << 16)
        client.sendall(b"HTTP/1.1 " + head + b"\r\nContent-Length: 2\r\nConnection: close\r\n\r\nhi")


def test_a_branch_with_lost_answer_is_made_once(catalog: Catalog, line: LossyLine) -> None:
    far = Lake(line.url, catalog.http._token).catalog(catalog.name)
    assert far.branch("b", from_="main").get()["parent"] == "main"
    assert line.lost == 1


@pytest.mark.parametrize("token", ["tok\nen", "t\u20acken"])
def test_a_malformed_token_is_refused_without_being_shown(token: str) -> None:
    with pytest.raises(LakeError) as refused:
        Lake("http://127.0.0.1:1", token)
    assert token not in str(refused.value.problem)


@pytest.mark.parametrize("url", ["http://[bad", "http://h:99999", "http://h:port", "ftp://h"])
def test_an_address_that_is_none_is_refused(url: str) -> None:
    with pytest.raises(LakeError, match="is not the address of a server"):
        Lake(url, "token")


@pytest.mark.parametrize("status", [200, 500])
def test_an_answer_that_is_cut_off_is_refused(status: int) -> None:
    with pytest.raises(LakeError) as refused:
        Answer(status, {"content-type": "application/json"}, b'{"name": "ma').json  # noqa: B018 - it raises
    assert refused.value.code == "UNEXPECTED_ANSWER"


def test_a_session_ends_with_its_block(catalog: Catalog) -> None:
    with catalog.branch("main").session() as session:
        session.sql("CREATE BRANCH fix")
        session.sql("USE BRANCH fix")
        session.sql("USE DATABASE d")
        session.sql("CREATE TEMPORARY FUNCTION later(x INT) RETURNS INT RETURN x + 10")
        session.sql("BEGIN")
        session.sql("UPDATE t SET id = later(id) WHERE id = ?", [1])
        assert session.get()["transaction"]["state"] == "open"
        session.sql("COMMIT")
        found = session.get()
        assert (found["branch"], found["database"], found["transaction"]) == ("fix", "d", None)
        session.sql("BEGIN")
        session.sql("DELETE FROM t")
    assert names(catalog, "fix") == [(2, "b"), (11, "a")]
    assert names(catalog) == [(1, "a"), (2, "b")]
    with pytest.raises(NotFound):
        session.sql("SELECT 1 AS a")
    session.end()
