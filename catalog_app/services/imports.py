"""Take a file in, read it another way, let it go."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any
from uuid import uuid4

from django.conf import settings
from django.utils import timezone

from catalog_app.domain.names import column_name_check
from catalog_app.domain.types import canonical_type
from catalog_app.importing.formats import name_warning
from catalog_app.importing.plain_files import file_looked_into, file_made_plain
from catalog_app.importing.scanning import file_scan
from catalog_app.importing.spec import ColumnChoice, FileFormat, Reading, Scan
from catalog_app.importing.unpacking import MEGABYTE
from catalog_app.models import Branch, FileImport
from catalog_app.storage.warehouse import Warehouse
from lakeui.common.errors import InvalidValue, NotFound
from lakeui.common.json_values import storable
from lakeui.common.nearest import nearest_name

MOST_SWEPT = 100
_OF_CSV = ("header", "delimiter", "null_text", "skip_lines", "numbers", "dates")


def import_create(
    *,
    branch: Branch,
    user_id: int | None,
    name: str,
    file: Path,
    warehouse: Warehouse,
    lifetime: timedelta,
    declared: str | None = None,
    renames: bool = True,
    skips_title: bool = False,
    maps: tuple[ColumnChoice, ...] = (),
) -> FileImport:
    """Look through a file of this machine and keep a copy in the warehouse. ``declared`` is the encoding that whoever
    sent it named. ``renames``: of two columns with one name, the second gets another; else they are refused. ``maps``:
    columns of JSON whose objects are maps. ``skips_title``: lines of CSV before the names of columns are skipped, and a
    warning says so. Raises InvalidValue for what cannot be read; nothing is kept then.
    """
    scan, found_format = _first_scan(file, name, declared=declared, renames=renames, skips_title=skips_title, maps=maps)
    identity = uuid4()
    path = f"{warehouse.new_import(identity)}/file"
    made = FileImport(
        id=identity,
        branch=branch,
        name=name,
        format=found_format.value,
        bytes=file.stat().st_size,
        path=path,
        created_by_id=user_id,
        expires_at=timezone.now() + lifetime,
    )
    # The row first: a crash in between leaves a row that expires, never a file without a row.
    _keep(made, scan)
    warehouse.put(file, path)
    return made


def _first_scan(
    file: Path,
    name: str,
    *,
    declared: str | None,
    renames: bool,
    skips_title: bool,
    maps: tuple[ColumnChoice, ...],
) -> tuple[Scan, FileFormat]:
    """What the file holds, with warnings of what was guessed, and its format."""
    with file_looked_into(file, declared=declared, most=largest_import()) as plain:
        known = maps if plain.format is FileFormat.JSON else ()
        skip_lines = None if skips_title and plain.format is FileFormat.CSV else 0
        scan = file_scan(plain.path, plain.format, replace(plain.reading, columns=known, skip_lines=skip_lines))
        found_format = plain.format
    if scan.doubled and not renames:
        raise InvalidValue(
            f"The batch has the column {scan.doubled[0]} more than once; case makes no difference.",
            remedy="Give each column a name of its own.",
            column=scan.doubled[0],
        )
    if plain.is_guessed:
        scan = scan.with_warnings(
            f"The file is not UTF-8 and names no encoding. It is read as {plain.reading.encoding}, the likeliest:"
            " choose another one where letters look wrong."
        )
    if skipped := scan.reading.skip_lines:
        scan = scan.with_warnings(_title_warning(skipped))
    if warning := name_warning(name, found_format):
        scan = scan.with_warnings(warning)
    return scan, found_format


def _title_warning(lines: int) -> str:
    them = "The first line is" if lines == 1 else f"The first {lines:,} lines are"
    return f"{them} skipped: the names of the columns stand below. Skip none where rows are missing."


def _keep(made: FileImport, scan: Scan) -> None:
    made.reading, made.found = storable(scan.reading.as_json()), storable(scan.as_json())
    made.save()


def import_reread(made: FileImport, changes: Mapping[str, Any], *, warehouse: Warehouse) -> FileImport:
    """Change how the file is read: what ``_OF_CSV`` names, ``encoding``, and choices of ``columns`` by their
    ``source``. Raises InvalidValue for a type or name that is none, NotFound for a column that the file has not.
    """
    before = Reading.from_json(made.reading)
    layout = {key: changes[key] for key in _OF_CSV if key in changes}
    after = Reading.from_json({**before.as_json(), **layout})
    if after != before and made.format != FileFormat.CSV:
        raise InvalidValue(
            "Only CSV has a header, a delimiter, lines to skip, a text for NULL and a form of numbers and days.",
            remedy="Leave them out.",
        )
    if "encoding" in changes and before.encoding is None:
        raise InvalidValue("Only CSV and JSON have an encoding.", remedy="Leave it out.")
    after = replace(after, encoding=changes.get("encoding", before.encoding))
    if after != before:
        # Types were found in other texts, and names maybe from another row.
        scan = _scanned(made, replace(after, columns=()), warehouse)
        chosen = _chosen(scan.reading, changes.get("columns", ()))
        _keep(made, replace(scan, reading=chosen))
        return made
    made.reading = _chosen(before, changes.get("columns", ())).as_json()
    made.save(update_fields=["reading"])
    return made


def _scanned(made: FileImport, reading: Reading, warehouse: Warehouse) -> Scan:
    with import_opened(made, reading, warehouse=warehouse) as file:
        return file_scan(file, FileFormat(made.format), reading)


def largest_import() -> int:
    """The most bytes of a file that are taken, and that it has unpacked."""
    return int(settings.LAKEUI["IMPORT_MEGABYTES"] * MEGABYTE)


@contextmanager
def import_opened(made: FileImport, reading: Reading, *, warehouse: Warehouse) -> Iterator[Path]:
    """The file that was sent, unpacked and in UTF-8, on this machine for as long as it is needed."""
    with (
        warehouse.local_copy(made.path) as file,
        file_made_plain(file, reading, most=largest_import()) as plain,
    ):
        yield plain


def _chosen(reading: Reading, choices: Any) -> Reading:
    """The reading with some of its columns chosen otherwise."""
    known = {column.source: column for column in reading.columns}
    for choice in choices:
        source = choice["source"]
        if source not in known:
            raise NotFound("column", source, nearest=nearest_name(source, known), where="in the file")
        typed = {"type": canonical_type(choice["type"])} if "type" in choice else {}
        known[source] = replace(known[source], **{**choice, **typed})
    columns = tuple(known.values())
    _require_names([column for column in columns if column.include])
    return replace(reading, columns=columns)


def _require_names(columns: list[ColumnChoice]) -> None:
    if not columns:
        raise InvalidValue("Every column is left out.", remedy="Take at least one.")
    seen: dict[str, ColumnChoice] = {}
    for column in columns:
        column_name_check(column.name)
        other = seen.setdefault(column.name.casefold(), column)
        if other is not column:
            raise InvalidValue(
                f"Columns {other.source} and {column.source} would both be called {column.name}.",
                remedy="Rename one of them, or leave it out.",
                column=column.name,
            )


def import_prolong(made: FileImport, *, lifetime: timedelta) -> None:
    """Keep the file for as long again: somebody is about to load it."""
    made.expires_at = timezone.now() + lifetime
    made.save(update_fields=["expires_at"])


def import_discard(made: FileImport, *, warehouse: Warehouse) -> None:
    """Remove the file and what is known of it."""
    warehouse.discard(warehouse.new_import(made.pk))
    made.delete()


def imports_expire(*, warehouse: Warehouse) -> int:
    """Remove what was abandoned; answers how many."""
    stale = list(FileImport.objects.filter(expires_at__lte=timezone.now()).order_by("expires_at")[:MOST_SWEPT])
    for made in stale:
        import_discard(made, warehouse=warehouse)
    return len(stale)
