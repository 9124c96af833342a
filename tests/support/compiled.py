"""Compile all modules once, as workers import them. In a fresh clone each worker would compile all of them, and rewrite
the asserts of the tests.
"""

from __future__ import annotations

import compileall
import sys
from pathlib import Path

from _pytest.assertion import AssertionState
from _pytest.assertion.rewrite import PYC_TAIL, _read_pyc, _rewrite_test, _write_pyc, get_cache_dir, try_makedirs
from _pytest.config import Config, get_config

ROOT = Path(__file__).resolve().parents[2]
PLAIN = ("catalog_app", "merge_app", "lakeui", "clients/python/src")


def rewritten_keep(modules: list[Path], config: Config) -> int:
    """Keep each module as pytest imports it, where that is not kept yet; how many were made."""
    state, made = AssertionState(config, "rewrite"), 0
    for module in modules:
        folder = get_cache_dir(module)
        kept = folder / (module.name[:-3] + PYC_TAIL)
        if _read_pyc(module, kept) is None and try_makedirs(folder):
            digest, code = _rewrite_test(module, config)
            made += _write_pyc(state, code, digest, kept)
    return made


def main() -> int:
    """pytest rewrites conftest.py and test_*.py; Python compiles the others."""
    tests = sorted((ROOT / "tests").rglob("*.py"))
    rewritten = [path for path in tests if path.name == "conftest.py" or path.name.startswith("test_")]
    rewritten_keep(rewritten, get_config())
    for path in sorted({*tests} - {*rewritten}):
        compileall.compile_file(str(path), quiet=2)
    for folder in PLAIN:
        compileall.compile_dir(str(ROOT / folder), quiet=2)
    return 0


if __name__ == "__main__":
    sys.exit(main())
