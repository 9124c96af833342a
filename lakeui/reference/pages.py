"""Which pages are made, and where they lie."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path

from lakeui.reference.decision_labels import decision_labels
from lakeui.reference.errors import errors_page
from lakeui.reference.properties import properties_page
from lakeui.reference.rest import rest_page
from lakeui.reference.rights import rights_page
from lakeui.reference.rules import rules_page
from lakeui.runtime.settings_page import settings_page
from lakeui.sql.reference import reference_page

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "docs" / "reference"
COMMAND = "python -m lakeui.reference"


def _rest() -> str:
    return rest_page(json.loads((ROOT / "frontend" / "openapi.json").read_text(encoding="utf-8")))


PAGES: Mapping[str, Callable[[], str]] = {
    "errors.md": errors_page,
    "merge-rules.md": rules_page,
    "rest.md": _rest,
    "rights.md": rights_page,
    "settings.md": settings_page,
    "statements.md": reference_page,
    "table-properties.md": properties_page,
}
"""By file name in ``FOLDER``, what makes its text."""
DATA: Mapping[Path, Callable[[], str]] = {ROOT / "frontend" / "src" / "model" / "decision-labels.json": decision_labels}
"""What the browser's pages are built with."""


def pages_write() -> None:
    for name, made in PAGES.items():
        (FOLDER / name).write_text(made(), encoding="utf-8")
    for path, made in DATA.items():
        path.write_text(made(), encoding="utf-8")
