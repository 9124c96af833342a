"""Encodings of text files: which one a file has, and its text as UTF-8."""

from __future__ import annotations

import codecs
import contextlib
import re
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

from charset_normalizer import from_bytes

from lakeui.common.errors import InvalidValue

CHUNK_BYTES = 1024 * 1024
UTF_8 = "utf-8"
_LIKELIEST = "windows-1252"
_CODECS = {
    UTF_8: "utf-8",
    "utf-16le": "utf-16-le",
    "utf-16be": "utf-16-be",
    "windows-1252": "cp1252",
    "iso-8859-1": "latin-1",
    "iso-8859-2": "iso8859-2",
    "iso-8859-15": "iso8859-15",
    "windows-1250": "cp1250",
    "windows-1251": "cp1251",
    "windows-1253": "cp1253",
    "windows-1254": "cp1254",
    "windows-1255": "cp1255",
    "windows-1256": "cp1256",
    "windows-1257": "cp1257",
    "koi8-r": "koi8-r",
    "macintosh": "mac-roman",
    "ibm437": "cp437",
    "ibm850": "cp850",
    "shift_jis": "cp932",
    "euc-jp": "euc-jp",
    "gb18030": "gb18030",
    "big5": "big5",
    "euc-kr": "cp949",
}
"""Python's codec by the name under which people choose it."""
ENCODINGS = tuple(_CODECS)
_GUESSED = tuple(
    name
    for name in ENCODINGS
    # UTF is recognised for certain. The others take any bytes whatever, or are a subset of one that is tried.
    if name not in (UTF_8, "utf-16le", "utf-16be", "macintosh", "ibm437", "ibm850") and not name.startswith("iso-8859")
)
_MEANT = {"us-ascii": UTF_8, "ascii": UTF_8, "utf-16": "utf-16-le", "shift_jis": "cp932", "gbk": "gb18030"}
"""What is read in place of an encoding that is named: one that has the same texts and more."""
_MARKS = {codecs.BOM_UTF8: UTF_8, codecs.BOM_UTF16_LE: "utf-16le", codecs.BOM_UTF16_BE: "utf-16be"}
_LETTERS_OR_PAIRS = re.compile(rb"[\xc0-\xff]|[\x80-\xff]{2}")
"""Without these a text has quotes, dashes and signs of currencies alone, which say nothing of a language."""
_LOOKED_AT = 64 * 1024


def encoding_of(path: Path, declared: str | None = None) -> str:
    """The encoding of a text file: by its mark, as it was ``declared``, UTF-8 where it is that, else the likeliest.

    Raises InvalidValue with the line where the file is no text.
    """
    with path.open("rb") as file:
        start = file.read(_LOOKED_AT)
    marked = next((name for mark, name in _MARKS.items() if start.startswith(mark)), None) or _unmarked_utf_16(start)
    if marked is not None:
        return marked
    if declared is not None:
        return _known(declared)
    fault = _first_fault(path, UTF_8)
    if fault is None:
        return UTF_8
    return (None if fault.is_nul else _guess(_telling_lines(path))) or _refuse(fault, UTF_8)


def _known(declared: str) -> str:
    """The name under which people choose it, of an encoding that a client names. Raises InvalidValue."""
    with contextlib.suppress(LookupError):
        wanted = codecs.lookup(_MEANT.get(declared.strip().lower(), declared.strip())).name
        for name, codec in _CODECS.items():
            if codecs.lookup(codec).name == wanted:
                return name
    raise InvalidValue(f"There is no encoding {declared}.", remedy=f"Name none, or one of {', '.join(ENCODINGS)}.")


def _unmarked_utf_16(start: bytes) -> str | None:
    """UTF-16 without a mark, where nearly every second byte is NUL, as in any text with Latin letters or digits."""
    pairs = len(start) // 2
    if pairs < 2:
        return None
    high, low = start[0 : pairs * 2 : 2].count(0), start[1 : pairs * 2 : 2].count(0)
    if low > pairs * 0.7 and not high:
        return "utf-16le"
    return "utf-16be" if high > pairs * 0.7 and not low else None


