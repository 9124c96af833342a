"""Properties of tables that lakeui itself reads: their names and what they can be. All others are the person's own."""

from __future__ import annotations

from collections.abc import Mapping

from lakeui.common.errors import InvalidValue
from lakeui.common.nearest import nearest_name

MERGE_ON_READ, COPY_ON_WRITE = "merge-on-read", "copy-on-write"
_MODES = (MERGE_ON_READ, COPY_ON_WRITE)
KNOWN: dict[str, tuple[str, ...]] = {f"write.{statement}.mode": _MODES for statement in ("delete", "merge", "update")}
"""By property its values."""

_OURS = ("write.", "merge.")


def properties_check(properties: Mapping[str, str]) -> None:
    """Raise InvalidValue for a name under ``write.`` or ``merge.`` that means nothing, and for a value that its
    property cannot have: it would be found out by the statement that reads it, or never.
    """
    for key, value in properties.items():
        if not key.casefold().startswith(_OURS):
            continue
        if key not in KNOWN:
            nearest = nearest_name(key, KNOWN)
            meant = f"Did you mean {nearest}? " if nearest else ""
            listed = f"Known are {', '.join(KNOWN)}; names that begin otherwise are yours."
            raise InvalidValue(
                f"There is no table property {key}.", remedy=f"{meant}{listed}", field=key, nearest=nearest
            )
        if value not in KNOWN[key]:
            raise InvalidValue(
                f"{key} cannot be {value!r}.",
                remedy=f"Set it to {' or '.join(map(repr, KNOWN[key]))}.",
                field=key,
                nearest=nearest_name(value, KNOWN[key]),
            )
