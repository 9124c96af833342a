"""Commands that merge and undo, and those around a merge: requests, reviews, statuses, checks, policies, the audit."""

from __future__ import annotations

import json
from argparse import Namespace
from typing import Any

from lakeui_client.cli import show
from lakeui_client.cli.owners import rule_find, rule_missing
from lakeui_client.cli.place import CONFLICT, DONE, FAILED, WAITS, Place, Said
from lakeui_client.cli.reading import file_text, json_read
from lakeui_client.errors import ConflictError, failed
from lakeui_client.http import segment
from lakeui_client.values import Merged, Undone


def merge(place: Place, given: Namespace) -> Said:
    into = given.into or place.settings.branch
    source = place.catalog.branch(given.source)
    decisions = json_read(given.decisions, list, "--decisions") if given.decisions else []
    if given.dry_run:
        found = source.rehearse(into, decisions=decisions, resolve=given.resolve or "")
        lines = [line for item in found.conflicts for line in show.conflict_lines(item.raw)]
        objects = [f"  {item['action']}: {item['object']}" for item in found.raw["plan"]["objects"]]
        end = f"{given.source} merges into {into}." if found.mergeable else f"A merge into {into} is refused."
        text = "\n".join([*objects, *lines, end])
        return Said(found.raw, text, DONE if found.mergeable else CONFLICT)
    options = {name: getattr(given, name) or "" for name in ("resolve", "bypass_reason", "message")}
    try:
        return _merged(source.merge(into, decisions=decisions, **options), given.source, into)
    except ConflictError as refused:
        refused.problem["remedy"] = "Decide by --resolve '..', with what stands in the parentheses of RESOLVE."
        raise


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
    if not given.pattern:
        found = http.pages(path)
        shown = [{**rule, "policies": ", ".join(policy["name"] for policy in rule["policies"])} for rule in found]
        names = ("pattern", "version", "required_approvals", "merge_role", "policies", "policies_by")
        return Said(found, show.entries(shown, *names))
    rule = rule_find(catalog, given.pattern)
    if rule is None:
        raise rule_missing(given.pattern)
    if given.set is None:
        return Said(rule["policies"], json.dumps(rule["policies"], ensure_ascii=False, indent=2))
    wanted = {"policies": json_read(file_text(given.set), list, "--set")}
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
        body = {"text": file_text(given.dbt), "database": given.database}
        body |= {"is_required": given.required, "dry_run": given.dry_run}
        read = http.write("POST", f"{place.catalog.path}dbt-tests/", body)
        left_out = [f"line {entry['line']}: {entry['test']}: {entry['reason']}" for entry in read["not_read"]]
        return Said(read, "\n".join([show.entries(read["checks"], "outcome", "name", "query", "note"), *left_out]))
    if given.remove:
        http.write("DELETE", f"{path}{segment(given.remove)}/", has_key=False)
        return Said({"removed": given.remove}, f"Removed the check {given.remove}.")
    if given.create:
        made = http.write("POST", path, json_read(given.create, dict, "--create"))
        return Said(made, f"Made the check {made['name']}: {made['query']}")
    found = http.get(path)["results"]
    return Said(found, show.entries(found, "name", "is_required", "template", "query"))


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
