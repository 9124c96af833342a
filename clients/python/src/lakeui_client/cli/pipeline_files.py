"""Pipelines as folders of files, which a repository of Git can hold: export, import, and follow.

A pipeline is a folder ``LAYER/NAME`` with ``pipeline.sql`` (its source), ``config.yaml`` (where it has one) and
``pipeline.json``: its name, layer, target, branch and schedule. An import finds a pipeline by its name.
"""

from __future__ import annotations

import json
import time
from argparse import Namespace
from collections.abc import Iterator, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Any, NamedTuple

from lakeui_client.cli import show
from lakeui_client.cli.place import SILENT, Place, Said
from lakeui_client.errors import LakeError, failed
from lakeui_client.http import Http

PATH = "/api/v1/pipelines/"
SOURCE, CONFIG, PLACE = "pipeline.sql", "config.yaml", "pipeline.json"
TEXTS = {"source": SOURCE, "config": CONFIG}
NEEDED = ("name", "database", "table")
OPTIONAL = {"layer": "", "branch": "main", "schedule": "", "schedule_timezone": "UTC"}
LOOK_SECONDS = 2.0
"""Between two looks at a folder: the standard library is not notified of changed files on every system."""


class Change(NamedTuple):
    """What an import does about one folder: ``action`` is created, edited or unchanged."""

    name: str
    action: str
    fields: list[str]
    folder: str


def pipelines_export(place: Place, folder: Path, ids: Sequence[int]) -> Said:
    """Write the pipelines of the catalog, or those with these ids."""
    http = place.lake.http
    chosen = ids or [entry["id"] for entry in http.pages(PATH, catalog=place.settings.catalog_named)]
    written = []
    for identity in chosen:
        pipeline = http.get(f"{PATH}{identity}/")
        own = folder / (pipeline["layer"] or "pipelines") / pipeline["name"]
        own.mkdir(parents=True, exist_ok=True)
        kept = {name: pipeline[name] for name in (*NEEDED, *OPTIONAL)}
        (own / PLACE).write_text(json.dumps(kept, ensure_ascii=False, indent=2) + "\n", encoding="utf-8")
        for field, name in TEXTS.items():
            _text_write(own / name, pipeline[field])
        written.append({"name": pipeline["name"], "folder": str(own)})
    return Said(written, "\n".join(f"{item['name']}: {item['folder']}" for item in written) or "There is no pipeline.")


def pipelines_import(place: Place, folder: Path, given: Namespace) -> Said:
    """Make the pipelines of the catalog what the folders say. Nothing is changed where one of them is wrong."""
    if not given.watch:
        changes = _import(place, folder, is_dry=given.dry_run)
        return Said([change._asdict() for change in changes], _said(changes))
    # Each import is said when it is done: only Ctrl-C ends this, so no answer comes at the end.
    for _ in _looks(folder):
        try:
            print(_said(_import(place, folder, is_dry=given.dry_run)), flush=True)
        except LakeError as error:
            print(show.problem(error.problem), flush=True)
    return SILENT


def pipelines_try(place: Place, folder: Path, names: Sequence[str]) -> Said:
    """Run pipelines of files on the present branch: those named, in that order, else all in the order of their paths.
    Each run is of a pipeline that is made for it and deleted after it. The pipelines of the catalog stay as they are.
    """
    http, catalog, branch = place.lake.http, place.settings.catalog_named, place.settings.branch
    chosen = _chosen(_read(folder), names)
    for path, wanted in chosen:
        if wanted["branch"].casefold() == branch.casefold():
            raise failed(
                f"{path} is a pipeline of branch {branch} itself.", "Try it on another branch: lake switch -c BRANCH."
            )
    _validate(http, catalog, chosen)
    # One that a killed run left over is taken again.
    known = {entry["name"].casefold(): entry["id"] for entry in http.pages(PATH, catalog=catalog)}
    runs = []
    for path, wanted in chosen:
        trial = {**wanted, "name": f"{wanted['name']} on {branch}", "branch": branch, "schedule": ""}
        _, identity = _put(http, catalog, known, path, trial, is_dry=False)
        try:
            runs.append({"name": wanted["name"], **http.write("POST", f"{PATH}{identity}/runs/", {})})
        finally:
            http.write("DELETE", f"{PATH}{identity}/", has_key=False)
    return Said(
        runs, "\n".join(f"{show.safe(run['name'])} ran on {branch}. {show.summary(run)}".rstrip() for run in runs)
    )


def _chosen(found: Sequence[tuple[Path, dict[str, str]]], names: Sequence[str]) -> list[tuple[Path, dict[str, str]]]:
    by_name = {wanted["name"].casefold(): (path, wanted) for path, wanted in found}
    for name in names:
        if name.casefold() not in by_name:
            near = get_close_matches(name, [wanted["name"] for _, wanted in found], 1)
            raise failed(f"No file is of a pipeline {name}.", f"Did you mean {near[0]}?" if near else "")
    return [by_name[name.casefold()] for name in names] or list(found)


