"""How objects of S3 are removed: up to 1,000 names by one request.

PyArrow takes three requests for a file and five for a folder. It asks whether they are there, and puts an empty object
where the folder above was. So these go by the client of botocore, which is loaded when the first object goes.
"""

from __future__ import annotations

import base64
import hashlib
import os
from collections.abc import Callable, Collection, Sequence
from functools import lru_cache, partial
from typing import Any

from catalog_app.domain.stores import StoreOptions
from catalog_app.storage.aws_clients import client_open, failure_code

OPERATION = "DeleteObjects"
ANSWER_SECONDS = 60
CONNECT_SECONDS = 10
MOST_NAMES = 1000
"""A store takes so many names at once."""
ONE_BY_ONE = frozenset({"NotImplemented", "MethodNotAllowed"})
"""What stores answer that take one name at a time, as some that are not Amazon's do."""
NOT_THERE = frozenset({"NoSuchKey"})
"""What some of them answer where an object is gone already. Amazon says then that it went."""


def objects_remove(paths: Sequence[str], options: StoreOptions) -> None:
    """Remove the objects of these paths, each a bucket and a name in it; nothing happens where one is not there. Raises
    OSError as PyArrow says it.
    """
    for bucket, names in _by_bucket(paths).items():
        for first in range(0, len(names), MOST_NAMES):
            _remove(bucket, names[first : first + MOST_NAMES], options)


def folder_remove(path: str, options: StoreOptions) -> None:
    """Remove all objects below a folder, and the empty ones that stand for it. Raises OSError as PyArrow says it."""
    bucket, _, name = path.partition("/")
    pages = _asked(lambda: _client(options, os.getpid()).get_paginator("list_objects_v2"))
    for page in _asked(lambda: list(pages.paginate(Bucket=bucket, Prefix=f"{name}/"))):
        if found := [item["Key"] for item in page.get("Contents", ())]:
            _remove(bucket, found, options)


def _by_bucket(paths: Sequence[str]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for path in paths:
        bucket, _, name = path.partition("/")
        found.setdefault(bucket, []).append(name)
    return found


def _remove(bucket: str, names: Sequence[str], options: StoreOptions) -> None:
    """One name goes by a request that all stores know, and so do those that are left of many: an answer may say that
    the store was too busy for some. Such a request is sent again.
    """
    client = _asked(lambda: _client(options, os.getpid()))
    wanted = {"Objects": [{"Key": name} for name in names], "Quiet": True}
    together = len(names) > 1
    answer = _asked(lambda: client.delete_objects(Bucket=bucket, Delete=wanted), but=ONE_BY_ONE) if together else None
    left = names if answer is None else [refused["Key"] for refused in answer.get("Errors", ())]
    for name in left:
        _asked(partial(client.delete_object, Bucket=bucket, Key=name), but=NOT_THERE)


def _asked(request: Callable[[], Any], *, but: Collection[str] = ()) -> Any:
    """What the store answers; None where it refuses with a code of ``but``."""
    from botocore.exceptions import BotoCoreError, ClientError

    try:
        return request()
    except (BotoCoreError, ClientError) as error:
        code = failure_code(error)
        if code in but:
            return None
        raise _failed(code, str(error)) from None


def _failed(code: str, text: str) -> OSError:
    word = "".join(letter if letter.isalnum() else "_" for letter in code)
    return OSError(f"AWS Error {word} during {OPERATION} operation: {text}")


@lru_cache(maxsize=4)
def _client(options: StoreOptions, process: int) -> Any:
    """One for each process: what a client started does not outlive a fork."""
    from botocore.config import Config

    style = ("path" if options.path_style else "virtual") if options.endpoint else "auto"
    config = Config(
        connect_timeout=CONNECT_SECONDS,
        read_timeout=ANSWER_SECONDS,
        retries={"total_max_attempts": options.attempts, "mode": "standard"},
        s3={"addressing_style": style},
    )
    client = client_open("s3", options, config)
    client.meta.events.register("before-sign.s3.DeleteObjects", _with_md5)
    return client


def _with_md5(request: Any, **_: Any) -> None:
    """Stores other than Amazon's ask for the digest that botocore sent up to version 1.35; all of them take it."""
    for name in [name for name in request.headers if name.lower().startswith(("x-amz-checksum", "x-amz-sdk-checksum"))]:
        del request.headers[name]
    digest = hashlib.md5(request.body, usedforsecurity=False).digest()
    request.headers["Content-MD5"] = base64.b64encode(digest).decode()
