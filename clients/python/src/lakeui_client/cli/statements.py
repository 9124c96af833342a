"""Commands that run statements and carry rows: SQL, sessions, imports, exports, queries, the history of statements."""

from __future__ import annotations

import json
import os
import sys
from argparse import Namespace
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from lakeui_client.catalogs import Branch
from lakeui_client.cli import show
from lakeui_client.cli.place import SILENT, Place, Said
from lakeui_client.cli.reading import json_read
from lakeui_client.cli.settings import VARIABLES, settings_keep
from lakeui_client.errors import failed
from lakeui_client.results import KeptResult
from lakeui_client.sessions import Session


def sql(place: Place, given: Namespace) -> Said:
    parameters = json_read(given.parameters, list | dict, "--parameters") if given.parameters else None
    if given.file:
        if given.dry_run or given.statement or given.format or given.message:
            raise failed("A script takes no statement, no dry run, no format and no message.", "Leave them out.")
        text = sys.stdin.read() if given.file == "-" else Path(given.file).read_text(encoding="utf-8")
        here, _ = where_statements_run(place, given)
        found = here.script(text, parameters, one_transaction=given.one_transaction)
        return Said([item.raw for item in found], "\n\n".join(result_text(item.raw) for item in found))
    if not given.statement:
        raise failed("There is no statement.", 'Write lake sql "SELECT 1", or -f FILE.')
    if given.format:
        return _streamed(place, given, parameters)
    here, where = where_statements_run(place, given)
    answer = here.sql(given.statement, parameters, dry_run=given.dry_run, message=given.message or "", **where)
    return Said(answer.raw, result_text(answer.raw))


def where_statements_run(place: Place, given: Namespace) -> tuple[Branch | Session, dict[str, Any]]:
    """What runs statements, and what is sent beside them: a session knows its own place."""
    if place.session is None:
        return place.branch, {"database": given.database}
    for name in ("catalog", "branch", "database"):
        if getattr(given, name, None):
            raise failed(
                f"The session says which {name}.", f"lake sql 'USE {name.upper()} …' there, or first: lake session end"
            )
    return place.session, {}


def session(place: Place, given: Namespace) -> Said:
    if os.environ.get(VARIABLES["session"]) and given.action != "show":
        raise failed(f"{VARIABLES['session']} is set, and goes before what is kept.", f"unset {VARIABLES['session']}")
    known = place.session
    if given.action == "begin":
        if known is not None:
            raise failed(f"Session {known.id} is kept already.", "lake session end")
        made = place.branch.session(given.database)
        settings_keep(url=place.settings.url, session=made.id)
        return Said(made.get(), f"Statements of lake sql run in session {made.id}, until: lake session end")
    if known is None:
        raise failed("There is no session.", "lake session begin")
    if given.action == "end":
        known.end()
        settings_keep(session="")
        return Said({"ended": known.id}, f"Ended session {known.id}; what was not committed is rolled back.")
    found = known.get()
    held = "in a transaction" if found["transaction"] else "outside of a transaction"
    names = ".".join(found[name] for name in ("catalog", "database") if found[name])
    return Said(found, f"Session {known.id}: branch {found['branch']} of {names}, {held}.")


def _streamed(place: Place, given: Namespace, parameters: Any) -> Said:
    """All rows of a query to standard output, as they come."""
    if given.dry_run or getattr(given, "json", False):
        raise failed("A stream of rows has no dry run and is no document.", "Leave out --dry-run, --json or --format.")
    out = sys.stdout.buffer
    here, where = where_statements_run(place, given)
    with here.keep(given.statement, parameters, **where) as kept:
        for piece in _lines(kept) if given.format == "json" else kept.pieces(given.format):
            out.write(piece)
        out.flush()
    return SILENT


def _lines(kept: KeptResult) -> Iterator[bytes]:
    names = [name for name, _ in kept.columns]
    if len(set(names)) < len(names):
        raise failed("Two columns have one name, and an object has each once.", "Name one of them by AS.")
    for row in kept.rows():
        yield json.dumps(dict(zip(names, row, strict=True)), ensure_ascii=False).encode() + b"\n"


def result_text(raw: dict[str, Any]) -> str:
    drawn = show.table([column["name"] for column in raw["columns"]], raw["rows"])
    return "\n".join(part for part in (drawn, show.summary(raw)) if part) or "Done."


def import_file(place: Place, given: Namespace) -> Said:
    options = {"primary_key": given.primary_key} if given.primary_key else {}
    options |= {"message": given.message} if given.message else {}
    keys = given.key or ()
    found = place.branch.import_file(
        given.file, given.table, mode=given.mode, key_columns=keys, dry_run=given.dry_run, **options
    )
    return Said(found.raw, f"{given.file} into {given.table} {show.summary(found.raw)}")


def export(place: Place, given: Namespace) -> Said:
    query = given.query if " " in given.query.strip() else f"SELECT * FROM {given.query}"
    count = place.branch.export(query, given.file)
    return Said({"file": given.file, "rows": count}, f"Wrote {count:,} rows into {given.file}.")


def queries(place: Place, given: Namespace) -> Said:
    catalog = place.catalog
    if given.save:
        name, text = given.save
        made = catalog.save_query(name, text, is_shared=given.shared)
        return Said(made, f"Saved query {made['id']}, {made['name']}{', shared' if made['is_shared'] else ''}.")
    if given.delete is not None:
        catalog.remove_query(given.delete)
        return Said({"removed": given.delete}, f"Removed query {given.delete}.")
    if given.id is not None:
        query = catalog.http.get(f"{catalog.path}queries/{given.id}/")
        return Said(query, query["text"])
    found = catalog.queries()
    return Said(found, show.entries(found, "id", "name", "owner", "is_shared", "updated_at"))


def history(place: Place, given: Namespace) -> Said:
    lake = place.lake
    filters = {"branch": given.on, "outcome": given.outcome, "search": given.search}
    filters = {"catalog": place.settings.catalog or None, **filters}
    if given.delete is not None:
        lake.remove_statement(given.delete)
        return Said({"removed": given.delete}, f"Removed statement {given.delete}.")
    if given.delete_all:
        lake.remove_statements(**filters)
        return Said({"removed": "all"}, "Removed these statements.")
    if given.id is not None:
        kept = lake.http.get(f"/api/v1/statements/{given.id}/")
        return Said(kept, kept["text"])
    found = lake.statements(limit=given.number, **filters)
    shown = [{**entry, "text": " ".join(entry["text"].split())} for entry in found]
    return Said(
        found, show.entries(shown, "id", "created_at", "branch", "outcome", "milliseconds", "row_count", "text")
    )
