"""Keys of the store that readers get: what they are for, who gets them, and that engines read by them alone."""

from __future__ import annotations

import re
import uuid
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import chain
from typing import Any

import pyarrow as pa
import pyarrow.fs as pafs
import pyarrow.parquet as pq
import pytest
import requests
from django.conf import settings
from django.contrib.auth.models import User
from pyiceberg.catalog import load_catalog

from catalog_app.domain.roles import Role
from catalog_app.domain.vended_keys import LASTING_SECONDS
from catalog_app.models import Catalog, DataFile
from catalog_app.selectors.objects import database_get, table_get
from catalog_app.selectors.snapshots import branch_get, branch_snapshot, catalog_get
from catalog_app.storage import key_lending
from catalog_app.storage.warehouse import Warehouse
from lakeui.access.tokens import token_create
from lakeui.runtime import doctor, store_checks
from lakeui.runtime.problems import RuntimeProblem
from lakeui.runtime.store_checks import reader_check
from lakeui_client import Lake
from tests.iceberg.engines import other_rows
from tests.iceberg.test_engines import Engines, engines_served
from tests.support.guarded_store import GuardedStore
from tests.support.members import join

ASKED = {"X-Iceberg-Access-Delegation": "remote-signing, vended-credentials"}
TABLES = {"d.t": [1, 2, 3], "d.other": [4, 5], "d.cloned": [1, 2, 3, 9]}


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[GuardedStore]:
    started = GuardedStore(tmp_path_factory.mktemp("store"))
    started.start()
    try:
        started.wait_until_ready()
        started.guard()
        yield started
    finally:
        started.stop()


@pytest.fixture(scope="module")
def engines(open_database: None, store: GuardedStore, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engines]:
    """Three tables: d.cloned has a file of its own, and one in the folder of d.t."""
    said = {"WAREHOUSE": f"{store.bucket(f'lake-{uuid.uuid4().hex[:12]}')}/first", "STORE": store.options}
    with pytest.MonkeyPatch.context() as patch:
        for name, value in said.items():
            patch.setitem(settings.LAKEUI, name, value)
        for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_ENDPOINT_URL"):
            patch.delenv(name, raising=False)
        with engines_served(tmp_path_factory.mktemp("read")) as served:
            for text in (
                "CREATE TABLE d.t (id INT, p STRING)",
                "CREATE TABLE d.other (id INT, p STRING)",
                "INSERT INTO d.t VALUES (1, 'a'), (2, 'b'), (3, 'c')",
                "INSERT INTO d.other VALUES (4, 'd'), (5, 'e')",
                "CREATE TABLE d.cloned CLONE d.t",
                "INSERT INTO d.cloned VALUES (9, 'a')",
            ):
                served.lake.sql(text)
            yield served


def asked(engines: Engines, path: str, status: int = 200, *, token: str = "", **headers: str) -> Any:
    given = {"Authorization": f"Bearer {token or engines.token}", **headers}
    answer = requests.get(f"{engines.address('main')}/v1/{path}", headers=given, timeout=60)
    assert answer.status_code == status, answer.text
    return answer


def table_path(name: str) -> str:
    database, table = name.split(".")
    return f"namespaces/{database}/tables/{table}"


def files_of(engines: Engines, name: str) -> list[str]:
    """Paths of the data files of a table below the warehouse."""
    seen = branch_snapshot(branch_get(catalog_get(engines.lake.catalog), "main"))
    table = table_get(seen, database_get(seen, "d"), name.split(".")[1])
    return sorted(DataFile.objects.filter(table_id=table.table_id).values_list("path", flat=True))


def opened(store: GuardedStore, config: dict[str, str]) -> pafs.FileSystem:
    """The store as it is by these keys."""
    return pafs.S3FileSystem(
        access_key=config["s3.access-key-id"],
        secret_key=config["s3.secret-access-key"],
        session_token=config["s3.session-token"],
        region=store.options.region,
        endpoint_override=store.options.endpoint,
    )


def test_pyiceberg_reads_by_given_keys(engines: Engines) -> None:
    catalog = load_catalog("lake", type="rest", uri=engines.address("main"), token=engines.token)
    for table, ids in TABLES.items():
        assert sorted(catalog.load_table(table).scan().to_arrow()["id"].to_pylist()) == ids
    entry = catalog.load_credentials("d.t", catalog.load_table("d.t").metadata_location)
    assert entry["s3.session-token"]


