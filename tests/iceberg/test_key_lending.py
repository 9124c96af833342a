"""What a request for keys of a role says, and what is read of its answer. No server is asked."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any
from urllib.parse import parse_qs

import pytest
import requests

from catalog_app.domain.stores import StoreOptions
from catalog_app.domain.vended_keys import LONGEST_POLICY, reading_policy
from catalog_app.storage import key_lending
from catalog_app.storage.signing import SigningKeys, form_headers
from lakeui.common.errors import StoreFailed

ROLE = "arn:aws:iam::1:role/readers"
OPTIONS = StoreOptions("", "eu-central-1", True, "who", "hidden-4711", reader_role=ROLE)
LENT = """<AssumeRoleResponse><AssumeRoleResult><Credentials>
<AccessKeyId>ASIA1</AccessKeyId><SecretAccessKey>a/b+c</SecretAccessKey><SessionToken>t&amp;t==</SessionToken>
<Expiration>2030-01-02T03:04:05Z</Expiration></Credentials></AssumeRoleResult></AssumeRoleResponse>"""
REFUSED = "<ErrorResponse><Error><Code>AccessDenied</Code><Message>no</Message></Error></ErrorResponse>"


@pytest.fixture
def answers(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """What the service answers, as text and status; what it was asked comes behind."""
    said: list[Any] = []

    def post(address: str, body: bytes, **asked: Any) -> requests.Response:
        answer = requests.Response()
        text, answer.status_code = said.pop(0)
        answer._content = text.encode()
        said.append((address, parse_qs(body.decode()), asked))
        return answer

    monkeypatch.setattr(requests, "post", post)
    monkeypatch.setattr(key_lending, "_kept", type(key_lending._kept)())
    return said


def test_signature_is_that_of_the_published_suite() -> None:
    """Case post-x-www-form-urlencoded of Amazon's suite for version 4 of the signature."""
    keys = SigningKeys("AKIDEXAMPLE", "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY")
    at = datetime(2015, 8, 30, 12, 36, tzinfo=UTC)
    made = form_headers("example.amazonaws.com", b"Param1=value1", keys, region="us-east-1", service="service", at=at)
    assert made["authorization"] == (
        "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request,"
        " SignedHeaders=content-type;host;x-amz-date,"
        " Signature=ff11897932ad3f4e8b18135d722051e5ac45fc38421b1da7b9d196a0fe09473a"
    )


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


def test_the_service_is_asked_for_a_limited_session(answers: list[Any]) -> None:
    answers.append((LENT, 200))
    keys = key_lending.keys_lend(OPTIONS, "{policy}", "lakeui-5")
    assert keys.options == {
        "s3.access-key-id": "ASIA1",
        "s3.secret-access-key": "a/b+c",
        "s3.session-token": "t&t==",
        "s3.session-token-expires-at-ms": str(int(datetime(2030, 1, 2, 3, 4, 5, tzinfo=UTC).timestamp() * 1000)),
    }
    ((address, form, asked),) = answers
    assert address == "https://sts.eu-central-1.amazonaws.com/"
    assert {name: value for name, (value,) in form.items()} == {
        "Action": "AssumeRole",
        "Version": "2011-06-15",
        "RoleArn": ROLE,
        "RoleSessionName": "lakeui-5",
        "DurationSeconds": "3600",
        "Policy": "{policy}",
    }
    assert "who/" in asked["headers"]["authorization"]
    assert asked["allow_redirects"] is False
    assert "hidden-4711" not in repr(answers)
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
    answers: list[Any], monkeypatch: pytest.MonkeyPatch, options: dict[str, str], address: str
) -> None:
    monkeypatch.setenv("AWS_REGION", "us-west-2")
    answers.append((LENT, 200))
    said = {"endpoint": "", "region": "eu-1", "access_key": "who", "secret_key": "word", "reader_role": ROLE, **options}
    key_lending.keys_lend(StoreOptions(**said), "{}", "lakeui-5")
    assert answers[0][0] == address


def test_keys_of_the_environment_sign_with_their_session(answers: list[Any], monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in (("ACCESS_KEY_ID", "ASIA0"), ("SECRET_ACCESS_KEY", "word"), ("SESSION_TOKEN", "session")):
        monkeypatch.setenv(f"AWS_{name}", value)
    answers.append((LENT, 200))
    key_lending.keys_lend(StoreOptions(region="eu-1", reader_role=ROLE), "{}", "lakeui-5")
    headers = answers[0][2]["headers"]
    assert headers["x-amz-security-token"] == "session"
    assert "Credential=ASIA0/" in headers["authorization"]
    assert "host;x-amz-date;x-amz-security-token" in headers["authorization"]


@pytest.mark.parametrize(
    ("text", "status", "code"),
    [(REFUSED, 403, "AccessDenied"), ("<html>", 502, "HTTP 502"), (LENT.replace("ASIA1", ""), 200, "HTTP 200")],
)
def test_a_refusal_is_named_and_not_kept(answers: list[Any], text: str, status: int, code: str) -> None:
    answers.append((text, status))
    with pytest.raises(StoreFailed) as refused:
        key_lending.keys_lend(OPTIONS, "{}", "lakeui-5")
    assert refused.value.details == {"operation": "AssumeRole", "store_code": code}
    answers[:] = [(LENT, 200)]
    assert key_lending.keys_lend(OPTIONS, "{}", "lakeui-5").access_key == "ASIA1"


def test_an_unreachable_service_is_a_failed_store(monkeypatch: pytest.MonkeyPatch) -> None:
    away = StoreOptions("http://127.0.0.1:1", "eu-1", True, "who", "word", reader_role=ROLE)
    with pytest.raises(StoreFailed, match="AssumeRole: NETWORK_CONNECTION"):
        key_lending.keys_lend(away, "{}", "lakeui-5")
