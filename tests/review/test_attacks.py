"""What people could try on each other: markup in what is read, writes in somebody's name, secrets in logs."""

from __future__ import annotations

import json
import logging
import re
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from lakeui.api.http.docs import openapi_document
from tests.review.conftest import ReviewLake

MARKUP = (
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "[x](javascript:alert(1))",
    '"><svg onload=alert(1)>',
    "![x](https:elsewhere.example/pixel.png)",
)
ACTIVE = re.compile(r"<(script|img|svg|iframe|style|form|input)|<[^>]*(javascript:|\son\w+\s*=)", re.IGNORECASE)


def html_of(body: Any) -> list[str]:
    """Every text that the pages show as HTML: the members called ``..._html``."""
    if isinstance(body, dict):
        own = [value for name, value in body.items() if name.endswith("_html") and isinstance(value, str)]
        return [*own, *(text for value in body.values() for text in html_of(value))]
    return [text for value in body for text in html_of(value)] if isinstance(body, list) else []


@pytest.mark.parametrize("text", MARKUP)
def test_markup_people_write_is_shown_and_never_acts(lake: ReviewLake, text: str) -> None:
    wanted = {"source": "b", "destination": "main", "title": text, "description": text, "labels": [text]}
    opened = lake.post("alice", "", wanted)
    assert opened.status_code == 201, opened.content
    assert lake.post("bob", "1/comments/", {"body": text}).status_code == 201
    assert lake.post("bob", "1/reviews/", {"verdict": "request_changes", "body": text}).status_code == 201
    shown = []
    for path in ("", "1/", "1/comments/", "1/reviews/", "1/timeline/"):
        response = lake.people["carol"].get(lake.requests + path)
        assert response["Content-Type"] == "application/json"
        assert response["X-Content-Type-Options"] == "nosniff"
        shown += html_of(json.loads(response.content))
    assert len(shown) >= 3
    assert [html for html in shown if ACTIVE.search(html)] == []


@pytest.mark.parametrize("text", MARKUP)
def test_markup_in_names_stays_a_name(lake: ReviewLake, text: str) -> None:
    lake.write(f"CREATE BRANCH `{text}`", "alice")
    lake.write(f"CREATE TAG `tag {text}`", "alice")
    for path, name in (("branches/", text), ("tags/", f"tag {text}")):
        response = lake.people["carol"].get(lake.address + path)
        assert (response["Content-Type"], response["X-Content-Type-Options"]) == ("application/json", "nosniff")
        assert name in [entry["name"] for entry in response.json()["results"]]
    reader = Client()
    reader.force_login(lake.people["carol"].user)
    page = reader.get(f"/c/{lake.catalog}/branches/{text}")
    assert text not in page.content.decode()


def unsafe_operations() -> list[tuple[str, str]]:
    return [
        (method, path)
        for path, item in openapi_document()["paths"].items()
        for method in item.keys() & {"post", "put", "patch", "delete"}
    ]


def test_other_sites_cannot_write_as_signed_in_users(lake: ReviewLake) -> None:
    lake.open()
    names = {
        **dict.fromkeys(("branch", "destination"), "main"),
        "catalog": lake.catalog,
        "source": "b",
        "tag": "g",
        "database": "d",
        "table": "t",
        "username": "bob",
        "name": "keys",
        **dict.fromkeys(
            (
                "number",
                "catalog_id",
                "rule_id",
                "query_id",
                "statement_id",
                "comment_id",
                "resolution_id",
                "token_id",
                "webhook_id",
                "pipeline_id",
                "restriction_id",
            ),
            1,
        ),
        **dict.fromkeys(
            ("import_id", "task_id", "delivery_id", "session_id", "sign_in_id", "result_id", "file_id"),
            "00000000-0000-0000-0000-000000000001",
        ),
        "group": "readers",
        "zone": "orders",
    }
    victim = Client(enforce_csrf_checks=True, headers={"Origin": "https://elsewhere.example"})
    victim.force_login(lake.people["dora"].user)
    answers = {
        (method, path): getattr(victim, method)(path.format(**names), "{}", content_type="application/json").status_code
        for method, path in unsafe_operations()
    }
    assert answers == dict.fromkeys(answers, 403)
    assert len(answers) > 30


def test_frames_and_other_sites_are_refused(lake: ReviewLake) -> None:
    reader = Client(headers={"Origin": "https://elsewhere.example"})
    strangers = [reader.get(path) for path in ("/login/", "/api/v1/catalogs/", "/nowhere", "/healthz", "/api/docs/")]
    reader.force_login(lake.people["alice"].user)
    for response in (*strangers, *(reader.get(path) for path in ("/", f"/c/{lake.catalog}", "/api/v1/catalogs/"))):
        assert response["X-Frame-Options"] == "DENY"
        assert "frame-ancestors 'none'" in response["Content-Security-Policy"]
        assert not [name for name in response.headers if name.lower().startswith("access-control-")]


def test_a_planted_session_is_never_signed_in(lake: ReviewLake) -> None:
    User.objects.create_user("eve", password="correct horse")
    attacker, victim = Client(), Client()
    session = attacker.session
    session["planted"] = True
    session.save()
    victim.cookies["sessionid"] = session.session_key
    assert victim.post("/login/", {"username": "eve", "password": "correct horse"}).status_code == 302
    assert victim.cookies["sessionid"].value != session.session_key
    attacker.cookies["sessionid"] = session.session_key
    assert attacker.get("/api/v1/catalogs/").status_code == 401
    signed_in = victim.cookies["sessionid"].value
    victim.post("/logout/")
    attacker.cookies["sessionid"] = signed_in
    assert attacker.get("/api/v1/catalogs/").status_code == 401


def test_no_secret_gets_into_the_logs(lake: ReviewLake, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    alice = lake.people["alice"]
    token = alice.headers["Authorization"].removeprefix("Bearer ")
    wrong = "lake_wrong_" + "x" * 40
    made = alice.post("/api/v1/tokens/", {"name": "ci"}).json()
    secrets = [token, wrong, made["token"], "hunter2-hunter2"]
    alice.client.get(f"/api/v1/catalogs/?token={token}", headers=alice.headers)
    alice.client.get("/api/v1/catalogs/", headers={"Authorization": f"Bearer {wrong}"})
    alice.client.get("/api/v1/nowhere/", headers=alice.headers)
    alice.post("/api/v1/sql/", {"catalog": "no such", "statement": "SELECT 1 FROM nowhere.t"})
    Client().post("/login/", {"username": "alice", "password": "hunter2-hunter2"})
    said = "\n".join(str(record.__dict__) + record.getMessage() for record in caplog.records)
    assert "/api/v1/catalogs/" in said
    assert [secret for secret in secrets if secret in said] == []
