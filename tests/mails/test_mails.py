"""Which mails people get, by a real mail server, and what happens when it refuses them or is away."""

from __future__ import annotations

import ssl
from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from catalog_app.models import CatalogMember, Restriction
from merge_app.jobs.models import Task
from merge_app.jobs.reaper import tasks_reap
from merge_app.jobs.services import task_submit
from merge_app.mails.delivering import CLAIM, PAUSES, mail_attempt
from merge_app.mails.models import CHOOSABLE, Mail, MailEvent
from merge_app.mails.outbox import LONGEST_SUBJECT, Content, line, mails_leave, mails_notify
from merge_app.review.expiring import branches_announce
from merge_app.review.models import MergeRequest
from merge_app.review.requests import request_move
from merge_app.review.states import RequestState
from merge_app.webhooks.models import Webhook, WebhookDelivery
from tests.api.sql.test_statements import problem
from tests.mails.conftest import Mailbox, ReviewLake, served

PATH = "/api/v1/account/mail/"


def choose(lake: ReviewLake, name: str, *events: str, **more: str) -> Any:
    """The answer to a choice of a person, by default of every event at an address of their own."""
    caller = lake.people[name]
    body = {"address": f"{name}@example.org", "events": list(events) or [event.value for event in CHOOSABLE], **more}
    return caller.client.patch(PATH, body, content_type="application/json", headers=caller._all({}))


def send_all() -> None:
    """Time passes until every pending mail is due, and each is tried once."""
    Mail.objects.filter(state="pending").update(next_attempt_at=timezone.now() - timedelta(seconds=1))
    for mail_id in Mail.objects.order_by("created_at").values_list("pk", flat=True):
        mail_attempt(mail_id)


def subjects(box: Mailbox) -> list[tuple[str, str]]:
    return [(recipients[0], str(message["Subject"])) for recipients, message in box.received]


def sent(lake: ReviewLake, name: str) -> list[dict[str, Any]]:
    response = lake.people[name].get(f"{PATH}sent/")
    assert response.status_code == 200, response.content
    found: list[dict[str, Any]] = response.json()["results"]
    return found


def test_expiring_branch_is_mailed_once_to_those_concerned(lake: ReviewLake, mailbox: Mailbox) -> None:
    for name in ("alice", "bob", "carol"):
        choose(lake, name)
    catalog = lake.branch("b").catalog
    owner = lake.people["dora"].user
    Webhook.objects.create(catalog=catalog, url="http://127.0.0.1:9/", events=["expiry"], created_by=owner)
    lake.write("ALTER BRANCH b SET EXPIRY '3 days'", "bob")
    lake.write("CREATE BRANCH short WITH EXPIRY '2 hours'", "alice")
    at = lake.branch("b").expires_at
    assert at is not None
    hours = [branches_announce(at - timedelta(hours=left)) for left in (25, 23, 22)]
    assert hours == [0, 1, 0]
    send_all()
    subject = f"{lake.catalog}: branch b expires within 24 hours"
    assert sorted(subjects(mailbox)) == [("alice@example.org", subject), ("bob@example.org", subject)]
    (message,) = WebhookDelivery.objects.filter(event="expiry")
    assert f'"branch":"b","expires_at":"{at.isoformat(timespec="seconds")}"' in message.body
    lake.write("ALTER BRANCH b SET EXPIRY '5 days'", "bob")
    later = lake.branch("b").expires_at
    assert later is not None
    assert branches_announce(later - timedelta(hours=1)) == 1


def test_comments_and_merges_are_mailed_to_those_concerned(lake: ReviewLake, mailbox: Mailbox) -> None:
    for name in ("alice", "bob", "carol"):
        assert choose(lake, name).status_code == 200
    request = lake.open(reviewers=("bob",))
    lake.post("bob", "1/comments/", {"body": "a secret remark"})
    lake.post("alice", "1/comments/", {"body": "mine"})
    lake.review("bob", request, "request_changes")
    lake.patch("dora", "1/", {"state": "closed"})
    send_all()
    name = f"{lake.catalog} request 1 Delays"
    assert subjects(mailbox) == [
        ("bob@example.org", f"{name}: alice asks for your review"),
        ("alice@example.org", f"{name}: bob wrote a comment"),
        ("alice@example.org", f"{name}: bob requests changes"),
        ("alice@example.org", f"{name}: dora closed it"),
    ]
    message = mailbox.received[0][1]
    text = message.get_payload()
    assert f"https://lake.example.org/c/{lake.catalog}/requests/1" in text
    assert "Choose otherwise at https://lake.example.org/settings under Mail and chat" in text
    assert "secret" not in str([str(message) for _, message in mailbox.received])
    assert (message["Auto-Submitted"], message["From"]) == ("auto-generated", "lakeui <lakeui@example.org>")
    assert message["Message-ID"] == f"<{sent(lake, 'bob')[0]['id']}@example.org>"
    assert [(entry["state"], entry["attempts"]) for entry in sent(lake, "alice")] == [("sent", 1)] * 3
    assert sent(lake, "carol") == []


