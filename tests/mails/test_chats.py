"""Which messages a person's chat gets, by a real receiver, and that its address stays a secret."""

from __future__ import annotations

import json
import logging
from typing import Any

import pytest
from django.conf import settings

from catalog_app.models import CatalogMember
from merge_app.mails.delivering import PAUSES
from merge_app.mails.models import Mail
from tests.api.sql.test_statements import problem
from tests.mails.conftest import Mailbox, ReviewLake
from tests.mails.test_mails import PATH, commented, send_all, sent
from tests.webhooks.conftest import Listener, listener, loopback_allowed

__all__ = ["listener", "loopback_allowed"]

pytestmark = pytest.mark.usefixtures("mail_on", "loopback_allowed")
SECRET = "/services/T0/B0/XyZ"  # the path by which this test knows it


def chat(lake: ReviewLake, name: str, url: str, *events: str, **more: Any) -> Any:
    """The answer to a person who sets the address of a chat and what it gets."""
    caller = lake.people[name]
    body = {"chat_url": url, "chat_events": list(events), **more}
    return caller.client.patch(PATH, body, content_type="application/json", headers=caller._all({}))


def texts(listener: Listener) -> list[str]:
    bodies = [json.loads(body) for _, body in listener.received]
    assert all(set(body) == {"text"} for body in bodies)
    return [body["text"] for body in bodies]


def remarked(lake: ReviewLake, listener: Listener) -> Mail:
    """A message to the chat of Alice that waits: Bob wrote a comment."""
    assert chat(lake, "alice", listener.url + SECRET, "request_commented").status_code == 200
    lake.open()
    lake.post("bob", "1/comments/", {"body": "a secret remark"})
    return Mail.objects.get()


def test_chat_gets_only_what_its_person_chose(lake: ReviewLake, listener: Listener) -> None:
    remarked(lake, listener)
    lake.patch("dora", "1/", {"state": "closed"})
    send_all()
    (text,) = texts(listener)
    name = f"{lake.catalog} request 1"
    assert text == (
        f"{name} “Delays” (b → main): bob wrote a comment.\nhttps://lake.example.org/c/{lake.catalog}/requests/1"
    )
    ((headers, _),) = listener.received
    assert "webhook-signature" not in headers
    (entry,) = sent(lake, "alice")
    assert (entry["channel"], entry["state"], entry["address"]) == ("chat", "sent", listener.url.partition("//")[2])


def test_one_event_goes_by_both_channels_once_each(lake: ReviewLake, listener: Listener, mailbox: Mailbox) -> None:
    chat(lake, "alice", listener.url, "request_commented", address="a@example.org", events=["request_commented"])
    lake.open()
    lake.post("bob", "1/comments/", {"body": "Why?"})
    send_all()
    send_all()
    assert (len(listener.received), len(mailbox.received)) == (1, 1)
    assert sorted(entry["channel"] for entry in sent(lake, "alice")) == ["chat", "mail"]


def test_a_chat_needs_no_mail_server(lake: ReviewLake, listener: Listener, mail_on: Any) -> None:
    mail_on.LAKEUI = mail_on.LAKEUI | {"MAIL": False}
    chat(lake, "alice", listener.url, "request_commented", events=["request_commented"])
    lake.open()
    lake.post("bob", "1/comments/", {"body": "Why?"})
    send_all()
    assert [entry["channel"] for entry in sent(lake, "alice")] == ["chat"]
    assert len(listener.received) == 1


