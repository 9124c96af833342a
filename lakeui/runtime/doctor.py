"""What ``doctor`` says: each setting that holds and where it comes from, and whether each service does its work.

It only looks. A check writes nothing that stays, waits seconds and not minutes, and shows no secret.
"""

from __future__ import annotations

import re
import shutil
import socket
import tempfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.db import connections
from django.db.migrations.executor import MigrationExecutor
from django.db.utils import DatabaseError
from redis.exceptions import RedisError

from catalog_app.domain.stores import is_in_store
from lakeui.common.broker import redis_client
from lakeui.common.errors import LakeError
from lakeui.runtime.calling import IN_REPOSITORY, SHOWN
from lakeui.runtime.discovery import VARIABLES, services_read
from lakeui.runtime.environment import said_by
from lakeui.runtime.problems import RuntimeProblem
from lakeui.runtime.provider_checks import provider_check
from lakeui.runtime.spark import java_require
from lakeui.runtime.spark_address import SPARK_SECONDS, PartMissing, spark_address
from lakeui.runtime.store_checks import reader_check, spark_store_check, store_check
from lakeui.runtime.variables import FIELDS, is_secret, otherwise
from merge_app.jobs.presence import workers_present

CONNECT_SECONDS = 5
LEAST_FREE_BYTES = 1024**3
STARTS = f"Start everything with `{SHOWN} up`"
HIDDEN = "(hidden)"


@dataclass(frozen=True, slots=True)
class EffectiveSetting:
    """A setting as it holds. ``value`` is empty where nothing is set and nothing stands in its place."""

    name: str
    value: str
    origin: str


@dataclass(frozen=True, slots=True)
class ServiceState:
    """What a check found: ``message`` says it, ``remedy`` is the way out of what is wrong."""

    name: str
    state: Literal["ok", "wrong", "not needed"]
    message: str
    remedy: str = ""


def settings_effective(environment: Mapping[str, str]) -> list[EffectiveSetting]:
    """Every setting, in the order of docs/reference/settings.md, without a secret."""
    said = said_by(environment)
    running = services_read(settings.HOME).as_environment()
    return [_effective(name, said.get(name), running.get(name, "")) for name in FIELDS]


def _effective(name: str, said: Any, running: str) -> EffectiveSetting:
    held = _held(name)
    if said is not None:
        value, origin = held or said.text, said.origin
    elif running and held == running:
        value, origin = running, "the running up"
    else:
        value, origin = held or otherwise(FIELDS[name]), "default"
    is_hidden = is_secret(name) and origin != "default"
    return EffectiveSetting(name, HIDDEN if is_hidden else _without_password(value), origin)


def _held(name: str) -> str:
    """What the settings of this process hold where that says more than the variable."""
    places = {"LAKEUI_HOME": str(settings.HOME), "LAKEUI_STATIC_ROOT": str(settings.STATIC_ROOT)}
    services = {variable: getattr(settings.SERVICES, field) for field, variable in VARIABLES.items()}
    return str((places | services).get(name, ""))


def services_check(environment: Mapping[str, str]) -> list[ServiceState]:
    """Each service, in the order in which one would mend them."""
    return [_state(name, check) for name, check in _checks(environment)]


def _checks(environment: Mapping[str, str]) -> Iterator[tuple[str, Callable[[], str]]]:
    yield "home", lambda: _writable(settings.HOME, "LAKEUI_HOME")
    yield "warehouse", _warehouse
    yield "disk", _disk
    yield "java", lambda: _java(environment)
    yield "pages", _pages
    yield "database", _database
    yield "redis", _redis
    yield "spark", lambda: _spark(settings.LAKEUI["SPARK_REMOTE"], "SPARK_REMOTE")
    if settings.LAKEUI["SPARK_QUERY_REMOTE"]:
        yield "spark_queries", lambda: _spark(settings.LAKEUI["SPARK_QUERY_REMOTE"], "LAKEUI_SPARK_QUERY_REMOTE")
    yield "worker", _worker
    if settings.LAKEUI["OIDC_ISSUER"]:
        yield "single_sign_on", lambda: provider_check(settings.LAKEUI["OIDC_ISSUER"])


class _NotNeeded(Exception):
    """Nothing has to be there; the text says why."""


def _state(name: str, check: Callable[[], str]) -> ServiceState:
    try:
        return ServiceState(name, "ok", check())
    except _NotNeeded as reason:
        return ServiceState(name, "not needed", str(reason))
    except LakeError as problem:
        return ServiceState(name, "wrong", problem.message, problem.remedy)


def _writable(folder: Path, variable: str) -> str:
    """A folder that is not there yet is looked for from its nearest parent on."""
    nearest = next(place for place in (folder, *folder.parents) if place.exists())
    try:
        # On Linux it has no name, so that nothing stays however this ends.
        with tempfile.TemporaryFile(dir=nearest):
            pass
    except OSError as error:
        raise RuntimeProblem(
            f"{folder} cannot be written: {error.strerror}.",
            remedy=f"Give its folder to the account that runs lakeui, or name another with {variable}.",
        ) from None
    return f"{folder} can be written." if nearest == folder else f"{folder} is not there yet and can be made."


