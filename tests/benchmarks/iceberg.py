"""What other engines wait for: loadTable of Iceberg's REST catalog. Real PostgreSQL, rows made in bulk, no Spark."""

from __future__ import annotations

import statistics
import tempfile
import time
from typing import Any

from tests.benchmarks.lake import Bench, Figure

COLUMNS = 20
ROUNDS = 40
COMMITS = 9


def figures(*, files: int = 1_000, many: int = 100_000) -> list[Figure]:
    """For a client with a token: the first answer for a version, later ones, and the first after one more commit."""
    from django.conf import settings
    from django.contrib.auth.models import User
    from django.test import Client

    import lakeui.wsgi  # noqa: F401
    from lakeui.access.tokens import token_create
    from tests.support.members import join

    user = User.objects.create_user("engine")
    settings.LAKEUI["REQUESTS_PER_MINUTE"] = 0
    client = Client(
        headers={"Authorization": f"Bearer {token_create(user=user, name='engine')[1]}", "Host": "localhost"}
    )
    # Imports and the first connection are not what is measured.
    small = Bench(1, columns=COLUMNS)
    join(user, small.catalog)
    found: list[Figure] = []
    after: list[float] = []
    with tempfile.TemporaryDirectory() as warehouse:
        settings.LAKEUI["WAREHOUSE"] = warehouse
        _load(client, small)
        for count, first, warm in ((files, 1000.0, 100.0), (many, None, 2000.0)):
            lake = Bench(count, columns=COLUMNS)
            join(user, lake.catalog)
            what = f"loadTable of {count:,} files of {COLUMNS} columns"
            found.append(Figure(f"{what}, first, ms", _load(client, lake), at_most=first))
            taken = sorted(_load(client, lake) for _ in range(ROUNDS))
            found.append(Figure(f"{what}, warm, p95 ms", taken[int(0.95 * (ROUNDS - 1))], at_most=warm))
            after.append(_one_more(client, lake))
            found.append(Figure(f"{what}, one more commit, median ms", after[-1]))
    name = f"loadTable after one more commit, {many:,} files against {files:,}, times"
    return [*found, Figure(name, after[1] / after[0], at_most=3.0)]


def _one_more(client: Any, lake: Bench) -> float:
    """The median over commits of one file."""
    taken = []
    for _ in range(COMMITS):
        lake.insert("main", 1)
        taken.append(_load(client, lake))
    return statistics.median(taken)


def _load(client: Any, lake: Bench) -> float:
    """Milliseconds of one answer."""
    began = time.perf_counter()
    response = client.get(f"/iceberg/{lake.catalog}/main/v1/namespaces/d/tables/t")
    taken = 1000 * (time.perf_counter() - began)
    assert response.status_code == 200, response.content
    return taken
