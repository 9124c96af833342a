"""What ``doctor`` tries of an object store: a file is written, listed, read by Spark and removed again."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from dataclasses import replace
from typing import TypeVar

from catalog_app.domain.stores import StoreOptions
from catalog_app.domain.vended_keys import READ_FOLDERS, reading_policy
from catalog_app.engine.session import SparkSessions
from catalog_app.engine.task_files import Places
from catalog_app.engine.write_jobs import rows_written
from catalog_app.storage.key_lending import keys_lend
from catalog_app.storage.object_stores import filesystem_by_keys
from catalog_app.storage.warehouse import Warehouse
from lakeui.common.errors import LakeError, StoreFailed
from lakeui.runtime.problems import RuntimeProblem

Result = TypeVar("Result")
TRIED = "doctor"
"""The folder of the warehouse that the file lies in meanwhile."""
ATTEMPTS = 2
CONTENT = b"lakeui doctor\n"
REACH = (
    "Look whether LAKEUI_WAREHOUSE, LAKEUI_STORE_ENDPOINT and LAKEUI_STORE_REGION name the bucket, and whether the"
    " account may write, read, list and remove files there."
)
DRIVER = (
    "Let LAKEUI_SPARK_JARS name the driver and what it needs, or give them to a Spark of your own, as"
    " docs/howto/move-the-warehouse.md says."
)
PYTHON = (
    "Give executors the Python of lakeui's version with pyarrow and pyspark, and keys of the store, as"
    " docs/howto/cluster.md says."
)
ROLE = (
    "Look whether LAKEUI_STORE_READER_ROLE names the role, whether the account of lakeui may assume it, and whether it"
    " may read there, as docs/howto/other-engines.md says."
)
NO_DRIVER = ("S3AFileSystem", "GoogleHadoopFileSystem", "AzureBlobFileSystem", "No FileSystem for scheme")
"""What Spark says of a store whose driver it does not find."""


def store_check(root: str, options: StoreOptions) -> str:
    """Raises RuntimeProblem with the first step that the store refuses."""
    warehouse, path = Warehouse(root, replace(options, attempts=ATTEMPTS)), f"{TRIED}/{uuid.uuid4().hex}"
    _tried("written", root, lambda: warehouse.write(path, CONTENT))
    try:
        found = _tried("listed", root, lambda: [file.path for file in warehouse.all_under(TRIED)])
        if path not in found:
            raise RuntimeProblem(f"{root} does not list a file that was written there.", remedy=REACH)
        _tried("read", root, lambda: _read(warehouse, path))
    finally:
        _tried("removed", root, lambda: warehouse.remove(path))
    return f"{root} can be written, listed and read, and files there can be removed."


def spark_store_check(root: str, options: StoreOptions, remote: str) -> str:
    """Whether the Spark server reads what this process writes. Raises RuntimeProblem."""
    warehouse, path = Warehouse(root, replace(options, attempts=ATTEMPTS)), f"{TRIED}/{uuid.uuid4().hex}"
    _tried("written", root, lambda: warehouse.write(path, CONTENT))
    place = warehouse.spark_path(path)
    try:
        lines = SparkSessions(remote).run(lambda spark: [row[0] for row in spark.read.text(place).collect()])
    except LakeError as error:
        has_driver = not any(missing in error.message for missing in NO_DRIVER)
        scheme = root.partition("://")[0]
        what = f"does not read {root}: {error.message}" if has_driver else f"has no driver for {scheme}://."
        raise RuntimeProblem(f"Spark {what}", remedy=REACH if has_driver else DRIVER) from None
    finally:
        _tried("removed", root, lambda: warehouse.remove(path))
    _written_by_tasks(warehouse, remote)
    if lines != CONTENT.decode().splitlines():
        raise RuntimeProblem(f"Spark reads other text at {root} than was written.", remedy=REACH)
    return f"It reads {root}."


def _written_by_tasks(warehouse: Warehouse, remote: str) -> None:
    """Raises RuntimeProblem where a task of the Spark server does not write there by PyArrow."""
    filesystem, folder = warehouse.task_filesystem, f"{TRIED}/{uuid.uuid4().hex}"
    if filesystem is None:
        return
    names, places = ["id"], Places(filesystem, warehouse.absolute(folder))
    try:
        files = SparkSessions(remote).run(
            lambda spark: rows_written(spark.range(1), names, [], lambda read: read, places, answers=False)
        )
    except LakeError as error:
        raise RuntimeProblem(f"{warehouse.root}: {error.message}", remedy=PYTHON) from None
    finally:
        _tried("removed", warehouse.root, lambda: warehouse.discard(folder))
    assert len(files) == 1


def reader_check(root: str, options: StoreOptions) -> str:
    """Whether keys of the role for readers are lent, and read a file. Raises RuntimeProblem."""
    tried = replace(options, attempts=ATTEMPTS)
    warehouse, path = Warehouse(root, tried), f"{TRIED}/{READ_FOLDERS[0]}/{uuid.uuid4().hex}"
    policy = reading_policy(warehouse.root, (TRIED,), options.reader_role)
    assert policy is not None
    _tried("written", root, lambda: warehouse.write(path, CONTENT))
    try:
        by_keys = filesystem_by_keys(tried, keys_lend(tried, policy, "lakeui-doctor"))
        with by_keys.open_input_file(warehouse.absolute(path)) as stream:
            stream.read()
    except StoreFailed as error:
        what = f"is not lent to lakeui: {error.details['store_code']}"
        raise RuntimeProblem(f"The role {options.reader_role} {what}.", remedy=ROLE) from None
    except OSError as error:
        what = f"does not read a file at {root}: {str(error).splitlines()[0]}"
        raise RuntimeProblem(f"The role {options.reader_role} {what}", remedy=ROLE) from None
    finally:
        _tried("removed", root, lambda: warehouse.remove(path))
    return "Other engines get keys that read it."


def _read(warehouse: Warehouse, path: str) -> None:
    with warehouse.filesystem.open_input_stream(warehouse.absolute(path)) as stream:
        stream.read()


def _tried(what: str, root: str, step: Callable[[], Result]) -> Result:
    try:
        return step()
    except OSError as error:
        raise RuntimeProblem(f"A file at {root} cannot be {what}: {str(error).splitlines()[0]}", remedy=REACH) from None
