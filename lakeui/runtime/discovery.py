"""Where the services are: said by the environment, or else written down by the ``up`` that started them."""

from __future__ import annotations

import json
import os
import secrets
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from lakeui.common.errors import InvalidValue
from lakeui.runtime.environment import said_by
from lakeui.runtime.variables import Variables

VARIABLES = {
    "database_url": "DATABASE_URL",
    "redis_url": "REDIS_URL",
    "spark_remote": "SPARK_REMOTE",
    "spark_query_remote": "LAKEUI_SPARK_QUERY_REMOTE",
    "warehouse": "LAKEUI_WAREHOUSE",
}

SHORTEST_KEY = 50
"""Characters of LAKEUI_SECRET_KEY in production."""


@dataclass(frozen=True, slots=True)
class Services:
    """Addresses of the parts that lakeui needs; empty where no setting names one. ``spark_remote`` serves queries too
    where they have no address of their own.
    """

    database_url: str = ""
    redis_url: str = ""
    spark_remote: str = ""
    warehouse: str = ""
    spark_query_remote: str = ""

    def as_environment(self) -> dict[str, str]:
        """The variables that tell a child process the same."""
        return {variable: getattr(self, name) for name, variable in VARIABLES.items() if getattr(self, name)}


def home_directory(environment: Mapping[str, str], repository: Path | None) -> Path:
    """LAKEUI_HOME, by default ``var`` in the repository. Where lakeui is installed the data of the account that runs it
    (XDG base directories), and a relative path begins at the working directory.
    """
    said = environment.get("LAKEUI_HOME")
    if repository is not None:
        return (repository / (said or "var")).resolve()
    data = Path(environment.get("XDG_DATA_HOME") or Path.home() / ".local" / "share")
    return Path(said).resolve() if said else data / "lakeui"


def services_from_environment(environment: Mapping[str, str]) -> Services:
    """What the environment alone says, or the files that it names. Raises ``InvalidValue``."""
    said = said_by(environment)
    return Services(**{name: said[variable].text for name, variable in VARIABLES.items() if variable in said})


def services_discover(environment: Mapping[str, str], home: Path) -> Services:
    """The environment first, then what the running ``up`` wrote down, then the default place for files."""
    said = services_from_environment(environment)
    written = services_read(home)
    if said.spark_remote:
        # Who names a server of their own means it for queries too.
        written = replace(written, spark_query_remote="")
    found = replace(said, **{name: getattr(said, name) or getattr(written, name) for name in VARIABLES})
    return found if found.warehouse else replace(found, warehouse=str(home / "warehouse"))


def services_write(home: Path, services: Services) -> None:
    """Write the addresses down for other commands. They hold passwords: only the owner may read them."""
    _write_private(services_file(home), json.dumps(asdict(services), indent=2) + "\n")


def services_read(home: Path) -> Services:
    """What the running ``up`` wrote down; empty addresses when none runs."""
    try:
        return Services(**json.loads(services_file(home).read_text()))
    except (FileNotFoundError, PermissionError, ValueError, TypeError):
        return Services()


def services_file(home: Path) -> Path:
    """The file that a running ``up`` keeps for the other commands."""
    return home / "run" / "services.json"


def secret_key(variables: Variables, home: Path) -> str:
    """The signing key of sessions: LAKEUI_SECRET_KEY, or one made once and kept in LAKEUI_HOME. Raises ``InvalidValue``
    where that cannot be read or made.
    """
    if variables.secret_key:
        return variables.secret_key
    kept = home / "secret_key"
    try:
        if not kept.exists():
            _write_private(kept, secrets.token_urlsafe(64))
        return kept.read_text().strip()
    except OSError as error:
        raise InvalidValue(
            f"The key that signs sessions cannot be kept in {kept}: {error.strerror}.",
            remedy="Let LAKEUI_HOME be a folder that the account of lakeui can write, or set LAKEUI_SECRET_KEY.",
        ) from None


def refuse_unfit_for_production(variables: Variables) -> None:
    """Raise InvalidValue where LAKEUI_HTTPS is on, naming all that is wrong, unless the settings may face a network.

    A server that makes its own key signs everybody out when it moves, a short key is guessed, and debug pages show
    secrets.
    """
    key = variables.secret_key
    wrong = [
        "LAKEUI_SECRET_KEY is not set" if not key else "",
        f"LAKEUI_SECRET_KEY has fewer than {SHORTEST_KEY} characters" if 0 < len(key) < SHORTEST_KEY else "",
        "LAKEUI_ALLOWED_HOSTS names no host" if not variables.allowed_hosts else "",
        "LAKEUI_DEBUG is on" if variables.debug else "",
    ]
    found = [reason for reason in wrong if reason]
    if variables.https and found:
        raise InvalidValue(
            f"LAKEUI_HTTPS=1 says that this is for production, but {', '.join(found)}.",
            remedy="Set them as docs/howto/install.md says, or leave LAKEUI_HTTPS out on a machine of your own.",
        )


def _write_private(path: Path, text: str) -> None:
    """Replace a file in one step, so that a reader never sees half of it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    fresh = path.with_name(f".{path.name}.{os.getpid()}")
    fresh.touch(mode=0o600)
    fresh.write_text(text)
    fresh.replace(path)
