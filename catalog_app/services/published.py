"""The end of what was published to other engines."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime, timedelta

from catalog_app.models import PublishedTable
from catalog_app.selectors.rows import fetch_all

HANDED_OUT = timedelta(days=1)
"""VACUUM leaves what was handed out so lately, whatever the retention."""

_FORGET = """
DELETE FROM catalog_app_publishedfile WHERE path = ANY(%(paths)s) AND used_at < %(before)s RETURNING path
"""


def published_forget(paths: Collection[str], *, before: datetime) -> frozenset[str]:
    """Forget those of these files that were last handed out before ``before``, and metadata as old; answers which."""
    PublishedTable.objects.filter(published_at__lt=before).delete()
    return frozenset(path for (path,) in fetch_all(_FORGET, {"paths": list(paths), "before": before}))