def _warehouse() -> str:
    root = str(settings.LAKEUI["WAREHOUSE"])
    if is_in_store(root):
        options = settings.LAKEUI["STORE"]
        said = store_check(root, options)
        return f"{said} {reader_check(root, options)}" if options.reader_role else said
    return _writable(Path(root).resolve(), "LAKEUI_WAREHOUSE")


def _disk() -> str:
    roots = {"LAKEUI_HOME": str(settings.HOME), "LAKEUI_WAREHOUSE": str(settings.LAKEUI["WAREHOUSE"])}
    places = {variable: Path(root) for variable, root in roots.items() if not is_in_store(root)}
    least, variable = min((_free(place), variable) for variable, place in places.items())
    if least < LEAST_FREE_BYTES:
        raise RuntimeProblem(
            f"{least / 1024**2:,.0f} MiB are free at {places[variable]}; lakeui wants {LEAST_FREE_BYTES // 1024**2:,}.",
            remedy=f"Make room: `{SHOWN} vacuum` removes what is older than LAKEUI_RETENTION_DAYS. Or set {variable}.",
        )
    return f"{least / 1024**3:,.1f} GiB are free."


def _free(folder: Path) -> int:
    absolute = folder.absolute()
    return shutil.disk_usage(next(place for place in (absolute, *absolute.parents) if place.exists())).free


def _java(environment: Mapping[str, str]) -> str:
    if "SPARK_REMOTE" in said_by(environment):
        raise _NotNeeded("SPARK_REMOTE names a server of your own.")
    return f"{java_require()} is new enough."


def _pages() -> str:
    if not (settings.BUNDLE_DIR / "manifest.json").is_file():
        remedy = "Run `make frontend`." if IN_REPOSITORY else "Install a wheel of lakeui: it holds them."
        raise RuntimeProblem(f"The pages are not built: {settings.BUNDLE_DIR} has none.", remedy=remedy)
    return "They are built."


def _database() -> str:
    if not settings.SERVICES.database_url:
        raise _not_there("database", "DATABASE_URL")
    # A connection of its own, which gives up: Django's waits as long as the network does.
    database = connections.create_connection("default")
    waits = {"connect_timeout": CONNECT_SECONDS, **database.settings_dict["OPTIONS"]}
    database.settings_dict = {**database.settings_dict, "OPTIONS": waits}
    try:
        with database.cursor() as cursor:
            cursor.execute("SELECT current_setting('server_version')")
            version = cursor.fetchone()[0]
        executor = MigrationExecutor(database)
        waiting = len(executor.migration_plan(executor.loader.graph.leaf_nodes()))
    except (DatabaseError, ImproperlyConfigured) as error:
        raise RuntimeProblem(
            f"The database does not answer: {_first_line(error)}",
            remedy="Look whether it runs, and whether DATABASE_URL is its address.",
        ) from None
    finally:
        database.close()
    if waiting:
        raise RuntimeProblem(
            f"PostgreSQL {version} answers, but {waiting} migrations are not applied.",
            remedy=f"Run `{SHOWN} prepare`; `up` does so by itself.",
        )
    return f"PostgreSQL {version} answers, and all migrations are applied."


def _redis() -> str:
    if not settings.SERVICES.redis_url:
        raise _not_there("Redis", "REDIS_URL")
    try:
        redis_client().ping()
    except ValueError:
        # Its text may hold a part of the password.
        raise RuntimeProblem(
            "REDIS_URL is no address that Redis can be reached by.",
            remedy="Write signs such as / and # of a password as %2F and %23.",
        ) from None
    except (RedisError, OSError) as error:
        raise RuntimeProblem(
            f"Redis does not answer: {_first_line(error)}",
            remedy="Look whether it runs, and whether REDIS_URL is its address and has its password.",
        ) from None
    return "It answers."


def _spark(remote: str, variable: str) -> str:
    if not remote:
        raise _not_there("Spark", variable)
    try:
        host, port = spark_address(remote)
        socket.create_connection((host, port), timeout=SPARK_SECONDS).close()
    except (OSError, PartMissing) as error:
        raise RuntimeProblem(
            f"Spark does not answer: {_first_line(error)}",
            remedy=f"Look whether it runs, and whether {variable} is its address.",
        ) from None
    root = str(settings.LAKEUI["WAREHOUSE"])
    if is_in_store(root):
        return spark_store_check(root, settings.LAKEUI["STORE"], remote)
    return f"{host}:{port} takes connections."


def _worker() -> str:
    try:
        found = len(workers_present())
    except (RedisError, OSError, ValueError):
        raise RuntimeProblem("Workers are seen by Redis, which does not answer.", remedy="Mend Redis first.") from None
    if not found:
        raise RuntimeProblem(
            "No worker was seen lately.",
            remedy=f"{STARTS}, or one with `celery -A lakeui worker --concurrency=2 --without-gossip`.",
        )
    return f"{found} {'was' if found == 1 else 'were'} seen lately."


def _not_there(what: str, variable: str) -> RuntimeProblem:
    return RuntimeProblem(f"There is no {what}: no `up` runs here.", remedy=f"{STARTS}, or set {variable}.")


def _first_line(error: Exception) -> str:
    """What a driver says, without a password in an address that it may name."""
    return _without_password(next(iter(str(error).strip().splitlines()), "") or type(error).__name__)


def _without_password(text: str) -> str:
    return re.sub(r"//[^/@\s]*@", "//", text)
