"""Keys of the store that a reader gets for a while: they read the files of some tables, and nothing else."""

from __future__ import annotations

import json
from collections.abc import Collection
from dataclasses import dataclass, field
from datetime import datetime

from catalog_app.domain.stores import path_in_store

LASTING_SECONDS = 3600
"""How long they are good for. A role that is lent by another role lends no longer than that."""
LONGEST_POLICY = 2048
"""So many characters a session's policy may have."""
READ_FOLDERS = ("data", "iceberg")
"""Of the folder of a table, those that other engines read: data files, and what describes the table."""


@dataclass(frozen=True, slots=True)
class VendedKeys:
    """Good until ``expires_at``."""

    access_key: str
    expires_at: datetime
    secret_key: str = field(repr=False)
    session_token: str = field(repr=False)

    @property
    def options(self) -> dict[str, str]:
        """In the words of Iceberg."""
        return {
            "s3.access-key-id": self.access_key,
            "s3.secret-access-key": self.secret_key,
            "s3.session-token": self.session_token,
            "s3.session-token-expires-at-ms": str(int(self.expires_at.timestamp() * 1000)),
        }


def reading_policy(root: str, folders: Collection[str], role: str) -> str | None:
    """The policy of a session that reads files of the ``folders`` of tables below the ``root``: no listing, no write.
    None where that is longer than a policy may be.
    """
    partition = role.split(":")[1] if role.startswith("arn:aws") else "aws"
    place = f"arn:{partition}:s3:::{path_in_store(root)}"
    named = [f"{place}/{folder}/{inside}/*" for folder in sorted(folders) for inside in READ_FOLDERS]
    statement = {"Effect": "Allow", "Action": "s3:GetObject", "Resource": named}
    policy = json.dumps({"Version": "2012-10-17", "Statement": [statement]}, separators=(",", ":"))
    return policy if len(policy) <= LONGEST_POLICY else None