def _import(place: Place, folder: Path, *, is_dry: bool) -> list[Change]:
    http, catalog = place.lake.http, place.settings.catalog_named
    found = _read(folder)
    _validate(http, catalog, found)
    known = {entry["name"].casefold(): entry["id"] for entry in http.pages(PATH, catalog=catalog)}
    return [_put(http, catalog, known, path, wanted, is_dry=is_dry)[0] for path, wanted in found]


def _put(
    http: Http, catalog: str, known: dict[str, int], path: Path, wanted: dict[str, str], *, is_dry: bool
) -> tuple[Change, int | None]:
    """What is changed, and the id of the pipeline; None where a dry run makes none."""
    identity = known.get(wanted["name"].casefold())
    if identity is None:
        if not is_dry:
            identity = int(http.write("POST", PATH, {"catalog": catalog, **wanted}, has_key=False)["id"])
        return Change(wanted["name"], "created", sorted(wanted), str(path)), identity
    answer = http.send("GET", f"{PATH}{identity}/")
    fields = [name for name, value in wanted.items() if answer.json[name] != value]
    if fields and not is_dry:
        # What was edited meanwhile is refused, and not lost.
        headers = {"If-Match": answer.headers["etag"]}
        http.send("PATCH", f"{PATH}{identity}/", body={name: wanted[name] for name in fields}, headers=headers)
    return Change(wanted["name"], "edited" if fields else "unchanged", fields, str(path)), identity


def _read(folder: Path) -> list[tuple[Path, dict[str, str]]]:
    """The pipelines below the folder, each with all of its fields, in the order of their paths."""
    places = sorted(folder.rglob(PLACE))
    if not places:
        raise failed(f"No {PLACE} lies below {folder}.", "lake pipelines export FOLDER writes the files.")
    found: list[tuple[Path, dict[str, str]]] = []
    names: dict[str, Path] = {}
    for place in places:
        wanted = _place_read(place)
        wanted |= {field: _text_read(place.with_name(name)) for field, name in TEXTS.items()}
        if not wanted["source"]:
            raise failed(f"{place.with_name(SOURCE)} is missing or empty.", "It holds the query.")
        other = names.setdefault(wanted["name"].casefold(), place)
        if other != place:
            raise failed(f"{other} and {place} both name the pipeline {wanted['name']}.", "Rename one of them.")
        found.append((place.parent, wanted))
    return found


def _place_read(file: Path) -> dict[str, str]:
    try:
        body: Any = json.loads(file.read_text(encoding="utf-8"))
    except ValueError as error:
        raise failed(f"{file} is no JSON: {error}.", "lake pipelines export FOLDER shows the form.") from None
    if not isinstance(body, dict) or not all(isinstance(value, str) for value in body.values()):
        raise failed(f"{file} is no object of texts.", "lake pipelines export FOLDER shows the form.")
    fields = (*NEEDED, *OPTIONAL)
    for name in body:
        if name not in fields:
            near = get_close_matches(name, fields, 1)
            raise failed(f"{file}: there is no field {name}.", f"Did you mean {near[0]}?" if near else "Take it out.")
    missing = [name for name in NEEDED if not body.get(name)]
    if missing:
        raise failed(f"{file} does not say {' and '.join(missing)}.", "Add it.")
    return {**OPTIONAL, **body}


def _validate(http: Http, catalog: str, found: Sequence[tuple[Path, dict[str, str]]]) -> None:
    """Raises LakeError with everything that is wrong, each with its file and line."""
    mistakes = []
    for path, wanted in found:
        asked = {name: wanted[name] for name in ("database", "table", "source", "config")}
        answer = http.send("POST", f"{PATH}validate/", body={"catalog": catalog, **asked}, is_repeatable=True).json
        for error in answer["errors"]:
            file = path / {"source": SOURCE, "config.yaml": CONFIG}.get(error["file"], error["file"])
            line = "" if error["line"] is None else f":{error['line']}"
            mistakes.append(f"{file}{line}: {error['message']} {error['remedy']}".rstrip())
    if mistakes:
        detail = "\n".join(mistakes)
        raise LakeError({"code": "INVALID_CONFIG", "detail": detail, "remedy": "Nothing was changed."})


def _looks(folder: Path) -> Iterator[None]:
    """Once at first, and then after each change of a file below the folder, until somebody stops it."""
    seen = None
    while True:
        now = sorted((str(file), file.stat().st_mtime_ns) for file in folder.rglob("*") if file.name in _NAMES)
        if now != seen:
            seen = now
            yield
        time.sleep(LOOK_SECONDS)


_NAMES = frozenset({SOURCE, CONFIG, PLACE})


def _said(changes: Sequence[Change]) -> str:
    lines = []
    for change in changes:
        what = f" ({', '.join(change.fields)})" if change.action == "edited" else ""
        lines.append(show.safe(f"{change.action} {change.name}{what}"))
    return "\n".join(lines)


def _text_read(file: Path) -> str:
    return file.read_text(encoding="utf-8") if file.exists() else ""


def _text_write(file: Path, text: str) -> None:
    if text:
        file.write_text(text, encoding="utf-8")
    else:
        file.unlink(missing_ok=True)