@pytest.mark.parametrize(
    ("way", "event", "said"),
    [
        ((RequestState.MERGING, RequestState.MERGED), "request_merged", "it is merged"),
        ((RequestState.MERGING, RequestState.CONFLICTED), "request_refused", "it conflicts with main"),
        ((RequestState.MERGING, RequestState.OPEN), "request_refused", "it was not merged"),
    ],
)
def test_end_of_merge_is_mailed_to_author(
    lake: ReviewLake, mailbox: Mailbox, way: tuple[RequestState, RequestState], event: str, said: str
) -> None:
    choose(lake, "alice")
    request = lake.open()
    with transaction.atomic():
        held = MergeRequest.objects.select_for_update().get(pk=request.pk)
        # The record of a merge is not what this is about.
        held.merge_id = "00000000-0000-0000-0000-000000000001"
        for state in way:
            request_move(held, state, actor_id=lake.people["carol"].user.pk)
        held.save()
    send_all()
    assert [(entry["event"], entry["subject"].rpartition(": ")[2]) for entry in sent(lake, "alice")] == [(event, said)]


def test_reviewer_is_asked_once_when_request_is_ready(lake: ReviewLake, mailbox: Mailbox) -> None:
    choose(lake, "bob")
    choose(lake, "carol")
    lake.open(reviewers=("bob",), is_draft=True)
    assert not Mail.objects.exists()
    lake.patch("alice", "1/", {"state": "open"})
    lake.patch("alice", "1/", {"reviewers": ["bob", "carol"]})
    lake.patch("alice", "1/", {"reviewers": ["carol"]})
    lake.patch("alice", "1/", {"reviewers": ["bob", "carol"]})
    send_all()
    assert [recipient for recipient, _ in subjects(mailbox)] == ["bob@example.org", "carol@example.org"]


def lost(lake: ReviewLake, by: str) -> Task:
    """A task whose worker died in each of its attempts."""
    catalog = lake.branch("main").catalog
    parameters = {"branch": "main", "statement": "INSERT INTO d.t VALUES ('a secret')"}
    task = task_submit(kind="sql", parameters=parameters, user=lake.people[by].user, catalog_id=catalog.pk)
    long_ago = timezone.now() - timedelta(days=1)
    Task.objects.filter(pk=task.pk).update(
        state="running", claim=uuid4(), attempts=3, started_at=long_ago, heartbeat_at=long_ago
    )
    tasks_reap(only=task.pk)
    return task


def test_lost_task_is_mailed_to_its_requester(lake: ReviewLake, mailbox: Mailbox) -> None:
    choose(lake, "alice", "task_failed")
    choose(lake, "bob")
    task = lost(lake, "alice")
    send_all()
    assert subjects(mailbox) == [("alice@example.org", f"{lake.catalog}: task sql lost (TASK_LOST)")]
    text = mailbox.received[0][1].get_payload()
    assert f"/tasks/{task.pk}" in text
    assert "secret" not in text


def test_without_choice_or_mail_server_nothing_is_left(lake: ReviewLake, mail_on: Any) -> None:
    lake.open(reviewers=("bob",))
    choose(lake, "alice", "request_reviewed")
    lake.post("bob", "1/comments/", {"body": "not chosen"})
    mail_on.LAKEUI = mail_on.LAKEUI | {"MAIL": False}
    choose(lake, "alice")
    lake.post("bob", "1/comments/", {"body": "no server"})
    assert not Mail.objects.exists()
    assert lake.people["alice"].get(PATH).json()["is_on"] is False
    assert "sends no mail" in problem(lake.people["alice"].post(f"{PATH}test/"), 400, "INVALID_VALUE")["detail"]


