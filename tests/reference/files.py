"""Files: where the images of live rows lie. They follow the facts and are none."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from tests.reference.state import State


class Files:
    """All data files of a catalog by number: row and image. A file never changes."""

    def __init__(self) -> None:
        self.all: list[Mapping[Any, Any]] = []

    def write(self, rows: Mapping[Any, Any]) -> int:
        self.all.append(rows)
        return len(self.all) - 1

    def place(self, state: State, *others: State) -> None:
        """Show every live row of a changed table once: by a file that is shown, by one of `others`, or by a new one."""
        for t in state.own:
            self._place_table(state, others, t)

    def _place_table(self, state: State, others: tuple[State, ...], t: str) -> None:
        wanted = {r: fact.value for r, fact in state.rows(t).items()}
        kept: dict[int, set[Any]] = {}
        for number, deleted in [item for each in (state, *others) for item in each.shows.get(t, {}).items()]:
            for r, image in self.all[number].items():
                if r not in deleted and r in wanted and wanted[r] == image:
                    kept.setdefault(number, set()).add(r)
                    del wanted[r]
        for part in sorted({state.partition(t, r) for r in wanted}):
            rows = {r: image for r, image in wanted.items() if state.partition(t, r) == part}
            kept[self.write(rows)] = set(rows)
        state.shows[t] = {number: frozenset(self.all[number].keys() - rows) for number, rows in kept.items()}

    def compact(self, state: State, t: str) -> None:
        """Images move, facts do not."""
        state.shows[t] = {self.write({r: f.value for r, f in state.rows(t).items()}): frozenset()}

    def shown(self, state: State, t: str) -> Iterator[tuple[Any, Any]]:
        for number, deleted in state.shows.get(t, {}).items():
            yield from ((r, image) for r, image in self.all[number].items() if r not in deleted)
