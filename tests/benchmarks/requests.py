"""What the page of a merge request for very many changed objects waits for, besides the comparison itself."""

from __future__ import annotations

import gc
import statistics
import time

from tests.benchmarks.compare import ChangedLake
from tests.benchmarks.lake import Figure

TARGET_MS = 1000
CHANGED = 10_000
ROUNDS = 9
PARTS = {"the request": "", "its timeline": "timeline/", "its comments": "comments/", "its checks": "checks/"}


def figures() -> list[Figure]:
    """Milliseconds that each resource takes: the medians. There is no Redis: nothing was kept of a comparison."""
    from django.conf import settings
    from django.contrib.auth.models import User
    from django.test import Client

    # As in a server, where what was loaded at the start is left alone by the collector.
    import lakeui.wsgi  # noqa: F401
    from lakeui.access.tokens import token_create
    from tests.support.members import join

    lake = ChangedLake(CHANGED, 20)
    user = User.objects.create_user("bench-requests")
    join(user, lake.catalog)
    settings.LAKEUI["REQUESTS_PER_MINUTE"] = 0
    secret = token_create(user=user, name="bench")[1]
    client = Client(headers={"Authorization": f"Bearer {secret}", "Host": "localhost"})
    requests = f"/api/v1/catalogs/{lake.catalog}/merge-requests/"
    wanted = {"source": "dev", "destination": "main", "title": "Everything"}
    opened = client.post(requests, wanted, content_type="application/json")
    assert opened.status_code == 201, opened.content
    found = []
    for what, path in PARTS.items():
        taken = []
        for _ in range(ROUNDS + 1):
            gc.collect()
            began = time.perf_counter()
            response = client.get(f"{requests}{opened.json()['number']}/{path}")
            taken.append(1000 * (time.perf_counter() - began))
            assert response.status_code == 200, response.content
        median = statistics.median(taken[1:])
        found.append(Figure(f"a request of 10,000 changed tables: {what}, ms", median, at_most=TARGET_MS))
    return found
