"""The request header Prefer (RFC 7240): how long to wait for work that outlives a request."""

from __future__ import annotations

import re
from dataclasses import dataclass

DEFAULT_WAIT_SECONDS = 30
LONGEST_WAIT_SECONDS = 30


@dataclass(frozen=True, slots=True)
class Preference:
    """``wait`` in seconds; ``applied`` is the value of Preference-Applied, empty if nothing was asked."""

    wait: int
    respond_async: bool
    applied: str


def read_preference(header: str, *, default_wait: int = DEFAULT_WAIT_SECONDS) -> Preference:
    """What the header asks of us. Unknown or malformed preferences are ignored, as the RFC demands.

    ``respond-async`` alone answers at once; with ``wait`` it is answered after that time at the latest.
    """
    wait: int | None = None
    respond_async = False
    for part in header.split(","):
        name, _, value = part.partition(";")[0].partition("=")
        match name.strip().lower():
            case "respond-async":
                respond_async = True
            case "wait" if wait is None and re.fullmatch(r"[0-9]{1,9}", value.strip(' "')):
                wait = min(int(value.strip(' "')), LONGEST_WAIT_SECONDS)
    applied = [*(["respond-async"] if respond_async else []), *([f"wait={wait}"] if wait is not None else [])]
    fallback = 0 if respond_async else default_wait
    return Preference(wait if wait is not None else fallback, respond_async, ", ".join(applied))
