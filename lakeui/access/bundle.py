"""The built browser application: which files a page has to name, by Vite's manifest."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from django.conf import settings
from django.templatetags.static import static

FOLDER = "app"
"""Where the bundle lies under the static files."""
ENTRY = "src/main.tsx"


class BundleMissing(Exception):
    """The application was not built, or its files were not collected."""


@dataclass(frozen=True, slots=True)
class Bundle:
    """Addresses of the entry script, of the modules that it imports at once, and of its style sheets."""

    script: str
    preloads: tuple[str, ...]
    styles: tuple[str, ...]


def bundle_find() -> Bundle:
    """The bundle among the collected static files. Raises BundleMissing."""
    path = Path(settings.STATIC_ROOT) / FOLDER / "manifest.json"
    try:
        return _bundle_read(path, path.stat().st_mtime_ns)
    except OSError:
        raise BundleMissing(str(path)) from None


@lru_cache(maxsize=1)
def _bundle_read(path: Path, _changed_at: int) -> Bundle:
    """Read once per build; ``_changed_at`` makes a new build a new key."""
    manifest: dict[str, dict[str, Any]] = json.loads(path.read_text())
    needed: dict[str, None] = {}
    waiting = [ENTRY]
    while waiting:
        key = waiting.pop()
        if key not in needed:
            needed[key] = None
            waiting += manifest[key].get("imports", [])
    styles = dict.fromkeys(name for key in needed for name in manifest[key].get("css", []))
    return Bundle(
        script=_address(manifest[ENTRY]["file"]),
        preloads=tuple(_address(manifest[key]["file"]) for key in needed if key != ENTRY),
        styles=tuple(_address(name) for name in styles),
    )


def _address(name: str) -> str:
    return static(f"{FOLDER}/{name}")
