"""What the resources answer is what the OpenAPI document says, member by member."""

from __future__ import annotations

from typing import Any

import pytest
from django.conf import settings
from django.contrib.auth.models import Group, User
from jsonschema import Draft202012Validator

from catalog_app.domain.roles import Role
from catalog_app.domain.schema import Column, Schema
from catalog_app.engine.inputs_outputs import QueryResult
from catalog_app.models import GroupRole
from catalog_app.selectors.snapshots import catalog_get
from catalog_app.services.files import addresses_allocate
from lakeui import frontdoor
from lakeui.api.compare import row_comparing
from lakeui.api.http.docs import openapi_document
from lakeui.common.errors import MergeConflict
from lakeui.frontdoor import compute
from lakeui.frontdoor.queries import row_changes
from merge_app.comparison.row_pages import ComparedRow, RowPage
from tests.api.conftest import Caller
from tests.pipelines.strategies.duck_engine import DuckMemoryEngine
from tests.stories.conftest import database, stored
from tests.support.members import join
from tests.support.resource_lake import Lake
from tests.support.sent_files import send, sent
from tests.support.stored_databases import StoredDatabases

__all__ = ["database", "stored"]

CATALOG = "/api/v1/catalogs/{catalog}/"
TABLE = CATALOG + "branches/{branch}/databases/{database}/tables/{table}/"
VIEWS = CATALOG + "branches/{branch}/databases/{database}/views/"
COMPARE = CATALOG + "compare/{source}...{destination}/"
OBJECT = COMPARE + "objects/{kind}/{object_id}/"
DECISIONS = OBJECT + "decisions/"
REQUEST = CATALOG + "merge-requests/{number}/"
WEBHOOK = CATALOG + "webhooks/{webhook_id}/"
CHECK = CATALOG + "checks/{name}/"
QUERY = CATALOG + "queries/{query_id}/"
RULE = CATALOG + "protection-rules/{rule_id}/"
RESTRICTION = CATALOG + "restrictions/{restriction_id}/"
PIPELINES = "/api/v1/pipelines/"
PIPELINE = PIPELINES + "{pipeline_id}/"
COMPARED_ROWS = COMPARE + "objects/table/{table_id}/rows/"
COMPARED_SIDES = COMPARED_ROWS + "sides/"
COMPARED_PROFILE = COMPARED_ROWS.removesuffix("rows/") + "profile/"
IMPORT = CATALOG + "branches/{branch}/imports/{import_id}/"
USUAL = [
    "/api/v1/catalogs/",
    CATALOG,
    CATALOG + "graph/",
    CATALOG + "merges/",
    CATALOG + "tags/",
    CATALOG + "tags/{tag}/",
    CATALOG + "branches/",
    CATALOG + "branches/{branch}/",
    CATALOG + "branches/{branch}/history/",
    CATALOG + "branches/{branch}/history/{version}/operations/",
    CATALOG + "branches/{branch}/trash/",
    CATALOG + "branches/{branch}/imports/",
    CATALOG + "branches/{branch}/databases/",
    CATALOG + "branches/{branch}/databases/{database}/",
    CATALOG + "branches/{branch}/databases/{database}/tables/",
    TABLE,
    TABLE + "history/",
    TABLE + "segments/",
    TABLE + "versions/",
    TABLE + "schemas/",
    COMPARE,
    CATALOG + "members/",
    CATALOG + "members/{username}/",
    CATALOG + "groups/",
    CATALOG + "groups/{group}/",
    CATALOG + "candidates/",
    CATALOG + "protection-rules/",
    CATALOG + "branches/{branch}/protection/",
    CATALOG + "pipeline-policy/",
    CATALOG + "settings/",
    "/api/v1/merges/",
    "/api/v1/tokens/",
    "/api/v1/sessions/",
    "/api/v1/results/",
    "/api/v1/statements/",
]
REVIEWED = [
    CATALOG + "merge-requests/",
    *(REQUEST + name for name in ("timeline/", "checks/", "statuses/", "comments/", "resolutions/", "reviews/")),
]
REVIEW_CHANGES = REQUEST + "reviews/{review_id}/changes/"
UNUSUAL = [
    (CATALOG + "branches/", "?dropped=1"),
    (CATALOG + "branches/{branch}/trash/", ""),
    (CATALOG + "branches/{branch}/databases/{database}/tables/", "?include=sizes"),
    (TABLE, ""),
    (TABLE + "partitions/", ""),
    (TABLE + "profile/", ""),
    (TABLE + "compaction/", ""),
    (TABLE + "lineage/", ""),
]


@pytest.fixture
def lake(stored: StoredDatabases) -> Lake:
    """A lake with something in every list: merges, a refusal, invisible and discarded schemas, partitions."""
    return stored.once("lake", _lake_make)


