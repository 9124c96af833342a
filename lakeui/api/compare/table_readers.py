"""Who reads a table that a comparison changes: of a dropped column views, checks and pipelines; recent statements."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import timedelta
from typing import Any

from django.utils import timezone

from catalog_app.domain.operations import ObjectKind
from catalog_app.domain.roles import Principal
from catalog_app.models import Branch, CommitRead
from catalog_app.rules.codes import VerdictCode
from lakeui.api.compare.comparing import Pair, findings_read, object_read
from lakeui.common.counts import counted
from lakeui.common.errors import NotFound
from merge_app.comparison.profiles import Risk
from merge_app.pipelines.selectors import pipelines_list
from merge_app.review.models import Check

RECENT = timedelta(hours=24)


def risks_of_readers(pair: Pair, table_id: int, principal: Principal) -> tuple[list[Risk], list[Risk]]:
    """What matters most, and what to know besides: a dropped column that something of the target reads, and that
    rows of the table went into others lately. ``principal`` is shown the pipelines that it may see.
    """
    key = ObjectKind.TABLE, table_id
    try:
        shown = object_read(pair, key)
    except NotFound:
        # The source did not change the table.
        return [], []
    dropped = _dropped(shown["columns"])
    broken = [finding for finding in findings_read(pair, key) if finding["code"] == VerdictCode.BREAKS_VIEW.value]
    readers = [*_views(broken), *_texts(pair.destination, shown["name"], dropped, principal)]
    found = [Risk("COLUMN_READ", f"It is dropped, and {reader} reads it.", column) for column, reader in readers]
    return found, list(_recently_read(pair.destination, table_id))


def _dropped(columns: Sequence[Mapping[str, Any]]) -> list[str]:
    """Columns of the target that the merge takes away."""
    return [
        entry["destination"]["name"]
        for entry in columns
        if entry["destination"] is not None and entry["base"] is not None and entry["source"] is None
    ]


def _views(broken: Sequence[Mapping[str, Any]]) -> Iterator[tuple[str, str]]:
    for finding in broken:
        for column in finding["details"].get("columns", ()):
            yield column, f"the view {finding['details']['view']}"


def _texts(branch: Branch, table: str, columns: Sequence[str], principal: Principal) -> Iterator[tuple[str, str]]:
    """Checks and pipelines of the branch whose text names the table and the column. Templates are not carried out, so a
    name in a comment counts too.
    """
    if not columns:
        return
    checks = Check.objects.filter(catalog_id=branch.catalog_id).order_by("name").values_list("name", "query")
    texts = [(f"the check {name}", query) for name, query in checks]
    pipelines = pipelines_list(principal, catalog=branch.catalog.name, branch=branch.name)
    texts += [(f"the pipeline {item.name}", item.source) for item in pipelines]
    plain = table.rpartition(".")[2]
    for reader, text in texts:
        if _is_named(plain, text):
            yield from ((column, reader) for column in columns if _is_named(column, text))


def _is_named(name: str, text: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(name.casefold())}(?!\w)", text.casefold()) is not None


def _recently_read(branch: Branch, table_id: int) -> Iterator[Risk]:
    """By statements that wrote rows of this table into other tables; of queries there is no record."""
    reads = CommitRead.objects.filter(
        table_id=table_id, branch=branch, commit__committed_at__gte=timezone.now() - RECENT
    )
    count = reads.values("commit_id").distinct().count()
    if count:
        yield Risk(
            "TABLE_READ",
            f"In the last 24 hours {counted(count, 'statement')} wrote rows of this table into other tables.",
        )
