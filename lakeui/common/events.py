"""What happened, one structured line each: statements, merges, tasks, runs of pipelines, mails, deliveries to
webhooks.
"""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from lakeui.common.errors import OK, outcome_of
from lakeui.common.traces import span

logger = logging.getLogger("lakeui.events")

FIELDS = (
    "event",
    "user",
    "catalog",
    "branch",
    "kind",
    "version",
    "merge_id",
    "outcome",
    "milliseconds",
    "rows",
    "bytes",
)
"""Each line has them, null where they say nothing; some events have more."""


def event_log(event: str, **fields: Any) -> None:
    """Write the line. For people it is ``event`` and what is known; for machines each field stands by itself."""
    said = {name: value for name, value in fields.items() if value is not None and value != ""}
    text = " ".join([event, *(f"{name}={_shown(value)}" for name, value in said.items())])
    logger.info("%s", text, extra={**dict.fromkeys(FIELDS), **said, "event": event})


def events_hush() -> None:
    """For commands at a terminal, which say themselves what happened."""
    logger.setLevel(logging.WARNING)


def _shown(value: Any) -> str:
    text = str(value)
    return json.dumps(text, ensure_ascii=False) if any(sign in text for sign in " \"'=\n") else text


@contextmanager
def event(name: str, fields: dict[str, Any]) -> Iterator[None]:
    """Log what is done inside with how it ends and how long it takes; ``fields`` may be filled inside. It is a span."""
    with span(name, fields):
        began = time.perf_counter()
        try:
            yield
        except BaseException as error:
            fields.setdefault("outcome", outcome_of(error))
            raise
        finally:
            fields.setdefault("outcome", OK)
            fields["milliseconds"] = round(1000 * (time.perf_counter() - began), 1)
            event_log(name, **fields)
