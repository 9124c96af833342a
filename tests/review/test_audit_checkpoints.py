"""Signed checkpoints, the exported audit, and the script that checks both without lakeui."""

from __future__ import annotations

import hashlib
import json
import re
import socket
import ssl
import subprocess
import sys
import threading
import time
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path
from typing import Any

import pytest
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import NameOID
from django.core.management import call_command
from django.db import connections

from catalog_app.models import Catalog
from lakeui.common.errors import InvalidValue
from merge_app.audit import checkpoints
from merge_app.audit.checkpoints import checkpoints_make, key_read, public_key
from merge_app.audit.models import AuditChain, MergeAttempt
from merge_app.webhooks.models import Webhook, WebhookDelivery
from tests.review.conftest import ReviewLake
from tests.support.soak import IS_SOAK

SCRIPT = Path(__file__).parents[2] / "examples" / "verify_audit.py"
RECORDS = 1_000_000 if IS_SOAK else 20_000
SECONDS = 60 * RECORDS / 1_000_000

pytestmark = pytest.mark.usefixtures("no_worker")


def pem(key: Ed25519PrivateKey) -> str:
    return key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()).decode()


class Outside:
    """Somebody with an export, the file of checkpoints and the public key, and no lakeui."""

    def __init__(self, folder: Path, key: Ed25519PrivateKey) -> None:
        self.audit, self.checkpoints, self.key = folder / "audit", folder / "checkpoints", folder / "public.pem"
        self.key.write_text(public_key(key))

    def verify(self, *more: str) -> tuple[int, str]:
        command = [sys.executable, "-I", str(SCRIPT), str(self.audit), str(self.checkpoints), str(self.key), *more]
        done = subprocess.run(command, capture_output=True, text=True, cwd="/", check=False)
        return done.returncode, done.stdout + done.stderr


@pytest.fixture
def key() -> Ed25519PrivateKey:
    return Ed25519PrivateKey.generate()


