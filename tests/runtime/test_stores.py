"""What a Spark server is started with where the warehouse lies in an object store, and when it is not started."""

from __future__ import annotations

from pathlib import Path

import pytest

from catalog_app.domain.stores import reader_options
from lakeui.common.errors import InvalidValue
from lakeui.runtime.environment import variables_read
from lakeui.runtime.problems import RuntimeProblem
from lakeui.runtime.spark import EmbeddedSpark
from lakeui.runtime.stores import azure_options, spark_store, store_options

SAID = {
    "LAKEUI_STORE_ENDPOINT": "http://127.0.0.1:9000",
    "LAKEUI_STORE_REGION": "eu-1",
    "LAKEUI_STORE_ACCESS_KEY": "who",
    "LAKEUI_STORE_SECRET_KEY": "hidden-4711",
}


@pytest.fixture
def driver(tmp_path: Path) -> Path:
    jar = tmp_path / "hadoop-aws-3.5.0.jar"
    jar.touch()
    return jar


@pytest.mark.parametrize("missing", ["LAKEUI_STORE_ACCESS_KEY", "LAKEUI_STORE_SECRET_KEY"])
def test_one_key_alone_is_refused(missing: str) -> None:
    said = {name: value for name, value in SAID.items() if name != missing}
    with pytest.raises(InvalidValue, match=f"{missing} is not"):
        store_options(variables_read(said))


ROLE = {"LAKEUI_STORE_READER_ROLE": "arn:aws:iam::1:role/readers", "LAKEUI_WAREHOUSE": "s3://bucket/lake"}


def test_a_role_for_readers_is_part_of_options() -> None:
    # Without keys in the settings those of the machine ask for the role.
    for said in (SAID | ROLE, ROLE):
        assert store_options(variables_read(said)).reader_role == ROLE["LAKEUI_STORE_READER_ROLE"]


@pytest.mark.parametrize(
    ("said", "why"),
    [
        ({"LAKEUI_WAREHOUSE": "/srv/lake"}, "does not lie at s3://"),
        ({"LAKEUI_STORE_READER_ROLE": "readers"}, "not the address of a role"),
    ],
)
def test_a_role_that_cannot_be_lent_is_refused(said: dict[str, str], why: str) -> None:
    with pytest.raises(InvalidValue, match=why):
        store_options(variables_read(SAID | ROLE | said))


def test_no_driver_is_refused_before_spark_starts(tmp_path: Path) -> None:
    other = tmp_path / "other.jar"
    other.touch()
    for jars in ((), (str(other),)):
        with pytest.raises(RuntimeProblem) as refused:
            spark_store("s3://bucket/lake", store_options(variables_read(SAID)), jars)
        assert "no driver" in refused.value.message
        assert "LAKEUI_SPARK_JARS" in refused.value.remedy


def test_an_archive_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(RuntimeProblem, match=r"names .*/gone\.jar, which is no file"):
        spark_store("/lake", store_options(variables_read({})), (str(tmp_path / "gone.jar"),))


def test_spark_gets_driver_and_keys_in_no_file(tmp_path: Path, driver: Path) -> None:
    store = spark_store("s3://bucket/lake", store_options(variables_read(SAID)), (str(driver),))
    server = EmbeddedSpark(tmp_path / "spark", tmp_path / "log", store=store)
    made = server._distribution_link()
    assert (made / "jars" / driver.name).samefile(driver)
    server._configure(tmp_path)
    conf = (tmp_path / "spark" / "conf" / "spark-defaults.conf").read_text()
    assert "spark.hadoop.fs.s3a.endpoint http://127.0.0.1:9000\n" in conf
    assert "spark.hadoop.fs.s3a.performance.flags create,mkdir\n" in conf
    assert "spark.hadoop.fs.s3a.path.style.access true\n" in conf
    assert "hidden-4711" not in conf + repr(store)
    environment = server._environment(Path("/java/bin/java"), made)
    assert (environment["AWS_ACCESS_KEY_ID"], environment["AWS_SECRET_ACCESS_KEY"]) == ("who", "hidden-4711")


def test_without_keys_spark_finds_those_of_the_machine(
    tmp_path: Path, driver: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "machine")
    store = spark_store("s3://bucket/lake", store_options(variables_read({})), (str(driver),))
    environment = EmbeddedSpark(tmp_path, tmp_path / "log", store=store)._environment(Path("/j/bin/java"), tmp_path)
    assert environment["AWS_ACCESS_KEY_ID"] == "machine"
    assert not {name for name in store.options if "endpoint" in name}
    assert store.options["spark.hadoop.fs.s3a.path.style.access"] == "false"


def test_a_session_of_other_keys_is_not_sent(driver: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_SESSION_TOKEN", "of others")
    store = spark_store("s3://bucket/lake", store_options(variables_read(SAID)), (str(driver),))
    assert store.environment["AWS_SESSION_TOKEN"] == ""


def test_a_folder_needs_no_driver() -> None:
    assert spark_store("/lake", store_options(variables_read({})), ()).options == {}


AZURE = "abfss://box@account.dfs.core.windows.net/lake"


@pytest.mark.parametrize(("root", "archive"), [("gs://bucket/lake", "gcs-connector"), (AZURE, "hadoop-azure")])
def test_each_store_has_a_driver_of_its_own(tmp_path: Path, driver: Path, root: str, archive: str) -> None:
    said = {"LAKEUI_WAREHOUSE": root, "LAKEUI_STORE_SECRET_KEY": "hidden-4711"} if root == AZURE else {}
    options = store_options(variables_read(said))
    with pytest.raises(RuntimeProblem, match="no driver") as refused:
        spark_store(root, options, (str(driver),))
    assert archive in refused.value.remedy
    jar = tmp_path / f"{archive}-3.5.0.jar"
    jar.touch()
    store = spark_store(root, options, (str(jar),))
    assert "hidden-4711" not in str(store.options)
    assert list(store.environment.values()) == (["hidden-4711"] if root == AZURE else [])


def test_an_account_of_azure_is_named_once() -> None:
    said = {**SAID, "LAKEUI_WAREHOUSE": AZURE}
    with pytest.raises(InvalidValue, match="names the account"):
        store_options(variables_read(said))
    role = azure_options("account", store_options(variables_read({})))
    assert role["spark.hadoop.fs.azure.account.auth.type.account"] == "OAuth"


def test_readers_learn_of_store_and_no_key() -> None:
    options = store_options(variables_read(SAID))
    assert reader_options("gs://bucket/lake", options) == {"gcs.service.host": SAID["LAKEUI_STORE_ENDPOINT"]}
    assert reader_options(AZURE, options) == {"adls.account-name": "account"}
    assert "hidden-4711" not in reader_options("s3://bucket/lake", options).values()
