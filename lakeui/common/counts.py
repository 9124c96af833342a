"""How many of something, as people read it."""

from __future__ import annotations


def counted(count: int, one: str, many: str = "") -> str:
    """``1 row``, ``1,200 rows``. ``many``: where it is more than ``one`` with an s."""
    return f"{count:,} {one if count == 1 else many or one + 's'}"


def metric_text(name: str, count: int) -> str:
    """``1 file added`` of the metric ``files_added``: its name begins with what it counts, in the plural."""
    unit, *what = name.split("_")
    return " ".join((counted(count, unit.removesuffix("s")), *what))
