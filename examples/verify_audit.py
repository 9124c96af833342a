#!/usr/bin/env python3
"""Check an exported audit of lakeui. Needs Python and the package cryptography, and nothing of lakeui.

    verify_audit.py AUDIT CHECKPOINTS PUBLIC_KEY [--includes ID]

AUDIT      made by ``manage.py export_audit CATALOG AUDIT``: a line for each record, its digest, a space, its content.
CHECKPOINTS the file that lakeui appends to (LAKEUI_AUDIT_CHECKPOINTS), or the bodies of webhooks, one a line.
PUBLIC_KEY a PEM file: the Ed25519 key of LAKEUI_AUDIT_KEY. Get it from whom you trust, not from the server.

Checks, and ends with 1 where one of them fails:
- chain: each digest is the SHA-256 of the digest before it and the content, so a changed or missing record breaks it;
- number: records are numbered 1, 2, 3, ... without a gap;
- signature: each checkpoint of the catalog is signed by the key;
- truncation: the audit has as many records as each checkpoint says, and the checkpoint's digest at that place;
- inclusion: with --includes, a record of that id is among those that a checkpoint covers.
"""

from __future__ import annotations

import argparse
import base64
import hashlib
import json
import sys
from collections.abc import Iterator
from pathlib import Path

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import load_pem_public_key


class Wrong(Exception):
    """What is wrong, in a sentence."""


def checkpoints_read(path: Path, key: Ed25519PublicKey) -> list[dict]:
    """The signed statements, each checked."""
    found = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        entry = json.loads(line)
        entry = entry.get("data", entry)
        try:
            key.verify(base64.b64decode(entry["signature"]), entry["statement"].encode())
        except (InvalidSignature, ValueError):
            raise Wrong(f"checkpoint {number} is not signed by this key") from None
        found.append(json.loads(entry["statement"]))
    return found


def records_read(path: Path) -> Iterator[tuple[int, bytes, bytes]]:
    """Number, digest and content of each record; the chain is checked on the way."""
    previous = b""
    with path.open("rb") as lines:
        for number, line in enumerate(lines, 1):
            if not line.endswith(b"\n"):
                raise Wrong(f"record {number} is cut off")
            digest, _, content = line[:-1].partition(b" ")
            if hashlib.sha256(previous + content).hexdigest().encode() != digest:
                raise Wrong(f"record {number} was changed, or does not follow record {number - 1}")
            yield number, digest, content
            previous = digest


def verify(audit: Path, checkpoints: Path, key: Ed25519PublicKey, wanted: str = "") -> str:
    """What was checked, in a sentence. Raises Wrong."""
    signed = checkpoints_read(checkpoints, key)
    claimed = {entry["records"] for entry in signed}
    ends: dict[int, str] = {}
    catalog = last = place = 0
    for last, digest, content in records_read(audit):
        record = json.loads(content)
        catalog = catalog or record["catalog"]
        if (record["number"], record["catalog"]) != (last, catalog):
            raise Wrong(f"record {last} says that it is record {record['number']} of catalog {record['catalog']}")
        if last in claimed:
            ends[last] = digest.decode()
        if wanted and record["merge_id"] == wanted:
            place = last
    own = [entry for entry in signed if entry["catalog"] == catalog]
    if not own:
        raise Wrong("no checkpoint is of this catalog, or the audit is empty")
    for entry in own:
        if entry["records"] > last:
            raise Wrong(f"the audit ends with record {last}; {entry['records']} were there at {entry['at']}")
        if ends[entry["records"]] != entry["digest"]:
            raise Wrong(f"record {entry['records']} is not the one that was signed at {entry['at']}")
    newest = max(own, key=lambda entry: entry["records"])
    if wanted and not 0 < place <= newest["records"]:
        raise Wrong(f"record {wanted} is not among the {newest['records']} that a checkpoint covers")
    included = f" Record {wanted} is number {place}." if wanted else ""
    return (
        f"{last} records are in order; {len(own)} checkpoints are signed and fit, the newest of {newest['at']} covers"
        f" {newest['records']}.{included}"
    )


def main() -> int:
    parser = argparse.ArgumentParser(description="Check an exported audit of lakeui.")
    for name in ("audit", "checkpoints", "public_key"):
        parser.add_argument(name, type=Path)
    parser.add_argument("--includes", default="", metavar="ID", help="a record that has to be there")
    given = parser.parse_args()
    try:
        key = load_pem_public_key(given.public_key.read_bytes())
        if not isinstance(key, Ed25519PublicKey):
            raise Wrong("the key is not an Ed25519 key")
        print(verify(given.audit, given.checkpoints, key, given.includes))
    except (Wrong, AttributeError, KeyError, OSError, TypeError, ValueError) as wrong:
        print(f"NOT in order: {wrong}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
