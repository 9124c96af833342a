"""What a server refuses, as exceptions that carry its problem document (RFC 9457)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lakeui_client.conflicts import Conflict


class LakeError(Exception):
    """A refusal. ``problem`` is the document as it was sent."""

    def __init__(self, problem: Mapping[str, Any]) -> None:
        self.problem = dict(problem)
        super().__init__(" ".join(part for part in (self.detail, self.remedy) if part) or self.code)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.problem,)

    @property
    def status(self) -> int:
        return int(self.problem.get("status", 0))

    @property
    def code(self) -> str:
        """Stable, for programs: NOT_FOUND, MERGE_CONFLICT."""
        return str(self.problem.get("code", ""))

    @property
    def detail(self) -> str:
        return str(self.problem.get("detail", ""))

    @property
    def remedy(self) -> str:
        """The way out, where the server knows one."""
        return str(self.problem.get("remedy", ""))


class ConflictError(LakeError):
    """A merge, or a commit, that a conflict refused. Nothing was changed."""

    @property
    def conflicts(self) -> tuple[Conflict, ...]:
        return tuple(Conflict.read(entry) for entry in self.problem.get("conflicts", ()))


class WaitsForPeople(LakeError):
    """What a protection keeps for a merge request, or a request that is not ready. ``blockers`` say what is missing."""

    @property
    def blockers(self) -> tuple[str, ...]:
        return tuple(str(entry["message"]) for entry in self.problem.get("blockers", ()))


class NotFound(LakeError):
    @property
    def nearest(self) -> str | None:
        """The name that may be meant."""
        return self.problem.get("nearest")


class PermissionDenied(LakeError):
    """The role, or the scopes of the token, do not allow it."""


class Unauthenticated(LakeError):
    """No token, or one that does not count any more."""


class Stale(LakeError):
    """It was changed since it was looked at."""


class ChecksFailed(LakeError):
    """Checks of a run found rows that must not be there. Nothing was published."""

    @property
    def failures(self) -> tuple[dict[str, Any], ...]:
        """Name, number of rows and a sample of each."""
        return tuple(self.problem.get("failures", ()))


class AlreadyPublished(LakeError):
    """An earlier attempt of the run was published: ``merge_id``, or ``request``, is in the problem document."""


class ConnectionFailed(LakeError):
    """The server did not answer. A write that had a key may be sent again: it happens once."""


def error_of(problem: Mapping[str, Any]) -> LakeError:
    """The exception of a problem document."""
    code, status = problem.get("code"), problem.get("status")
    if code == "MERGE_BLOCKED" or (status == 403 and "patterns" in problem):
        return WaitsForPeople(problem)
    if "conflicts" in problem:
        return ConflictError(problem)
    kinds = {401: Unauthenticated, 403: PermissionDenied, 404: NotFound, 412: Stale}
    return kinds.get(int(status or 0), LakeError)(problem)


def failed(detail: str, remedy: str = "", *, code: str = "CLIENT_ERROR", **members: Any) -> LakeError:
    """A refusal of the client's own, in the form of the server's."""
    return LakeError({"code": code, "detail": detail, "remedy": remedy, **members})