def commented(lake: ReviewLake) -> Mail:
    """A mail to Alice that waits: Bob wrote a comment."""
    choose(lake, "alice", "request_commented")
    lake.open()
    lake.post("bob", "1/comments/", {"body": "Why?"})
    return Mail.objects.get()


def test_person_without_role_gets_nothing_of_catalog(lake: ReviewLake, mailbox: Mailbox) -> None:
    commented(lake)
    CatalogMember.objects.filter(user=lake.people["alice"].user).delete()
    send_all()
    assert mailbox.received == []
    mail = Mail.objects.get()
    assert (mail.state, mail.error) == ("failed", "The person does not see the catalog any more.")


def restricted(lake: ReviewLake) -> None:
    """Comments and titles may hold values of rows that are hidden."""
    catalog = lake.branch("main").catalog
    Restriction.objects.create(
        catalog=catalog, table_id=lake.table_id, table_name="d.t", role="contributor", row_filter="false"
    )


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (lambda lake: choose(lake, "alice", events=[]), "The person does not want such messages any more."),
        (
            lambda lake: User.objects.filter(username="alice").update(is_active=False),
            "The account is disabled, or of an agent.",
        ),
        (lambda lake: choose(lake, "alice", "request_commented", address=""), "The person has no address."),
        (restricted, "The person does not see the catalog any more."),
    ],
    ids=["off", "disabled", "no address", "restricted"],
)
def test_what_holds_when_a_mail_is_sent_counts(lake: ReviewLake, mailbox: Mailbox, change: Any, why: str) -> None:
    commented(lake)
    change(lake)
    send_all()
    assert mailbox.received == []
    assert (Mail.objects.get().state, Mail.objects.get().error) == ("failed", why)


def test_a_task_that_is_rolled_back_mails_nothing(lake: ReviewLake, mailbox: Mailbox) -> None:
    choose(lake, "alice")
    with transaction.atomic():
        lost(lake, "alice")
        transaction.set_rollback(True)
    assert not Mail.objects.exists()


def test_temporary_refusal_is_retried_and_permanent_one_not(lake: ReviewLake, mailbox: Mailbox) -> None:
    mail = commented(lake)
    mailbox.rcpt[:] = ["451 Try again later"]
    send_all()
    mail.refresh_from_db()
    assert (mail.state, mail.error) == ("pending", "The mail server refused the address: 451 Try again later")
    assert timedelta(0) < mail.next_attempt_at - timezone.now() <= timedelta(seconds=PAUSES[0])
    assert not mail_attempt(mail.pk)
    send_all()
    assert len(mailbox.received) == 1
    lake.post("bob", "1/comments/", {"body": "And this?"})
    mailbox.data[:] = ["554 No spam"]
    send_all()
    send_all()
    refused = Mail.objects.exclude(pk=mail.pk).get()
    assert (refused.state, refused.attempts) == ("failed", 1)
    assert refused.error == "The mail server refused the mail: 554 No spam"
    assert len(mailbox.received) == 1


def test_server_that_was_away_gets_mail_later(lake: ReviewLake, mail_on: Any) -> None:
    box = Mailbox()
    controller = served(box)
    mail_on.EMAIL_PORT = box.port
    controller.stop()
    mail = commented(lake)
    send_all()
    mail.refresh_from_db()
    assert (mail.state, mail.error) == ("pending", "The connection to the mail server failed.")
    controller = served(box)
    send_all()
    controller.stop()
    assert len(box.received) == 1


def test_a_mail_that_no_server_takes_ends(lake: ReviewLake, mailbox: Mailbox) -> None:
    mail = commented(lake)
    mailbox.rcpt[:] = ["451 Later"] * 100
    for _ in range(len(PAUSES) + 3):
        send_all()
    mail.refresh_from_db()
    assert (mail.state, mail.attempts) == ("failed", len(PAUSES) + 1)


