"""What webhooks get, how it is signed, and what happens when no server answers."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import logging
import re
from datetime import timedelta
from typing import Any

import pytest
from django.conf import settings
from django.db import transaction
from django.utils import timezone

from merge_app.audit.models import MergeAttempt
from merge_app.jobs.runner import task_run
from merge_app.review.models import TimelineKind
from merge_app.review.timeline import Event, timeline_append
from merge_app.webhooks import chat
from merge_app.webhooks.delivering import PAUSES, delivery_attempt
from merge_app.webhooks.models import SUBSCRIBABLE, Webhook, WebhookDelivery, WebhookEvent
from merge_app.webhooks.outbox import deliveries_notify
from tests.api.sql.test_statements import problem
from tests.review.conftest import ReviewLake
from tests.webhooks.conftest import Listener, add

pytestmark = pytest.mark.usefixtures("loopback_allowed")


def due() -> None:
    """Time passes: every pending message is due."""
    WebhookDelivery.objects.filter(state="pending").update(next_attempt_at=timezone.now() - timedelta(seconds=1))


def send_all() -> None:
    for delivery_id in WebhookDelivery.objects.order_by("created_at").values_list("pk", flat=True):
        delivery_attempt(delivery_id)


def log(lake: ReviewLake, webhook_id: int) -> list[dict[str, Any]]:
    response = lake.people["dora"].get(f"{lake.address}webhooks/{webhook_id}/deliveries/")
    assert response.status_code == 200, response.content
    found: list[dict[str, Any]] = response.json()["results"]
    return found


def test_events_of_a_request_are_sent_and_signed(lake: ReviewLake, listener: Listener) -> None:
    made = add(lake, listener.url + "/hook", "merge_request").json()
    lake.open()
    lake.post("bob", "1/comments/", {"body": "a secret remark"})
    send_all()
    reported = [json.loads(body) for _, body in listener.received]
    assert [(item["type"], item["data"]["kind"], item["data"]["actor"]) for item in reported] == [
        ("merge_request", "opened", "alice"),
        ("merge_request", "commented", "bob"),
    ]
    assert "a secret remark" not in str(reported)
    headers, body = listener.received[0]
    key = base64.b64decode(made["secret"].removeprefix("whsec_"))
    signed = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.".encode() + body
    assert headers["webhook-signature"] == "v1," + base64.b64encode(hmac.digest(key, signed, hashlib.sha256)).decode()
    assert [(item["state"], item["status"], item["attempts"]) for item in log(lake, made["id"])] == [
        ("delivered", 200, 1)
    ] * 2


def test_each_attempt_leaves_one_line(lake: ReviewLake, listener: Listener, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, logger="lakeui.events")
    add(lake, listener.url, "merge_request")
    lake.open()
    listener.answers[:] = [503]
    send_all()
    due()
    send_all()
    lines = [record.__dict__ for record in caplog.records if record.__dict__.get("event") == "delivery"]
    assert [(line["kind"], line["outcome"], line["state"], line["attempt"]) for line in lines] == [
        ("merge_request", "503", "pending", 1),
        ("merge_request", "OK", "delivered", 2),
    ]
    assert all(line["bytes"] > 100 and line["catalog"] == lake.catalog for line in lines)


def test_merges_are_reported_whether_successful_or_not(lake: ReviewLake, listener: Listener) -> None:
    add(lake, listener.url, "merge")
    lake.write("MERGE BRANCH b", "alice")
    lake.write("DROP TABLE d.t", "alice")
    lake.write("ALTER TABLE d.t SET TBLPROPERTIES ('k' = '2')", "alice", "b")
    with pytest.raises(Exception, match="conflict"):
        lake.write("MERGE BRANCH b", "alice")
    send_all()
    reported = [json.loads(body)["data"] for _, body in listener.received]
    assert [(item["outcome"], item["source"], item["actor"]) for item in reported] == [
        ("merged", "b", "alice"),
        ("refused", "b", "alice"),
    ]


def test_what_did_not_happen_is_not_published(lake: ReviewLake, listener: Listener) -> None:
    request = lake.open()
    add(lake, listener.url)
    with transaction.atomic():
        timeline_append(request, Event(TimelineKind.EDITED, None))
        transaction.set_rollback(True)
    assert not WebhookDelivery.objects.exists()


def test_failed_messages_are_sent_again_later(lake: ReviewLake, listener: Listener) -> None:
    made = add(lake, listener.url).json()
    lake.open()
    delivery = WebhookDelivery.objects.get()
    listener.answers[:] = [500] * 20
    for number in range(1, len(PAUSES) + 1):
        assert delivery_attempt(delivery.pk)
        assert not delivery_attempt(delivery.pk), "it is not due"
        delivery.refresh_from_db()
        wait = (delivery.next_attempt_at - timezone.now()).total_seconds()
        assert (delivery.state, delivery.attempts, round(wait / PAUSES[number - 1])) == ("pending", number, 1)
        due()
    delivery_attempt(delivery.pk)
    (found,) = log(lake, made["id"])
    assert (found["state"], found["status"], found["error"]) == ("failed", 500, "The server answered 500.")
    assert len({body for _, body in listener.received}) == 1
    assert len({headers["webhook-id"] for headers, _ in listener.received}) == 1
    due()
    assert not delivery_attempt(delivery.pk)


def test_a_server_that_comes_back_gets_it(lake: ReviewLake, listener: Listener) -> None:
    made = add(lake, listener.url).json()
    lake.open()
    listener.answers[:] = [503]
    send_all()
    due()
    send_all()
    assert [(item["state"], item["attempts"], item["error"]) for item in log(lake, made["id"])] == [
        ("delivered", 2, "")
    ]


def test_a_redirect_is_not_followed(lake: ReviewLake, listener: Listener) -> None:
    made = add(lake, listener.url).json()
    lake.open()
    listener.answers[:] = [302]
    send_all()
    assert len(listener.received) == 1
    assert log(lake, made["id"])[0]["error"] == "The server answered 302."


def test_message_is_refused_after_its_network_is_disallowed(
    lake: ReviewLake, listener: Listener, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = add(lake, listener.url).json()
    lake.open()
    monkeypatch.setitem(settings.LAKEUI, "WEBHOOK_NETWORKS", "")
    send_all()
    assert listener.received == []
    assert "inside of a network" in log(lake, made["id"])[0]["error"]


def test_work_continues_without_listeners(lake: ReviewLake, listener: Listener) -> None:
    made = add(lake, "http://127.0.0.1:1/").json()
    lake.open()
    send_all()
    assert log(lake, made["id"])[0]["error"] == "The connection failed."


def test_the_sweep_rings_for_what_was_not_sent(lake: ReviewLake, monkeypatch: pytest.MonkeyPatch) -> None:
    rung: list[str] = []
    add(lake, "http://127.0.0.1:1/")
    lake.open()
    monkeypatch.setattr("merge_app.webhooks.tasks.deliver_webhook.apply_async", lambda args, **_: rung.append(args[0]))
    deliveries_notify()
    assert rung == []
    WebhookDelivery.objects.update(created_at=timezone.now() - timedelta(minutes=1))
    deliveries_notify()
    assert rung == [str(WebhookDelivery.objects.get().pk)]


def test_pings_and_repeated_messages_are_sent(lake: ReviewLake, listener: Listener) -> None:
    made = add(lake, listener.url).json()
    address = f"{lake.address}webhooks/{made['id']}/"
    dora = lake.people["dora"]
    assert dora.post(f"{address}test/").status_code == 202
    send_all()
    (sent,) = log(lake, made["id"])
    assert dora.post(f"{address}deliveries/{sent['id']}/repeat/").status_code == 202
    problem(dora.post(f"{address}deliveries/{sent['id']}/repeat/"), 400, "INVALID_VALUE")
    send_all()
    assert [json.loads(body)["type"] for _, body in listener.received] == ["ping", "ping"]


def test_one_that_is_switched_off_gets_nothing(lake: ReviewLake, listener: Listener) -> None:
    made = add(lake, listener.url).json()
    dora, address = lake.people["dora"], f"{lake.address}webhooks/{made['id']}/"
    lake.open()
    changed = dora.client.patch(address, {"is_active": False}, content_type="application/json", headers=dora.headers)
    assert changed.status_code == 200, changed.content
    lake.post("bob", "1/comments/", {"body": "hm"})
    send_all()
    assert listener.received == []
    assert [item["error"] for item in log(lake, made["id"])] == ["The webhook was switched off."]
    problem(dora.post(f"{address}test/"), 400, "INVALID_VALUE")


def test_the_secret_is_shown_once_and_never_again(lake: ReviewLake, listener: Listener) -> None:
    made = add(lake, listener.url).json()
    dora = lake.people["dora"]
    for path in ("", f"{made['id']}/", f"{made['id']}/deliveries/"):
        assert made["secret"] not in dora.get(f"{lake.address}webhooks/{path}").content.decode()
    assert made["secret"] not in str(settings_records(lake, "dora"))
    assert made["secret"] != add(lake, listener.url).json()["secret"]


def settings_records(lake: ReviewLake, name: str) -> list[dict[str, Any]]:
    """The audit's records of changed settings, whole, as that person reads them."""
    person = lake.people[name]
    listed = person.get(f"/api/v1/merges/?catalog={lake.catalog}&kind=settings").json()["results"]
    return [person.get(f"/api/v1/merges/{record['merge_id']}/").json() for record in listed]


