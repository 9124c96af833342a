"""The tests that ``make soak`` runs: each whose outcome asks whether this is the long form.

``python -m tests.support.long_forms`` prints them. The list is made of the imports, so no long form is left out.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TESTS = ROOT / "tests"
SOAK = TESTS / "support" / "soak.py"
PAIRWISE = TESTS / "support" / "pairwise.py"
"""It asks for all tests, and changes those that carry its mark alone."""
MARK = "mark.pairwise"


def long_forms() -> list[str]:
    """Files of tests, and folders whose conftest.py has a long form, as pytest takes them."""
    found = {path.parent if path.name == "conftest.py" else path for path in TESTS.rglob("*.py") if _is_asked(path)}
    files = {path for path in found if not any(folder in found for folder in path.parents)}
    return sorted(str(path.relative_to(ROOT)) for path in files)


def _is_asked(path: Path) -> bool:
    """Whether pytest reads the file, and it has a long form itself or by a helper."""
    return _is_read(path) and (MARK in path.read_text() or SOAK in _reached(path))


def _is_read(path: Path) -> bool:
    return path.name == "conftest.py" or path.name.startswith("test_")


def _reached(path: Path) -> set[Path]:
    """The modules of the tests that a module imports, and what helpers among them import. Files of tests that are
    imported keep their long form to themselves.
    """
    reached: set[Path] = set()
    waiting = [path]
    while waiting:
        found = _imported(waiting.pop()) - reached - {PAIRWISE}
        reached |= found
        waiting += [module for module in found if not _is_read(module)]
    return reached


@cache
def _imported(path: Path) -> frozenset[Path]:
    return frozenset(file for name in _names(path) if (file := ROOT / f"{name.replace('.', '/')}.py").exists())


def _names(path: Path) -> Iterator[str]:
    """What may be a module of the tests; a name that is none has no file."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("tests"):
            yield node.module or ""
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name.startswith("tests."))


if __name__ == "__main__":
    sys.stdout.write(" ".join(long_forms()) + "\n")
