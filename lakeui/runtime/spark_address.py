"""Where Spark Connect answers."""

from __future__ import annotations

import re

SPARK_SECONDS = 2.0
SPARK_PORT = 15002


class PartMissing(Exception):
    """A part does not answer; the text says what that means, without addresses or secrets."""


def spark_address(remote: str) -> tuple[str, int]:
    """Host and port of a Spark Connect address (``sc://host[:port][/;parameters]``). Raises PartMissing."""
    match = re.match(r"sc://(\[[^\]]+\]|[^:/;]+)(?::(\d+))?(?:[/;]|$)", remote)
    if match is None:
        raise PartMissing("no Spark Connect address is set")
    return match[1].strip("[]"), int(match[2] or SPARK_PORT)
