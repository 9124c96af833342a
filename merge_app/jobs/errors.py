"""What can go wrong with a task besides its work."""

from __future__ import annotations

from lakeui.common.errors import LakeError


class EngineEndedOften(LakeError):
    """Spark ended again and again under statements of this person. Details: ``retry_after`` in seconds, ``tasks``."""

    code, status, title = "ENGINE_ENDED_OFTEN", 429, "The compute engine ended under your statements"


class TooManyQueued(LakeError):
    """Details: ``retry_after`` in seconds, and ``waiting``, how many pieces of this person's work wait already."""

    code, status, title = "TOO_MANY_QUEUED", 429, "Too much of your work waits"


class TaskCancelled(LakeError):
    """Somebody asked for the task to stop, and it stopped before its commit."""

    code, status, title = "TASK_CANCELLED", 409, "The task was cancelled"


class TaskSuperseded(TaskCancelled):
    """This worker went silent for so long that the task was given to another one. What it does no longer counts."""


class TaskLost(LakeError):
    """Every worker that took the task died; the last attempt may be repeated by hand."""

    code, status, title = "TASK_LOST", 500, "The task was lost"


class TaskFinished(LakeError):
    """A task that ended is not cancelled, nor done again where a part of it stands."""

    code, status, title = "TASK_FINISHED", 409, "The task is finished already"


class TaskUnfinished(LakeError):
    """What still waits or runs cannot be done again."""

    code, status, title = "TASK_UNFINISHED", 409, "The task is not finished"


class IdempotencyMismatch(LakeError):
    """An Idempotency-Key came back with another request."""

    code, status, title = "IDEMPOTENCY_KEY_REUSED", 422, "This Idempotency-Key belongs to another request"
