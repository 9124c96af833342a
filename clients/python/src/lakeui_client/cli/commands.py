"""Commands about tasks, any resource of REST, and the completion of the shell."""

from __future__ import annotations

import json
from argparse import Namespace
from typing import Any

from lakeui_client.cli import show
from lakeui_client.cli.place import Place, Said
from lakeui_client.cli.reading import json_read
from lakeui_client.http import segment


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
    body = json_read(given.body, dict, "--body") if given.body else None
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
