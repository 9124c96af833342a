"""A history that breaks a law, with as few steps as possible."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tests.lineage.histories.history import STEPS, History, Law

Laws = Callable[[], Sequence[Law]]
Makes = Callable[[str, Sequence[int], Sequence[Law]], History]


def laws_check(laws: Laws, seed: str, makes: Makes = History, most: int = STEPS) -> History:
    """Play one history of so many steps. One that breaks a law is made short and shown."""
    history, error = play(laws, seed, range(most), makes)
    if error is None:
        return history
    steps = shrink(laws, seed, makes, most)
    history, error = play(laws, seed, steps, makes)
    said = "\n  ".join(history.journal)
    raise AssertionError(f"{error!r}\nHistory({seed!r}, {list(steps)}):\n  {said}") from error


def play(laws: Laws, seed: str, steps: Sequence[int], makes: Makes) -> tuple[History, Exception | None]:
    history = makes(seed, steps, laws())
    try:
        history.play()
    except Exception as error:  # noqa: BLE001 - a history that ends with any error is made small
        return history, error
    return history, None


def broken(laws: Laws, seed: str, steps: Sequence[int], makes: Makes) -> str | None:
    """The type and the first words of what breaks: another fault is not made small in its place."""
    error = play(laws, seed, steps, makes)[1]
    return None if error is None else f"{type(error).__name__} {str(error).split(':')[0][:20]}"


def shrink(laws: Laws, seed: str, makes: Makes, most: int = STEPS) -> Sequence[int]:
    """Leave out halves, quarters, single steps, as long as the law stays broken."""
    steps: list[int] = list(range(most))
    size, fault = most // 2, broken(laws, seed, steps, makes)
    while size:
        shorter = (steps[:start] + steps[start + size :] for start in range(0, len(steps), size))
        found = next((left for left in shorter if broken(laws, seed, left, makes) == fault), None)
        if found is None:
            size //= 2
        else:
            steps = found
    return steps
