"""The file systems of object stores, one for each process: what one of them started does not outlive a fork."""

from __future__ import annotations

import os
from dataclasses import replace
from datetime import timedelta
from functools import lru_cache

import pyarrow.fs as pafs

from catalog_app.domain.stores import StoreOptions, host_of, kind_of
from catalog_app.domain.vended_keys import VendedKeys
from lakeui.common.errors import InvalidValue

CONNECT_SECONDS = 10
RETRY_SECONDS = 15
"""For each attempt of the options, so long a request to a store of Google is repeated."""
CREDENTIALS_FILE = "GOOGLE_APPLICATION_CREDENTIALS"


def store_filesystem(root: str, options: StoreOptions) -> pafs.FileSystem:
    """Raises InvalidValue where this machine's PyArrow has none for the store."""
    return _opened(kind_of(root), host_of(root), options, os.getpid())


@lru_cache(maxsize=4)
def _opened(kind: str, host: str, options: StoreOptions, process: int) -> pafs.FileSystem:
    try:
        if kind == "s3":
            return _s3(options)
        return _azure(host.partition(".")[0], options) if kind == "abfs" else _google(options)
    except ImportError:
        raise InvalidValue(
            f"The warehouse lies at {kind}://, and PyArrow was built without that.",
            remedy="Install the PyArrow that requirements.txt names, or set LAKEUI_WAREHOUSE to a folder.",
        ) from None


def filesystem_by_keys(options: StoreOptions, keys: VendedKeys) -> pafs.FileSystem:
    """A store of S3 as readers have it by their keys."""
    return _s3(replace(options, access_key=keys.access_key, secret_key=keys.secret_key), keys.session_token)


def _s3(options: StoreOptions, session_token: str = "") -> pafs.FileSystem:
    from pyarrow.fs import AwsStandardS3RetryStrategy, S3FileSystem

    scheme, _, host = options.endpoint.rstrip("/").partition("://")
    return S3FileSystem(
        access_key=options.access_key or None,
        secret_key=options.secret_key or None,
        session_token=session_token or None,
        region=options.region or None,
        scheme=scheme or "https",
        endpoint_override=host or None,
        force_virtual_addressing=not options.path_style,
        # A small file is then one request, and not three.
        allow_delayed_open=True,
        connect_timeout=CONNECT_SECONDS,
        retry_strategy=AwsStandardS3RetryStrategy(max_attempts=options.attempts),
    )


def _google(options: StoreOptions) -> pafs.FileSystem:
    """Whoever names a server of their own, and no file with credentials, asks it without any."""
    from pyarrow.fs import GcsFileSystem

    scheme, _, host = options.endpoint.rstrip("/").partition("://")
    return GcsFileSystem(
        anonymous=bool(host) and CREDENTIALS_FILE not in os.environ,
        scheme=scheme or "https",
        endpoint_override=host or None,
        retry_time_limit=timedelta(seconds=RETRY_SECONDS * options.attempts),
    )


def _azure(account: str, options: StoreOptions) -> pafs.FileSystem:
    from pyarrow.fs import AzureFileSystem

    scheme, _, host = options.endpoint.rstrip("/").partition("://")
    served = (
        {
            "blob_storage_authority": host,
            "blob_storage_scheme": scheme,
            "dfs_storage_authority": host,
            "dfs_storage_scheme": scheme,
        }
        if host
        else {}
    )
    return AzureFileSystem(account, account_key=options.secret_key or None, **served)