def test_duckdb_reads_tables_by_their_own_keys(engines: Engines) -> None:
    """One session reads three tables: each by the keys that are for its folder."""
    all_three = "d.t UNION ALL SELECT * FROM lake.d.other UNION ALL SELECT * FROM lake.d.cloned"
    (found,) = other_rows("duckdb", [(engines.address("main"), "")], engines.token, all_three, engines.folder)
    assert sorted(found["id"].to_pylist()) == sorted(chain(*TABLES.values()))


def test_client_reads_by_given_keys(engines: Engines) -> None:
    with Lake(engines.server, engines.token) as lake:
        catalog = lake.catalog(engines.lake.catalog)
        for table, ids in TABLES.items():
            assert sorted(catalog.table(table).to_arrow()["id"].to_pylist()) == ids


def test_keys_read_their_table_and_nothing_else(engines: Engines, store: GuardedStore) -> None:
    config = asked(engines, table_path("d.t"), **ASKED).json()["config"]
    by_keys, root = opened(store, config), settings.LAKEUI["WAREHOUSE"].removeprefix("s3://")
    (own,), (other,) = files_of(engines, "d.t"), files_of(engines, "d.other")
    assert by_keys.open_input_file(f"{root}/{own}").size() > 0
    folder = own.split("/")[0]
    for refused in (other, f"{folder}/staging/x.parquet", f"{folder}/deletes/x.parquet", f"{folder}0/data/x.parquet"):
        with pytest.raises(OSError, match="ACCESS_DENIED"):
            by_keys.open_input_file(f"{root}/{refused}").size()
    for step in (
        lambda: by_keys.get_file_info(pafs.FileSelector(f"{root}/{folder}/data")),
        lambda: by_keys.open_output_stream(f"{root}/{own}").close(),
        lambda: by_keys.copy_file(f"{root}/{own}", f"{root}/{folder}/data/x.parquet"),
        lambda: by_keys.delete_file(f"{root}/{own}"),
    ):
        with pytest.raises(OSError, match=r"ACCESS_DENIED|Access ?Denied"):
            step()
    assert by_keys.open_input_file(f"{root}/{own}").size() > 0


def test_keys_expire_and_say_when(engines: Engines) -> None:
    answer = asked(engines, table_path("d.t"), **ASKED)
    config = answer.json()["config"]
    left = int(config["s3.session-token-expires-at-ms"]) / 1000 - datetime.now(UTC).timestamp()
    assert LASTING_SECONDS / 2 < left <= LASTING_SECONDS + 5
    assert answer.headers["Cache-Control"] == "no-store"
    assert config["client.refresh-credentials-endpoint"] == f"v1/{table_path('d.t')}/credentials"
    again = asked(engines, f"{table_path('d.t')}/credentials")
    assert again.headers["Cache-Control"] == "no-store"
    (entry,) = again.json()["storage-credentials"]
    assert entry["config"] == {name: config[name] for name in entry["config"]}
    assert entry == answer.json()["storage-credentials"][0]


def test_catalogs_that_share_tables_give_none(engines: Engines) -> None:
    """Files of the other catalog lie in the same folders, and its readers are others."""
    own = catalog_get(engines.lake.catalog)
    engines.lake.sql("CREATE CATALOG joined")
    assert Catalog.objects.filter(name="joined").update(versions_of=own) == 1
    try:
        asked(engines, f"{table_path('d.t')}/credentials", 400)
        assert "storage-credentials" not in asked(engines, table_path("d.t"), **ASKED).json()
    finally:
        Catalog.objects.filter(name="joined").update(versions_of=None)
    assert asked(engines, f"{table_path('d.t')}/credentials").json()["storage-credentials"]


def test_a_clone_has_keys_for_both_folders(engines: Engines) -> None:
    folders = {path.split("/")[0] for path in files_of(engines, "d.cloned")}
    entries = asked(engines, f"{table_path('d.cloned')}/credentials").json()["storage-credentials"]
    assert [entry["prefix"] for entry in entries] == [
        f"{settings.LAKEUI['WAREHOUSE']}/{folder}/" for folder in sorted(folders, key=int)
    ]
    assert len(entries) == 2


@pytest.mark.parametrize("headers", [{}, {"X-Iceberg-Access-Delegation": "remote-signing"}])
def test_who_asks_for_no_keys_gets_none(engines: Engines, headers: dict[str, str]) -> None:
    said = asked(engines, table_path("d.t"), **headers).json()
    assert "storage-credentials" not in said
    assert not [name for name in said["config"] if "key" in name or "token" in name]


