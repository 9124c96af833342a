"""A file as it was sent, made one that can be read: unpacked, and text as UTF-8."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path

from catalog_app.importing.encodings import UTF_8, as_utf_8, encoding_of
from catalog_app.importing.formats import binary_format_of, text_format_of
from catalog_app.importing.spec import FileFormat, Reading
from catalog_app.importing.unpacking import compression_of, unpacked


@dataclass(frozen=True, slots=True)
class PlainFile:
    """A file that can be read for now, what it holds, and how it was made so (``encoding``, ``compression``)."""

    path: Path
    format: FileFormat
    reading: Reading
    is_guessed: bool = False
    """The encoding is but the likeliest one."""


@contextmanager
def file_looked_into(path: Path, *, declared: str | None, most: int) -> Iterator[PlainFile]:
    """The file with its format, encoding and compression. ``declared`` is the encoding that whoever sent it named.

    Raises InvalidValue for what cannot be read, and for a file that has more than ``most`` bytes unpacked.
    """
    compression = compression_of(path)
    with unpacked(path, compression, most=most) as bare:
        found = binary_format_of(bare)
        if found is not None:
            yield PlainFile(bare, found, Reading(compression=compression))
            return
        encoding = encoding_of(bare, declared)
        with as_utf_8(bare, encoding) as text:
            is_guessed = not (encoding.startswith("utf") or declared is not None)
            yield PlainFile(text, text_format_of(text), Reading(encoding=encoding, compression=compression), is_guessed)


@contextmanager
def file_made_plain(path: Path, reading: Reading, *, most: int) -> Iterator[Path]:
    """The file unpacked and in UTF-8, as the reading says. Raises InvalidValue as ``file_looked_into`` does."""
    with unpacked(path, reading.compression, most=most) as bare:
        is_text = reading.encoding is not None
        with as_utf_8(bare, reading.encoding or UTF_8) if is_text else nullcontext(bare) as plain:
            yield plain