def test_the_audit_hides_the_webhooks_path(lake: ReviewLake, listener: Listener) -> None:
    made = add(lake, f"{listener.url}/path/secret-in-the-path").json()
    dora, address = lake.people["dora"], f"{lake.address}webhooks/{made['id']}/"
    body = {"url": f"{listener.url}/another-secret"}
    assert dora.client.patch(address, body, content_type="application/json", headers=dora.headers).status_code == 200
    changed, added = [record for record in settings_records(lake, "alice") if record["setting"] == "webhook"]
    assert (added["actor"], added["before"], changed["before"]) == ("dora", None, added["after"])
    assert added["after"]["server"] == listener.url.removeprefix("http://")
    assert changed["after"]["url_digest"] != changed["before"]["url_digest"]
    assert "secret" not in str([changed, added])


def test_a_removed_one_leaves_nothing_but_its_record(lake: ReviewLake, listener: Listener) -> None:
    made = add(lake, listener.url).json()
    lake.open()
    dora = lake.people["dora"]
    address = f"{lake.address}webhooks/{made['id']}/"
    assert dora.client.delete(address, headers=dora.headers).status_code == 204
    problem(dora.get(address), 404, "NOT_FOUND")
    assert not Webhook.objects.exists()
    assert not WebhookDelivery.objects.exists()


