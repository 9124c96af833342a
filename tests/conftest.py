"""The services of one test run: PostgreSQL and Redis for tests that use the database, Spark and a worker on request.

``DATABASE_URL``, ``REDIS_URL`` and ``SPARK_REMOTE`` replace them; by them ``python -m tests`` gives its workers one
PostgreSQL and one Spark. Addresses are fixed before Django reads its settings; the servers behind them start when a
test first needs them, so that pure tests start in no time.
"""

from __future__ import annotations

import atexit
import gc
import os
import secrets
import shutil
import signal
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import django
import django.conf
import pytest
from hypothesis import settings
from pytest_django.plugin import DjangoDbBlocker

from lakeui.runtime.postgres import EmbeddedPostgres
from lakeui.runtime.processes import log_tail, process_record, process_stop
from lakeui.runtime.redis_server import EmbeddedRedis
from tests.support.object_store import WAREHOUSE
from tests.support.own_connection import ASIDE
from tests.support.pairwise import pairwise_choose
from tests.support.process_copies import COPIES, Copy
from tests.support.servers import TEMPLATE, spark_for_tests

# What is imported stays: to look for cycles in it takes a tenth of the time of collecting the tests.
gc.disable()
OF_NO_USE = frozenset(
    {
        "_django_clear_site_cache",
        "_django_isolate_apps",
        "_django_set_urlconf",
        "_template_string_if_invalid_marker",
    }
)
"""What pytest-django sets up around each test for marks that no test has, and for an application that is not there."""
# How long one example takes is the machine's affair: a property that holds must not fail on a busy one.
settings.register_profile("any machine", deadline=None)
settings.load_profile("any machine")


@dataclass(frozen=True)
class Embedded:
    """The servers of this run that no environment variable replaces."""

    home: Path
    postgres: EmbeddedPostgres | None
    redis: EmbeddedRedis | None


def _fix_addresses() -> Embedded:
    """Tell Django where the servers will be, and set it up: conftest files below import models."""
    home = Path(tempfile.mkdtemp(prefix="lakeui-tests-")).resolve()
    # PostgreSQL refuses to run as root and then runs as another user, who must be able to pass through.
    home.chmod(0o711)
    logs = home / "logs"
    postgres = redis = None
    if not os.environ.get("DATABASE_URL"):
        postgres = EmbeddedPostgres(home / "postgres", logs / "postgres.log", durable=False)
        os.environ["DATABASE_URL"] = postgres.url("lakeui")
    if not os.environ.get("REDIS_URL"):
        redis = EmbeddedRedis(home / "redis", logs / "redis.log", durable=False)
        os.environ["REDIS_URL"] = redis.url
        if "PYTEST_XDIST_WORKER" in os.environ:
            # Which test is a worker's first one, and whether that asks for Redis, differs from run to run.
            redis.start()
    os.environ["LAKEUI_HOME"] = str(home)
    os.environ["LAKEUI_WAREHOUSE"] = os.environ.get(WAREHOUSE) or str(home / "warehouse")
    os.environ["LAKEUI_SECRET_KEY"] = secrets.token_urlsafe(48)
    os.environ["DJANGO_SETTINGS_MODULE"] = "lakeui.settings"
    (home / "static").mkdir()
    (home / "warehouse").mkdir()
    django.setup()
    # The real one takes a third of a second for each password that somebody guesses.
    django.conf.settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
    _keep_plans()
    return Embedded(home, postgres, redis)


def _keep_plans() -> None:
    """Each query is planned once a connection: over the small tables of tests, to plan takes longer than to run."""
    from django.db.backends.signals import connection_created

    from catalog_app.selectors import rows
    from lakeui.runtime.database import base

    def keep_many(*, connection: Any, **_: Any) -> None:
        connection.connection.prepared_max = 1000

    cursor_open = rows.cursor_open
    rows.cursor_open = lambda *, prepared: cursor_open(prepared=True)
    base.PREPARE_AFTER = 0
    connection_created.connect(keep_many, weak=False)


GIVEN = dict(os.environ)
EMBEDDED = _fix_addresses()


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_setupnodes() -> None:
    """Workers inherit what was given, not what this process set up for itself."""
    os.environ.clear()
    os.environ.update(GIVEN)


