"""Stories that merges by lineage and by replays tell alike stand once, in ``tests/stateful``."""

from __future__ import annotations

from collections.abc import Collection
from types import ModuleType
from typing import Any


def stories_of(module: ModuleType, *, changed: Collection[str]) -> dict[str, Any]:
    """What a module of stories defines, but for ``changed``, each of which must be there."""
    missing = set(changed) - vars(module).keys()
    assert not missing, f"{module.__name__} has no {', '.join(sorted(missing))}"
    return {name: value for name, value in vars(module).items() if name[:2] != "__" and name not in changed}
