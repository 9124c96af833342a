"""The object store of the warehouse, as the settings name it, and the Spark that reads and writes it.

Keys never stand in a file or on a command line of Spark: they are in the environment of its process.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from catalog_app.domain.stores import StoreOptions, speaks_s3
from lakeui.common.errors import InvalidValue
from lakeui.runtime.problems import RuntimeProblem
from lakeui.runtime.variables import Variables

DRIVER = "hadoop-aws"
"""How the archive of Spark's driver for s3:// begins."""
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
    """Raises InvalidValue where one of the two keys is set without the other."""
    if bool(variables.store_access_key) != bool(variables.store_secret_key):
        missing = "LAKEUI_STORE_SECRET_KEY" if variables.store_access_key else "LAKEUI_STORE_ACCESS_KEY"
        raise InvalidValue(f"One key of the store is set, and {missing} is not.", remedy="Set both, or none.")
    return StoreOptions(
        variables.store_endpoint,
        variables.store_region,
        variables.store_path_style,
        variables.store_access_key,
        variables.store_secret_key,
    )


def hadoop_options(options: StoreOptions) -> dict[str, str]:
    """How Spark's driver reaches the store, as Spark's settings; docs/howto/cluster.md lists them."""
    said = PLAIN_NUMBERS | {
        "fs.s3a.aws.credentials.provider": CREDENTIALS,
        "fs.s3a.path.style.access": str(bool(options.endpoint) and options.path_style).lower(),
        # Written folders need no object of their own, and so none that is removed when a file comes.
        "fs.s3a.directory.marker.retention": "keep",
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
    warehouse lies at s3:// and none is its driver.
    """
    paths = tuple(Path(jar).absolute() for jar in jars)
    for path in paths:
        if not path.is_file():
            raise RuntimeProblem(
                f"LAKEUI_SPARK_JARS names {path}, which is no file.", remedy="Name archives of this machine."
            )
    if not speaks_s3(warehouse):
        return SparkStore(jars=paths)
    if not any(path.name.startswith(DRIVER) for path in paths):
        raise RuntimeProblem(
            "The warehouse lies at s3://, and Spark has no driver for it.",
            remedy=f"Let LAKEUI_SPARK_JARS name {DRIVER} and its AWS SDK, as docs/howto/move-the-warehouse.md says.",
        )
    keys = {variable: str(getattr(options, name)) for name, variable in KEYS.items() if getattr(options, name)}
    return SparkStore(hadoop_options(options), {**_without_session(keys), **keys}, paths)


def _without_session(keys: Mapping[str, str]) -> dict[str, str]:
    """A session of other keys in the environment would be sent with these."""
    return {"AWS_SESSION_TOKEN": ""} if keys and "AWS_SESSION_TOKEN" in os.environ else {}
