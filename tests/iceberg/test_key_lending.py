"""What a request for keys of a role says, and what is read of its answer. No server is asked."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any
from urllib.parse import parse_qsl

import pytest
from botocore.awsrequest import AWSPreparedRequest, AWSResponse
from botocore.httpsession import URLLib3Session

from catalog_app.domain.stores import StoreOptions
from catalog_app.domain.vended_keys import LONGEST_POLICY, reading_policy
from catalog_app.storage import key_lending
from catalog_app.storage.warehouse import Warehouse
from lakeui.common.errors import StoreFailed
from lakeui.runtime.problems import RuntimeProblem
from lakeui.runtime.store_checks import reader_check

ROLE = "arn:aws:iam::1:role/readers"
OPTIONS = StoreOptions("", "eu-central-1", True, "who", "hidden-4711", reader_role=ROLE)
LENT = """<AssumeRoleResponse><AssumeRoleResult><Credentials>
<AccessKeyId>ASIA1</AccessKeyId><SecretAccessKey>a/b+c</SecretAccessKey><SessionToken>t&amp;t==</SessionToken>
<Expiration>2030-01-02T03:04:05Z</Expiration></Credentials></AssumeRoleResult></AssumeRoleResponse>"""
REFUSED = "<ErrorResponse><Error><Code>AccessDenied</Code><Message>no</Message></Error></ErrorResponse>"


class Service:
    """What the service answers next, as text and status, and what it was asked."""

    def __init__(self) -> None:
        self.answers: list[tuple[str, int]] = []
        self.asked: list[AWSPreparedRequest] = []

    def send(self, request: AWSPreparedRequest) -> AWSResponse:
        self.asked.append(request)
        text, status = self.answers.pop(0)
        answer = AWSResponse(request.url, status, {}, None)
        answer._content = text.encode()
        return answer


@pytest.fixture
def service(monkeypatch: pytest.MonkeyPatch) -> Service:
    made = Service()
    monkeypatch.setattr(URLLib3Session, "send", lambda _session, request: made.send(request))
    monkeypatch.setattr(key_lending, "_kept", type(key_lending._kept)())
    monkeypatch.setattr(key_lending, "_service", key_lending._service.__wrapped__)
    return made


def test_policy_lets_files_of_folders_be_read() -> None:
    policy = reading_policy("s3://bucket/a/lake", {"7", "12"}, "arn:aws-cn:iam::1:role/readers")
    assert policy is not None
    (statement,) = json.loads(policy)["Statement"]
    assert (statement["Effect"], statement["Action"]) == ("Allow", "s3:GetObject")
    place = "arn:aws-cn:s3:::bucket/a/lake"
    assert set(statement["Resource"]) == {
        f"{place}/{folder}/{inside}/*" for folder in ("7", "12") for inside in ("data", "iceberg")
    }


def test_too_many_folders_fit_no_policy() -> None:
    few, many = ({str(number) for number in range(count)} for count in (10, 60))
    policy = reading_policy("s3://bucket/lake", few, ROLE)
    assert policy is not None
    assert len(policy) <= LONGEST_POLICY
    assert reading_policy("s3://bucket/lake", many, ROLE) is None


def test_the_service_is_asked_for_a_limited_session(service: Service) -> None:
    service.answers.append((LENT, 200))
    keys = key_lending.keys_lend(OPTIONS, "{policy}", "lakeui-5")
    assert keys.options == {
        "s3.access-key-id": "ASIA1",
        "s3.secret-access-key": "a/b+c",
        "s3.session-token": "t&t==",
        "s3.session-token-expires-at-ms": str(int(datetime(2030, 1, 2, 3, 4, 5, tzinfo=UTC).timestamp() * 1000)),
    }
    (asked,) = service.asked
    assert asked.url == "https://sts.eu-central-1.amazonaws.com/"
    form: dict[str, Any] = dict(parse_qsl(asked.body))
    assert form == {
        "Action": "AssumeRole",
        "Version": "2011-06-15",
        "RoleArn": ROLE,
        "RoleSessionName": "lakeui-5",
        "DurationSeconds": "3600",
        "Policy": "{policy}",
    }
    assert b"Credential=who/" in asked.headers["Authorization"]
    assert "a/b+c" not in repr(keys)


@pytest.mark.parametrize(
    ("options", "address"),
    [
        ({"endpoint": "http://127.0.0.1:9000"}, "http://127.0.0.1:9000/"),
        ({"region": "cn-north-1"}, "https://sts.cn-north-1.amazonaws.com.cn/"),
        ({"region": ""}, "https://sts.us-west-2.amazonaws.com/"),
    ],
)
def test_the_service_is_that_of_the_store(
    service: Service, monkeypatch: pytest.MonkeyPatch, options: dict[str, str], address: str
) -> None:
    monkeypatch.setenv("AWS_REGION", "us-west-2")
    service.answers.append((LENT, 200))
    said = {"endpoint": "", "region": "eu-1", "access_key": "who", "secret_key": "word", "reader_role": ROLE, **options}
    key_lending.keys_lend(StoreOptions(**said), "{}", "lakeui-5")
    assert service.asked[0].url == address


def test_keys_of_the_environment_sign_with_their_session(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in (("ACCESS_KEY_ID", "ASIA0"), ("SECRET_ACCESS_KEY", "word"), ("SESSION_TOKEN", "session")):
        monkeypatch.setenv(f"AWS_{name}", value)
    service.answers.append((LENT, 200))
    key_lending.keys_lend(StoreOptions(region="eu-1", reader_role=ROLE), "{}", "lakeui-5")
    headers = service.asked[0].headers
    assert headers["X-Amz-Security-Token"] == b"session"
    assert b"Credential=ASIA0/" in headers["Authorization"]


def test_no_keys_at_all_are_named(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("ACCESS_KEY_ID", "SECRET_ACCESS_KEY"):
        monkeypatch.delenv(f"AWS_{name}", raising=False)
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    with pytest.raises(StoreFailed, match="AssumeRole: NO_CREDENTIALS"):
        key_lending.keys_lend(StoreOptions(region="eu-1", reader_role=ROLE), "{}", "lakeui-5")
    assert service.asked == []


@pytest.mark.parametrize(("text", "status", "code"), [(REFUSED, 403, "AccessDenied"), ("<html/>", 502, "HTTP 502")])
def test_a_refusal_is_named_and_not_kept(service: Service, text: str, status: int, code: str) -> None:
    service.answers = [(text, status)] * 2
    with pytest.raises(StoreFailed) as refused:
        key_lending.keys_lend(OPTIONS, "{}", "lakeui-5")
    assert refused.value.details == {"operation": "AssumeRole", "store_code": code}
    service.answers = [(LENT, 200)]
    assert key_lending.keys_lend(OPTIONS, "{}", "lakeui-5").access_key == "ASIA1"


def test_an_unreachable_service_is_a_failed_store(monkeypatch: pytest.MonkeyPatch) -> None:
    away = StoreOptions("http://127.0.0.1:1", "eu-1", True, "who", "word", reader_role=ROLE)
    with pytest.raises(StoreFailed, match="AssumeRole: NETWORK_CONNECTION"):
        key_lending.keys_lend(away, "{}", "lakeui-5")


def test_doctor_asks_for_the_place_it_writes(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    """An address may end with a slash, which no name in the store has twice."""
    written: list[str] = []
    monkeypatch.setattr(Warehouse, "write", lambda self, path, _: written.append(self.absolute(path)))
    monkeypatch.setattr(Warehouse, "remove", lambda *_: None)
    service.answers = [(REFUSED, 403)]
    with pytest.raises(RuntimeProblem, match="AccessDenied"):
        reader_check("s3://bucket/lake/", OPTIONS)
    policy = json.loads(dict(parse_qsl(service.asked[0].body))["Policy"])
    allowed = [name.removeprefix("arn:aws:s3:::").removesuffix("*") for name in policy["Statement"][0]["Resource"]]
    assert any(written[0].startswith(place) for place in allowed)
