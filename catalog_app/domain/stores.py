"""How an object store is reached. Who may read it stands in the keys, or in the environment of the process."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from lakeui.common.errors import StoreFailed

_S3 = re.compile(r"^s3[an]?://")
_KINDS = {"s3": "s3", "s3a": "s3", "s3n": "s3", "gs": "gs", "abfs": "abfs", "abfss": "abfs"}
_FAILED = (
    (re.compile(r"AWS Error (?P<code>\w+) during (?P<what>\w+) operation"), ""),
    (re.compile(r"google::cloud::Status\((?P<code>\w+):.*?retry\.function=(?P<what>\w+)", re.DOTALL), ""),
    (re.compile(r"Azure Error: \[(?P<code>\w*)\]"), "request"),
)
"""What PyArrow says of each request that failed; what else is called where it does not name the operation."""
SCHEME = re.compile(r"^[a-z][a-z0-9+.-]*://")


@dataclass(frozen=True, slots=True)
class StoreOptions:
    """Without an ``endpoint`` it is that of Amazon, of Google or of Azure. Without keys the process finds some as its
    environment, its files or its machine say. A store of Azure has a secret key alone: the address names the account.
    ``path_style``: the bucket stands in the path of a request, not in
    the name of the host. That counts where there is an endpoint. A request that the store refuses for a while, or that
    is lost, is sent in ``attempts``, with longer pauses each time. Readers get keys of the ``reader_role``, where it
    is named.
    """

    endpoint: str = ""
    region: str = ""
    path_style: bool = True
    access_key: str = field(default="", repr=False)
    secret_key: str = field(default="", repr=False)
    attempts: int = 8
    reader_role: str = ""


def is_in_store(place: str) -> bool:
    """Whether a place is an address, and no folder of this machine."""
    return SCHEME.match(place) is not None


def speaks_s3(place: str) -> bool:
    return _S3.match(place) is not None


def kind_of(place: str) -> str:
    """``s3``, ``gs`` or ``abfs``; empty for a folder and for an address of another store."""
    return _KINDS.get(place.partition("://")[0], "") if is_in_store(place) else ""


def path_in_store(place: str) -> str:
    """An address as PyArrow takes it: the bucket or the container, and what lies below."""
    path = place.partition("://")[2]
    if kind_of(place) != "abfs":
        return path
    first, slash, rest = path.partition("/")
    return first.partition("@")[0] + slash + rest


def host_of(place: str) -> str:
    """Of an address of Azure, the host behind the container; its first part is the account."""
    return place.partition("://")[2].partition("/")[0].partition("@")[2]


def s3_plain(place: str) -> str:
    """An address as all but Hadoop write it."""
    return _S3.sub("s3://", place)


def s3_of_hadoop(place: str) -> str:
    """An address as Spark takes it: Hadoop calls its driver s3a."""
    return _S3.sub("s3a://", place)


def reader_options(root: str, options: StoreOptions) -> dict[str, str]:
    """Where other engines find the store, in the words of Iceberg. Keys for it are not among them."""
    if kind_of(root) == "abfs":
        return {"adls.account-name": host_of(root).partition(".")[0]}
    if kind_of(root) == "gs":
        return {"gcs.service.host": options.endpoint} if options.endpoint else {}
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
    for pattern, otherwise in _FAILED if isinstance(error, OSError) else ():
        if found := pattern.search(str(error)):
            said = found.groupdict()
            return StoreFailed(said.get("what", otherwise), said["code"] or "NETWORK_CONNECTION")
    return None