@pytest.mark.parametrize("url", ["http://10.0.0.1/", "https://169.254.169.254/latest/meta-data/", "ftp://127.0.0.1/"])
def test_an_address_that_is_refused_is_not_kept(lake: ReviewLake, url: str) -> None:
    problem(add(lake, url), 400, "INVALID_VALUE")
    assert not Webhook.objects.exists()


def told_of(event: str) -> list[dict[str, Any]]:
    """What was left for webhooks of that event, oldest first."""
    found = WebhookDelivery.objects.filter(event=event).order_by("created_at", "pk")
    return [json.loads(body)["data"] for body in found.values_list("body", flat=True)]


def test_commits_bypasses_drops_are_sent_once_without_statements(lake: ReviewLake, listener: Listener) -> None:
    add(lake, listener.url, "commit", "bypass", "drop")
    lake.protect()
    lake.write("ALTER TABLE d.t SET TBLPROPERTIES ('a' = 'secret')", "alice", "b")
    with pytest.raises(Exception, match="protected"):
        lake.write("MERGE BRANCH b", "dora")
    session = {"catalog": lake.catalog, "branch": "main", "statement": "MERGE BRANCH b", "bypass_reason": "It burns."}
    sql_task(lake, session)
    lake.write("DROP BRANCH b", "alice")
    version = lake.branch("main").head_version
    commits = told_of("commit")
    assert [(item["branch"], item["author"]) for item in commits] == [("b", "alice"), ("main", "dora")]
    assert commits[-1]["version"] == version
    assert [(item["branch"], item["actor"], item["reason"]) for item in told_of("bypass")] == [
        ("main", "dora", "It burns.")
    ]
    assert told_of("drop") == [{"catalog": lake.catalog, "branch": "b", "actor": "alice"}]
    assert "secret" not in str(commits)