@pytest.fixture
def outside(
    lake: ReviewLake, tmp_path: Path, key: Ed25519PrivateKey, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> Outside:
    """Three merges, of which two are before the checkpoint."""
    found = Outside(tmp_path, key)
    monkeypatch.setitem(settings.LAKEUI, "AUDIT_KEY", pem(key))
    monkeypatch.setitem(settings.LAKEUI, "AUDIT_CHECKPOINTS", str(found.checkpoints))
    checkpoints._key.cache_clear()
    for number in range(3):
        if number == 2:
            assert checkpoints_make() == 1
        lake.write(f"ALTER TABLE d.t SET TBLPROPERTIES ('k' = '{number}')", "alice", "b")
        lake.write("MERGE BRANCH b", "alice")
    call_command("export_audit", lake.catalog, str(found.audit), verbosity=0)
    yield found
    checkpoints._key.cache_clear()


def lines(path: Path) -> list[bytes]:
    return path.read_bytes().splitlines(keepends=True)


def test_an_unchanged_export_is_in_order(lake: ReviewLake, outside: Outside) -> None:
    records = list(MergeAttempt.objects.filter(catalog__name=lake.catalog).order_by("number"))
    status, said = outside.verify("--includes", str(records[0].merge_id))
    assert status == 0, said
    assert said.startswith(f"{len(records)} records are in order; 1 checkpoints are signed and fit")
    assert f"covers {len(records) - 1}. Record {records[0].merge_id} is number 1." in said
    assert outside.verify("--includes", str(records[-1].merge_id))[0] == 1, "no checkpoint covers it yet"
    assert checkpoints_make() == 1
    assert outside.verify("--includes", str(records[-1].merge_id))[0] == 0
    assert checkpoints_make() == 0, "nothing grew"


def test_a_keyless_file_is_reported_in_one_line(tmp_path: Path, key: Ed25519PrivateKey) -> None:
    outside = Outside(tmp_path, key)
    outside.key.write_text("no key")
    status, said = outside.verify()
    assert status == 1
    assert said.startswith("NOT in order: ")
    assert "Traceback" not in said


def chained(contents: Iterable[bytes]) -> Iterator[bytes]:
    """The lines of a chain that is right in itself, as somebody with the database makes it."""
    previous = b""
    for content in contents:
        previous = hashlib.sha256(previous + content).hexdigest().encode()
        yield previous + b" " + content + b"\n"


@pytest.mark.parametrize(
    ("spoil", "why"),
    [
        (lambda old: b"".join(old).replace(b"merged", b"failed", 1), "record 1 was changed"),
        (lambda old: old[0] + old[2], "record 2 was changed, or does not follow record 1"),
        (lambda old: old[1] + old[0] + old[2], "record 1 was changed"),
        (lambda old: old[0], "the audit ends with record 1; 2 were there"),
        (lambda old: b"".join(old)[:-1], "record 3 is cut off"),
        (lambda old: b"", "no checkpoint is of this catalog"),
        (lambda old: b"".join(chained(line[65:-1].replace(b"merged", b"failed") for line in old)), "not the one that"),
        (lambda old: b"".join(chained(line[65:-1] for line in (old[0], old[2], old[1]))), "says that it is record"),
    ],
)
def test_each_way_to_spoil_an_audit_is_found(outside: Outside, spoil: Any, why: str) -> None:
    outside.audit.write_bytes(spoil(lines(outside.audit)))
    status, said = outside.verify()
    assert (status, why in said) == (1, True), said


def test_checkpoints_of_another_key_or_wording_are_found(outside: Outside, lake: ReviewLake) -> None:
    good = outside.checkpoints.read_text()
    outside.checkpoints.write_text(good.replace('records\\":2', 'records\\":1'))
    assert "checkpoint 1 is not signed by this key" in outside.verify()[1]
    outside.checkpoints.write_text(good)
    outside.key.write_text(public_key(Ed25519PrivateKey.generate()))
    assert "checkpoint 1 is not signed by this key" in outside.verify()[1]


def test_webhooks_carry_the_same_statement(outside: Outside, lake: ReviewLake) -> None:
    catalog = lake.branch("main").catalog
    hook = {"catalog": catalog, "url": "https://a.example/", "secret": "s", "events": ["checkpoint"]}
    Webhook.objects.create(created_by=lake.people["dora"].user, **hook)
    checkpoints_make()
    delivery = WebhookDelivery.objects.get(event="checkpoint")
    outside.checkpoints.write_text(delivery.body + "\n")
    status, said = outside.verify()
    assert status == 0, said


class Server(threading.Thread):
    """A syslog server of one connection or datagram. ``received``: all its bytes."""

    def __init__(self, kind: socket.SocketKind, certificate: Path | None = None) -> None:
        super().__init__(daemon=True)
        self.received = b""
        self._certificate = certificate
        self._socket = socket.socket(socket.AF_INET, kind)
        self._socket.settimeout(10)
        self._socket.bind(("127.0.0.1", 0))
        if kind is socket.SOCK_STREAM:
            self._socket.listen()
        self.port = self._socket.getsockname()[1]
        self.start()

    def run(self) -> None:
        if self._socket.type is socket.SOCK_DGRAM:
            self.received = self._socket.recv(65536)
        else:
            connection, _ = self._socket.accept()
            if self._certificate:
                context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
                context.load_cert_chain(self._certificate)
                connection = context.wrap_socket(connection, server_side=True)
            with connection:
                while part := connection.recv(65536):
                    self.received += part
        self._socket.close()


def certificate_write(file: Path) -> None:
    """A certificate of 127.0.0.1 with its key, signed by itself."""
    key = Ed25519PrivateKey.generate()
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "syslog")])
    now = datetime.now(UTC)
    made = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
        .not_valid_before(now - timedelta(hours=1))
        .not_valid_after(now + timedelta(hours=1))
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ip_address("127.0.0.1"))]), critical=False)
        .sign(key, None)
    )
    file.write_bytes(pem(key).encode() + made.public_bytes(Encoding.PEM))


