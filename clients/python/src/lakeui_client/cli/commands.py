"""What each command does: asks the server, and answers a document and its text."""

from __future__ import annotations

import json
import os
import sys
from argparse import Namespace
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from lakeui_client.cli import show
from lakeui_client.cli.settings import VARIABLES, Settings, settings_keep, settings_path, settings_read
from lakeui_client.errors import failed
from lakeui_client.http import Watcher, segment
from lakeui_client.lake import Branch, Catalog, Lake, Session
from lakeui_client.results import KeptResult
from lakeui_client.values import Merged, Undone

DONE, FAILED, CONFLICT, WAITS = 0, 1, 2, 3
NEVER = "never"


class Said(NamedTuple):
    """What a command says: ``document`` with --json, else ``text``; and the status that it ends with."""

    document: Any
    text: str
    status: int = DONE


SILENT = Said(None, "")
"""Of a command that has said all already."""


class Place:
    """Where a command acts."""

    def __init__(self, given: Namespace, watch: Watcher | None) -> None:
        self.settings: Settings = settings_read(
            **{name: getattr(given, name, None) for name in ("url", "catalog", "branch")}
        )
        self._watch = watch

    @property
    def lake(self) -> Lake:
        return Lake(self.settings.url, self.settings.token, watch=self._watch)

    @property
    def catalog(self) -> Catalog:
        return self.lake.catalog(self.settings.catalog_named)

    @property
    def branch(self) -> Branch:
        return self.catalog.branch(self.settings.branch)

    @property
    def session(self) -> Session | None:
        """The session in which statements run, if there is one."""
        return Session(self.lake.http, self.settings.session) if self.settings.session else None


Command = Callable[[Place, Namespace], Said]


def login(place: Place, given: Namespace) -> Said:
    url = given.server or place.settings.url
    token = os.environ.get(VARIABLES["token"]) or _token_asked(url)
    found = Lake(url, token).catalogs()
    names = [entry["name"] for entry in found]
    changes = {"catalog": names[0], "branch": "main"} if len(names) == 1 else {"catalog": "", "branch": "main"}
    settings_keep(url=url, token=token, **changes)
    text = f"Signed in at {url}. The token is kept in {settings_path()}."
    if not changes["catalog"]:
        text += f"\nChoose a catalog: lake switch -C CATALOG main. There are: {', '.join(names) or 'none yet'}."
    return Said({"url": url, "catalogs": names, **changes}, text)


def _token_asked(url: str) -> str:
    if not sys.stdin.isatty():
        return sys.stdin.readline().strip()
    import getpass

    print(f"A token is made on the page {url}/settings, or by manage.py token USER at the server.", file=sys.stderr)
    return getpass.getpass("Access token: ").strip()


def status(place: Place, given: Namespace) -> Said:
    settings = place.settings
    found = place.branch.get()
    document = {"url": settings.url, "catalog": settings.catalog, "branch": found}
    text = f"On branch {found['name']} of {settings.catalog} at {settings.url}, version {found['head_version']}."
    if found["parent"]:
        text += f"\n{found['ahead']} ahead of {found['parent']}, {found['behind']} behind."
    return Said(document, text)


def catalogs(place: Place, given: Namespace) -> Said:
    if given.create:
        made = place.lake.create_catalog(given.create, given.comment or "")
        return Said(made.get(), f"Created catalog {made.name}.")
    if given.drop:
        place.lake.catalog(given.drop).drop()
        way_back = f"lake catalogs --undrop {given.drop} brings it back."
        return Said({"dropped": given.drop}, f"Dropped catalog {given.drop}; {way_back}")
    if given.rename:
        old, new = given.rename
        renamed = place.lake.catalog(old).rename(new)
        if place.settings.catalog == old and not os.environ.get(VARIABLES["catalog"]):
            settings_keep(catalog=renamed.name)
        return Said(renamed.get(), f"Catalog {old} is {renamed.name} now.")
    if given.undrop:
        back = place.lake.undrop_catalog(given.undrop, catalog_id=given.id, as_=given.as_name or "")
        return Said(back.get(), f"Catalog {back.name} is back.")
    if given.dropped:
        gone = place.lake.dropped_catalogs()
        return Said(gone, show.entries(gone, "name", "catalog_id", "dropped_at", "kept_until"))
    found = place.lake.catalogs()
    return Said(found, show.entries(found, "name", "branch_count", "commit_count", "last_commit.time", "comment"))


