"""How an object store is reached. Who may read it stands in the keys, or in the environment of the process."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from lakeui.common.errors import StoreFailed

_S3 = re.compile(r"^s3[an]?://")
_FAILED = re.compile(r"AWS Error (\w+) during (\w+) operation")
"""What PyArrow says of each request that failed."""
SCHEME = re.compile(r"^[a-z][a-z0-9+.-]*://")


@dataclass(frozen=True, slots=True)
class StoreOptions:
    """Of a store that speaks S3. Without an ``endpoint`` it is that of Amazon. Without keys the process finds some as
    its environment, its files or its machine say. ``path_style``: the bucket stands in the path of a request, not in
    the name of the host; that counts where there is an endpoint. A request that the store refuses for a while, or that
    is lost, is sent in ``attempts``, with longer pauses each time.
    """

    endpoint: str = ""
    region: str = ""
    path_style: bool = True
    access_key: str = field(default="", repr=False)
    secret_key: str = field(default="", repr=False)
    attempts: int = 8


def is_in_store(place: str) -> bool:
    """Whether a place is an address, and no folder of this machine."""
    return SCHEME.match(place) is not None


def speaks_s3(place: str) -> bool:
    return _S3.match(place) is not None


def s3_plain(place: str) -> str:
    """An address as all but Hadoop write it."""
    return _S3.sub("s3://", place)


def s3_of_hadoop(place: str) -> str:
    """An address as Spark takes it: Hadoop calls its driver s3a."""
    return _S3.sub("s3a://", place)


def reader_options(options: StoreOptions) -> dict[str, str]:
    """Where other engines find the store, in the words of Iceberg. They have keys of their own."""
    said = {"s3.endpoint": options.endpoint, "s3.region": options.region, "client.region": options.region}
    if options.endpoint:
        said["s3.path-style-access"] = str(options.path_style).lower()
    return {name: value for name, value in said.items() if value}


def delta_options(options: StoreOptions) -> dict[str, str]:
    """How the package deltalake reaches the store, in its words. Without keys it finds some as other programs do."""
    said = {
        "AWS_ENDPOINT_URL": options.endpoint,
        "AWS_REGION": options.region,
        "AWS_ACCESS_KEY_ID": options.access_key,
        "AWS_SECRET_ACCESS_KEY": options.secret_key,
    }
    if options.endpoint:
        said["AWS_ALLOW_HTTP"] = str(options.endpoint.startswith("http:")).lower()
        said["AWS_VIRTUAL_HOSTED_STYLE_REQUEST"] = str(not options.path_style).lower()
    return {name: value for name, value in said.items() if value}


def store_failure(error: BaseException) -> StoreFailed | None:
    """What a person reads where the store failed; None for another error. What else the text says is for the log."""
    found = _FAILED.search(str(error)) if isinstance(error, OSError) else None
    return StoreFailed(found[2], found[1]) if found else None
