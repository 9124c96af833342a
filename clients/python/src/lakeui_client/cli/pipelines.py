"""``lake pipelines``: what there is, runs, and files of landing zones."""

from __future__ import annotations

from argparse import Namespace

from lakeui_client.cli import show
from lakeui_client.cli.commands import Place, Said
from lakeui_client.errors import failed
from lakeui_client.http import segment

PATH = "/api/v1/pipelines/"


def pipelines(place: Place, given: Namespace) -> Said:
    http = place.lake.http
    if given.action == "list":
        found = http.pages(PATH, catalog=place.settings.catalog_named)
        names = ("id", "name", "strategy", "database", "table", "branch", "schedule", "last_run.state")
        return Said(found, show.entries(found, *names))
    if given.id is None:
        raise failed(
            "The pipeline is not named.", f"Write lake pipelines {given.action} ID; lake pipelines lists them."
        )
    if given.action == "runs":
        found = http.pages(f"{PATH}{given.id}/runs/", limit=20)
        return Said(found, show.entries(found, "id", "state", "trigger", "created_at", "committed_version", "metrics"))
    if given.action in ("zones", "files", "send"):
        return _landing(place, given)
    run = http.write("POST", f"{PATH}{given.id}/runs/", {"dry_run": True} if given.dry_run else {})
    return Said(run, f"Pipeline {given.id} ran. {show.summary(run)}".rstrip())


def _landing(place: Place, given: Namespace) -> Said:
    http, zones = place.lake.http, f"{PATH}{given.id}/landing-zones/"
    if given.action == "zones":
        found = http.get(zones)
        return Said(found, show.entries(found, "name", "waiting", "waiting_bytes", "archived", "is_read"))
    if given.zone is None:
        raise failed(
            "The landing zone is not named.", f"Write lake pipelines {given.action} {given.id} ZONE; zones lists them."
        )
    path = f"{zones}{segment(given.zone)}/files/"
    if given.action == "files":
        found = http.pages(path)
        return Said(
            found, show.entries(found, "id", "name", "state", "rows", "created_by", "created_at", "archived_at")
        )
    if not given.file:
        raise failed("No file is named.", f"Write lake pipelines send {given.id} {given.zone} FILE.")
    sent = [http.send_file(path, file) for file in given.file]
    return Said(sent, "\n".join(f"{file['name']} waits in {file['zone']}: {file['rows']:,} rows." for file in sent))