def branch(place: Place, given: Namespace) -> Said:
    catalog = place.catalog
    if given.delete:
        catalog.branch(given.delete).drop()
        return Said(
            {"dropped": given.delete}, f"Dropped branch {given.delete}; lake undrop {given.delete} brings it back."
        )
    if given.move:
        old, new = given.move
        renamed = catalog.branch(old)
        renamed.rename(new)
        if place.settings.branch == old and not os.environ.get(VARIABLES["branch"]):
            settings_keep(branch=renamed.name)
        return Said(renamed.get(), f"Branch {old} is {renamed.name} now.")
    if given.set_expiry:
        return _expiry_set(catalog.branch(given.set_expiry[0]), given.set_expiry[1])
    if given.name:
        made = _branch_made(place, given)
        return Said(made.get(), f"Created branch {made.name} from {given.source or place.settings.branch}.")
    found = catalog.branches(dropped=True if given.dropped else None)
    shown = [
        {**entry, "name": ("* " if entry["name"] == place.settings.branch else "  ") + entry["name"]} for entry in found
    ]
    names = ("name", "parent", "ahead", "behind", "head_version", "last_commit.operation", "last_commit.author")
    expiry = ("expires_at",) if any(entry["expires_at"] for entry in found) else ()
    identity = ("branch_id",) if given.dropped else ()
    return Said(found, show.entries(shown, *names, *identity, *expiry))


def _expiry_set(chosen: Branch, when: str) -> Said:
    chosen.set_expiry(None if when == NEVER else when)
    found = chosen.get()
    at = found["expires_at"]
    return Said(found, f"Branch {chosen.name} expires at {at}." if at else f"Branch {chosen.name} does not expire.")


def _branch_made(place: Place, given: Namespace) -> Branch:
    return place.catalog.branch(
        given.name,
        from_=given.source or place.settings.branch,
        version=given.at_version,
        timestamp=given.at_time,
        expires=given.expires,
    )


def switch(place: Place, given: Namespace) -> Said:
    for name in ("branch", "catalog"):
        if os.environ.get(VARIABLES[name]):
            raise failed(f"{VARIABLES[name]} is set, and goes before what is kept.", f"unset {VARIABLES[name]}")
    chosen = _branch_made(place, given) if given.create else place.catalog.branch(given.name)
    found = chosen.get()
    if found["is_dropped"]:
        raise failed(f"Branch {given.name} was dropped.", f"lake undrop {given.name}", code="NOT_FOUND")
    settings_keep(url=place.settings.url, catalog=place.settings.catalog_named, branch=found["name"])
    return Said(found, f"On branch {found['name']} of {place.settings.catalog}, version {found['head_version']}.")


def log(place: Place, given: Namespace) -> Said:
    filters = {name: getattr(given, name) for name in ("author", "operation", "search")}
    found = place.branch.log(given.number, **filters)
    return Said(
        found,
        show.entries(found, "version", "time", "branch", "author", "operation", "rows_changed", "message", "statement"),
    )


def diff(place: Place, given: Namespace) -> Said:
    source = given.source or place.settings.branch
    into = given.destination or (place.settings.branch if source != place.settings.branch else None)
    found = place.catalog.branch(source).diff(into)
    return Said(found.raw, show.comparison(found))


