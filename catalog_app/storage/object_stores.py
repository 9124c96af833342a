"""The file systems of object stores, one for each process: what one of them started does not outlive a fork."""

from __future__ import annotations

import os
from functools import lru_cache

import pyarrow.fs as pafs

from catalog_app.domain.stores import StoreOptions
from lakeui.common.errors import InvalidValue

CONNECT_SECONDS = 10


def s3_filesystem(options: StoreOptions) -> pafs.FileSystem:
    """Raises InvalidValue where this machine's PyArrow has no S3."""
    return _opened(options, os.getpid())


@lru_cache(maxsize=4)
def _opened(options: StoreOptions, process: int) -> pafs.FileSystem:
    try:
        from pyarrow.fs import AwsStandardS3RetryStrategy, S3FileSystem
    except ImportError:
        raise InvalidValue(
            "The warehouse lies at s3://, and PyArrow was built without S3.",
            remedy="Install the PyArrow that requirements.txt names, or set LAKEUI_WAREHOUSE to a folder.",
        ) from None
    scheme, _, host = options.endpoint.rstrip("/").partition("://")
    return S3FileSystem(
        access_key=options.access_key or None,
        secret_key=options.secret_key or None,
        region=options.region or None,
        scheme=scheme or "https",
        endpoint_override=host or None,
        force_virtual_addressing=not options.path_style,
        # A small file is then one request, and not three.
        allow_delayed_open=True,
        connect_timeout=CONNECT_SECONDS,
        retry_strategy=AwsStandardS3RetryStrategy(max_attempts=options.attempts),
    )
