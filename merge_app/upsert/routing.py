"""Which implementation matches rows: what was asked for, what this DuckDB can do, what the environment forbids."""

from __future__ import annotations

import logging
import os
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

from lakeui.common.errors import NotSupported
from merge_app.upsert.inputs_outputs import Implementation

if TYPE_CHECKING:
    import duckdb

MERGE_SINCE = (1, 4, 0)
"""The DuckDB that brought MERGE INTO."""
SWITCH = "LAKEUI_DISABLE_DUCKDB_MERGE"
"""Set to anything but nothing or 0, it takes native MERGE out of use without a change of code."""

_VERSION = re.compile(r"v?(\d+)\.(\d+)(?:\.(\d+))?")
_logger = logging.getLogger(__name__)


def duckdb_version(connection: duckdb.DuckDBPyConnection) -> tuple[int, int, int]:
    """Major, minor and patch of the library behind a connection; (0, 0, 0) where it does not say."""
    found = connection.execute("SELECT library_version FROM pragma_version()").fetchall()
    return parse_version(str(found[0][0]))


def parse_version(text: str) -> tuple[int, int, int]:
    """Read ``v1.4.0`` and ``1.5.0-dev12``; a development build counts as the release that it leads to."""
    match = _VERSION.match(text)
    if match is None:
        _logger.warning("DuckDB calls its version %r, which is none; native MERGE is not used", text)
        return (0, 0, 0)
    major, minor, patch = match.groups(default="0")
    return (int(major), int(minor), int(patch))


def implementation_choose(
    use_merge: bool | None, version: tuple[int, int, int], environment: Mapping[str, str] = os.environ
) -> Implementation:
    """None chooses by version and environment, False the fallback; True is an error where there is no native MERGE."""
    if use_merge is False:
        _logger.info("keyed merge: %s, as asked for", Implementation.FALLBACK.value)
        return Implementation.FALLBACK
    obstacle = _obstacle(version, environment)
    if use_merge and obstacle:
        raise NotSupported(
            f"Native MERGE was asked for, but {obstacle}.", remedy="Leave use_merge out, or use_merge=False."
        )
    chosen = Implementation.FALLBACK if obstacle else Implementation.NATIVE
    _logger.info("keyed merge: %s%s", chosen.value, f", as {obstacle}" if obstacle else "")
    return chosen


def _obstacle(version: tuple[int, int, int], environment: Mapping[str, str]) -> str:
    if environment.get(SWITCH, "0") not in {"", "0"}:
        return f"{SWITCH} is set"
    if version < MERGE_SINCE:
        return f"DuckDB {'.'.join(map(str, version))} has none before {'.'.join(map(str, MERGE_SINCE))}"
    return ""
