"""What a statement or a task may say about itself while it runs, and how it learns that it should stop."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from uuid import UUID, uuid5

from catalog_app.domain.roles import Scopes
from lakeui.common.errors import LakeError
from merge_app.jobs.errors import TaskCancelled, TaskSuperseded

logger = logging.getLogger(__name__)


class Context:
    """The context of work done inside the request: no observer, nothing to stop. Base of the others."""

    task_id: UUID | None = None
    key: UUID | None = None
    """What names the work on the engine, where it can be stopped. Work of a request has a key and no task."""
    attempt: int = 1

    def step(self, name: str, detail: str = "") -> None:
        """Begin a step; the one before it is finished by that."""

    def progress(self, fraction: float, message: str | None = None) -> None:
        """Say how much of the whole is done, from 0 to 1."""

    def check_cancelled(self) -> None:
        """Raise TaskCancelled if somebody asked the work to stop."""

    def on_cancel(self, callback: Callable[[], None]) -> None:
        """Have ``callback`` called, from another thread, when the work should stop (to interrupt the engine)."""


@dataclass(frozen=True, slots=True)
class Report:
    """What the task row should show now."""

    steps: list[dict[str, Any]]
    progress: float
    message: str


class StoppableContext(Context):
    """The context of work that another thread may stop. Only remembers: whoever watches carries its report on.

    So a handler may report from inside a transaction, without locking a row or having the report undone.
    """

    def __init__(self, key: UUID) -> None:
        self.key: UUID = key
        self.changed = threading.Event()
        self._lock = threading.Lock()
        self._steps: list[dict[str, Any]] = []
        self._progress = 0.0
        self._message = ""
        self._stop: TaskCancelled | None = None
        self._reason: LakeError | None = None
        self._callbacks: list[Callable[[], None]] = []

    def step(self, name: str, detail: str = "") -> None:
        self.check_cancelled()
        now = _now()
        with self._lock:
            self._close_step(now)
            self._steps.append({"name": name, "started": now, "finished": None, "detail": detail})
            self._message = name
        self.changed.set()

    def progress(self, fraction: float, message: str | None = None) -> None:
        with self._lock:
            self._progress = min(1.0, max(0.0, fraction))
            if message is not None:
                self._message = message
        self.changed.set()

    @property
    def stopped_by(self) -> LakeError | None:
        """Why the work should stop, None where it should not."""
        return self._reason or self._stop

    def check_cancelled(self) -> None:
        if self._stop is not None:
            raise self._stop

    def on_cancel(self, callback: Callable[[], None]) -> None:
        with self._lock:
            self._callbacks.append(callback)
            stopped = self._stop is not None
        if stopped:
            callback()

    def report(self, *, final: bool = False) -> Report:
        """What there is to show. ``final`` closes the last step."""
        with self._lock:
            if final:
                self._close_step(_now())
            return Report([dict(step) for step in self._steps], self._progress, self._message)

    def cancel(self, reason: LakeError | None = None) -> None:
        """Somebody asked the task to stop, or there is another ``reason`` to."""
        self._reason = self._reason or reason
        self._stop_with(TaskCancelled("The task was cancelled before it wrote anything."))

    def _stop_with(self, reason: TaskCancelled) -> None:
        with self._lock:
            if self._stop is not None:
                return
            self._stop = reason
            self._message = "stops before anything is written"
        self.changed.set()
        self.interrupt()

    def interrupt(self) -> None:
        """Call every callback, once more where it was called before: work that began meanwhile stops too."""
        with self._lock:
            callbacks = list(self._callbacks)
        for callback in callbacks:
            try:
                callback()
            # The callback is the engine's: whatever it raises must not end the heartbeat that called it.
            except Exception:
                logger.exception("interrupting %s failed", self.key)

    def _close_step(self, now: str) -> None:
        if self._steps and self._steps[-1]["finished"] is None:
            self._steps[-1]["finished"] = now


class TaskContext(StoppableContext):
    """The context of one attempt at a task; the heartbeat carries its report to the database."""

    def __init__(
        self,
        task_id: UUID,
        *,
        claim: UUID | None = None,
        user: Any = None,
        scopes: Scopes | None = None,
        attempt: int = 1,
    ) -> None:
        super().__init__(task_id)
        self.task_id: UUID = task_id
        self.claim = claim
        self.user = user
        self.scopes = scopes
        self.attempt = attempt

    def supersede(self) -> None:
        """The task belongs to another attempt now."""
        self._stop_with(TaskSuperseded("Another worker has taken this task over."))


class PartContext(Context):
    """The context of one part of a task. What it commits names the part, by an id of its own that every attempt at the
    task makes alike: so a part is done once, as a task is.
    """

    def __init__(self, whole: TaskContext, number: int) -> None:
        self._whole = whole
        self.task_id = part_id(whole.task_id, number)
        self.key = whole.key
        self.attempt = whole.attempt

    @property
    def stopped_by(self) -> LakeError | None:
        return self._whole.stopped_by

    def step(self, name: str, detail: str = "") -> None:
        self._whole.step(name, detail)

    def check_cancelled(self) -> None:
        self._whole.check_cancelled()

    def on_cancel(self, callback: Callable[[], None]) -> None:
        self._whole.on_cancel(callback)


def part_id(task_id: UUID, number: int) -> UUID:
    """What names the part of that number in the commits and records that it makes."""
    return uuid5(task_id, str(number))


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")