def _lake_make() -> Lake:
    fresh = Lake(Caller(User.objects.create_user("alice")), segments=2)
    fresh.sql("CREATE TABLE d.p (id INT NOT NULL, m INT, PRIMARY KEY (id)) PARTITIONED BY (m)")
    fresh.sql("ALTER TABLE d.p ADD PARTITION (m = NULL)")
    for branch in ("gone", "b", "bad"):
        fresh.sql(f"CREATE BRANCH {branch}")
    fresh.sql("ALTER TABLE d.t SET TBLPROPERTIES ('k' = '1')", "bad")
    fresh.sql("DROP BRANCH gone")
    fresh.sql("CREATE TAG early FROM b")
    for name in ("s1", "s2"):
        fresh.sql(f"ALTER TABLE d.t ADD COLUMN {name} INT", "b")
    fresh.insert("b", 1)
    fresh.sql("ALTER TABLE d.t ADD COLUMN s3 INT", "b")
    fresh.sql("MERGE BRANCH b")
    fresh.sql("ALTER TABLE d.t SET TBLPROPERTIES ('k' = '2')", "b")
    fresh.sql("ALTER TABLE d.p ADD PARTITION (m = 2)", "b")
    fresh.insert("b", 1)
    fresh.sql("CREATE BRANCH dropped_there")
    fresh.sql("DROP TABLE d.t", "dropped_there")
    with pytest.raises(MergeConflict):
        fresh.sql("MERGE BRANCH bad TO dropped_there", "dropped_there")
    fresh.sql("CREATE TABLE d.gone (id INT)")
    fresh.sql("DROP TABLE d.gone")
    team = Group.objects.create(name="team")
    GroupRole.objects.create(catalog=catalog_get(fresh.catalog), group=team, role=Role.CONTRIBUTOR.value)
    return fresh


def check(caller: Caller, template: str, query: str = "", **names: Any) -> Any:
    """Ask, and hold the answer against the schema of 200. Members that the schema does not know are errors."""
    document = openapi_document()
    answer = document["paths"][template]["get"]["responses"]["200"]["content"]["application/json"]["schema"]
    components = {name: _closed(shape) for name, shape in document["components"]["schemas"].items()}
    response = caller.get(template.format(**names) + query)
    assert response.status_code == 200, response.content
    validator = Draft202012Validator(
        {**answer, "components": {"schemas": components}}, format_checker=Draft202012Validator.FORMAT_CHECKER
    )
    errors = [f"{error.json_path}: {error.message}" for error in validator.iter_errors(response.json())]
    assert errors == []
    return response.json()


def _closed(shape: dict[str, Any]) -> dict[str, Any]:
    """The schema without room for more members."""
    return {**shape, "additionalProperties": False} if shape.get("type") == "object" else shape


@pytest.mark.parametrize("path", USUAL)
def test_an_answer_has_the_members_of_the_document(lake: Lake, path: str) -> None:
    names: dict[str, Any] = {"catalog": lake.catalog, "branch": "main", "database": "d", "table": "t"}
    names |= {"tag": "early", "group": "team"}
    names |= {"source": "b", "destination": "main", "version": lake.branch("main").head_version}
    check(lake.caller, path, username=lake.caller.user.username, **names)


@pytest.mark.parametrize(("path", "query"), UNUSUAL)
def test_so_it_has_for_less_usual_entries(lake: Lake, path: str, query: str) -> None:
    check(lake.caller, path, query, catalog=lake.catalog, branch="main", database="d", table="p")


@pytest.mark.parametrize(("source", "destination"), [("b", "main"), ("bad", "dropped_there"), ("dropped_there", "b")])
def test_so_it_has_for_every_compared_object(lake: Lake, source: str, destination: str) -> None:
    names = {"catalog": lake.catalog, "source": source, "destination": destination}
    entries = check(lake.caller, COMPARE, **names)["results"]
    assert entries
    for entry in entries:
        check(lake.caller, OBJECT, kind=entry["kind"], object_id=entry["object_id"], **names)
        check(lake.caller, DECISIONS, kind=entry["kind"], object_id=entry["object_id"], **names)


def test_so_it_has_for_what_is_searched(lake: Lake) -> None:
    for text in ("t", "early", "main", "s1", lake.catalog):
        assert check(lake.caller, "/api/v1/search/", f"?q={text}")["results"]


@pytest.mark.parametrize("file", [b"a,b\n1,x\n2,\n", b'[{"a": {"n": [1]}}]'])
def test_so_it_has_for_an_import(lake: Lake, file: bytes) -> None:
    names = {"catalog": lake.catalog, "branch": "main"}
    import_id = send(lake, file)["id"]
    check(lake.caller, IMPORT, import_id=import_id, **names)
    assert check(lake.caller, CATALOG + "branches/{branch}/imports/", **names)["results"]


