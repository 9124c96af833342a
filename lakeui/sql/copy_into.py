"""Reader of COPY INTO."""

from __future__ import annotations

from lakeui.common.errors import InvalidValue, NotSupported
from lakeui.sql import statements as s
from lakeui.sql.common import read_properties
from lakeui.sql.cursor import Cursor
from lakeui.sql.names import read_present_table

FORMS = ("PARQUET", "CSV", "JSON")
CSV_OPTIONS = ("header", "delimiter", "sep", "nullvalue", "encoding")
_BOOLEANS = {"true": True, "false": False}


def copy_into(cursor: Cursor) -> s.CopyInto:
    """``t FROM 'uri' FILEFORMAT = form [FILES = (..) | PATTERN = '..'] [FORMAT_OPTIONS (..)] [COPY_OPTIONS (..)]``."""
    table = read_present_table(cursor)
    cursor.expect("FROM")
    if cursor.sees("("):
        raise NotSupported(
            "COPY INTO takes a place, no query.",
            remedy="Load the files into a table, and INSERT INTO .. SELECT from it.",
        )
    uri = cursor.string("the place of the files in quotes")
    cursor.expect("FILEFORMAT")
    cursor.expect("=")
    form = cursor.accept_phrase(*FORMS)
    if form is None:
        cursor.fail("Expected PARQUET, CSV or JSON")
    files: tuple[str, ...] = ()
    pattern = None
    options: s.Properties = ()
    force = False
    while not cursor.at_end:
        if cursor.accept("FILES"):
            files = _files(cursor)
        elif cursor.accept("PATTERN"):
            cursor.expect("=")
            pattern = cursor.string("a pattern in quotes")
        elif cursor.accept("FORMAT_OPTIONS"):
            options = _options(cursor, form)
        elif cursor.accept("COPY_OPTIONS"):
            force = _force(cursor)
        else:
            cursor.fail("Expected FILES, PATTERN, FORMAT_OPTIONS or COPY_OPTIONS")
    if files and pattern is not None:
        raise InvalidValue("FILES and PATTERN stand together.", remedy="Say one of the two.")
    return s.CopyInto(table, uri, form, files, pattern, options, force)


def _files(cursor: Cursor) -> tuple[str, ...]:
    cursor.expect("=")
    cursor.expect("(")
    found = [cursor.string("a file's name in quotes")]
    while cursor.accept(","):
        found.append(cursor.string("a file's name in quotes"))
    cursor.expect(")")
    return tuple(dict.fromkeys(found))


def _options(cursor: Cursor, form: str) -> s.Properties:
    found = tuple((key.casefold(), value) for key, value in read_properties(cursor))
    for key, value in found:
        if form != "CSV" or key not in CSV_OPTIONS:
            known = f"FORMAT_OPTIONS of CSV are {', '.join(CSV_OPTIONS)}" if form == "CSV" else f"{form} takes none"
            raise NotSupported(f"The option {key} is not known: {known}.", remedy="Leave it out.", option=key)
        if key == "header" and value.casefold() not in _BOOLEANS:
            raise InvalidValue(f"header is {value!r}.", remedy="Write 'true' or 'false'.", option=key)
    return found


def _force(cursor: Cursor) -> bool:
    found = {key.casefold(): value.casefold() for key, value in read_properties(cursor)}
    for key, value in found.items():
        if key != "force" or value not in _BOOLEANS:
            raise NotSupported(
                f"COPY_OPTIONS does not take {key} = {value!r}.",
                remedy="It takes 'force' = 'true' or 'false'.",
                option=key,
            )
    return _BOOLEANS[found["force"]]
