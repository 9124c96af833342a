"""A sample lake as steps: each is one statement, or work that no statement says."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import partial

from lakeui.frontdoor import Session, execute, parsed
from merge_app.jobs.context import Context


@dataclass(frozen=True, slots=True)
class Step:
    """``is_unrecorded``: no commit says that it is done, so whoever repeats steps keeps that in its transaction."""

    label: str
    run: Callable[[Session, Context], object]
    is_unrecorded: bool


def statement_step(branch: str, statement: str) -> Step:
    text = " ".join(statement.split())
    return Step(f"on {branch}: {text}", partial(_execute, statement, branch), parsed(statement).is_unrecorded)


def statement_steps(story: Iterable[tuple[str, str]]) -> tuple[Step, ...]:
    """By branch the statements, in their order."""
    return tuple(statement_step(branch, statement) for branch, statement in story)


def _execute(statement: str, branch: str, session: Session, context: Context) -> None:
    execute(statement, replace(session, branch=branch), context)
