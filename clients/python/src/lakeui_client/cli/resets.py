"""``lake reset``: a branch becomes what its parent is."""

from __future__ import annotations

from argparse import Namespace
from typing import Any

from lakeui_client.cli import show
from lakeui_client.cli.place import Place, Said

_ROWS = (("rows_inserted", "inserted"), ("rows_updated", "updated"), ("rows_deleted", "deleted"))


def reset(place: Place, given: Namespace) -> Said:
    branch = place.catalog.branch(given.name or place.settings.branch)
    done = branch.reset(dry_run=given.dry_run, expected_head=given.if_head, bypass_reason=given.bypass_reason or "")
    if not done.is_done:
        return Said(done.raw, f"Branch {branch.name} is what {done.parent} is already.")
    discarded = done.raw["discarded"]
    count = f"{done.commits} commit{'' if done.commits == 1 else 's'}"
    lines = [f"  {show.safe(_line(item))}" for item in discarded["objects"]]
    if given.dry_run:
        said = f"A reset of {branch.name} to {done.parent} discards {count}"
        return Said(done.raw, "\n".join([said + (":" if lines else "."), *lines]))
    said = f"Branch {branch.name} is what {done.parent} is, version {done.version}. Discarded {count}"
    back = f"They come back by: lake undrop {branch.name} --id {done.discarded_id} --as NAME"
    return Said(done.raw, "\n".join([said + (":" if lines else "."), *lines, back]))


def _line(item: dict[str, Any]) -> str:
    rows = [f"{item[name]:,} row{'' if item[name] == 1 else 's'} {word}" for name, word in _ROWS if item[name]]
    at_most = "at most " if rows and not item["rows_are_exact"] else ""
    return f"{item['object']}: {at_most}{', '.join(rows or item['operations'] or ['changed'])}"
