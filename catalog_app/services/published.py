"""The end of what was published to other engines."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime, timedelta

from django.utils import timezone

from catalog_app.models import PublishedTable
from catalog_app.selectors.rows import fetch_all

FRESH = timedelta(hours=6)
"""For so long metadata are handed out without a look at their files. It is less than HANDED_OUT by the time to read."""
HANDED_OUT = timedelta(days=1)
"""VACUUM leaves what was handed out so lately, whatever the retention."""

_FORGET = """
DELETE FROM catalog_app_publishedfile WHERE path = ANY(%(paths)s) AND used_at < %(before)s RETURNING path
"""


def published_forget(paths: Collection[str], *, before: datetime) -> frozenset[str]:
    """Forget those of these files that were last handed out before ``before``, and metadata as old; answers which.
    What no version is made of any more is forgotten earlier.
    """
    PublishedTable.objects.filter(published_at__lt=before).delete()
    aged = PublishedTable.objects.filter(published_at__lt=timezone.now() - FRESH, schema_version__gt=0)
    aged.update(schema_version=0, manifests=[])
    return frozenset(path for (path,) in fetch_all(_FORGET, {"paths": list(paths), "before": before}))
