"""``lake pipelines``: what there is, runs, files of landing zones, and pipelines as files."""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path

from lakeui_client.cli import show
from lakeui_client.cli.pipeline_files import PATH, pipelines_export, pipelines_import, pipelines_try
from lakeui_client.cli.place import Place, Said
from lakeui_client.errors import failed
from lakeui_client.http import segment

FORMS = {
    "list": (),
    "run": ("ID",),
    "runs": ("ID",),
    "zones": ("ID",),
    "files": ("ID", "ZONE"),
    "send": ("ID", "ZONE", "FILE"),
    "export": ("FOLDER",),
    "import": ("FOLDER",),
    "try": ("FOLDER",),
}
"""By action, what has to be named. ``send`` takes more files, ``export`` the ids of pipelines, ``try`` their names."""
_MORE = ("send", "export", "try")


def pipelines(place: Place, given: Namespace) -> Said:
    action, named = given.action, given.named
    form = FORMS[action]
    if len(named) < len(form) or (len(named) > len(form) and action not in _MORE):
        raise failed("That is not all, or too much.", f"Write lake pipelines {' '.join((action, *form))}.")
    if given.message and action != "run":
        raise failed(f"{action} makes no commit, so it takes no message.", "Only lake pipelines run takes one.")
    if action == "list":
        found = place.lake.http.pages(PATH, catalog=place.settings.catalog_named)
        names = ("id", "name", "strategy", "database", "table", "branch", "schedule", "last_run.state")
        return Said(found, show.entries(found, *names))
    if action == "export":
        return pipelines_export(place, Path(named[0]), [_id(word) for word in named[1:]])
    if action == "import":
        return pipelines_import(place, Path(named[0]), given)
    if action == "try":
        return pipelines_try(place, Path(named[0]), named[1:])
    return _of_one(place, given, _id(named[0]))


def _id(word: str) -> int:
    if not (word.isascii() and word.isdecimal()):
        raise failed(f"{word} is no id of a pipeline.", "lake pipelines lists them.")
    return int(word)


def _of_one(place: Place, given: Namespace, identity: int) -> Said:
    http = place.lake.http
    if given.action == "runs":
        found = http.pages(f"{PATH}{identity}/runs/", limit=20)
        return Said(found, show.entries(found, "id", "state", "trigger", "created_at", "committed_version", "metrics"))
    if given.action == "run":
        asked = {"dry_run": True} if given.dry_run else {}
        asked |= {"message": given.message} if given.message else {}
        run = http.write("POST", f"{PATH}{identity}/runs/", asked)
        return Said(run, f"Pipeline {identity} ran. {show.summary(run)}".rstrip())
    zones = f"{PATH}{identity}/landing-zones/"
    if given.action == "zones":
        found = http.get(zones)
        return Said(found, show.entries(found, "name", "waiting", "waiting_bytes", "archived", "is_read"))
    path = f"{zones}{segment(given.named[1])}/files/"
    if given.action == "files":
        found = http.pages(path)
        return Said(
            found, show.entries(found, "id", "name", "state", "rows", "created_by", "created_at", "archived_at")
        )
    sent = [http.send_file(path, file) for file in given.named[2:]]
    lines = (f"{file['name']} is in {file['zone']}, {file['state']}: {_rows(file['rows'])}." for file in sent)
    return Said(sent, "\n".join(map(show.safe, lines)))


def _rows(count: int) -> str:
    return f"{count:,} row{'' if count == 1 else 's'}"
