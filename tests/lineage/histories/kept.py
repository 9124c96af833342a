"""Histories in which VACUUM runs with no retention: what it removes is gone for good, and no one misses it."""

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
        self.say(b, "VACUUM")
        self.count("VACUUM")
        gone = self.lake.sql("VACUUM", b).metrics["files_removed"]
        if gone:
            self.count("VACUUM removes")
        for name in (*self.names, MIRROR):
            before, after = self.states[name], self.reader.state(name)
            assert after.plain() == before.plain(), f"VACUUM changes what {name} shows"
            self.states[name] = after
