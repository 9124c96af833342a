"""Text in any encoding that people have, and files that are compressed, come out as UTF-8; or the line is named."""

from __future__ import annotations

import bz2
import gzip
from pathlib import Path

import pytest
import zstandard

from catalog_app.importing.encodings import ENCODINGS, as_utf_8
from catalog_app.importing.plain_files import file_looked_into, file_made_plain
from catalog_app.importing.spec import FileFormat
from catalog_app.importing.unpacking import Compression, unpacked
from lakeui.common.errors import InvalidValue

MOST = 1024 * 1024


def looked(folder: Path, content: bytes, declared: str | None = None) -> tuple[str, str | None, bool]:
    """Text, encoding, and whether that is a guess."""
    file = folder / "file"
    file.write_bytes(content)
    with file_looked_into(file, declared=declared, most=MOST) as plain:
        text = plain.path.read_text(encoding="utf-8-sig")
    with file_made_plain(file, plain.reading, most=MOST) as again:
        assert again.read_text(encoding="utf-8-sig") == text
    return text, plain.reading.encoding, plain.is_guessed


@pytest.mark.parametrize(
    ("text", "codec", "encoding", "is_guessed"),
    [
        ("a,b\n1,é\n", "utf-8", "utf-8", False),
        ("a,b\n1,é\n", "utf-8-sig", "utf-8", False),
        ("a,b\n1,é\n", "utf-16", "utf-16le", False),
        ("a,b\n1,é\n", "utf-16-le", "utf-16le", False),
        ("a,b\n1,é\n", "utf-16-be", "utf-16be", False),
        ("name,city\n1,Zürich\n2,Genève\n", "cp1252", "windows-1252", True),
        ("price\n5 €\n“quoted”\n", "cp1252", "windows-1252", True),
        ("Привет,мир\nда,нет\n", "cp1251", "windows-1251", True),
        ("Αθήνα,Ελλάδα\nΘεσσαλονίκη,x\n", "cp1253", "windows-1253", True),
        ("東京,日本\n大阪,京都\n", "cp932", "shift_jis", True),
        ("北京,中国\n上海,广州\n", "gb18030", "gb18030", True),
    ],
)
def test_the_encoding_is_found(tmp_path: Path, text: str, codec: str, encoding: str, is_guessed: bool) -> None:
    assert looked(tmp_path, text.encode(codec)) == (text, encoding, is_guessed)


def test_a_character_deep_inside_shows_the_encoding(tmp_path: Path) -> None:
    text = "a,b\n" + "1,2\n" * 100_000 + "1,señor\n"
    assert looked(tmp_path, text.encode("cp1252")) == (text, "windows-1252", True)


@pytest.mark.parametrize(
    ("declared", "encoding"), [("ISO-8859-1", "iso-8859-1"), ("cp850", "ibm850"), ("ascii", "utf-8")]
)
def test_what_is_declared_holds(tmp_path: Path, declared: str, encoding: str) -> None:
    text = "a\né\n" if declared != "ascii" else "a\n1\n"
    assert looked(tmp_path, text.encode(declared), declared) == (text, encoding, False)


def test_an_encoding_that_is_not_known_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidValue, match="no encoding klingon"):
        looked(tmp_path, b"a\n", "klingon")


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_every_encoding_is_read_across_chunks(tmp_path: Path, encoding: str) -> None:
    file = tmp_path / "file"
    codec = {"utf-16le": "utf-16-le", "utf-16be": "utf-16-be", "macintosh": "mac-roman", "shift_jis": "cp932"}
    text = "x" + "ab\n" * 700_000
    file.write_bytes(text.encode(codec.get(encoding, encoding)))
    with as_utf_8(file, encoding) as plain:
        assert plain.read_text(encoding="utf-8") == text


@pytest.mark.parametrize(
    ("content", "encoding", "line"),
    [
        (b"a\nb\n\xff\n", "utf-8", 3),
        (b"a\n\x81\n", "windows-1252", 2),
        ("a\nb".encode("utf-16-le")[:-1], "utf-16le", 2),
    ],
)
def test_what_is_no_text_is_refused_by_line(tmp_path: Path, content: bytes, encoding: str, line: int) -> None:
    file = tmp_path / "file"
    file.write_bytes(content)
    with pytest.raises(InvalidValue, match=f"Line {line} is not text in {encoding.upper()}"), as_utf_8(file, encoding):
        pass


PACKERS = {Compression.GZIP: gzip.compress, Compression.ZSTD: zstandard.compress, Compression.BZ2: bz2.compress}


@pytest.mark.parametrize("compression", PACKERS)
class TestCompressed:
    def test_it_is_unpacked_in_all_its_parts(self, tmp_path: Path, compression: Compression) -> None:
        file = tmp_path / "file"
        pack = PACKERS[compression]
        file.write_bytes(pack("a\né\n".encode("cp1252")) + pack(b"b\n"))
        with file_looked_into(file, declared=None, most=MOST) as plain:
            assert plain.path.read_text(encoding="utf-8") == "a\né\nb\n"
        assert (plain.format, plain.reading.encoding) == (FileFormat.CSV, "windows-1252")
        assert plain.reading.compression is compression

    def test_a_bomb_is_refused_before_it_is_unpacked(self, tmp_path: Path, compression: Compression) -> None:
        file = tmp_path / "file"
        file.write_bytes(PACKERS[compression](b"0" * (64 * MOST)))
        with pytest.raises(InvalidValue, match="more than 1 MiB"), unpacked(file, compression, most=MOST):
            pass

    def test_one_that_is_cut_off_is_refused(self, tmp_path: Path, compression: Compression) -> None:
        file = tmp_path / "file"
        file.write_bytes(PACKERS[compression](b"a\n" * 1000)[:-5])
        with pytest.raises(InvalidValue, match="cannot be unpacked"), unpacked(file, compression, most=MOST):
            pass

    def test_what_is_packed_twice_is_refused(self, tmp_path: Path, compression: Compression) -> None:
        file = tmp_path / "file"
        file.write_bytes(PACKERS[compression](gzip.compress(b"a\n")))
        with pytest.raises(InvalidValue, match="compressed twice"), file_looked_into(file, declared=None, most=MOST):
            pass
