"""Histories in which VACUUM runs with no retention: what it removes, of all tables or of one, is
gone for good, and no one misses it.
"""

from __future__ import annotations

from random import Random

from tests.lineage.histories.history import MIRROR
from tests.lineage.histories.wide import WideHistory


class VacuumedHistory(WideHistory):
    """Laws that cut branches keep history, so that little would go: none of them is asked here."""

    def step(self, number: int) -> None:
        rng = Random(f"{self.seed} vacuum {number}")
        if rng.random() < 0.25:
            self.vacuum(rng)
        else:
            super().step(number)

    def vacuum(self, rng: Random) -> None:
        b = rng.choice(self.names)
        tables = [table.path for table in self.states[b].tables.values()]
        of_one = bool(tables) and rng.random() < 0.5
        text = f"VACUUM {rng.choice(tables)}" if of_one else "VACUUM"
        kind = "VACUUM t" if of_one else "VACUUM"
        self.say(b, text)
        self.count(kind)
        if self.lake.sql(text, b).metrics["files_removed"]:
            self.count(f"{kind} removes")
        for name in (*self.names, MIRROR):
            before, after = self.states[name], self.reader.state(name)
            assert after.plain() == before.plain(), f"VACUUM changes what {name} shows"
            self.states[name] = after