@pytest.mark.parametrize("form", ["no STARTTLS", "STARTTLS of nobody", "TLS of nobody"])
def test_nothing_is_sent_without_tls_that_settings_require(
    lake: ReviewLake, mail_on: Any, own_certificate: ssl.SSLContext, form: str
) -> None:
    box = Mailbox()
    given: dict[str, Any] = {"STARTTLS of nobody": {"tls_context": own_certificate}}.get(form, {})
    if form == "TLS of nobody":
        given = {"ssl_context": own_certificate}
        mail_on.EMAIL_USE_SSL = True
    else:
        mail_on.EMAIL_USE_TLS = True
    controller = served(box, **given)
    mail_on.EMAIL_PORT = box.port
    commented(lake)
    send_all()
    controller.stop()
    mail = Mail.objects.get()
    says = {"no STARTTLS": "does not offer"}.get(form, "certificate is not trusted")
    assert (mail.state, says in mail.error, box.received) == ("pending", True, [])


def test_worker_dying_after_delivery_sends_the_same_mail(
    lake: ReviewLake, mailbox: Mailbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    mail = commented(lake)
    with monkeypatch.context() as patch:
        patch.setattr(Mail, "save", lambda *_, **__: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            mail_attempt(mail.pk)
    assert not mail_attempt(mail.pk)
    mail.refresh_from_db()
    assert mail.state == "pending"
    assert mail.next_attempt_at > timezone.now() + CLAIM / 2
    send_all()
    first, second = (message["Message-ID"] for _, message in mailbox.received)
    assert first == second


def test_sweep_rings_for_mail_that_waits(lake: ReviewLake, mail_on: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    mail = commented(lake)
    rung: list[Any] = []
    monkeypatch.setattr("merge_app.mails.tasks.deliver_mail.apply_async", lambda args, **_: rung.append(args[0]))
    mails_notify()
    assert rung == []
    Mail.objects.update(created_at=timezone.now() - timedelta(minutes=1))
    mails_notify()
    assert rung == [str(mail.pk)]


@pytest.mark.parametrize("break_", ["\n", "\r\n", "\r", "\x0b", "\x0c", "\x85", "\u2028", "\x00"])
def test_no_name_writes_a_header(lake: ReviewLake, mailbox: Mailbox, break_: str) -> None:
    choose(lake, "alice", "task_failed")
    catalog = lake.branch("main").catalog
    title = f"Delays{break_}Bcc: eve@example.org{break_}{break_}body"
    mails_leave(
        users=[lake.people["alice"].user.pk],
        event=MailEvent.TASK_FAILED,
        catalog_id=catalog.pk,
        key="k",
        build=lambda: Content(title, "text", "/"),
    )
    send_all()
    ((recipients, message),) = mailbox.received
    assert (recipients, message["Bcc"]) == (["alice@example.org"], None)
    assert message["Subject"] == "Delays Bcc: eve@example.org body"


def test_a_subject_is_one_line_of_bounded_length() -> None:
    assert line("a" * 1000) == "a" * LONGEST_SUBJECT
    assert line(" Größe\t→  b\n") == "Größe → b"


@pytest.mark.parametrize("address", ["nobody", "a@b", "a@example.org\nBcc: eve@example.org", "a@example.org, b@c.de"])
def test_what_is_no_address_is_refused(lake: ReviewLake, address: str) -> None:
    refused = problem(choose(lake, "alice", address=address), 400, "INVALID_VALUE")
    assert refused["field"] == "address"
    assert lake.people["alice"].get(PATH).json()["events"] == []


def test_account_address_is_used_where_none_is_chosen(lake: ReviewLake, mailbox: Mailbox) -> None:
    User.objects.filter(username="alice").update(email="home@example.org")
    choose(lake, "alice", address="")
    assert lake.people["alice"].post(f"{PATH}test/").status_code == 202
    again = problem(lake.people["alice"].post(f"{PATH}test/"), 400, "INVALID_VALUE")
    assert again["detail"] == "A test was sent in this minute."
    send_all()
    assert subjects(mailbox) == [("home@example.org", "A test of mail from lakeui")]


def test_choice_changed_meanwhile_is_not_overwritten(lake: ReviewLake) -> None:
    caller = lake.people["alice"]
    seen = caller.get(PATH)["ETag"]
    assert choose(lake, "alice").status_code == 200
    headers = caller._all({"If-Match": seen})
    refused = caller.client.patch(PATH, {"events": []}, content_type="application/json", headers=headers)
    assert problem(refused, 412, "STALE")
    assert len(caller.get(PATH).json()["events"]) == len(CHOOSABLE)