def test_names_and_records_have_events_without_the_changes(lake: ReviewLake, listener: Listener) -> None:
    assert add(lake, listener.url, *(event.value for event in SUBSCRIBABLE)).status_code == 201
    for statement in (
        "CREATE BRANCH n",
        "ALTER BRANCH n RENAME TO m",
        "CREATE TAG t1",
        "ALTER TAG t1 RENAME TO t2",
        "DROP TAG t2",
        "CREATE BRANCH IF NOT EXISTS m",
        "ALTER BRANCH m SET EXPIRY '9 days'",
    ):
        lake.write(statement, "dora")
    assert [tuple(item[name] for name in ("kind", "action", "name", "was")) for item in told_of("reference")] == [
        ("branch", "made", "n", None),
        ("branch", "renamed", "m", "n"),
        ("tag", "made", "t1", None),
        ("tag", "renamed", "t2", "t1"),
        ("tag", "dropped", "t2", None),
    ]
    record = MergeAttempt.objects.filter(kind="settings").latest("number")
    assert told_of("record")[-1] == {
        "catalog": lake.catalog,
        "merge_id": str(record.merge_id),
        "kind": "settings",
        "what": record.destination,
        "outcome": "changed",
        "version": None,
        "actor": "dora",
    }


def sql_task(lake: ReviewLake, body: dict[str, Any]) -> None:
    """Run the statement as a task, as its worker would."""
    sent = lake.people["dora"].post("/api/v1/sql/", body, Prefer="respond-async")
    assert sent.status_code == 202, sent.content
    task_run(task_id=sent.json()["id"], worker="told")


def test_the_end_of_a_task_is_published(lake: ReviewLake, listener: Listener, no_worker: None) -> None:
    add(lake, listener.url, "task")
    body = {"catalog": lake.catalog, "branch": "main", "statement": "MERGE BRANCH b"}
    sql_task(lake, body)
    sql_task(lake, {**body, "statement": "RESTORE TABLE d.none TO VERSION AS OF 1"})
    waiting = lake.people["dora"].post("/api/v1/sql/", body, Prefer="respond-async").json()
    lake.people["dora"].post(f"/api/v1/tasks/{waiting['id']}/cancel/")
    assert [(item["state"], item["code"], item["actor"]) for item in told_of("task")] == [
        ("succeeded", None, "dora"),
        ("failed", "NOT_FOUND", "dora"),
        ("cancelled", "TASK_CANCELLED", "dora"),
    ]


def test_a_chat_gets_a_line_of_text(lake: ReviewLake, listener: Listener) -> None:
    made = add(lake, listener.url, "merge_request", "merge", "commit", form="chat").json()
    assert made["form"] == "chat"
    lake.write("ALTER TABLE d.t SET TBLPROPERTIES ('k' = 'v')", "alice", "b")
    lake.open(title="a <!channel> & b")
    lake.write("MERGE BRANCH b", "dora")
    send_all()
    texts = [json.loads(body) for _, body in listener.received]
    assert [set(text) for text in texts] == [{"text"}] * len(texts)
    lines = [re.sub(r"version \d+", "version N", text["text"].replace(lake.catalog, "lake")) for text in texts]
    assert "lake/b is at version N: SET TBLPROPERTIES by alice" in lines
    assert "lake/main is at version N: MERGE BRANCH by dora" in lines
    assert "lake request 1 “a &lt;!channel&gt; &amp; b” (b → main): opened by alice" in lines
    assert "lake: merge of b into main: merged as version N by dora" in lines


def test_every_event_has_a_line() -> None:
    assert set(chat._SENTENCES) == set(WebhookEvent)


def test_a_form_that_is_not_there_is_refused(lake: ReviewLake) -> None:
    answer = add(lake, "https://example.org/", "merge", form="xml")
    assert answer.status_code == 400
    assert answer.json()["errors"][0]["field"] == "form"