def _telling_lines(path: Path) -> bytes:
    """Lines with bytes beyond ASCII, wherever in the file they are: only these say something of the encoding."""
    found: list[bytes] = []
    size = 0
    with path.open("rb") as file:
        while size < _LOOKED_AT and (line := file.readline(_LOOKED_AT)):
            if not line.isascii():
                found.append(line)
                size += len(line)
    return b"".join(found)


def _guess(lines: bytes) -> str | None:
    """The likeliest encoding of the lines; of several that are as likely Windows-1252, which most such files have.
    None where there is a NUL, which no text has.
    """
    if b"\x00" in lines:
        return None
    if not _LETTERS_OR_PAIRS.search(lines):
        return _LIKELIEST
    names = {codecs.lookup(_CODECS[name]).name.replace("-", "_"): name for name in _GUESSED}
    matches = list(from_bytes(lines, cp_isolation=list(names)))
    if not matches:
        return None
    best = matches[0]
    as_likely = [item for item in matches if (item.chaos, item.coherence) == (best.chaos, best.coherence)]
    possible = {name for item in as_likely for name in (item.encoding, *item.could_be_from_charset)}
    return _LIKELIEST if "cp1252" in possible else names.get(best.encoding)


@contextmanager
def as_utf_8(path: Path, encoding: str) -> Iterator[Path]:
    """The text as UTF-8, for as long as it is needed. Raises InvalidValue with the line where it is none."""
    fault = _first_fault(path, encoding)
    if fault is not None:
        _refuse(fault, encoding)
    if encoding == UTF_8:
        yield path
        return
    with tempfile.NamedTemporaryFile("w", suffix=".txt", encoding="utf-8", newline="") as plain:
        decoder = codecs.getincrementaldecoder(_CODECS[encoding])()
        with path.open("rb") as file:
            while chunk := file.read(CHUNK_BYTES):
                plain.write(decoder.decode(chunk))
            plain.write(decoder.decode(b"", final=True))
        plain.flush()
        yield Path(plain.name)


@dataclass(frozen=True, slots=True)
class _Fault:
    """What is no text: bytes on this line that the encoding does not have, or the character NUL."""

    line: int
    is_nul: bool = False


def _first_fault(path: Path, encoding: str) -> _Fault | None:
    """The first byte that is no text of the encoding, or the first NUL; None where all of it is text."""
    decoder = codecs.getincrementaldecoder(_CODECS[encoding])()
    lines = 1
    with path.open("rb") as file:
        while True:
            chunk = file.read(CHUNK_BYTES)
            try:
                text = decoder.decode(chunk, final=not chunk)
            except UnicodeDecodeError as error:
                readable = error.object[: error.start].decode(_CODECS[encoding], errors="ignore")
                nul = readable.find("\x00")
                return _Fault(lines + readable.count("\n", 0, None if nul < 0 else nul), is_nul=nul >= 0)
            if "\x00" in text:
                return _Fault(lines + text.count("\n", 0, text.index("\x00")), is_nul=True)
            if not chunk:
                return None
            lines += text.count("\n")


def _refuse(fault: _Fault, encoding: str) -> NoReturn:
    if fault.is_nul:
        raise InvalidValue(
            f"Line {fault.line:,} holds the character NUL (the byte 0), which no text has.",
            remedy="Take it out of the file, or save UTF-16 and UTF-32 as UTF-8. Bytes go into Parquet or Arrow.",
            line=fault.line,
        )
    raise InvalidValue(
        f"Line {fault.line:,} is not text in {encoding.upper()}.",
        remedy="Choose the encoding of the file, or save it as UTF-8; CSV, JSON, Parquet and Arrow are taken.",
        line=fault.line,
    )