@pytest.mark.parametrize(("path", "query"), [(TABLE + "rows/", ""), (TABLE + "changes/", "?from=1&to=2")])
def test_so_it_has_for_rows(lake: Lake, monkeypatch: pytest.MonkeyPatch, path: str, query: str) -> None:
    result = frontdoor.StatementResult(columns=[("id", "int")], rows=[[1], [None]], row_count=2)
    monkeypatch.setattr(frontdoor, "execute", lambda *_: result)
    check(lake.caller, path, query, catalog=lake.catalog, branch="main", database="d", table="t")


def test_so_it_has_for_compared_rows(lake: Lake, monkeypatch: pytest.MonkeyPatch) -> None:
    class NothingChanged:
        def changes(self, *_: Any, **__: Any) -> QueryResult:
            return QueryResult((("_change_type", "string"), ("_row_id", "bigint"), ("id", "int")), [], False)

    monkeypatch.setattr(row_changes, "engine", NothingChanged)
    names = {"catalog": lake.catalog, "source": "bad", "destination": "main", "table_id": lake.table_id}
    assert check(lake.caller, COMPARED_ROWS, "?side=source", **names)["rows"] == []


class OneRow:
    """An open conflict about a row that the source inserted, and more of them."""

    schema = Schema((Column(1, "id", "int"),))

    def page(self, **_: Any) -> RowPage:
        row = ComparedRow('{"id":1}', True, True, "insert", None, None, [None], None, None)
        return RowPage([row], truncated=True)


