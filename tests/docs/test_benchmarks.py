"""The benchmarks of docs/reference/performance.md can be run."""

from __future__ import annotations

import re
from pathlib import Path

from tests.benchmarks.__main__ import PARTS

_PAGE = Path(__file__).parents[2] / "docs/reference/performance.md"


def test_every_named_part_is_there() -> None:
    named = set(re.findall(r"--only ([a-z]+)", _PAGE.read_text()))
    assert named
    assert named <= set(PARTS)