def show_one(place: Place, given: Namespace) -> Said:
    """A version of the branch, or a record of the audit by its id."""
    if not given.what.isdecimal():
        record = place.lake.record(given.what)
        lines = [f"{name}: {show.cell(value)}" for name, value in record.items() if not isinstance(value, dict | list)]
        return Said(record, "\n".join([*lines, *(f"  - {item['message']}" for item in record.get("conflicts") or ())]))
    version = int(given.what)
    found = place.branch.log(1, version=version)
    if not found or found[0]["version"] != version:
        raise failed(
            f"Branch {place.settings.branch} has no version {version}.", "lake log lists them.", code="NOT_FOUND"
        )
    commit = found[0]
    lines = [f"{name}: {show.cell(commit[name])}" for name in ("version", "branch", "time", "author", "operation")]
    lines += ["", show.safe(commit["message"])] if commit["message"] else []
    lines += ["", show.safe(commit["statement"])] if commit["statement"] else []
    return Said(commit, "\n".join([*lines, show.entries(commit["operations"], "kind", "object", "metrics")]))


def merge(place: Place, given: Namespace) -> Said:
    into = given.into or place.settings.branch
    source = place.catalog.branch(given.source)
    decisions = _json_read(given.decisions, list, "--decisions") if given.decisions else []
    if given.dry_run:
        found = source.rehearse(into, decisions=decisions)
        lines = [f"  - {item.message}" for item in found.conflicts]
        objects = [f"  {item['action']}: {item['object']}" for item in found.raw["plan"]["objects"]]
        end = f"{given.source} merges into {into}." if found.mergeable else f"A merge into {into} is refused."
        text = "\n".join([*objects, *map(show.safe, lines), end])
        return Said(found.raw, text, DONE if found.mergeable else CONFLICT)
    options = {"bypass_reason": given.bypass_reason or "", "message": given.message or ""}
    return _merged(source.merge(into, decisions=decisions, **options), given.source, into)


def _merged(done: Merged, source: str, into: str) -> Said:
    if done.outcome != "merged":
        return Said(done.raw, f"Already up to date: {into} has every commit of {source}.")
    return Said(
        done.raw, f"Merged {source} into {into} as version {done.version}. Undo it: lake revert {done.merge_id}"
    )


def revert(place: Place, given: Namespace) -> Said:
    return _undone(place.catalog.revert(given.merge_id, bypass_reason=given.bypass_reason or ""))


def restore(place: Place, given: Namespace) -> Said:
    database, _, table = (given.object or "").partition(".")
    found = place.branch.restore(
        version=given.to_version, timestamp=given.to_time, database=database, table=table, dry_run=given.dry_run
    )
    if isinstance(found, Undone):
        return _undone(found)
    return Said(found.raw, f"It can be restored. {show.summary(found.raw)}")


def _undone(done: Undone) -> Said:
    if done.outcome == "nothing to do":
        return Said(done.raw, "It is so already.")
    return Said(done.raw, f"Done as version {done.version}, audit record {done.audit_id}.")


def undrop(place: Place, given: Namespace) -> Said:
    found = place.catalog.undrop_branch(given.name, branch_id=given.id, as_=given.as_name or "")
    return Said({"branch": found.name}, f"Branch {found.name} is back.")


def request(place: Place, given: Namespace) -> Said:
    catalog, action = place.catalog, given.action
    if action == "list":
        listed = catalog.merge_requests(state=given.state)
        names = ("number", "state", "title", "source.name", "destination.name", "author", "approvals")
        return Said(listed, show.entries(listed, *names))
    if action == "open":
        source = catalog.branch(given.source or place.settings.branch)
        opened = source.request(
            given.title, into=given.into, description=given.description or "", reviewers=given.reviewer or ()
        )
        document = opened.get()
        return Said(document, f"Opened merge request {opened.number}: {document['title']}")
    found = catalog.merge_request(given.number)
    if action == "merge":
        shown = found.get()
        done = found.merge(given.fingerprint or "", bypass_reason=given.bypass_reason or "")
        return _merged(done, shown["source"]["name"], shown["destination"]["name"])
    if action == "close":
        found.close()
    document = found.get()
    waits = action == "show" and document["state"] not in ("merged", "closed") and not document["mergeable"]
    return Said(document, _request_text(document), WAITS if waits and given.exit_code else DONE)


