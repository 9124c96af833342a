"""``/api/v1/pipelines/``: keep, edit, try and run."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from lakeui import frontdoor
from lakeui.common.errors import NotFound
from merge_app.pipelines.models import Pipeline, PipelineRun
from merge_app.pipelines.runs import run_keep
from tests.api.conftest import Caller
from tests.api.sql.test_statements import problem
from tests.support.resource_lake import Lake

ADDRESS = "/api/v1/pipelines/"
CONFIG = "# ours\nmerge_strategy: incremental\n"
SOURCE = "-- @unique_key: id\nSELECT 1 AS id\n{% if is_scd2() %}WHERE false{% endif %}"


@pytest.fixture
def lake(alice: Caller) -> Lake:
    return Lake(alice)


def send(caller: Caller, method: str, path: str, body: Any = None, **headers: str) -> Any:
    sent = getattr(caller.client, method)
    return sent(path, body, content_type="application/json", headers=caller.headers | headers)


def body(lake: Lake, **changes: Any) -> dict[str, Any]:
    base = {"catalog": lake.catalog, "name": "Delays", "database": "d", "table": "new", "source": SOURCE}
    return {**base, "config": CONFIG, **changes}


@pytest.fixture
def made(lake: Lake) -> dict[str, Any]:
    response = lake.caller.post(ADDRESS, body(lake))
    assert response.status_code == 201, response.content
    found: dict[str, Any] = response.json()
    assert lake.caller.get(response["Location"]).json() == found
    return found


def at(made: Mapping[str, Any], path: str = "") -> str:
    return f"{ADDRESS}{made['id']}/{path}"


def test_a_pipeline_shows_where_every_field_comes_from(made: dict[str, Any]) -> None:
    configuration = made["configuration"]
    fields = configuration["fields"]
    assert fields["merge_strategy"] == {"value": "incremental", "origin": "config.yaml", "line": 2}
    assert fields["unique_key"] == {"value": ["id"], "origin": "source", "line": 1}
    assert fields["strict"] == {"value": False, "origin": "default", "line": None}
    assert (configuration["strategy"], configuration["degraded"]) == ("incremental", False)
    assert (made["owner"], made["version"], made["branch"], made["layer"]) == ("alice", 1, "main", "")


def test_what_is_wrong_comes_with_its_lines(lake: Lake) -> None:
    response = lake.caller.post(ADDRESS, body(lake, config="strikt: true\nunique_key: 1"))
    assert (response.status_code, response.json()["code"]) == (422, "INVALID_CONFIG")
    assert [(error["file"], error["line"], error["field"]) for error in response.json()["errors"]] == [
        ("config.yaml", 1, "strikt"),
        ("config.yaml", 2, "unique_key"),
    ]


@pytest.mark.parametrize(
    ("changes", "status", "code"),
    [
        ({"catalog": "nowhere"}, 404, "NOT_FOUND"),
        ({"branch": "nowhere"}, 404, "NOT_FOUND"),
        ({"name": "DELAYS"}, 409, "ALREADY_EXISTS"),
        ({"name": ""}, 400, "INVALID_VALUE"),
        ({"schedule": "soon"}, 400, "INVALID_VALUE"),
        ({"schedule_timezone": "Mars/Olympus"}, 400, "INVALID_VALUE"),
        ({"source": "{{"}, 422, "INVALID_CONFIG"),
    ],
)
def test_a_pipeline_that_cannot_be_is_refused(
    lake: Lake, made: dict[str, Any], changes: dict[str, Any], status: int, code: str
) -> None:
    response = lake.caller.post(ADDRESS, body(lake, **changes))
    assert (response.status_code, response.json()["code"]) == (status, code)


def test_an_edit_keeps_what_it_does_not_manage(lake: Lake, made: dict[str, Any]) -> None:
    settings = {"merge_strategy": "scd2", "hard_deletes": "invalidate", "unique_key": None}
    response = send(lake.caller, "patch", at(made), {"settings": settings})
    assert response.status_code == 200, response.content
    found = response.json()
    assert found["config"] == "# ours\nmerge_strategy: scd2\nhard_deletes: invalidate\n"
    assert (found["version"], found["source"]) == (2, SOURCE)
    wrong = send(lake.caller, "patch", at(made), {"settings": {"merge_strategy": "upsert"}})
    assert (wrong.status_code, wrong.json()["errors"][0]["field"]) == (422, "merge_strategy")


def test_an_edit_of_what_has_changed_is_refused(lake: Lake, made: dict[str, Any]) -> None:
    seen = lake.caller.get(at(made))["ETag"]
    assert send(lake.caller, "patch", at(made), {"layer": "gold"}, **{"If-Match": seen}).status_code == 200
    again = send(lake.caller, "patch", at(made), {"layer": "bronze"}, **{"If-Match": seen})
    assert (again.status_code, again.json()["code"]) == (412, "STALE")
    assert send(lake.caller, "delete", at(made), **{"If-Match": seen}).status_code == 412
    assert lake.caller.get(at(made)).json()["layer"] == "gold"


def test_every_version_can_be_read(lake: Lake, made: dict[str, Any]) -> None:
    send(lake.caller, "patch", at(made), {"config": "strict: true\nmerge_strategy: append_only"})
    versions = lake.caller.get(at(made, "versions/")).json()["results"]
    assert [(entry["version"], entry["author"]) for entry in versions] == [(2, "alice"), (1, "alice")]
    assert lake.caller.get(at(made, "versions/1/")).json()["body"]["config"] == CONFIG
    assert lake.caller.get(at(made, "versions/3/")).status_code == 404


def test_a_deleted_pipeline_is_gone(lake: Lake, made: dict[str, Any]) -> None:
    assert send(lake.caller, "delete", at(made)).status_code == 204
    assert lake.caller.get(at(made)).status_code == 404
    assert lake.caller.get(f"{ADDRESS}?catalog={lake.catalog}").json()["results"] == []


def test_the_keys_of_a_configuration_are_listed(alice: Caller) -> None:
    found = {entry["name"]: entry for entry in alice.get(f"{ADDRESS}fields/").json()}
    assert found["unique_key"]["required_by"] == ["incremental", "delete_insert", "scd2"]
    assert found["scd_valid_to"]["default"] == "valid_to"
    assert len(found["merge_strategy"]["choices"]) == 6


def test_a_catalog_may_make_all_pipelines_strict(lake: Lake, made: dict[str, Any]) -> None:
    address = f"{lake.address}pipeline-policy/"
    assert lake.caller.get(address).json() == {"strict": False}
    assert send(lake.caller, "patch", address, {"strict": True}).json() == {"strict": True}
    assert lake.caller.get(address).json() == {"strict": True}
    degraded = {"config": "merge_strategy: snapshot"}
    refused = send(lake.caller, "patch", at(made), degraded)
    assert (refused.status_code, refused.json()["errors"][0]["field"]) == (422, "partition_column")
    send(lake.caller, "patch", address, {"strict": False})
    assert send(lake.caller, "patch", at(made), degraded).json()["configuration"]["degraded"]


class TestALookAtTexts:
    def test_answers_what_they_come_to_and_keeps_nothing(self, lake: Lake) -> None:
        texts = {"catalog": lake.catalog, "source": SOURCE, "config": CONFIG}
        found = lake.caller.post(f"{ADDRESS}validate/", texts)
        assert found.status_code == 200, found.content
        assert found.json()["errors"] == []
        fields = found.json()["configuration"]["fields"]
        assert fields["unique_key"] == {"value": ["id"], "origin": "source", "line": 1}
        assert lake.caller.get(f"{ADDRESS}?catalog={lake.catalog}").json()["results"] == []

    @pytest.mark.parametrize(
        ("texts", "places"),
        [
            ({"config": "strikt: true\nlookback: 1"}, [("config.yaml", 1, "strikt")]),
            ({"config": "a: [", "source": "{{"}, [("config.yaml", 1, None), ("source", 1, None)]),
            ({"source": "SELECT 1\n{% if %}"}, [("source", 2, None)]),
            ({"config": "publish: checked\nchecks: ['id >']"}, [("config.yaml", 2, "checks")]),
        ],
    )
    def test_answers_all_that_is_wrong_with_its_lines(
        self, lake: Lake, texts: dict[str, str], places: list[tuple[Any, ...]]
    ) -> None:
        whole = {"catalog": lake.catalog, "database": "d", "table": "t", "source": "SELECT 1", "config": "", **texts}
        found = lake.caller.post(f"{ADDRESS}validate/", whole)
        assert found.status_code == 200, found.content
        assert [(error["file"], error["line"], error["field"]) for error in found.json()["errors"]] == places
        assert all(error["message"] and error["remedy"] for error in found.json()["errors"])

    def test_knows_what_the_catalog_wants(self, lake: Lake) -> None:
        texts = {"catalog": lake.catalog, "source": "SELECT 1", "config": "merge_strategy: snapshot"}
        assert lake.caller.post(f"{ADDRESS}validate/", texts).json()["configuration"]["degraded"]
        send(lake.caller, "patch", f"{lake.address}pipeline-policy/", {"strict": True})
        (error,) = lake.caller.post(f"{ADDRESS}validate/", texts).json()["errors"]
        assert error["field"] == "partition_column"


class TestATrial:
    def test_answers_configuration_and_sql(self, lake: Lake, made: dict[str, Any]) -> None:
        source = "-- @merge_strategy: append_only\nSELECT {{ is_append_only() }} FROM {{ this }}"
        response = lake.caller.post(at(made, "dry-run/"), {"source": source})
        assert response.status_code == 200, response.content
        found = response.json()
        assert found["sql"] == "-- @merge_strategy: append_only\nSELECT True FROM `d`.`new`"
        assert (found["configuration"]["strategy"], found["creates_table"]) == ("append_only", True)
        assert lake.caller.get(at(made)).json() == made

    @pytest.mark.parametrize(
        ("source", "status", "code"),
        [
            ("{{ nothing }}", 422, "INVALID_CONFIG"),
            ("DROP TABLE d.t", 422, "INVALID_CONFIG"),
            ("SELECT java_method('a', 'b')", 400, "FORBIDDEN_STATEMENT"),
            ("SELECT * FROM parquet.`/etc`", 400, "FORBIDDEN_STATEMENT"),
            ("SELECT 1; SELECT 2", 400, "SYNTAX_ERROR"),
        ],
    )
    def test_passes_the_allow_list(self, lake: Lake, made: dict[str, Any], source: str, status: int, code: str) -> None:
        response = lake.caller.post(at(made, "dry-run/"), {"source": source})
        assert (response.status_code, response.json()["code"]) == (status, code)


class TestADraft:
    def test_is_rendered_before_the_pipeline_is_made(self, lake: Lake, made: dict[str, Any]) -> None:
        draft = {"catalog": lake.catalog, "database": "d", "table": "later", "config": "merge_strategy: append_only\n"}
        source = "SELECT {{ is_append_only() }} FROM {{ ref('" + made["name"] + "') }}, {{ this }}"
        before = lake.caller.get(ADDRESS).json()
        found = lake.caller.post(ADDRESS + "render/", {**draft, "source": source})
        assert found.status_code == 200, found.content
        assert found.json()["sql"] == "SELECT True FROM `d`.`new`, `d`.`later`"
        assert (found.json()["configuration"]["strategy"], found.json()["creates_table"]) == ("append_only", True)
        assert lake.caller.get(ADDRESS).json() == before

    @pytest.mark.parametrize(
        ("changes", "status", "code"),
        [
            ({"source": "{{ nothing }}"}, 422, "INVALID_CONFIG"),
            ({"source": "DROP TABLE d.t"}, 422, "INVALID_CONFIG"),
            ({"config": "merge_strategy: sideways"}, 422, "INVALID_CONFIG"),
            ({"branch": "nowhere"}, 404, "NOT_FOUND"),
            ({"database": "nowhere"}, 404, "NOT_FOUND"),
        ],
    )
    def test_passes_what_a_pipeline_passes(self, lake: Lake, changes: dict[str, str], status: int, code: str) -> None:
        draft = {"catalog": lake.catalog, "database": "d", "table": "later", "source": "SELECT 1", **changes}
        refused = lake.caller.post(ADDRESS + "render/", draft)
        assert (refused.status_code, refused.json()["code"]) == (status, code)


class TestARun:
    def test_is_a_task_that_answers_like_a_statement(
        self, lake: Lake, made: dict[str, Any], local_worker: None, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def execute(run: PipelineRun, *, session: frontdoor.Session, context: Any) -> frontdoor.StatementResult:
            assert (session.catalog, session.branch, session.user.get_username()) == (lake.catalog, "main", "alice")
            context.step("execute", "compute the rows once")
            run_keep(run, sql="SELECT 1", is_degraded=True, committed_version=9, metrics={"rows_inserted": 1})
            return frontdoor.StatementResult(version=9, metrics={"rows_inserted": 1})

        monkeypatch.setattr("lakeui.tasks.pipelines.run_execute", execute)
        response = lake.caller.post(at(made, "runs/"))
        assert response.status_code == 200, response.content
        assert response.json()["version"] == 9
        (entry,) = lake.caller.get(at(made, "runs/")).json()["results"]
        assert response["Location"].endswith(f"/tasks/{entry['id']}/")
        shown = (entry["state"], entry["degraded"], entry["committed_version"], entry["trigger"], entry["version"])
        assert shown == ("succeeded", True, 9, "manual", 1)
        (step,) = entry["steps"]
        assert (step["name"], step["detail"]) == ("execute", "compute the rows once")
        assert entry["started_at"] <= step["started"] <= step["finished"]
        assert lake.caller.get(at(made, f"runs/{entry['id']}/")).json()["sql"] == "SELECT 1"
        (listed,) = lake.caller.get(f"{ADDRESS}?search=lays").json()["results"]
        assert listed["last_run"] == entry

    def test_says_in_the_history_what_it_is_for(
        self, lake: Lake, made: dict[str, Any], local_worker: None, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        said = []

        def execute(run: PipelineRun, *, session: frontdoor.Session, context: Any) -> frontdoor.StatementResult:
            said.append(session.message)
            return frontdoor.StatementResult(version=9)

        monkeypatch.setattr("lakeui.tasks.pipelines.run_execute", execute)
        assert lake.caller.post(at(made, "runs/"), {"message": " days of May "}).status_code == 200
        assert lake.caller.post(at(made, "runs/")).status_code == 200
        assert said == ["days of May", ""]
        refused = problem(lake.caller.post(at(made, "runs/"), {"message": "a\x1bb"}), 400, "INVALID_VALUE")
        assert refused["field"] == "message"

    def test_is_tried_without_a_run_on_dry_run(
        self, lake: Lake, made: dict[str, Any], local_worker: None, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        tried = []

        def dry(pipeline: Pipeline, texts: Any, *, session: Any, context: Any) -> frontdoor.StatementResult:
            tried.append((pipeline.pk, texts))
            extra = {"dry_run": True, "examples": [], "log": [], "sql": "SELECT 1"}
            return frontdoor.StatementResult(metrics={"rows_inserted": 1}, extra=extra)

        monkeypatch.setattr("lakeui.tasks.pipelines.run_dry", dry)
        texts = {"source": "SELECT 1 AS id", "config": ""}
        response = lake.caller.post(at(made, "runs/"), {"dry_run": True, **texts})
        assert response.status_code == 200, response.content
        assert (response.json()["dry_run"], response.json()["metrics"]) == (True, {"rows_inserted": 1})
        assert tried == [(made["id"], texts)]
        assert lake.caller.get(at(made, "runs/")).json()["results"] == []

    def test_takes_no_texts_and_no_unknown_member(self, lake: Lake, made: dict[str, Any], no_worker: None) -> None:
        refused = problem(lake.caller.post(at(made, "runs/"), {"source": "SELECT 2"}), 400, "INVALID_VALUE")
        assert "save them first" in str(refused)
        refused = problem(lake.caller.post(at(made, "runs/"), {"dryrun": True}), 400, "INVALID_VALUE")
        assert (refused["field"], refused["nearest"]) == ("dryrun", "dry_run")
        broken = {"dry_run": True, "config": "merge_strategy: nothing"}
        problem(lake.caller.post(at(made, "runs/"), broken), 422, "INVALID_CONFIG")
        assert lake.caller.get(at(made, "runs/")).json()["results"] == []

    def test_that_fails_says_why(
        self, lake: Lake, made: dict[str, Any], local_worker: None, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def execute(run: PipelineRun, **_: Any) -> frontdoor.StatementResult:
            raise NotFound("table", "x")

        monkeypatch.setattr("lakeui.tasks.pipelines.run_execute", execute)
        response = lake.caller.post(at(made, "runs/"))
        assert (response.status_code, response.json()["code"]) == (404, "NOT_FOUND")
        (entry,) = lake.caller.get(at(made, "runs/")).json()["results"]
        assert entry["state"] == "failed"
        assert lake.caller.get(at(made, f"runs/{entry['id']}/")).json()["error"]["code"] == "NOT_FOUND"

    def test_is_not_begun_twice(self, lake: Lake, made: dict[str, Any], no_worker: None) -> None:
        sent = [lake.caller.post(at(made, "runs/"), Prefer="wait=0", Idempotency_Key="k") for _ in range(2)]
        assert [response.status_code for response in sent] == [202, 202]
        assert sent[0]["Location"] == sent[1]["Location"]
        second = lake.caller.post(at(made, "runs/"), Prefer="wait=0")
        assert (second.status_code, second.json()["code"]) == (409, "PIPELINE_BUSY")
        assert second.json()["task"] in sent[0]["Location"]
        cancelled = lake.caller.post(sent[0]["Location"].removeprefix("http://testserver") + "cancel/")
        assert cancelled.status_code == 200
        assert lake.caller.post(at(made, "runs/"), Prefer="wait=0").status_code == 202

    def test_that_is_retried_exists_before_worker_takes_it(
        self, lake: Lake, made: dict[str, Any], no_worker: None
    ) -> None:
        first = lake.caller.post(at(made, "runs/"), Prefer="wait=0")["Location"].removeprefix("http://testserver")
        assert lake.caller.post(f"{first}cancel/").status_code == 200
        retried = lake.caller.post(f"{first}retry/")
        assert retried.status_code == 202
        found = lake.caller.get(at(made, f"runs/{retried.json()['id']}/")).json()
        assert (found["state"], found["trigger"], found["version"]) == ("queued", "retry", 1)
        assert lake.caller.post(f"{first}retry/").json()["id"] == found["id"]

    def test_is_not_retried_beside_another(self, lake: Lake, made: dict[str, Any], no_worker: None) -> None:
        first = lake.caller.post(at(made, "runs/"), Prefer="wait=0")["Location"].removeprefix("http://testserver")
        assert lake.caller.post(f"{first}cancel/").status_code == 200
        assert lake.caller.post(at(made, "runs/"), Prefer="wait=0").status_code == 202
        refused = lake.caller.post(f"{first}retry/")
        assert (refused.status_code, refused.json()["code"]) == (409, "PIPELINE_BUSY")
        assert len(lake.caller.get(at(made, "runs/")).json()["results"]) == 2


def test_a_schedules_next_runs_are_shown_before_saving(alice: Caller) -> None:
    address = "/api/v1/pipelines/schedule/?schedule=0+6+*+*+mon%231&schedule_timezone=Europe/Berlin"
    runs = [datetime.fromisoformat(at) for at in alice.get(address).json()["next_runs"]]
    berlin = [at.astimezone(ZoneInfo("Europe/Berlin")) for at in runs]
    assert len(runs) == 5
    assert all((at.hour, at.weekday()) == (6, 0) and at.day <= 7 for at in berlin)
    refusal = problem(alice.get("/api/v1/pipelines/schedule/?schedule=often"), 400, "INVALID_VALUE")
    assert "five fields" in refusal["remedy"]
    problem(alice.get("/api/v1/pipelines/schedule/"), 400, "INVALID_VALUE")
