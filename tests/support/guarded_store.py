"""An object store that looks at keys: at who signed a request, and at what they may do."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from pathlib import Path

import requests
from botocore.session import Session

from catalog_app.domain.stores import StoreOptions
from lakeui.runtime.redis_server import LOOPBACK
from tests.support.object_store import INSTALLED, ObjectStore

ROLE = "arn:aws:iam::123456789012:role/readers"
_EVERYTHING = {"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": "*", "Resource": "*"}]}
_ANYBODY = {"Effect": "Allow", "Principal": {"AWS": "*"}, "Action": "sts:AssumeRole"}


@dataclass
class GuardedStore(ObjectStore):
    """After ``guard`` each request needs the keys of its one account, or of a session of the role."""

    keys: tuple[str, str] = ("before", "there-are-any")

    @property
    def options(self) -> StoreOptions:
        access, secret = self.keys
        return replace(super().options, access_key=access, secret_key=secret, reader_role=ROLE)

    def guard(self) -> None:
        access, secret = self.keys
        address = f"http://{LOOPBACK}:{self.port}"
        people = Session().create_client(
            "iam", "us-east-1", endpoint_url=address, aws_access_key_id=access, aws_secret_access_key=secret
        )
        people.create_user(UserName="lake")
        people.put_user_policy(UserName="lake", PolicyName="all", PolicyDocument=json.dumps(_EVERYTHING))
        lets = json.dumps({"Version": "2012-10-17", "Statement": [_ANYBODY]})
        people.create_role(RoleName="readers", AssumeRolePolicyDocument=lets)
        made = people.create_access_key(UserName="lake")["AccessKey"]
        self.keys = made["AccessKeyId"], made["SecretAccessKey"]
        requests.post(f"{address}/moto-api/reset-auth", "0", timeout=10).raise_for_status()

    @property
    def _program(self) -> list[str]:
        python = INSTALLED / "server" / "bin" / "python"
        return [str(python), "-P", str(Path(__file__).with_name("guarded_moto.py"))]
