"""The object store of the warehouse, as the settings name it, and the Spark that reads and writes it.

Keys never stand in a file or on a command line of Spark: they are in the environment of its process.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from catalog_app.domain.stores import StoreOptions, host_of, kind_of
from lakeui.common.errors import InvalidValue
from lakeui.runtime.problems import RuntimeProblem
from lakeui.runtime.variables import Variables

DRIVERS = {"s3": "hadoop-aws", "gs": "gcs-connector", "abfs": "hadoop-azure"}
"""By the store, how the archive of Spark's driver begins."""
AZURE_KEY = "AZURE_STORAGE_KEY"
"""Environment variable of the Spark server. Its settings name the variable, and Hadoop puts the value in."""
KEYS = {"access_key": "AWS_ACCESS_KEY_ID", "secret_key": "AWS_SECRET_ACCESS_KEY"}
PLAIN_NUMBERS = {
    # In newer versions of Hadoop these have units by default, which older drivers do not read. All read numbers.
    "fs.s3a.threads.keepalivetime": "60",
    "fs.s3a.connection.timeout": "200000",
    "fs.s3a.connection.establish.timeout": "10000",
    "fs.s3a.connection.request.timeout": "0",
    "fs.s3a.multipart.purge.age": "86400",
}
CREDENTIALS = (
    "com.amazonaws.auth.EnvironmentVariableCredentialsProvider,"
    "org.apache.hadoop.fs.s3a.auth.IAMInstanceCredentialsProvider"
)


@dataclass(frozen=True, slots=True)
class SparkStore:
    """What a Spark server needs for the store: options, environment variables with keys, archives of Java."""

    options: Mapping[str, str] = field(default_factory=dict)
    environment: Mapping[str, str] = field(default_factory=dict, repr=False)
    jars: tuple[Path, ...] = ()


def store_options(variables: Variables) -> StoreOptions:
    """Raises InvalidValue where one of the two keys is set without the other. A store of Azure has one key alone."""
    if kind_of(variables.warehouse) == "abfs":
        if variables.store_access_key:
            raise InvalidValue(
                "LAKEUI_STORE_ACCESS_KEY is set, and the address of the warehouse names the account.",
                remedy="Leave it out; the key of the account is LAKEUI_STORE_SECRET_KEY.",
            )
    elif bool(variables.store_access_key) != bool(variables.store_secret_key):
        missing = "LAKEUI_STORE_SECRET_KEY" if variables.store_access_key else "LAKEUI_STORE_ACCESS_KEY"
        raise InvalidValue(f"One key of the store is set, and {missing} is not.", remedy="Set both, or none.")
    options = StoreOptions(
        variables.store_endpoint,
        variables.store_region,
        variables.store_path_style,
        variables.store_access_key,
        variables.store_secret_key,
        reader_role=variables.store_reader_role,
    )
    if options.reader_role:
        _role_check(variables.warehouse, options)
    return options


def _role_check(warehouse: str, options: StoreOptions) -> None:
    """Raises InvalidValue where no keys of the role can be lent."""
    if kind_of(warehouse) != "s3":
        raise InvalidValue(
            "LAKEUI_STORE_READER_ROLE is set, and the warehouse does not lie at s3://.",
            remedy="Leave it out: other engines read by keys of their own.",
        )
    if not options.reader_role.startswith("arn:"):
        raise InvalidValue(
            "LAKEUI_STORE_READER_ROLE is not the address of a role.",
            remedy="Write it as arn:aws:iam::ACCOUNT:role/NAME.",
        )


def hadoop_options(options: StoreOptions) -> dict[str, str]:
    """How Spark's driver reaches the store, as Spark's settings; docs/howto/cluster.md lists them."""
    said = PLAIN_NUMBERS | {
        "fs.s3a.aws.credentials.provider": CREDENTIALS,
        "fs.s3a.path.style.access": str(bool(options.endpoint) and options.path_style).lower(),
        # Written folders need no object of their own, and so none that is removed when a file comes.
        "fs.s3a.directory.marker.retention": "keep",
        # Jobs write into folders of their attempts: nothing else is there. Drivers before 3.4.1 do not know the option.
        "fs.s3a.performance.flags": "create,mkdir",
        "fs.s3a.attempts.maximum": str(options.attempts),
    }
    if options.endpoint:
        said["fs.s3a.endpoint"] = options.endpoint
        said["fs.s3a.connection.ssl.enabled"] = str(options.endpoint.startswith("https:")).lower()
    if options.region:
        said["fs.s3a.endpoint.region"] = options.region
    return {f"spark.hadoop.{name}": value for name, value in said.items()}


def spark_store(warehouse: str, options: StoreOptions, jars: tuple[str, ...]) -> SparkStore:
    """For the Spark server that lakeui starts. Raises RuntimeProblem where an archive is not there, and where the
    warehouse lies in a store and none is its driver.
    """
    paths = tuple(Path(jar).absolute() for jar in jars)
    for path in paths:
        if not path.is_file():
            raise RuntimeProblem(
                f"LAKEUI_SPARK_JARS names {path}, which is no file.", remedy="Name archives of this machine."
            )
    kind = kind_of(warehouse)
    if not kind:
        return SparkStore(jars=paths)
    if not any(path.name.startswith(DRIVERS[kind]) for path in paths):
        scheme = warehouse.partition("://")[0]
        raise RuntimeProblem(
            f"The warehouse lies at {scheme}://, and Spark has no driver for it.",
            remedy=f"Let LAKEUI_SPARK_JARS name {DRIVERS[kind]} and what it needs,"
            " as docs/howto/move-the-warehouse.md says.",
        )
    if kind == "gs":
        return SparkStore(google_options(options), {}, paths)
    if kind == "abfs":
        key = {AZURE_KEY: options.secret_key} if options.secret_key else {}
        return SparkStore(azure_options(host_of(warehouse), options), key, paths)
    keys = {variable: str(getattr(options, name)) for name, variable in KEYS.items() if getattr(options, name)}
    return SparkStore(hadoop_options(options), {**_without_session(keys), **keys}, paths)


def google_options(options: StoreOptions) -> dict[str, str]:
    """How Spark's driver reaches a bucket of Google, by the credentials that other programs of the machine find."""
    said = {
        "fs.gs.impl": "com.google.cloud.hadoop.fs.gcs.GoogleHadoopFileSystem",
        "fs.AbstractFileSystem.gs.impl": "com.google.cloud.hadoop.fs.gcs.GoogleHadoopFS",
        "fs.gs.auth.type": "APPLICATION_DEFAULT",
    }
    if options.endpoint:
        said["fs.gs.storage.root.url"] = options.endpoint
    return {f"spark.hadoop.{name}": value for name, value in said.items()}


def azure_options(host: str, options: StoreOptions) -> dict[str, str]:
    """How Spark's driver reaches a container of Azure: by the key of the account, else by the role of the machine."""
    said = {f"fs.azure.account.auth.type.{host}": "SharedKey", f"fs.azure.account.key.{host}": f"${{env.{AZURE_KEY}}}"}
    if not options.secret_key:
        said = {
            f"fs.azure.account.auth.type.{host}": "OAuth",
            f"fs.azure.account.oauth.provider.type.{host}": "org.apache.hadoop.fs.azurebfs.oauth2.MsiTokenProvider",
        }
    return {f"spark.hadoop.{name}": value for name, value in said.items()}


def _without_session(keys: Mapping[str, str]) -> dict[str, str]:
    """A session of other keys in the environment would be sent with these."""
    return {"AWS_SESSION_TOKEN": ""} if keys and "AWS_SESSION_TOKEN" in os.environ else {}
