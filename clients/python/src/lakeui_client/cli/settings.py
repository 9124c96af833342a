"""Where ``lake`` acts, and as whom: options before variables before what ``lake login`` and ``lake switch`` kept."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import NamedTuple

from lakeui_client.errors import failed

VARIABLES = {name: f"LAKEUI_{name.upper()}" for name in ("url", "token", "catalog", "branch", "session")}
FALLBACKS = {"url": "http://127.0.0.1:8000", "branch": "main"}


class Settings(NamedTuple):
    url: str
    token: str
    catalog: str
    branch: str
    session: str

    @property
    def catalog_named(self) -> str:
        """The catalog, which nothing can be done without."""
        if not self.catalog:
            raise failed("No catalog is chosen.", "Choose one: lake switch -C CATALOG main, or set LAKEUI_CATALOG.")
        return self.catalog


def settings_path() -> Path:
    base = os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config"
    return Path(base) / "lakeui" / "client.json"


def settings_kept() -> dict[str, str]:
    path = settings_path()
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except ValueError:
        raise failed(f"{path} is no JSON.", "Remove it, then run: lake login") from None
    return {name: value for name, value in found.items() if name in VARIABLES and isinstance(value, str)}


def settings_keep(**changes: str) -> None:
    """Keep these beside the others. The file holds a token: only its owner reads it, at no moment anybody else."""
    _write(settings_kept() | changes)


def settings_forget(*names: str) -> None:
    _write({name: value for name, value in settings_kept().items() if name not in names})


def _write(kept: dict[str, str]) -> None:
    path = settings_path()
    path.parent.mkdir(parents=True, exist_ok=True)
    written = path.with_name(f"{path.name}.{os.getpid()}")
    descriptor = os.open(written, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        json.dump(kept, file, indent=2)
    written.replace(path)


def settings_read(**given: str | None) -> Settings:
    """A token that was kept is sent to the server that it was kept for, to no other."""
    kept = settings_kept()
    said = {name: given.get(name) or os.environ.get(variable) or "" for name, variable in VARIABLES.items()}
    url = said["url"] or kept.get("url", FALLBACKS["url"])
    if url.rstrip("/") != kept.get("url", url).rstrip("/"):
        kept = {}
    chosen = {name: said[name] or kept.get(name, FALLBACKS.get(name, "")) for name in VARIABLES}
    if said["catalog"] and said["catalog"] != kept.get("catalog") and not said["branch"]:
        chosen["branch"] = FALLBACKS["branch"]
    return Settings(**chosen | {"url": url})