def pytest_unconfigure() -> None:
    """Stop what was started; the directory stays when LAKEUI_KEEP_TESTS is set, for its logs."""
    COPIES.stop()
    for server in (EMBEDDED.redis, EMBEDDED.postgres):
        if server:
            server.stop()
    if not os.environ.get("LAKEUI_KEEP_TESTS"):
        shutil.rmtree(EMBEDDED.home, ignore_errors=True)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Choose of products of parameters, and mark what needs the Spark server, before ``-m`` chooses."""
    pairwise_choose(config, items)
    for item in items:
        if isinstance(item, pytest.Function):
            if "spark_remote" in item.fixturenames:
                item.add_marker(pytest.mark.spark)
            # The items of a function share the list.
            item.fixturenames[:] = [name for name in item.fixturenames if name not in OF_NO_USE]


def pytest_collection_finish() -> None:
    """From now on cycles are looked for in what tests make. Only the end of the process looks at everything: extensions
    complain of what it leaves out.
    """
    gc.freeze()
    gc.enable()
    atexit.register(gc.unfreeze)


@pytest.fixture(scope="session")
def embedded() -> Embedded:
    return EMBEDDED


@pytest.fixture(scope="session")
def redis_url(embedded: Embedded) -> str:
    """A running Redis."""
    if embedded.redis and embedded.redis.process is None:
        embedded.redis.start()
    return os.environ["REDIS_URL"]


@pytest.fixture(scope="session")
def django_db_modify_db_settings(
    embedded: Embedded, redis_url: str, django_db_modify_db_settings_parallel_suffix: None
) -> None:
    """pytest-django asks for this before it creates the test database. Redis comes along: it starts in no time."""
    from django.db import connection
    from django.test import TransactionTestCase

    template = os.environ.get(TEMPLATE)
    if template:
        connection.settings_dict["TEST"]["TEMPLATE"] = template
    if embedded.postgres and embedded.postgres.process is None:
        embedded.postgres.start()
    if _is_own_server(embedded):
        TransactionTestCase._fixture_teardown = lambda _: ASIDE.empty()
        TransactionTestCase._should_reload_connections = lambda _: not _is_idle(connection)


def _is_own_server(embedded: Embedded) -> bool:
    """Whether the run is a superuser of its PostgreSQL. On one that somebody gave, Django itself empties the tables."""
    return embedded.postgres is not None or TEMPLATE in os.environ


def _is_idle(connection: Any) -> bool:
    """Whether the next test may go on with the connection and with the plans of its statements."""
    from psycopg.pq import TransactionStatus

    raw = connection.connection
    is_open = raw is not None and raw.info.transaction_status == TransactionStatus.IDLE
    return is_open and connection.get_autocommit() and not connection.errors_occurred


@pytest.fixture(scope="session")
def django_db_setup(django_db_setup: None) -> Iterator[None]:
    """A database is dropped when no one is connected to it."""
    yield
    ASIDE.close()


@pytest.fixture(scope="session")
def test_database(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[None]:
    """The test database also where no chosen test carries the mark for which pytest-django makes it."""
    from django.db import connection, connections
    from django.test.utils import setup_databases, teardown_databases

    if connection.settings_dict["NAME"].startswith("test_"):
        yield
        return
    with django_db_blocker.unblock():
        made = setup_databases(verbosity=0, interactive=False)
    yield
    ASIDE.close()
    with django_db_blocker.unblock():
        connections.close_all()
        teardown_databases(made, verbosity=0)


@pytest.fixture(scope="module")
def open_database(test_database: None, django_db_blocker: DjangoDbBlocker, embedded: Embedded) -> Iterator[None]:
    """PostgreSQL open to a whole module, and empty after it: modules run in any order."""
    from django.core.management import call_command

    with django_db_blocker.unblock():
        yield
        # The sequences of ids stay, so no catalog gets the number of an earlier one.
        if _is_own_server(embedded):
            ASIDE.empty(forgets_versions=True)
        else:
            call_command("flush", verbosity=0, interactive=False, inhibit_post_migrate=True, reset_sequences=False)


@pytest.fixture(scope="session")
def spark_remote(embedded: Embedded) -> Iterator[str]:
    """A Spark Connect server; the settings name it from now on."""
    from django.conf import settings

    given = os.environ.get("SPARK_REMOTE")
    if given:
        yield given
        return
    server = spark_for_tests(embedded.home)
    server.start()
    # Where it does not start, that is what is raised: it stops itself then.
    server.wait_until_ready()
    os.environ["SPARK_REMOTE"] = settings.LAKEUI["SPARK_REMOTE"] = server.url
    try:
        yield server.url
    finally:
        del os.environ["SPARK_REMOTE"]
        server.stop()


@pytest.fixture(scope="session")
def database_url(test_database: None) -> str:
    """The address of the test database, for processes that tests start."""
    from django.db import connection

    before, _, parameters = os.environ["DATABASE_URL"].partition("?")
    return f"{before.rpartition('/')[0]}/{connection.settings_dict['NAME']}?{parameters}"


@pytest.fixture(scope="session")
def faults(embedded: Embedded) -> Path:
    """The directory in which tests arm fault points of the worker."""
    directory = embedded.home / "faults"
    directory.mkdir()
    return directory


@pytest.fixture(scope="session")
def worker_module(spark_remote: str) -> str:
    """What a worker imports before it forks; it runs on Spark, unless tests choose another module."""
    return "tests.support.warm_worker"


@pytest.fixture(scope="module")
def celery_worker(
    embedded: Embedded, database_url: str, redis_url: str, worker_module: str, faults: Path
) -> Iterator[None]:
    """A real worker over the test database, ready for tasks. It takes what any test submits: only its module has it."""
    # Of its own: an earlier worker of this process said that it was ready, too.
    log = embedded.home / "logs" / f"worker-{time.monotonic_ns()}.log"
    environment = {**os.environ, "DATABASE_URL": database_url, "REDIS_URL": redis_url}
    environment |= {"LAKEUI_FAULTS": str(faults), "LAKEUI_RETENTION_DAYS": "0", "LAKEUI_STAGED_HOURS": "0"}
    process = COPIES.celery(worker_module, environment=environment, log=log)
    try:
        _wait_for_worker(process, log)
        yield
    finally:
        if process.poll() is None:
            process_stop(process_record("worker", process.pid), how=signal.SIGKILL)
        process.wait()


def _wait_for_worker(process: Copy, log: Path) -> None:
    deadline = time.monotonic() + 60
    while not (log.exists() and b" ready." in log.read_bytes()):
        assert process.poll() is None, log_tail(log)
        assert time.monotonic() < deadline, log_tail(log)
        time.sleep(0.1)