@pytest.mark.parametrize("scheme", ["udp", "tcp", "tls"])
def test_a_syslog_server_gets_the_same_statement(
    outside: Outside, settings: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, scheme: str
) -> None:
    certificate = None
    if scheme == "tls":
        certificate = tmp_path / "server.pem"
        certificate_write(certificate)
        monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    server = Server(socket.SOCK_DGRAM if scheme == "udp" else socket.SOCK_STREAM, certificate)
    monkeypatch.setitem(settings.LAKEUI, "AUDIT_SYSLOG", f"{scheme}://127.0.0.1:{server.port}")
    assert checkpoints_make() == 1
    server.join(10)
    message = server.received.decode()
    if scheme != "udp":
        octets, _, message = message.partition(" ")
        assert int(octets) == len(message.encode())
    header, brace, rest = message.partition("{")
    assert re.fullmatch(r"<109>1 \d{4}-\d\d-\d\dT\S+ \S+ lakeui \d+ lakeui\.audit/1 - ", header)
    outside.checkpoints.write_text(brace + rest + "\n")
    assert outside.verify()[0] == 0


def test_an_absent_syslog_server_delays_the_checkpoint(
    outside: Outside, settings: Any, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        address = f"tcp://127.0.0.1:{taken.getsockname()[1]}"
        with monkeypatch.context() as patch:
            patch.setitem(settings.LAKEUI, "AUDIT_SYSLOG", address)
            assert checkpoints_make() == 0
    assert f"no checkpoint of the audit was made: Connection refused: {address}" in caplog.text
    assert checkpoints_make() == 1


def test_a_line_unfinished_by_a_crash_is_removed(outside: Outside) -> None:
    with outside.checkpoints.open("a") as file:
        file.write('{"statement": "hal')
    checkpoints_make()
    assert outside.verify()[0] == 0
    assert len(lines(outside.checkpoints)) == 2


@pytest.mark.django_db(transaction=True)
def test_workers_beside_each_other_sign_an_end_once(outside: Outside) -> None:
    made: list[int] = []

    def work() -> None:
        try:
            made.append(checkpoints_make())
        finally:
            connections.close_all()

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sum(made) == 1
    assert AuditChain.objects.filter(signed_records__gt=0).count() == 1


def test_an_unwritable_file_delays_the_checkpoint(
    outside: Outside, settings: Any, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    with monkeypatch.context() as patch:
        patch.setitem(settings.LAKEUI, "AUDIT_CHECKPOINTS", str(outside.checkpoints / "below"))
        assert checkpoints_make() == 0
    assert "no checkpoint of the audit was made: Not a directory" in caplog.text
    assert checkpoints_make() == 1
    assert outside.verify()[0] == 0


def test_wrong_keys_are_named_without_their_text(
    lake: ReviewLake, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    checkpoints._key.cache_clear()
    monkeypatch.setitem(settings.LAKEUI, "AUDIT_KEY", "")
    assert checkpoints_make() == 0
    with pytest.raises(InvalidValue) as refusal:
        key_read("-----BEGIN hush")
    assert "hush" not in refusal.value.message + refusal.value.remedy


def test_many_records_are_verified_in_time(tmp_path: Path, key: Ed25519PrivateKey) -> None:
    body = {"findings": [], "plan": {"objects": [{"object": "d.t", "operations": {"insert": 1}}]}, "notes": ["x" * 200]}
    contents = (
        json.dumps(
            {"body": body, "catalog": 7, "merge_id": f"id{n}", "number": n}, sort_keys=True, separators=(",", ":")
        ).encode()
        for n in range(1, RECORDS + 1)
    )
    found = Outside(tmp_path, key)
    line = b""
    with found.audit.open("wb") as file:
        for line in chained(contents):
            file.write(line)
    last = line[:64].decode()
    chain = AuditChain(catalog_id=7, records=RECORDS, digest=last)
    chain.catalog = Catalog(pk=7, name="big")
    found.checkpoints.write_text(json.dumps(checkpoints.checkpoint_sign(key, chain, "2026-11-27")) + "\n")
    began = time.monotonic()
    status, said = found.verify("--includes", "id7")
    took = time.monotonic() - began
    assert status == 0, said
    assert took < SECONDS + 2, f"{RECORDS} records took {took:.1f} s"


def test_the_script_is_short_and_independent_of_lakeui() -> None:
    text = SCRIPT.read_text()
    assert len(text.splitlines()) <= 150
    imported = {line.split()[1].split(".")[0] for line in text.splitlines() if line.startswith(("import ", "from "))}
    assert imported - set(sys.stdlib_module_names) == {"cryptography"}
