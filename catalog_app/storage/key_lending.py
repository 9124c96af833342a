"""Keys for readers, from the service that lends the rights of a role for a while (STS).

They are kept in this process, and handed out as long as half of their time is left.
"""

from __future__ import annotations

import html
import os
import re
from collections import OrderedDict
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from threading import Lock
from urllib.parse import urlencode, urlsplit

from catalog_app.domain.stores import StoreOptions
from catalog_app.domain.vended_keys import LASTING_SECONDS, VendedKeys
from catalog_app.storage.signing import SigningKeys, form_headers
from lakeui.common.errors import StoreFailed

OPERATION = "AssumeRole"
ANSWER_SECONDS = 10
MOST_KEPT = 1000
_FIELDS = ("AccessKeyId", "SecretAccessKey", "SessionToken", "Expiration")
_Asked = tuple[StoreOptions, str, str]
_kept: OrderedDict[_Asked, VendedKeys] = OrderedDict()
_lock = Lock()


def keys_lend(options: StoreOptions, policy: str, reader: str) -> VendedKeys:
    """Keys of the role of the options, limited by a policy, in a session that is called after the ``reader``. Raises
    StoreFailed where the service refuses or does not answer.
    """
    asked = (options, policy, reader)
    now = datetime.now(UTC)
    with _lock:
        found = _kept.get(asked)
    if found is not None and found.expires_at - now > timedelta(seconds=LASTING_SECONDS / 2):
        return found
    lent = _role_assume(options, policy, reader, now)
    with _lock:
        _kept[asked] = lent
        _kept.move_to_end(asked)
        while len(_kept) > MOST_KEPT:
            _kept.popitem(last=False)
    return lent


def signing_keys(options: StoreOptions, environment: Mapping[str, str]) -> SigningKeys | None:
    """The keys of lakeui's own account: those of the settings, else those of the environment; None without any."""
    if options.access_key:
        return SigningKeys(options.access_key, options.secret_key)
    access, secret = (environment.get(name, "") for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"))
    return SigningKeys(access, secret, environment.get("AWS_SESSION_TOKEN", "")) if access and secret else None


def _role_assume(options: StoreOptions, policy: str, reader: str, at: datetime) -> VendedKeys:
    import requests

    form = {
        "Action": OPERATION,
        "Version": "2011-06-15",
        "RoleArn": options.reader_role,
        "RoleSessionName": reader,
        "DurationSeconds": str(LASTING_SECONDS),
        "Policy": policy,
    }
    keys = signing_keys(options, os.environ)
    if keys is None:
        raise StoreFailed(OPERATION, "NO_CREDENTIALS")
    region = options.region or os.environ.get("AWS_REGION") or "us-east-1"
    address, body = _service(options, region), urlencode(form).encode()
    headers = form_headers(urlsplit(address).netloc, body, keys, region=region, service="sts", at=at)
    try:
        answer = requests.post(address, body, headers=headers, timeout=ANSWER_SECONDS, allow_redirects=False)
    except requests.RequestException:
        raise StoreFailed(OPERATION, "NETWORK_CONNECTION") from None
    return _keys_of(answer.status_code, answer.text)


def _service(options: StoreOptions, region: str) -> str:
    """A server of one's own lends roles at its own address."""
    if options.endpoint:
        return f"{options.endpoint.rstrip('/')}/"
    end = "amazonaws.com.cn" if region.startswith("cn-") else "amazonaws.com"
    return f"https://sts.{region}.{end}/"


def _keys_of(status: int, text: str) -> VendedKeys:
    """What the answer holds. Its elements are flat, and of no other text."""
    said = {name: html.unescape(value) for name, value in re.findall(r"<(\w+)>([^<]*)</\1>", text)}
    if status != 200 or not all(said.get(name) for name in _FIELDS):
        raise StoreFailed(OPERATION, said.get("Code") or f"HTTP {status}")
    access, secret, token, until = (said[name] for name in _FIELDS)
    return VendedKeys(access, datetime.fromisoformat(until), secret, token)