def test_so_it_has_for_a_profile(lake: Lake, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(row_comparing, "row_pages", lambda *_, **__: OneRow())
    names = {"catalog": lake.catalog, "source": "bad", "destination": "main", "table_id": lake.table_id}
    found = check(lake.caller, COMPARED_PROFILE, **names)
    assert (found["inserted"], found["open"], found["is_whole"]) == (1, 1, False)
    assert found["columns"][0]["after"] | {"mean": 0} == {
        "rows": 1, "nulls": 1, "distinct": 0, "least": None, "largest": None, "mean": 0, "top": [], "histogram": [],
    }  # fmt: skip


def test_so_it_has_for_rows_side_by_side(lake: Lake, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(row_comparing, "row_pages", lambda *_, **__: OneRow())
    names = {"catalog": lake.catalog, "source": "bad", "destination": "main", "table_id": lake.table_id}
    (row,) = check(lake.caller, COMPARED_SIDES, "?only=conflicts&limit=1", **names)["rows"]
    assert (row["base"], row["destination"]) == (None, None)


def test_so_it_has_for_a_protection_rule(lake: Lake) -> None:
    made = lake.caller.post(f"{lake.address}protection-rules/", {"pattern": "main", "required_approvals": 1}).json()
    User.objects.create_user("candidate")
    check(lake.caller, RULE, catalog=lake.catalog, rule_id=made["id"])
    for path in (CATALOG + "protection-rules/", CATALOG + "candidates/"):
        assert check(lake.caller, path, catalog=lake.catalog)["results"]
    assert check(lake.caller, CATALOG + "branches/{branch}/protection/", catalog=lake.catalog, branch="main")[
        "is_protected"
    ]


def test_so_it_has_for_a_restriction(lake: Lake) -> None:
    hidden = {"database": "d", "table": "t", "role": "viewer", "masks": {"id": "NULL"}}
    made = lake.caller.post(f"{lake.address}restrictions/", hidden).json()
    assert check(lake.caller, RESTRICTION, catalog=lake.catalog, restriction_id=made["id"]) == made
    assert check(lake.caller, CATALOG + "restrictions/", catalog=lake.catalog)["results"] == [made]


@pytest.mark.usefixtures("no_worker")
def test_so_it_has_for_a_webhook(lake: Lake, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(settings.LAKEUI, "WEBHOOK_NETWORKS", "127.0.0.0/8")
    wanted = {"url": "http://127.0.0.1:1/", "events": ["merge"]}
    made = lake.caller.post(f"{lake.address}webhooks/", wanted).json()
    lake.sql("MERGE BRANCH b")
    query = lake.caller.post(f"{lake.address}queries/", {"name": "q", "text": "SELECT 1"}).json()
    names = {"catalog": lake.catalog, "webhook_id": made["id"], "query_id": query["id"]}
    assert check(lake.caller, CATALOG + "queries/", **names)["results"]
    check(lake.caller, QUERY, **names)
    check(lake.caller, WEBHOOK, **names)
    for path in (CATALOG + "webhooks/", WEBHOOK + "deliveries/"):
        assert check(lake.caller, path, **names)["results"]


def test_so_it_has_for_a_full_merge_request(lake: Lake, bob: Caller) -> None:
    join(bob.user, lake.catalog, Role.REVIEWER)
    names = {"catalog": lake.catalog, "number": _request(lake, bob)}
    for path in (CATALOG + "checks/", *REVIEWED):
        assert check(lake.caller, path, **names)["results"]
    check(lake.caller, REQUEST, **names)
    check(lake.caller, CHECK, name="keys", **names)
    review = check(lake.caller, REQUEST + "reviews/", **names)["results"][0]["id"]
    assert check(lake.caller, REVIEW_CHANGES, review_id=review, **names)["source"]
    assert check(lake.caller, "/api/v1/inbox/")["results"]


def _request(lake: Lake, reviewer: Caller) -> int:
    """The number of a request that conflicts, with a comment, a decision, a review and a check."""
    post, address = lake.caller.post, f"{lake.address}merge-requests/"
    post(f"{lake.address}checks/", {"name": "keys", "query": "SELECT * FROM d.t WHERE id IS NULL"})
    wanted = {"source": "bad", "destination": "dropped_there", "title": "Properties", "reviewers": ["bob"]}
    opened = post(address, wanted).json()
    own = f"{address}{opened['number']}/"
    assert post(f"{own}comments/", {"body": "Why?"}).status_code == 201
    heads = {f"{side}_head": opened[side]["head_version"] for side in ("source", "destination")}
    decided = {"object_kind": "table", "object_id": lake.table_id, "decision": "destination", **heads}
    assert post(f"{own}resolutions/", decided).status_code == 201
    assert reviewer.post(f"{own}reviews/", {"verdict": "request_changes", "body": "no"}).status_code == 201
    status = {"context": "ci", "state": "success", "source_head": opened["source"]["head_version"]}
    assert reviewer.post(f"{own}statuses/", status).status_code == 201
    lake.sql("ALTER TABLE d.p SET TBLPROPERTIES ('later' = '1')", "bad")
    return int(opened["number"])


def test_so_it_has_for_a_run_pipeline(lake: Lake, local_worker: None, monkeypatch: pytest.MonkeyPatch) -> None:
    engine = DuckMemoryEngine(addresses_allocate)
    monkeypatch.setattr(compute, "engine_make", lambda: engine)
    wanted = {"catalog": lake.catalog, "name": "Ones", "database": "d", "table": "ones", "source": "SELECT 1 AS id"}
    made = lake.caller.post(PIPELINES, {**wanted, "config": "merge_strategy: snapshot", "schedule": "0 6 * * *"}).json()
    ran = lake.caller.post(f"{PIPELINES}{made['id']}/runs/")
    assert ran.status_code == 200, ran.content
    names = {"pipeline_id": made["id"], "version": 1, "run_id": ran["Location"].split("/")[-2]}
    zones = PIPELINE + "landing-zones/"
    landed = sent(lake, f"{PIPELINES}{made['id']}/landing-zones/orders/files/", b"id\n1\n")
    names |= {"zone": "orders", "file_id": landed.json()["id"]}
    for path in (PIPELINES, PIPELINE + "runs/", PIPELINE + "versions/", zones + "{zone}/files/"):
        assert check(lake.caller, path, **names)["results"]
    assert check(lake.caller, zones, **names)
    check(lake.caller, zones + "{zone}/files/{file_id}/", **names)
    for path in (PIPELINES + "fields/", PIPELINE, PIPELINE + "versions/{version}/", PIPELINE + "runs/{run_id}/"):
        assert check(lake.caller, path, **names)


def test_no_resource_of_a_catalog_is_left_out() -> None:
    held = {
        *USUAL,
        *(path for path, _ in UNUSUAL),
        TABLE + "rows/",
        TABLE + "changes/",
        OBJECT,
        DECISIONS,
        COMPARED_ROWS,
        COMPARED_SIDES,
        COMPARED_PROFILE,
        IMPORT,
        VIEWS,
        VIEWS + "{view}/",
    }
    held |= {
        CATALOG + "webhooks/",
        WEBHOOK,
        WEBHOOK + "deliveries/",
        RULE,
        RESTRICTION,
        CATALOG + "restrictions/",
        CHECK,
        CATALOG + "checks/",
        CATALOG + "queries/",
        QUERY,
        REQUEST,
        REVIEW_CHANGES,
        *REVIEWED,
    }
    read = {path for path, item in openapi_document()["paths"].items() if "get" in item}
    assert {path for path in read if path.startswith("/api/v1/catalogs/")} <= held
