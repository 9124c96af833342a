"""Statements that were once answered otherwise than by plain Spark, beside what that answers.

``python -m tests.differential.record`` has Spark answer them again and writes the files.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.differential.cases import FOLDER, answered, cases_of, differences
from tests.differential.differences import intended, open_reason
from tests.differential.lake_side import LakeSide

FILES = sorted(FOLDER.glob("*.sql"))
CASES = [(path, place) for path in FILES for place in range(len(cases_of(path)))]


@pytest.mark.parametrize(("path", "place"), CASES, ids=[f"{path.stem}-{place + 1}" for path, place in CASES])
def test_a_case_is_answered_as_spark_answered_it(services: None, path: Path, place: int) -> None:
    case = cases_of(path)[place]
    found = [
        (text, words) for text, words in differences(case, answered(case, LakeSide())) if not intended(text, words)
    ]
    faults = [f"{text}\n  {words}" for text, words in found if open_reason(text, words) is None]
    assert not faults, "\n".join([case.title, *(made.text for made in case.setup), *faults])
    if found:
        pytest.xfail("; ".join(sorted({open_reason(text, words) or "" for text, words in found})))
