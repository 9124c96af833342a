"""An object store that looks at keys: at who signed a request, and at what they may do."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import requests

from catalog_app.domain.stores import StoreOptions
from catalog_app.storage.signing import SigningKeys, form_headers
from lakeui.runtime.redis_server import LOOPBACK
from tests.support.object_store import INSTALLED, ObjectStore

ROLE = "arn:aws:iam::123456789012:role/readers"
_EVERYTHING = {"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": "*", "Resource": "*"}]}
_ANYBODY = {"Effect": "Allow", "Principal": {"AWS": "*"}, "Action": "sts:AssumeRole"}


@dataclass
class GuardedStore(ObjectStore):
    """After ``guard`` each request needs the keys of its one account, or of a session of the role."""

    keys: SigningKeys = field(default_factory=lambda: SigningKeys("before", "there-are-any"))

    @property
    def options(self) -> StoreOptions:
        said = super().options
        return replace(said, access_key=self.keys.access_key, secret_key=self.keys.secret_key, reader_role=ROLE)

    def guard(self) -> None:
        self._ask("CreateUser", UserName="lake")
        self._ask("PutUserPolicy", UserName="lake", PolicyName="all", PolicyDocument=json.dumps(_EVERYTHING))
        lets = json.dumps({"Version": "2012-10-17", "Statement": [_ANYBODY]})
        self._ask("CreateRole", RoleName="readers", AssumeRolePolicyDocument=lets)
        made = self._ask("CreateAccessKey", UserName="lake")
        self.keys = SigningKeys(made["AccessKeyId"], made["SecretAccessKey"])
        requests.post(f"http://{self._host}/moto-api/reset-auth", "0", timeout=10).raise_for_status()

    @property
    def _host(self) -> str:
        return f"{LOOPBACK}:{self.port}"

    @property
    def _program(self) -> list[str]:
        python = INSTALLED / "server" / "bin" / "python"
        return [str(python), "-P", str(Path(__file__).with_name("guarded_moto.py"))]

    def _ask(self, action: str, **said: Any) -> dict[str, str]:
        """What IAM answers, by the names of its elements."""
        body = "&".join(f"{name}={requests.utils.quote(value)}" for name, value in {"Action": action, **said}.items())
        now = datetime.now(UTC)
        headers = form_headers(self._host, body.encode(), self.keys, region="us-east-1", service="iam", at=now)
        answer = requests.post(f"http://{self._host}/", body, headers=headers, timeout=10)
        answer.raise_for_status()
        return dict(re.findall(r"<(\w+)>([^<]*)</\1>", answer.text))
