"""How long a long audit is checked: by the server's walk of its chain, and by the script without lakeui."""

from __future__ import annotations

import json
import secrets
import subprocess
import sys
import tempfile
import time
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from tests.benchmarks.lake import Figure

if TYPE_CHECKING:
    from catalog_app.models import Catalog
    from merge_app.audit.models import MergeAttempt

MOST_SECONDS = 60
RECORDS = 1_000_000
_BATCH = 10_000
_SCRIPT = Path(__file__).resolve().parents[2] / "examples" / "verify_audit.py"


def figures(*, records: int = RECORDS) -> list[Figure]:
    """Seconds of each check of one catalog's chain of so many records."""
    from merge_app.audit.exporting import audit_export
    from merge_app.review.verification import audit_verify

    catalog = _chain(records)
    began = time.perf_counter()
    breaches = audit_verify(catalog)
    walked = time.perf_counter() - began
    assert not breaches, breaches[:3]
    with tempfile.TemporaryDirectory(prefix="lakeui-audit-") as made:
        audit = Path(made, "audit.txt")
        began = time.perf_counter()
        with audit.open("w", encoding="utf-8") as file:
            file.writelines(audit_export(catalog))
        exported = time.perf_counter() - began
        signed = _signed(Path(made), catalog)
        began = time.perf_counter()
        command = [sys.executable, str(_SCRIPT), str(audit), *map(str, signed)]
        subprocess.run(command, check=True, capture_output=True)
        outside = time.perf_counter() - began
    return [
        Figure(f"verify_audit of {records:,} records, s", walked, at_most=MOST_SECONDS),
        Figure("export_audit of them, s", exported),
        Figure("examples/verify_audit.py of them, s", outside, at_most=MOST_SECONDS),
    ]


def _chain(records: int) -> Catalog:
    """A new catalog whose chain has so many records of refused merges, digested as each merge does it."""
    from django.utils import timezone

    from catalog_app.selectors.snapshots import catalog_get
    from lakeui.frontdoor import Session, execute
    from merge_app.audit.models import AuditChain, MergeAttempt

    name = f"audit_{secrets.token_hex(4)}"
    execute(f"CREATE CATALOG {name}", Session(catalog=name, branch="main"))
    catalog = catalog_get(name)
    ended = AuditChain.objects.filter(catalog=catalog).first()
    number, previous, at = (ended.records, ended.digest, timezone.now()) if ended else (0, "", timezone.now())
    while number < records:
        batch = []
        for _ in range(min(_BATCH, records - number)):
            number += 1
            batch.append(_attempt(catalog, number, previous, at + timedelta(milliseconds=number)))
            previous = batch[-1].digest
        MergeAttempt.objects.bulk_create(batch)
    AuditChain.objects.update_or_create(catalog=catalog, defaults={"records": records, "digest": previous})
    return catalog


def _attempt(catalog: Catalog, number: int, previous: str, at: datetime) -> MergeAttempt:
    from merge_app.audit.models import MergeAttempt
    from merge_app.audit.services import attempt_digest

    finding = {
        "object": f"d.t{number % 40}",
        "verdict": "conflict",
        "code": "UPDATE_UPDATE",
        "message": "Both changed.",
    }
    made = MergeAttempt(
        catalog=catalog,
        number=number,
        source=f"branch_{number % 977}",
        destination="main",
        outcome="refused",
        source_head=number,
        destination_head=number + 1,
        merge_base=number - 1,
        fingerprint=secrets.token_hex(32),
        actor_name="ada",
        recorded_at=at,
        body={"findings": [finding] * 3, "duration_ms": number % 900, "rules_digest": secrets.token_hex(32)},
        previous_digest=previous,
    )
    made.digest = attempt_digest(made)
    return made


def _signed(folder: Path, catalog: Catalog) -> tuple[Path, Path]:
    """A checkpoint at the end of the chain, and the key that it is checked by."""
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
    from django.utils import timezone

    from merge_app.audit.checkpoints import checkpoint_sign, public_key
    from merge_app.audit.models import AuditChain

    key, checkpoints, public = Ed25519PrivateKey.generate(), folder / "checkpoints.jsonl", folder / "public.pem"
    chain = AuditChain.objects.select_related("catalog").get(catalog=catalog)
    checkpoints.write_text(json.dumps(checkpoint_sign(key, chain, timezone.now().isoformat())) + "\n", encoding="utf-8")
    public.write_text(public_key(key), encoding="utf-8")
    return checkpoints, public
