"""Compressed files: recognised by their first bytes, and unpacked no longer than a file may be."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import IO

import pyarrow as pa

from lakeui.common.errors import InvalidValue

CHUNK_BYTES = 1024 * 1024
MEGABYTE = 1024 * 1024


class Compression(StrEnum):
    """How a file is compressed, in the names that Arrow has for it."""

    GZIP = "gzip"
    ZSTD = "zstd"
    BZ2 = "bz2"


_MAGIC = {
    b"\x1f\x8b": Compression.GZIP,
    b"\x28\xb5\x2f\xfd": Compression.ZSTD,
    b"BZh": Compression.BZ2,
}


def compression_of(path: Path) -> Compression | None:
    """How the file is compressed; None for one that is not."""
    with path.open("rb") as file:
        start = file.read(max(map(len, _MAGIC)))
    return next((found for magic, found in _MAGIC.items() if start.startswith(magic)), None)


@contextmanager
def unpacked(path: Path, compression: Compression | None, *, most: int) -> Iterator[Path]:
    """The file without its compression, for as long as it is needed.

    Raises InvalidValue for a file that has more than ``most`` bytes unpacked, or that is cut off. It stops at that
    many bytes, whatever the file says of itself.
    """
    if compression is None:
        yield path
        return
    with tempfile.NamedTemporaryFile(suffix=".unpacked") as plain:
        _unpack(path, compression, plain, most)
        plain.flush()
        yield Path(plain.name)


def _unpack(path: Path, compression: Compression, plain: IO[bytes], most: int) -> None:
    written = 0
    try:
        with pa.OSFile(str(path)) as packed, pa.CompressedInputStream(packed, compression.value) as stream:
            while chunk := stream.read(CHUNK_BYTES):
                written += len(chunk)
                if written > most:
                    raise InvalidValue(
                        f"The file has more than {most // MEGABYTE} MiB when it is unpacked.",
                        remedy="Split it into smaller files.",
                    )
                plain.write(chunk)
    except OSError as error:
        raise InvalidValue(
            f"The file is compressed by {compression} and cannot be unpacked: {error}.", remedy="Upload it again."
        ) from None