def _request_text(found: dict[str, Any]) -> str:
    lines = [
        f"{found['number']}: {show.safe(found['title'])} ({found['state']})",
        f"{found['source']['name']} into {found['destination']['name']}, by {found['author']}",
        *(
            f"  {vote['reviewer']}: {vote['verdict']}" + ("" if vote["counts"] else " (does not count)")
            for vote in found["votes"]
        ),
        *(f"  policy: {show.safe(item['message'])}" for item in found["policies"]),
        *(f"  - {show.safe(item['message'])}" for item in found["blockers"]),
        *(f"  look at {row['change']} of {row['table']}: {_drawn(row)}" for row in found["spot_rows"]),
        *([f"  then approve with --looked-at {found['spot_code']}"] if found["spot_code"] else []),
    ]
    return "\n".join(lines)


def _drawn(row: dict[str, Any]) -> str:
    """A row as it is and as it becomes: what somebody who approves looks at."""
    old, new = (json.dumps(row[side], default=str) if row[side] else "no row" for side in ("old", "new"))
    return show.safe(f"{row['key']}: {old} -> {new}")


def review(place: Place, given: Namespace) -> Said:
    found = place.catalog.merge_request(given.number)
    if given.verdict == "approve":
        made = found.approve(given.fingerprint, given.message or "", spot_code=given.looked_at or "")
    else:
        made = found.review(given.verdict.replace("-", "_"), given.message or "")
    return Said(made, f"{made['reviewer']}: {made['verdict']} of merge request {given.number}.")


def sql(place: Place, given: Namespace) -> Said:
    parameters = _json_read(given.parameters, list | dict, "--parameters") if given.parameters else None
    if given.file:
        if given.dry_run or given.statement or given.format or given.message:
            raise failed("A script takes no statement, no dry run, no format and no message.", "Leave them out.")
        text = sys.stdin.read() if given.file == "-" else Path(given.file).read_text(encoding="utf-8")
        here, _ = where_statements_run(place, given)
        found = here.script(text, parameters, one_transaction=given.one_transaction)
        return Said([item.raw for item in found], "\n\n".join(_result_text(item.raw) for item in found))
    if not given.statement:
        raise failed("There is no statement.", 'Write lake sql "SELECT 1", or -f FILE.')
    if given.format:
        return _streamed(place, given, parameters)
    here, where = where_statements_run(place, given)
    answer = here.sql(given.statement, parameters, dry_run=given.dry_run, message=given.message or "", **where)
    return Said(answer.raw, _result_text(answer.raw))


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


def _result_text(raw: dict[str, Any]) -> str:
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


def tags(place: Place, given: Namespace) -> Said:
    catalog = place.catalog
    if given.delete:
        catalog.drop_tag(given.delete)
        return Said({"dropped": given.delete}, f"Dropped tag {given.delete}.")
    if given.move:
        old, new = given.move
        return Said(catalog.rename_tag(old, new), f"Tag {old} is {new} now.")
    if given.name:
        made = catalog.create_tag(given.name, place.settings.branch, given.at_version)
        return Said(made, f"Tagged version {made['version']} of {made['branch']} as {made['name']}.")
    found = catalog.tags()
    return Said(found, show.entries(found, "name", "branch", "version", "created_by", "created_at"))


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


def audit(place: Place, given: Namespace) -> Said:
    if given.action == "replay":
        if given.id is None:
            raise failed("The record is not named.", "Write lake audit replay ID; lake audit lists records.")
        done = place.lake.http.get(f"/api/v1/merges/{segment(given.id)}/replay/")
        if done["is_same"]:
            return Said(done, f"The plan is the same: {done['computed']}.")
        text = f"The plan is another one: {done['computed']}; the record has {done['recorded']}. {done['reason']}"
        return Said(done, text.rstrip(), FAILED)
    names = ("kind", "outcome", "source", "destination", "actor", "since", "until")
    filters = {name: getattr(given, name) for name in names}
    found = place.lake.records(catalog=place.settings.catalog or None, limit=given.number, **filters)
    shown = ("merge_id", "status", "source", "destination", "actor", "version", "time")
    return Said(found, show.entries(found, *shown))


