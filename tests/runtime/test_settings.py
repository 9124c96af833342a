"""Settings are typed: what is unknown, misspelt or wrong is refused by name, and no secret is shown."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from lakeui.common.errors import InvalidValue
from lakeui.runtime.discovery import services_from_environment
from lakeui.runtime.environment import OTHERS, TEST_PREFIX, said_by, variables_read
from lakeui.runtime.settings_page import settings_page
from lakeui.runtime.supervisor import Supervisor, UpOptions
from lakeui.runtime.variables import FIELDS, allowed, is_secret

ROOT = Path(__file__).resolve().parents[2]
SECRETS = [name for name in FIELDS if is_secret(name)]
SIGNING_KEY = Ed25519PrivateKey.generate().private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
GOOD = {
    "LAKEUI_AUDIT_KEY": SIGNING_KEY.decode().strip(),
    "DATABASE_URL": "postgresql://ann:p%40ss@db.example.org:6432/lake?sslmode=require",
    "REDIS_URL": "rediss://:word@redis:6379/0",
    "SPARK_REMOTE": "sc://[::1]:15002/;token=word",
    "LAKEUI_SPARK_QUERY_REMOTE": "sc://spark-queries",
    "LAKEUI_PORT": "8080",
    "LAKEUI_DEMO": "No",
    "LAKEUI_SPARK_MEMORY": "1500m",
    "LAKEUI_SPARK_QUERY_MEMORY": "0",
    "LAKEUI_WORKER_PROCESSES": "3",
    "LAKEUI_HTTPS": " on ",
    "LAKEUI_ALLOWED_HOSTS": "a.example.org, b.example.org,",
    "LAKEUI_TRUSTED_ORIGINS": "https://*.example.org",
    "LAKEUI_WEBHOOK_NETWORKS": "10.1.0.0/16, fd00::/8",
    "LAKEUI_IMPORT_LOCATIONS": "/lake/in, file:///a b/, s3a://bucket/in",
    "LAKEUI_WAREHOUSE": "s3a://bucket.example/lake/a=b",
    "LAKEUI_STORE_ENDPOINT": "http://127.0.0.1:9000",
    "LAKEUI_STORE_PATH_STYLE": "0",
    "LAKEUI_SPARK_JARS": "/opt/hadoop-aws.jar, /opt/bundle.jar",
    "LAKEUI_OIDC_ISSUER": "https://id.example.org/realms/lake",
    "LAKEUI_OIDC_GROUPS": "cn=a b=writers, staff = readers",
    "LAKEUI_MAIL_SERVER": "smtp+starttls://ann:word@mail.example.org:587",
    "LAKEUI_CONNECTIONS_PER_ADDRESS": "0",
    "LAKEUI_STATEMENT_SECONDS": "0.5",
    "LAKEUI_STATEMENT_SECONDS_BY_ROLE": " viewer=60, owner = 0,",
    "LAKEUI_LOG_LEVEL": "debug",
    "LAKEUI_LOG_FORMAT": "json",
}
WRONG = [
    ("LAKEUI_AUDIT_KEY", "-----BEGIN word"),
    *(("DATABASE_URL", said) for said in ("mysql://h/word", "postgresql://word", "postgresql://a:word@h:port/x")),
    *(("REDIS_URL", said) for said in ("word", "http://word/", "redis://")),
    *(("SPARK_REMOTE", said) for said in ("local[*]", "sc://", "sc://host:port/;token=word")),
    *(("LAKEUI_PORT", said) for said in ("abc", "0", "65536", "-1", "80.5")),
    *(("LAKEUI_SPARK_MEMORY", said) for said in ("3", "3 GB", "0", "-1g")),
    *(("LAKEUI_WORKER_PROCESSES", said) for said in ("0", "two", "-1")),
    *(("LAKEUI_HTTPS", said) for said in ("yess", "2", "enabled")),
    *(("LAKEUI_DEMO", said) for said in ("none", "-")),
    *(("LAKEUI_TRUSTED_ORIGINS", said) for said in ("lake.example.org", "https://lake.example.org/x")),
    *(("LAKEUI_WEBHOOK_NETWORKS", said) for said in ("10.1.0.0/33", "localhost", "10.1.0.1/16")),
    *(("LAKEUI_IMPORT_LOCATIONS", said) for said in ("lake", "/", "/a/../b", "/a//b", "/a*", "https://x/y", "s3://")),
    *(("LAKEUI_IMPORT_LOCATIONS", said) for said in ("s3://key:secret@bucket/in", "file://host/a", "/a,b")),
    *(
        ("LAKEUI_WAREHOUSE", said)
        for said in ("oss://bucket/lake", "s3://", "s3://a//b", "s3://b/../c", "s3://b/l?x=y")
    ),
    ("LAKEUI_WAREHOUSE", "s3://key:secret@bucket/lake"),
    *(("LAKEUI_WAREHOUSE", said) for said in ("gs://who@bucket/lake", "abfss://box/lake", "abfss://a:b@account/lake")),
    *(("LAKEUI_STORE_ENDPOINT", said) for said in ("s3.example.org", "s3://x", "https://x/bucket")),
    *(("LAKEUI_OIDC_ISSUER", said) for said in ("id.example.org", "https://")),
    *(("LAKEUI_OIDC_SCOPES", said) for said in ("profile", "openid, groups", "openidx")),
    *(("LAKEUI_OIDC_GROUPS", said) for said in ("writers", "=writers", "a=", "a=b, a=c", "a=b/c")),
    *(("LAKEUI_MAIL_SERVER", said) for said in ("mail.example.org", "http://mail", "smtp://", "smtp://a b")),
    *(("LAKEUI_REQUESTS_PER_MINUTE", said) for said in ("0.5", "-1", "many", "1e3")),
    *(("LAKEUI_STATEMENT_SECONDS", said) for said in ("-1", "nan", "inf", "1e12", "soon")),
    *(("LAKEUI_STATEMENT_SECONDS_BY_ROLE", said) for said in ("viewer", "guest=3", "viewer=soon", "viewer=-1", "=3")),
    ("LAKEUI_WRITE_TASK_SECONDS_BY_ROLE", "viewer=1, viewer=2"),
    ("LAKEUI_LOG_LEVEL", "LOUD"),
    ("LAKEUI_LOG_FORMAT", "xml"),
    ("LAKEUI_DISABLE_DUCKDB_MERGE", "yes"),
]


def refusal(environment: dict[str, str]) -> list[str]:
    with pytest.raises(InvalidValue) as refused:
        variables_read(environment)
    assert refused.value.remedy
    sentences: list[str] = refused.value.details["wrong"]
    assert all(sentence in refused.value.message for sentence in sentences)
    return sentences


def test_what_is_right_is_read_with_its_type() -> None:
    read = variables_read(GOOD)
    assert (read.port, read.worker_processes, read.connections_per_address) == (8080, 3, 0)
    assert (read.demo, read.https, read.debug) == (False, True, False)
    assert read.allowed_hosts == ("a.example.org", "b.example.org")
    assert read.spark_jars == ("/opt/hadoop-aws.jar", "/opt/bundle.jar")
    assert read.oidc_groups == {"cn=a b": "writers", "staff": "readers"}
    assert read.statement_seconds == 0.5
    assert read.statement_seconds_by_role == {"viewer": 60, "owner": 0}
    assert (read.log_level, read.log_format) == ("DEBUG", "json")


def test_what_is_empty_counts_as_not_set() -> None:
    assert variables_read(dict.fromkeys(FIELDS, " ")) == variables_read({})


@pytest.mark.parametrize(("name", "said"), WRONG)
def test_wrong_value_is_one_sentence_with_allowed_values(name: str, said: str) -> None:
    (sentence,) = refusal({name: said})
    assert sentence.startswith(f"{name} is ")
    assert sentence.endswith(f"write {allowed(FIELDS[name])}.")
    assert (repr(said) in sentence) is not is_secret(name)
    assert "word" not in sentence.replace("password", "")


def test_all_that_is_wrong_is_said_at_once() -> None:
    sentences = refusal({"LAKEUI_HTTPS": "yess", "LAKEUI_PORT": "x", "LAKEUI_ALOWED_HOSTS": "h", "REDIS_URL": "x"})
    assert {sentence.split()[0] for sentence in sentences} == {
        *("LAKEUI_HTTPS", "LAKEUI_PORT", "LAKEUI_ALOWED_HOSTS", "REDIS_URL"),
    }


@pytest.mark.parametrize(
    ("name", "nearest"),
    [
        ("LAKEUI_ALOWED_HOSTS", "LAKEUI_ALLOWED_HOSTS"),
        ("LAKEUI_DATABASE_URL", "DATABASE_URL"),
        ("LAKEUI_SECRET_KEY_FILES", "LAKEUI_SECRET_KEY_FILE"),
        ("LAKEUI_PORT_FILE", "LAKEUI_PORT"),
    ],
)
def test_an_unknown_name_is_refused_with_the_nearest(name: str, nearest: str) -> None:
    assert refusal({name: ""}) == [f"{name} is no setting. Did you mean {nearest}?"]


def test_what_kubernetes_sets_for_services_passes() -> None:
    names = ("LAKEUI_SERVICE_HOST", "LAKEUI_WEB_SERVICE_PORT_HTTP", "LAKEUI_WEB_PORT", "LAKEUI_PORT_80_TCP_ADDR")
    assert variables_read(dict.fromkeys(names, "tcp://10.0.0.1:80")) == variables_read({})


def test_other_spellings_are_read() -> None:
    assert variables_read({"LAKEUI_LOG_LEVEL": "warn"}).log_level == "WARNING"
    assert variables_read({"REDIS_URL": "redis://h:1/0\n"}).redis_url == "redis://h:1/0"


def test_names_of_tests_and_clients_pass() -> None:
    variables_read({f"{TEST_PREFIX}ENGINES": "x", "LAKEUI_SOAK": "1", "LAKEUI_TOKEN": "x", "PATH": "/bin"})


@pytest.mark.parametrize("name", SECRETS)
def test_a_secret_may_stand_in_a_file(name: str, tmp_path: Path) -> None:
    file = tmp_path / "secret"
    file.write_text(GOOD.get(name, "word") + "\n")
    (said,) = said_by({f"{name}_FILE": str(file)}).items()
    assert said[0] == name
    assert (said[1].text, said[1].origin) == (GOOD.get(name, "word"), f"file {file}")
    assert variables_read({f"{name}_FILE": str(file)}) == variables_read({name: GOOD.get(name, "word")})


def test_files_that_are_of_no_use_are_refused(tmp_path: Path) -> None:
    (tmp_path / "empty").write_text("\n")
    (tmp_path / "bytes").write_bytes(b"\xff\xfe")
    (tmp_path / "wrong").write_text("http://word")
    files = {"missing": "No such file", "empty": "is empty", "bytes": "no UTF-8", "": "Is a directory"}
    for file, why in files.items():
        (sentence,) = refusal({"LAKEUI_SECRET_KEY_FILE": str(tmp_path / file)})
        assert sentence.startswith("LAKEUI_SECRET_KEY_FILE is ")
        assert why in sentence
    (sentence,) = refusal({"REDIS_URL_FILE": str(tmp_path / "wrong")})
    assert sentence.startswith(f"REDIS_URL (file {tmp_path}/wrong) is wrong;")


def test_a_value_and_its_file_are_refused_together(tmp_path: Path) -> None:
    (sentence,) = refusal({"LAKEUI_SECRET_KEY": "word", "LAKEUI_SECRET_KEY_FILE": str(tmp_path)})
    assert sentence == "LAKEUI_SECRET_KEY and LAKEUI_SECRET_KEY_FILE are both set; leave one of them out."


def test_no_secret_is_shown_with_the_settings() -> None:
    shown = repr(variables_read({name: GOOD.get(name, "word") for name in SECRETS}))
    assert [GOOD.get(name, "word") for name in SECRETS if GOOD.get(name, "word") in shown] == []
    assert "word" not in shown


def test_what_up_starts_gets_addresses_and_no_files(tmp_path: Path) -> None:
    for name in ("redis", "key", "password"):
        (tmp_path / name).write_text("redis://h/0")
    environment = {
        "REDIS_URL_FILE": str(tmp_path / "redis"),
        "LAKEUI_SECRET_KEY_FILE": str(tmp_path / "key"),
        "LAKEUI_ADMIN_PASSWORD_FILE": str(tmp_path / "password"),
    }
    assert services_from_environment(environment).redis_url == "redis://h/0"
    options = UpOptions(
        base=tmp_path,
        home=tmp_path,
        port=1,
        demo=False,
        admin_password="",
        admin_password_is_ours=True,
        variables=variables_read(environment),
        environment=environment,
    )
    handed_on = Supervisor(options, print)._environment()
    assert handed_on["REDIS_URL"] == "redis://h/0"
    assert handed_on["LAKEUI_SECRET_KEY_FILE"] == environment["LAKEUI_SECRET_KEY_FILE"]
    assert not {"REDIS_URL_FILE", "LAKEUI_ADMIN_PASSWORD_FILE"} & handed_on.keys()
    variables_read({**handed_on, "LAKEUI_ADMIN_PASSWORD": "word"})


def test_command_says_what_is_wrong_without_traceback(tmp_path: Path) -> None:
    environment = {**os.environ, "LAKEUI_HOME": str(tmp_path), "LAKEUI_HTTPS": "yess", "LAKEUI_ALOWED_HOSTS": "x"}
    command = [sys.executable, "manage.py", "check"]
    ran = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=120, check=False)
    assert ran.returncode == 1
    assert ran.stderr.splitlines() == [
        "2 settings are wrong.",
        "LAKEUI_ALOWED_HOSTS is no setting. Did you mean LAKEUI_ALLOWED_HOSTS?",
        f"LAKEUI_HTTPS is 'yess'; write {allowed(FIELDS['LAKEUI_HTTPS'])}."
        " docs/reference/settings.md lists every setting.",
    ]
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "command",
    [
        ["gunicorn", "--config=python:lakeui.runtime.web_options", "--bind=127.0.0.1:0", "lakeui.wsgi:application"],
        ["celery", "-A", "lakeui", "worker", "--concurrency=1"],
    ],
    ids=["gunicorn", "celery"],
)
def test_a_server_that_others_start_says_so_too(command: list[str], tmp_path: Path) -> None:
    environment = {**os.environ, "LAKEUI_HOME": str(tmp_path), "LAKEUI_HTTPS": "yess"}
    module = [sys.executable, "-m", *command]
    ran = subprocess.run(module, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=120, check=False)
    assert ran.returncode == 1
    assert ran.stderr.startswith("LAKEUI_HTTPS is 'yess'; write 1 or 0")
    assert "Traceback" not in ran.stderr + ran.stdout


def test_every_name_in_repository_is_setting_or_listed() -> None:
    command = ["git", "grep", "-ohIE", r"\bLAKEUI_[A-Z_]+\b"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    here = Path(__file__).read_text()
    own = set(re.findall(r"LAKEUI_[A-Z_]+", here)) - FIELDS.keys()
    others = {name for names in OTHERS.values() for name in names}
    known = FIELDS.keys() | others | {f"{name}_FILE" for name in SECRETS} | own
    unknown = {name for name in listed.stdout.split() if not name.startswith(TEST_PREFIX) and not name.endswith("_")}
    assert unknown - known == set()


def test_the_page_is_what_the_description_makes() -> None:
    page = (ROOT / "docs" / "reference" / "settings.md").read_text(encoding="utf-8")
    assert page == settings_page(), "python -m lakeui.runtime.settings_page > docs/reference/settings.md"
