"""Commands about the server, catalogs, branches and tags, and what lies between two of them."""

from __future__ import annotations

import os
from argparse import Namespace

from lakeui_client.catalogs import Branch
from lakeui_client.cli import show
from lakeui_client.cli.place import Place, Said
from lakeui_client.cli.settings import VARIABLES, settings_keep
from lakeui_client.errors import failed

NEVER = "never"


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
    left = commit.get("operation_count", 0) - len(commit["operations"])
    if left > 0 and given.all:
        commit |= {"operations": place.branch.operations(version)}
    lines = [f"{name}: {show.cell(commit[name])}" for name in ("version", "branch", "time", "author", "operation")]
    lines += ["", show.safe(commit["message"])] if commit["message"] else []
    lines += ["", show.safe(commit["statement"])] if commit["statement"] else []
    lines.append(show.entries(commit["operations"], "kind", "object", "metrics"))
    lines += [f"and {left} more; all: lake show {version} --all"] if left > 0 and not given.all else []
    return Said(commit, "\n".join(lines))


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
