"""What a random history did, said with the error that ended it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager


@contextmanager
def journal_noted(journal: Sequence[str]) -> Iterator[None]:
    """Add the statements to an error of any type, which is raised as it is."""
    try:
        yield
    except Exception as error:
        error.add_note("\n".join(journal))
        raise