def policies(place: Place, given: Namespace) -> Said:
    """Merge policies, which belong to the rules of protection."""
    catalog = place.catalog
    http, path = catalog.http, f"{catalog.path}protection-rules/"
    found = http.pages(path)
    if not given.pattern:
        shown = [{**rule, "policies": ", ".join(policy["name"] for policy in rule["policies"])} for rule in found]
        names = ("pattern", "version", "required_approvals", "merge_role", "policies", "policies_by")
        return Said(found, show.entries(shown, *names))
    rule = next((rule for rule in found if rule["pattern"].casefold() == given.pattern.casefold()), None)
    if rule is None:
        raise failed(
            f"No rule protects {given.pattern}.", "lake policies lists the rules of the catalog.", code="NOT_FOUND"
        )
    if given.set is None:
        return Said(rule["policies"], json.dumps(rule["policies"], ensure_ascii=False, indent=2))
    wanted = {"policies": _json_read(_file_text(given.set), list, "--set")}
    changed = http.write("PATCH", f"{path}{rule['id']}/", wanted, has_key=False)
    return Said(
        changed, f"Version {changed['version']} of {changed['pattern']} has {len(changed['policies'])} policies."
    )


def checks(place: Place, given: Namespace) -> Said:
    """What every merge request of the catalog can be asked to pass."""
    http, path = place.catalog.http, f"{place.catalog.path}checks/"
    if given.dbt:
        if not given.database:
            raise failed("The models of the file need a database.", "Give it by --database.")
        body = {"text": _file_text(given.dbt), "database": given.database}
        body |= {"is_required": given.required, "dry_run": given.dry_run}
        read = http.write("POST", f"{place.catalog.path}dbt-tests/", body)
        left_out = [f"line {entry['line']}: {entry['test']}: {entry['reason']}" for entry in read["not_read"]]
        return Said(read, "\n".join([show.entries(read["checks"], "outcome", "name", "query", "note"), *left_out]))
    if given.remove:
        http.write("DELETE", f"{path}{segment(given.remove)}/", has_key=False)
        return Said({"removed": given.remove}, f"Removed the check {given.remove}.")
    if given.create:
        made = http.write("POST", path, _json_read(given.create, dict, "--create"))
        return Said(made, f"Made the check {made['name']}: {made['query']}")
    found = http.get(path)["results"]
    return Said(found, show.entries(found, "name", "is_required", "template", "query"))


def restrictions(place: Place, given: Namespace) -> Said:
    """What is hidden of tables, and from whom."""
    catalog = place.catalog
    http, path = catalog.http, f"{catalog.path}restrictions/"
    if given.lift is not None:
        http.write("DELETE", f"{path}{given.lift}/", has_key=False)
        return Said({"lifted": given.lift}, f"Restriction {given.lift} hides nothing any more.")
    if given.table is not None:
        wanted = {"branch": place.settings.branch, "row_filter": given.filter, "role": given.role, "group": given.group}
        database, _, wanted["table"] = given.table.rpartition(".")
        masks = [mask.partition("=") for mask in given.mask]
        body = {name: value for name, value in wanted.items() if value is not None}
        body |= {"database": database, "masks": {column.strip(): text.strip() for column, _, text in masks}}
        if given.preview:
            seen = http.write("POST", f"{path}preview/", body, has_key=False)
            return Said(seen, _result_text(seen))
        made = http.write("POST", path, body, has_key=False)
        return Said(made, f"Restriction {made['id']} of {made['table']} holds for {made['role'] or made['group']}.")
    found = http.pages(path)
    shown = [
        {**entry, "masks": ", ".join(f"{name} = {text}" for name, text in entry["masks"].items())} for entry in found
    ]
    return Said(found, show.entries(shown, "id", "table", "role", "group", "row_filter", "masks"))


