"""How the history names a run of a pipeline. SQL has no such statement, so no person can write one."""

from __future__ import annotations

import re

from catalog_app.domain.quoting import quote_name

PREFIX = "RUN PIPELINE "
_TEXT = re.compile(rf"{PREFIX}`((?:[^`]|``)+)`(?: \((\w+)\))?")


def run_text(name: str, strategy: str) -> str:
    """The statement of a run's commit."""
    return f"{PREFIX}{quote_name(name)} ({strategy})"


def pipeline_of(statement: str) -> str:
    """The pipeline and its strategy, as a history shows them; "" where the commit is of no run."""
    found = _TEXT.fullmatch(statement)
    if found is None:
        return ""
    name = found[1].replace("``", "`")
    return f"{name} ({found[2]})" if found[2] else name
