"""The tests that ``make soak`` runs: each whose outcome asks whether this is the long form.

``python -m tests.support.long_forms`` prints them. The list is made of the imports, so no long form is left out.
"""

from __future__ import annotations

import re
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
_IMPORTS = re.compile(
    r"^ *(?:from (?P<module>tests[\w.]*) import (?P<names>\([^)]*\)|.*)|import (?P<modules>.*tests\..*))$", re.MULTILINE
)
"""Imports as the formatter writes them: the trees of all tests take ten times as long to make."""
_WORDS = re.compile(r"\w+")
_MODULES = re.compile(r"tests\.[\w.]+")


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
    for found in _IMPORTS.finditer(path.read_text()):
        if found["module"]:
            yield found["module"]
            yield from (f"{found['module']}.{name}" for name in _WORDS.findall(found["names"]))
        else:
            yield from _MODULES.findall(found["modules"])


if __name__ == "__main__":
    sys.stdout.write(" ".join(long_forms()) + "\n")