def agents(place: Place, given: Namespace) -> Said:
    """Accounts of programs, and what holds them."""
    http, path = place.lake.http, "/api/v1/agents/"
    if given.create:
        made = http.write("POST", path, _json_read(given.create, dict, "--create"), has_key=False)
        return Said(made, f"Made agent {made['name']}, which changes {made['branches']}.")
    if given.change:
        name, text = given.change
        made = http.write("PATCH", f"{path}{segment(name)}/", _json_read(text, dict, "--change"), has_key=False)
        return Said(made, f"Changed agent {made['name']}.")
    if given.token:
        name, purpose = given.token
        made = http.write("POST", f"{path}{segment(name)}/tokens/", {"name": purpose}, has_key=False)
        return Said(made, f"{made['token']}\nIt is shown this once.")
    if given.tokens:
        found = http.pages(f"{path}{segment(given.tokens)}/tokens/")
        return Said(found, show.entries(found, "id", "name", "prefix", "scopes", "expires_at", "last_used_at"))
    if given.end:
        http.write("DELETE", f"{path}{segment(given.end)}/", has_key=False)
        return Said({"ended": given.end}, f"Agent {given.end} does nothing any more.")
    found = http.get(path)["results"]
    return Said(found, show.entries(found, "name", "owner", "model", "purpose", "branches", "catalogs", "tables"))


def statuses(place: Place, given: Namespace) -> Said:
    """What other systems report of the source of a request."""
    request = place.catalog.merge_request(given.number)
    http, path = place.catalog.http, f"{place.catalog.path}merge-requests/{given.number}/statuses/"
    if given.context:
        head = given.source_head or request.get()["source"]["head_version"]
        wanted = {"context": given.context, "state": given.state, "source_head": head}
        wanted |= {name: text for name in ("description", "target_url") if (text := getattr(given, name))}
        made = http.write("POST", path, wanted, has_key=False)
        return Said(made, f"{made['context']}: {made['state']} of version {made['source_head']}.")
    found = http.get(path)["results"]
    return Said(found, show.entries(found, "context", "is_required", "is_current", "status.state", "status.created_by"))


def people(place: Place, given: Namespace) -> Said:
    names = ("accounts", "rights", "invite", "link", "disable", "enable", "second_factor_off")
    if any(getattr(given, name) for name in names):
        return _accounts(place, given)
    http, path = place.catalog.http, f"{place.catalog.path}members/"
    if given.add:
        made = http.write("POST", path, {"username": given.add, "role": given.role}, has_key=False)
        return Said(made, f"{made['username']} is {made['role']}.")
    if given.change:
        made = http.write("PATCH", f"{path}{segment(given.change)}/", {"role": given.role}, has_key=False)
        return Said(made, f"{made['username']} is {made['role']}.")
    if given.remove:
        http.write("DELETE", f"{path}{segment(given.remove)}/", has_key=False)
        return Said({"removed": given.remove}, f"{given.remove} has no role any more.")
    found = http.pages(path)
    return Said(found, show.entries(found, "username", "role", "full_name", "is_active"))


def _accounts(place: Place, given: Namespace) -> Said:
    """Accounts of the server, for its staff."""
    http, path = place.lake.http, "/api/v1/people/"
    if given.invite:
        wanted = {"username": given.invite, "email": given.email, "groups": given.group}
        made = http.write("POST", path, {name: value for name, value in wanted.items() if value}, has_key=False)
        return Said(made, _link_text(made["invitation"]))
    if given.link:
        made = http.write("POST", f"{path}{segment(given.link)}/link/", has_key=False)
        return Said(made, _link_text(made))
    if name := given.disable or given.enable:
        made = http.write("PATCH", f"{path}{segment(name)}/", {"is_active": bool(given.enable)}, has_key=False)
        return Said(made, f"{name} is {made['state']}.")
    if name := given.second_factor_off:
        http.write("DELETE", f"{path}{segment(name)}/second-factor/", has_key=False)
        return Said({"second_factor_off": name}, f"{name} signs in by password alone. Their sessions have ended.")
    if given.rights:
        found = http.pages("/api/v1/rights-records/")
        return Said(found, show.entries(found, "recorded_at", "actor", "subject", "name", "catalog", "before", "after"))
    found = http.pages(path)
    return Said(found, show.entries(found, "username", "state", "standing", "groups", "email", "last_login"))


