"""Requests to services of Amazon, or of servers that speak as these do, signed by version 4 of their signature."""

from __future__ import annotations

import hashlib
import hmac
from dataclasses import dataclass, field
from datetime import datetime

ALGORITHM = "AWS4-HMAC-SHA256"
FORM = "application/x-www-form-urlencoded"


@dataclass(frozen=True, slots=True)
class SigningKeys:
    """``session_token`` is there where the keys are good for a while."""

    access_key: str
    secret_key: str = field(repr=False)
    session_token: str = field(default="", repr=False)


def form_headers(
    host: str, body: bytes, keys: SigningKeys, *, region: str, service: str, at: datetime
) -> dict[str, str]:
    """The headers of a POST of a form to the root of a host, ``at`` in UTC."""
    said = {"content-type": FORM, "host": host, "x-amz-date": at.strftime("%Y%m%dT%H%M%SZ")}
    if keys.session_token:
        said["x-amz-security-token"] = keys.session_token
    names = ";".join(sorted(said))
    lines = "".join(f"{name}:{said[name]}\n" for name in sorted(said))
    request = "\n".join(("POST", "/", "", lines, names, hashlib.sha256(body).hexdigest()))
    scope = f"{at:%Y%m%d}/{region}/{service}/aws4_request"
    text = "\n".join((ALGORITHM, said["x-amz-date"], scope, hashlib.sha256(request.encode()).hexdigest()))
    key = f"AWS4{keys.secret_key}".encode()
    for part in scope.split("/"):
        key = hmac.digest(key, part.encode(), "sha256")
    signature = hmac.digest(key, text.encode(), "sha256").hex()
    credential = f"Credential={keys.access_key}/{scope}"
    return said | {"authorization": f"{ALGORITHM} {credential}, SignedHeaders={names}, Signature={signature}"}
