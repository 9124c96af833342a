"""A broken law's history with as few steps as possible."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tests.reference.history import STEPS, History, Law


def law_check(law: Callable[[], Law], seeds: Sequence[int]) -> None:
    """Play a history per seed. The first that breaks the law is made short and shown."""
    for seed in seeds:
        if broken(law, seed, range(STEPS)):
            steps = shrink(law, seed)
            history, error = play(law, seed, steps)
            reported = "\n  ".join(history.journal)
            raise AssertionError(f"{error!r}\nHistory({seed}, {list(steps)}):\n  {reported}")


def play(law: Callable[[], Law], seed: int, steps: Sequence[int]) -> tuple[History, AssertionError | None]:
    history = law().history(seed, steps)
    try:
        history.play()
    except AssertionError as error:
        return history, error
    return history, None


def broken(law: Callable[[], Law], seed: int, steps: Sequence[int]) -> bool:
    return play(law, seed, steps)[1] is not None


def shrink(law: Callable[[], Law], seed: int) -> Sequence[int]:
    """Leave out halves, quarters, single steps, as long as the law stays broken."""
    steps, size = list(range(STEPS)), STEPS // 2
    while size:
        shorter = next((left for left in _without(steps, size) if broken(law, seed, left)), None)
        if shorter is None:
            size //= 2
        else:
            steps = shorter
    return steps


def _without(steps: list[int], size: int) -> list[list[int]]:
    return [steps[:start] + steps[start + size :] for start in range(0, len(steps), size)]