def _link_text(made: dict[str, Any]) -> str:
    sent = "It was sent by mail." if made["was_mailed"] else "It was not sent by mail."
    return f"{made['link']}\nIt works once, until {made['expires_at']}, and is shown this once. {sent}"


def tokens(place: Place, given: Namespace) -> Said:
    http, path = place.lake.http, "/api/v1/tokens/"
    if given.create:
        wanted = {"name": given.create, "expires_at": given.expires, "scopes": given.scope}
        made = http.write("POST", path, {name: value for name, value in wanted.items() if value}, has_key=False)
        return Said(made, f"{made['token']}\nIt is shown this once.")
    if given.revoke:
        http.write("DELETE", f"{path}{given.revoke}/", has_key=False)
        return Said({"revoked": given.revoke}, f"Token {given.revoke} does not count any more.")
    found = http.pages(path)
    return Said(found, show.entries(found, "id", "name", "prefix", "scopes", "expires_at", "last_used_at"))


def mail(place: Place, given: Namespace) -> Said:
    http, path = place.lake.http, "/api/v1/account/mail/"
    if given.sent:
        found = http.pages(f"{path}sent/")
        return Said(
            found, show.entries(found, "created_at", "event", "state", "attempts", "address", "subject", "error")
        )
    if given.test:
        made = http.write("POST", f"{path}test/", has_key=False)
        return Said(made, "A mail was asked for. lake mail --sent shows whether the mail server took it.")
    wanted: dict[str, Any] = {} if given.address is None else {"address": given.address.strip()}
    if given.events is not None:
        wanted["events"] = [name.strip() for name in given.events.split(",") if name.strip()]
    held = http.write("PATCH", path, wanted, has_key=False) if wanted else http.get(path)
    to = held["address"] or held["account_address"] or "no address"
    state = "" if held["is_on"] else "This server sends no mail.\n"
    return Said(held, f"{state}To {to}: {', '.join(held['events']) or 'nothing'}.")


def tasks(place: Place, given: Namespace) -> Said:
    http, path = place.lake.http, "/api/v1/tasks/"
    if given.cancel:
        found = http.write("POST", f"{path}{segment(given.cancel)}/cancel/", has_key=False)
        return Said(found, f"Task {given.cancel} was asked to stop.")
    listed = http.pages(path, limit=given.number, state=given.state)
    return Said(listed, show.entries(listed, "id", "kind", "state", "created_by", "created_at", "message"))


def api(place: Place, given: Namespace) -> Said:
    """Any resource: what no other command does, this does."""
    path = given.path
    if "{catalog}" in path:
        path = path.replace("{catalog}", segment(place.settings.catalog_named))
    path = path.replace("{branch}", segment(place.settings.branch))
    path = path if path.startswith("/") else f"/api/v1/{path}"
    body = _json_read(given.body, dict, "--body") if given.body else None
    http, method = place.lake.http, given.method.upper()
    if given.all:
        found: Any = http.pages(path)
    elif method == "GET":
        found = http.get(path)
    else:
        found = http.write(method, path, body, has_key=False)
    return Said(found, "Done." if found is None else json.dumps(found, ensure_ascii=False, indent=2))


def completion(place: Place, given: Namespace) -> Said:
    from lakeui_client.cli.completion import script

    return Said({"shell": given.shell, "script": script(given.shell)}, script(given.shell))


def _file_text(name: str) -> str:
    return Path(name).read_text(encoding="utf-8") if name != "-" else sys.stdin.read()


def _json_read(text: str, kind: Any, option: str) -> Any:
    try:
        found = json.loads(text)
    except ValueError as error:
        raise failed(f"What {option} says is no JSON: {error}.", "Write it in single quotes.") from None
    if not isinstance(found, kind):
        raise failed(f"What {option} says is of another type of JSON.", "lake COMMAND --help says which.")
    return found
