"""Signed checkpoints: what convinces somebody outside that no record was changed or cut off since.

A checkpoint says how many records a catalog's chain has, and the digest of the last one. It is signed with Ed25519, and
goes where the database's administrator cannot remove it: into a file of its own, to a syslog server, and to webhooks.
"""

from __future__ import annotations

import base64
import fcntl
import json
import logging
import os
from functools import cache
from pathlib import Path
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat, load_pem_private_key
from django.conf import settings
from django.db import transaction
from django.db.models import F
from django.utils import timezone

from lakeui.common.errors import InvalidValue
from merge_app.audit.models import AuditChain
from merge_app.audit.syslog import syslog_send
from merge_app.webhooks.models import WebhookEvent
from merge_app.webhooks.outbox import event_emit

logger = logging.getLogger(__name__)

FORMAT = "lakeui.audit/1"


def key_read(text: str) -> Ed25519PrivateKey:
    """The key of a PEM text. Raises InvalidValue, and says nothing of the key."""
    try:
        key = load_pem_private_key(text.encode(), password=None)
    except (ValueError, TypeError):
        key = None
    if not isinstance(key, Ed25519PrivateKey):
        raise InvalidValue(
            "LAKEUI_AUDIT_KEY is no Ed25519 key.", remedy="Make one: openssl genpkey -algorithm ed25519 -out audit.pem"
        )
    return key


def public_key(key: Ed25519PrivateKey) -> str:
    """What others check signatures with, as PEM."""
    return key.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo).decode()


@cache
def _key() -> Ed25519PrivateKey | None:
    text = settings.LAKEUI["AUDIT_KEY"]
    return key_read(text) if text else None


def checkpoint_sign(key: Ed25519PrivateKey, chain: AuditChain, at: str) -> dict[str, Any]:
    """The end of a chain as a signed statement: the text that was signed, and the signature in Base64."""
    said = {
        "format": FORMAT,
        "catalog": chain.catalog_id,
        "name": chain.catalog.name,
        "records": chain.records,
        "digest": chain.digest,
        "at": at,
    }
    statement = json.dumps(said, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return {"statement": statement, "signature": base64.b64encode(key.sign(statement.encode())).decode()}


def checkpoints_make() -> int:
    """Sign the ends of chains that grew since their last checkpoint; how many. Any number of workers may try at once:
    a chain that another one holds is left to it. What dies between file and commit signs the same end once more. Where
    the file or the syslog server takes nothing, that is an error in the log each time, and the chain is signed when
    both do.
    """
    key = _key()
    if key is None:
        return 0
    grown = AuditChain.objects.filter(records__gt=F("signed_records")).order_by("pk").values_list("pk", flat=True)
    try:
        return sum(_checkpoint(key, chain_id) for chain_id in list(grown))
    except OSError as error:
        logger.error("no checkpoint of the audit was made: %s: %s", error.strerror, error.filename)
        return 0


def _checkpoint(key: Ed25519PrivateKey, chain_id: int) -> bool:
    with transaction.atomic():
        free = AuditChain.objects.select_for_update(skip_locked=True, of=("self",), no_key=True)
        chain = free.select_related("catalog").filter(pk=chain_id, records__gt=F("signed_records")).first()
        if chain is None:
            return False
        at = timezone.now().isoformat()
        made = checkpoint_sign(key, chain, at)
        line = json.dumps(made, ensure_ascii=False)
        if path := settings.LAKEUI["AUDIT_CHECKPOINTS"]:
            _append(Path(path), line)
        if address := settings.LAKEUI["AUDIT_SYSLOG"]:
            syslog_send(address, at, FORMAT, line)
        event_emit(catalog_id=chain.catalog_id, event=WebhookEvent.CHECKPOINT, build=lambda: made)
        AuditChain.objects.filter(pk=chain_id).update(signed_records=chain.records)
    return True


def _append(path: Path, line: str) -> None:
    """One line at the end of the file, on the disk when this returns. Processes write one after the other, and a line
    that one left unfinished is ended first.
    """
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o644)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        size = os.fstat(descriptor).st_size
        if size and os.pread(descriptor, 1, size - 1) != b"\n":
            os.ftruncate(descriptor, _whole(descriptor, size))
        os.write(descriptor, f"{line}\n".encode())
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _whole(descriptor: int, size: int) -> int:
    """Where the last whole line ends."""
    begin = max(0, size - 65_536)
    return begin + os.pread(descriptor, size - begin, begin).rfind(b"\n") + 1
