"""A mail server on loopback that answers what a test says."""

from __future__ import annotations

import socket
import ssl
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass, field
from email import message_from_bytes
from email.message import Message
from email.policy import default
from pathlib import Path
from typing import Any

import pytest
from aiosmtpd.controller import Controller
from aiosmtpd.smtp import SMTP, Envelope, Session
from django.conf import settings as django_settings

from tests.api.conftest import no_worker
from tests.review.conftest import ReviewLake, database, lake, stored

__all__ = ["ReviewLake", "database", "lake", "no_worker", "stored"]


@dataclass
class Mailbox:
    """What came in, and what is answered: the next of ``rcpt`` and ``data``, 250 when none is left."""

    port: int = 0
    rcpt: list[str] = field(default_factory=list)
    data: list[str] = field(default_factory=list)
    received: list[tuple[list[str], Message]] = field(default_factory=list)

    async def handle_RCPT(  # noqa: N802 - the name that aiosmtpd calls
        self, server: SMTP, session: Session, envelope: Envelope, address: str, options: list[str]
    ) -> str:
        if self.rcpt:
            return self.rcpt.pop(0)
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(  # noqa: N802 - the name that aiosmtpd calls
        self, server: SMTP, session: Session, envelope: Envelope
    ) -> str:
        if self.data:
            return self.data.pop(0)
        assert isinstance(envelope.content, bytes)
        self.received.append((list(envelope.rcpt_tos), message_from_bytes(envelope.content, policy=default)))
        return "250 OK"


def served(mailbox: Mailbox, **given: Any) -> Controller:
    """The server of the mailbox, which has begun. It keeps its port when it is stopped and begun again."""
    if not mailbox.port:
        with socket.create_server(("127.0.0.1", 0)) as free:
            mailbox.port = free.getsockname()[1]
    controller = Controller(mailbox, hostname="127.0.0.1", port=mailbox.port, **given)
    controller.start()
    return controller


@pytest.fixture
def mail_on(settings: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Mail goes by SMTP; the settings may be changed further. Workers do not take it by themselves."""
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_HOST, settings.EMAIL_TIMEOUT = "127.0.0.1", 5
    settings.DEFAULT_FROM_EMAIL = "lakeui <lakeui@example.org>"
    settings.LAKEUI = django_settings.LAKEUI | {"MAIL": True, "PUBLIC_URL": "https://lake.example.org"}
    monkeypatch.setattr("merge_app.mails.tasks.deliver_mail.apply_async", lambda *_, **__: None)
    return settings


@pytest.fixture
def mailbox(mail_on: Any) -> Iterator[Mailbox]:
    box = Mailbox()
    controller = served(box)
    mail_on.EMAIL_PORT = box.port
    yield box
    controller.stop()


@pytest.fixture
def own_certificate(tmp_path: Path) -> ssl.SSLContext:
    """Of a server whose certificate no authority signed."""
    key, certificate = tmp_path / "key.pem", tmp_path / "cert.pem"
    subprocess.run(
        [
            *("openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1", "-subj", "/CN=127.0.0.1"),
            *("-keyout", str(key), "-out", str(certificate)),
        ],
        check=True,
        capture_output=True,
    )
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    return context