def test_address_is_in_no_answer_and_no_log(
    lake: ReviewLake, listener: Listener, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    listener.answers[:] = [500, 404]
    changed = chat(lake, "alice", listener.url + SECRET, "request_commented")
    lake.open()
    lake.post("bob", "1/comments/", {"body": "Why?"})
    send_all()
    send_all()
    seen = [changed, lake.people["alice"].get(PATH), lake.people["alice"].get(f"{PATH}sent/")]
    assert all(b"XyZ" not in answer.content for answer in seen)
    assert "XyZ" not in caplog.text
    assert seen[1].json()["chat_server"] == listener.url.partition("//")[2]
    assert sent(lake, "alice")[0]["error"] == "The chat refused the message: 404."


def test_another_address_at_same_server_is_another_choice(lake: ReviewLake, listener: Listener) -> None:
    first = chat(lake, "alice", f"{listener.url}/a")
    second = chat(lake, "alice", f"{listener.url}/b")
    assert first["ETag"] != second["ETag"]
    caller = lake.people["alice"]
    headers = caller._all({"If-Match": first["ETag"]})
    late = caller.client.patch(PATH, {"chat_url": ""}, content_type="application/json", headers=headers)
    assert problem(late, 412, "STALE")


@pytest.mark.parametrize(
    ("answers", "state", "error"),
    [
        ([429], "pending", "The chat answered 429."),
        ([503], "pending", "The chat answered 503."),
        ([404], "failed", "The chat refused the message: 404."),
        ([302], "failed", "The chat refused the message: 302."),
    ],
)
def test_temporary_refusal_is_retried_and_permanent_one_not(
    lake: ReviewLake, listener: Listener, answers: list[int], state: str, error: str
) -> None:
    mail = remarked(lake, listener)
    listener.answers[:] = answers
    send_all()
    mail.refresh_from_db()
    assert (mail.state, mail.error) == (state, error)
    send_all()
    assert len(listener.received) == (2 if state == "pending" else 1)


def test_chat_that_never_takes_a_message_is_abandoned(lake: ReviewLake, listener: Listener) -> None:
    mail = remarked(lake, listener)
    listener.answers[:] = [500] * 100
    for _ in range(len(PAUSES) + 3):
        send_all()
    mail.refresh_from_db()
    assert (mail.state, mail.attempts) == ("failed", len(PAUSES) + 1)


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (lambda lake: chat(lake, "alice", ""), "The person does not want such messages any more."),
        (lambda lake: chat(lake, "alice", "", "request_commented"), "The person has no chat."),
        (
            lambda lake: CatalogMember.objects.filter(user=lake.people["alice"].user).delete(),
            "The person does not see the catalog any more.",
        ),
    ],
    ids=["off", "no chat", "no role"],
)
def test_what_holds_when_a_message_is_sent_counts(lake: ReviewLake, listener: Listener, change: Any, why: str) -> None:
    remarked(lake, listener)
    change(lake)
    send_all()
    assert listener.received == []
    assert (Mail.objects.get().state, Mail.objects.get().error) == ("failed", why)


@pytest.mark.parametrize("url", ["http://10.1.2.3/x", "ftp://127.0.0.1/", "https://user:pw@example.org/", "chat"])
def test_address_that_no_webhook_may_have_is_refused(lake: ReviewLake, url: str) -> None:
    assert problem(chat(lake, "alice", url), 400, "INVALID_VALUE")["field"] == "chat_url"
    assert lake.people["alice"].get(PATH).json()["chat_server"] == ""


def test_address_no_longer_allowed_gets_nothing(
    lake: ReviewLake, listener: Listener, monkeypatch: pytest.MonkeyPatch
) -> None:
    mail = remarked(lake, listener)
    monkeypatch.setitem(settings.LAKEUI, "WEBHOOK_NETWORKS", "")
    send_all()
    mail.refresh_from_db()
    assert (mail.state, listener.received) == ("pending", [])
    assert "an address inside of a network" in mail.error


def test_no_name_is_a_mention_or_a_link(lake: ReviewLake, listener: Listener) -> None:
    chat(lake, "alice", listener.url, "request_commented")
    lake.open(title="<!channel> <https://evil.example|Delays>")
    lake.post("bob", "1/comments/", {"body": "Why?"})
    send_all()
    assert "&lt;!channel&gt; &lt;https://evil.example|Delays&gt;" in texts(listener)[0]


def test_test_goes_to_chat_alone_once_a_minute(lake: ReviewLake, listener: Listener) -> None:
    alice = lake.people["alice"]
    assert problem(alice.post(f"{PATH}test/", {"channel": "chat"}), 400, "INVALID_VALUE")["field"] == "chat_url"
    chat(lake, "alice", listener.url)
    assert alice.post(f"{PATH}test/", {"channel": "chat"}).status_code == 202
    assert problem(alice.post(f"{PATH}test/", {"channel": "chat"}), 400, "INVALID_VALUE")
    assert "channel" in str(problem(alice.post(f"{PATH}test/", {"channel": "fax"}), 400, "INVALID_VALUE"))
    send_all()
    assert texts(listener) == [
        "You asked for this test. It says that a message from lakeui arrives.\nhttps://lake.example.org/settings"
    ]


def test_a_mail_of_before_has_the_channel_mail(lake: ReviewLake, mailbox: Mailbox) -> None:
    assert commented(lake).channel == "mail"
