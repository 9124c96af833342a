"""Where the services are: said by the environment, or else written down by the ``up`` that started them."""

from __future__ import annotations

import json
import os
import secrets
from collections.abc import Collection, Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from lakeui.common.errors import InvalidValue

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


def port_number(environment: Mapping[str, str]) -> int:
    """LAKEUI_PORT, by default 8000. Raises ``InvalidValue``."""
    said = environment.get("LAKEUI_PORT") or "8000"
    if not said.isdecimal() or not 1 <= int(said) <= 65535:
        raise InvalidValue(f"LAKEUI_PORT is {said}.", remedy="Set it to a port number, for example 8080.")
    return int(said)


def number(environment: Mapping[str, str], variable: str, *, default: float) -> float:
    """A number of something, not negative. Raises ``InvalidValue``."""
    said = environment.get(variable) or str(default)
    try:
        value = float(said)
    except ValueError:
        value = -1.0
    if not 0 <= value < 1e12:
        raise InvalidValue(f"{variable} is {said}.", remedy="Set it to a number that is not negative, for example 30.")
    return value


def numbers_by_name(environment: Mapping[str, str], variable: str, *, known: Collection[str]) -> dict[str, float]:
    """Numbers of known names, as ``viewer=60, owner=1800`` says them. Raises ``InvalidValue``."""
    found = {}
    for part in environment.get(variable, "").split(","):
        name, is_given, said = (piece.strip() for piece in part.partition("="))
        if not name and not is_given:
            continue
        if name not in known or not said:
            raise InvalidValue(
                f"{variable} says {part.strip()}.",
                remedy=f"Write NAME=SECONDS, with commas between; names are {', '.join(known)}.",
            )
        found[name] = number({variable: said}, variable, default=0)
    return found


def services_from_environment(environment: Mapping[str, str]) -> Services:
    """What the environment alone says."""
    return Services(**{name: environment.get(variable, "") for name, variable in VARIABLES.items()})


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


def secret_key(environment: Mapping[str, str], home: Path) -> str:
    """The signing key of sessions: LAKEUI_SECRET_KEY, or one made once and kept in LAKEUI_HOME."""
    if said := environment.get("LAKEUI_SECRET_KEY"):
        return said
    kept = home / "secret_key"
    if not kept.exists():
        _write_private(kept, secrets.token_urlsafe(64))
    return kept.read_text().strip()


def refuse_unfit_for_production(environment: Mapping[str, str], *, debug: bool) -> None:
    """Raise InvalidValue, naming all that is wrong, unless the settings may face a network: a server that makes its
    own key signs everybody out when it moves, a short key is guessed, and debug pages show secrets.
    """
    key = environment.get("LAKEUI_SECRET_KEY", "")
    wrong = [
        "LAKEUI_SECRET_KEY is not set" if not key else "",
        f"LAKEUI_SECRET_KEY has fewer than {SHORTEST_KEY} characters" if 0 < len(key) < SHORTEST_KEY else "",
        "LAKEUI_ALLOWED_HOSTS names no host" if not environment.get("LAKEUI_ALLOWED_HOSTS", "").strip() else "",
        "LAKEUI_DEBUG is on" if debug else "",
    ]
    found = [reason for reason in wrong if reason]
    if found:
        raise InvalidValue(
            f"LAKEUI_HTTPS=1 says that this is for production, but {', '.join(found)}.",
            remedy="Set them as docs/operations.md says, or leave LAKEUI_HTTPS out on a machine of your own.",
        )


def _write_private(path: Path, text: str) -> None:
    """Replace a file in one step, so that a reader never sees half of it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    fresh = path.with_name(f".{path.name}.{os.getpid()}")
    fresh.touch(mode=0o600)
    fresh.write_text(text)
    fresh.replace(path)