def test_keys_are_lent_once_while_they_last(engines: Engines, store: GuardedStore) -> None:
    def keys() -> str:
        return str(asked(engines, table_path("d.t"), **ASKED).json()["config"]["s3.access-key-id"])

    first = keys()
    assert keys() == first
    for known, lent in list(key_lending._kept.items()):
        soon = datetime.now(UTC) + timedelta(seconds=LASTING_SECONDS / 2 - 10)
        key_lending._kept[known] = replace(lent, expires_at=soon)
    assert keys() != first


def test_only_those_with_a_role_get_keys(engines: Engines) -> None:
    """A viewer gets keys in a session of their own; who has no role does not learn that there is a catalog."""
    person = User.objects.create_user(f"reader of {engines.lake.catalog}")
    secret = token_create(user=person, name="engine")[1]
    path = f"{table_path('d.t')}/credentials"
    asked(engines, path, 404, token=secret)
    asked(engines, path, 401, token="lake_wrong")
    join(person, engines.lake.catalog, Role.VIEWER)
    own, others = (asked(engines, path, token=token).json()["storage-credentials"][0] for token in (secret, ""))
    assert own["prefix"] == others["prefix"]
    assert own["config"]["s3.access-key-id"] != others["config"]["s3.access-key-id"]
    names = {reader for _, _, reader in key_lending._kept}
    assert f"lakeui-{person.pk}" in names
    assert all(re.fullmatch(r"[\w+=,.@-]{2,64}", name) for name in names)


def test_config_names_the_endpoint_where_keys_are_lent(engines: Engines, monkeypatch: pytest.MonkeyPatch) -> None:
    line = "GET /v1/{prefix}/namespaces/{namespace}/tables/{table}/credentials"
    assert line in asked(engines, "config").json()["endpoints"]
    monkeypatch.setitem(settings.LAKEUI, "STORE", replace(settings.LAKEUI["STORE"], reader_role=""))
    assert line not in asked(engines, "config").json()["endpoints"]
    error = asked(engines, f"{table_path('d.t')}/credentials", 400).json()["error"]
    assert error["type"] == "UnsupportedOperationException"
    assert "keys of your own" in error["message"]
    assert "storage-credentials" not in asked(engines, table_path("d.t"), **ASKED).json()


def test_a_role_that_is_not_lent_is_named(engines: Engines, monkeypatch: pytest.MonkeyPatch) -> None:
    """The service of the store refuses keys that it does not know. Nothing of them is shown."""
    wrong = replace(settings.LAKEUI["STORE"], access_key="AKIAWRONG", secret_key="hidden-4711")
    monkeypatch.setitem(settings.LAKEUI, "STORE", wrong)
    answer = asked(engines, f"{table_path('d.other')}/credentials", 502)
    assert "failed at AssumeRole: InvalidClientTokenId" in answer.json()["error"]["message"]
    assert wrong.secret_key not in answer.text


def test_doctor_tries_the_role(engines: Engines, store: GuardedStore, monkeypatch: pytest.MonkeyPatch) -> None:
    root = settings.LAKEUI["WAREHOUSE"]
    assert "Other engines get keys that read it." in doctor._warehouse()
    assert Warehouse(root, store.options).all_under("doctor") == []
    monkeypatch.setattr(store_checks, "READ_FOLDERS", ("staging",))
    with pytest.raises(RuntimeProblem, match="role/readers does not read a file"):
        reader_check(root, store.options)
    monkeypatch.undo()
    wrong, service = replace(store.options, access_key="AKIAWRONG", secret_key="hidden-4711"), key_lending._service
    monkeypatch.setattr(key_lending, "_service", lambda _: service(wrong))
    with pytest.raises(RuntimeProblem, match="is not lent to lakeui: InvalidClientTokenId") as refused:
        reader_check(root, replace(store.options, reader_role=f"{store.options.reader_role}2"))
    assert "LAKEUI_STORE_READER_ROLE" in refused.value.remedy


def test_taken_over_files_get_no_keys(engines: Engines, store: GuardedStore, monkeypatch: pytest.MonkeyPatch) -> None:
    theirs = Warehouse(f"{store.bucket(f'theirs-{uuid.uuid4().hex[:12]}')}/in", store.options)
    content = pa.BufferOutputStream()
    pq.write_table(pa.table({"id": pa.array([1, 2, 3], pa.int32())}), content)
    theirs.write("x/part.parquet", content.getvalue())
    monkeypatch.setitem(settings.LAKEUI, "IMPORT_LOCATIONS", (theirs.root,))
    engines.lake.sql(f"CREATE TABLE d.taken FROM PARQUET '{theirs.root}/x'")
    asked(engines, f"{table_path('d.taken')}/credentials", 400)
    assert "storage-credentials" not in asked(engines, table_path("d.taken"), **ASKED).json()
