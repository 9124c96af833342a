"""Errors that reach a person or a machine: a stable code, what happened, why, and how to get out.

The codes are those of the HTTP contract. Every error keeps its parts as data, so that the page, the command
line and RFC 9457 problem documents are made from the same fields, and it survives pickling between processes.
"""

from __future__ import annotations

from typing import Any, ClassVar

OK = "OK"
"""The outcome of what went well, where others have the code of an error."""


class LakeError(Exception):
    """Base of everything lakeui refuses on purpose. ``details`` holds JSON values only."""

    code: ClassVar[str] = "INVALID_VALUE"
    status: ClassVar[int] = 400
    title: ClassVar[str] = "Invalid value"

    def __init__(self, message: str, *, remedy: str = "", **details: Any) -> None:
        super().__init__(message)
        self.message = message
        self.remedy = remedy
        self.details = details

    def __reduce__(self) -> tuple[Any, ...]:
        return (_rebuild, (type(self), self.message, self.remedy, self.details))

    def as_problem(self) -> dict[str, Any]:
        """The RFC 9457 members of this error; extension members are the details."""
        problem: dict[str, Any] = {
            "type": f"urn:lakeui:problem:{self.code}",
            "title": self.title,
            "status": self.status,
            "detail": self.message,
            "code": self.code,
        }
        if self.remedy:
            problem["remedy"] = self.remedy
        return {**self.details, **problem}


def _rebuild(kind: type[LakeError], message: str, remedy: str, details: dict[str, Any]) -> LakeError:
    error = kind.__new__(kind)
    Exception.__init__(error, message)
    error.message, error.remedy, error.details = message, remedy, details
    return error


class SyntaxProblem(LakeError):
    """The text is not a statement. Details: ``line``, ``column`` (both from 1), ``near``."""

    code, status, title = "SYNTAX_ERROR", 400, "Syntax error"


class NotSupported(LakeError):
    """A form of Spark, or a value, that lakeui knows and does not take. The way out names another form."""

    code, status, title = "NOT_SUPPORTED", 400, "Not supported yet"


class ForbiddenStatement(LakeError):
    """The statement could reach the host or another system."""

    code, status, title = "FORBIDDEN_STATEMENT", 400, "Forbidden statement"


class InvalidValue(LakeError):
    """A value cannot be what it is. Details: ``field``, and ``nearest`` where a known name is near. A value that Spark
    refuses has ``line``, ``column`` and ``near``, where the statement says it in one place.
    """

    code, status, title = "INVALID_VALUE", 400, "Invalid value"
    fragments: tuple[str, ...] = ()
    """What could not be computed, as Spark was given it. No answer shows these: they may be of a view or of a mask."""


class NestedTooDeeply(InvalidValue):
    """Something is inside of something more often than anything that is meant. ``field``: what was sent."""

    def __init__(self, what: str, *, deepest: int, field: str = "body") -> None:
        message = f"{what} is nested more than {deepest} levels deep."
        super().__init__(message, remedy="Nest less.", field=field, nearest=None)


class Unauthenticated(LakeError):
    """No token and no session, or one that does not count any more."""

    code, status, title = "UNAUTHENTICATED", 401, "Not signed in"


class PermissionDenied(LakeError):
    """The role, the scopes of the token or the standing do not allow it."""

    code, status, title = "PERMISSION_DENIED", 403, "Permission denied"


class LimitReached(LakeError):
    """An agent did as much in this hour as it may. Details: ``retry_after``, in seconds."""

    code, status, title = "AGENT_LIMIT_REACHED", 429, "Limit of the agent reached"


class BranchProtected(PermissionDenied):
    """A protection rule refuses what was asked. Details: ``branch``, the ``patterns`` of the rules, and the least
    ``role`` that gets past, null where none does.
    """


class RowsRestricted(PermissionDenied):
    """Rows or columns are restricted for who asks, and this way to read them does not keep that. Details: ``catalog``,
    or the ``table``.
    """

    code, title = "ROWS_RESTRICTED", "Rows are restricted"


LISTED_BY = {
    **dict.fromkeys(("row filter", "mask"), "SHOW RESTRICTIONS lists what is hidden, and from whom."),
    "group": "GET /api/v1/groups/ lists those that there are.",
    "catalog": "SHOW CATALOGS lists those that there are; UNDROP CATALOG brings a dropped one back.",
    "dropped catalog": "SHOW DROPPED CATALOGS lists those that can come back.",
    "branch": "SHOW BRANCHES lists those that there are; UNDROP BRANCH brings a dropped one back.",
    "tag": "SHOW TAGS lists those that there are.",
    "database": "SHOW DATABASES lists those that there are; UNDROP DATABASE brings a dropped one back.",
    "table": "SHOW TABLES lists those that there are; UNDROP TABLE brings a dropped one back.",
    "view": "SHOW VIEWS lists those that there are.",
    "function": "SHOW FUNCTIONS lists those that there are.",
    "session": "POST /api/v1/sessions/ opens one.",
    "result": "POST /api/v1/results/ makes one.",
    "column": "DESCRIBE TABLE lists those that there are.",
    "partition": "SHOW PARTITIONS lists those that there are.",
    "partition field": "DESCRIBE TABLE EXTENDED lists those that there are.",
    "constraint": "DESCRIBE TABLE EXTENDED lists those that there are.",
    "version": "SHOW HISTORY lists those that there are.",
    "query": "SHOW QUERIES lists those that run.",
    "merge": "SHOW MERGES lists those that there are.",
    "transaction": "BEGIN opens one and answers its id.",
    "dropped branch": "Name a branch by what it was called when it was dropped.",
    "dropped database": "Name a database by what it was called when it was dropped; SHOW HISTORY tells.",
    "dropped table": "Name a table by what it was called when it was dropped; SHOW HISTORY tells.",
}
"""By kind, what helps who named something that is not there, where no other name is near."""


class NotFound(LakeError):
    """Details: ``kind`` and ``name`` of what was asked for, ``nearest`` existing name or null, and ``renamed_to``, the
    name of what had this one, where that is known.
    """

    code, status, title = "NOT_FOUND", 404, "Not found"

    def __init__(
        self, kind: str, name: str, *, nearest: str | None = None, where: str = "", renamed_to: str | None = None
    ) -> None:
        message = f"There is no {kind} {name}" + (f" {where}" if where else "")
        nearest = renamed_to or nearest
        remedy = f"Did you mean {nearest}?" if nearest else LISTED_BY.get(kind, "")
        details: dict[str, str | None] = {"kind": kind, "name": name, "nearest": nearest}
        if renamed_to is not None:
            message += f" any more: it was renamed to {renamed_to}"
            remedy = f"Use the name {renamed_to}."
            details["renamed_to"] = renamed_to
        super().__init__(f"{message}.", remedy=remedy, **details)


class AlreadyExists(LakeError):
    """Details: ``kind`` and ``name`` of what is in the way."""

    code, status, title = "ALREADY_EXISTS", 409, "Already exists"

    def __init__(self, kind: str, name: str, *, where: str = "", remedy: str = "") -> None:
        message = f"A {kind} named {name} already exists" + (f" {where}" if where else "") + "."
        super().__init__(message, remedy=remedy or "Choose another name.", kind=kind, name=name)


class SameBranch(LakeError):
    """A merge or a comparison names one branch twice."""

    code, status, title = "SAME_BRANCH", 409, "Source and target are the same branch"


class BranchMoved(LakeError):
    """The branch moved faster than the statement could be judged again, or is at another head than a reset names;
    nothing was written.
    """

    code, status, title = "BRANCH_MOVED", 409, "The branch moved"


class MergeConflict(LakeError):
    """Details: ``conflicts``, every one of them, and ``notes``."""

    code, status, title = "MERGE_CONFLICT", 409, "Merge conflict"


class MergeBlocked(LakeError):
    """The merge request may not be merged as it stands. Details: ``blockers``, every one of them (code, message)."""

    code, status, title = "MERGE_BLOCKED", 409, "The merge request is blocked"


class Stale(LakeError):
    """The ``If-Match`` of the request, or the heads that were looked at, are not those of now."""

    code, status, title = "STALE", 412, "Changed since you read it"


class ResultExpired(LakeError):
    """Details: ``expired_at``."""

    code, status, title = "RESULT_EXPIRED", 410, "The result has expired"


class ResultTooLarge(LakeError):
    """An answer or a body has more bytes or rows than are held at once."""

    code, status, title = "TOO_LARGE", 413, "Too large"


def answer_too_large(most_bytes: int) -> ResultTooLarge:
    """What is said of a result of more bytes than are held at once."""
    return ResultTooLarge(
        f"The result has more than {most_bytes // 1024**2} MiB.",
        remedy="Ask for fewer or narrower columns or for fewer rows (LIMIT), or download the result as a file.",
    )


class NotNullViolation(LakeError):
    """A row would have NULL in a column that takes none."""

    code, status, title = "NOT_NULL_VIOLATION", 422, "A NOT NULL column has no value"


class InvalidDefault(LakeError):
    """A column cannot store its default. Details: ``column``, ``default``, ``type``."""

    code, status, title = "INVALID_DEFAULT", 422, "The column cannot store its default"


class DuplicateKey(LakeError):
    """Two rows of the result have one primary key, or one key of a batch."""

    code, status, title = "DUPLICATE_KEY", 422, "Duplicate key"


class CheckViolated(LakeError):
    """Rows do not fit a CHECK constraint. Details: ``constraint``, ``rows``, and one of them as ``example``."""

    code, status, title = "CHECK_VIOLATED", 422, "Rows violate a CHECK constraint"


class Cardinality(LakeError):
    """Several rows of a source match one row of the target, and a WHEN MATCHED clause would have to choose."""

    code, status, title = "CARDINALITY", 422, "A target row matches several source rows"


class TypeNarrowing(LakeError):
    """ALTER COLUMN .. TYPE names a type that does not hold every value of the present one."""

    code, status, title = "TYPE_NARROWING", 422, "The new type is not wider"


class PropertyNotFound(LakeError):
    """UNSET names a property that is not set."""

    code, status, title = "PROPERTY_NOT_FOUND", 422, "No such property"


class NoOpenConflict(LakeError):
    """A decision answers no conflict. Details: the ``open`` ones with what answers each, ``open_count``."""

    code, status, title = "NO_OPEN_CONFLICT", 422, "No open conflict"


class EngineError(LakeError):
    """Spark failed. ``message`` is its first line; the whole goes to the log."""

    code, status, title = "ENGINE_ERROR", 502, "The compute engine failed"


class EngineLost(EngineError):
    """The server ended under a piece of work. It is not done again: it may be what ended the server."""

    def __init__(self) -> None:
        super().__init__(
            "The compute engine ended while this ran.",
            remedy="Nothing was written. The engine starts again by itself. If this ran out of its memory, ask for"
            " smaller values or fewer rows; else run it again.",
        )


class EngineAway(EngineError):
    """The server did not answer before the work began. Details: ``retry_after`` in seconds."""

    code, status, title = "ENGINE_AWAY", 503, "The compute engine is away"

    def __init__(self) -> None:
        super().__init__(
            "The compute engine does not answer.",
            remedy="Wait until it has started again, then repeat the request.",
            retry_after=10,
        )


class StoreFailed(LakeError):
    """The object store did not answer, or refused. Details: ``operation`` and ``store_code``, in the store's words."""

    code, status, title = "STORE_ERROR", 502, "The object store failed"

    def __init__(self, operation: str, store_code: str) -> None:
        super().__init__(
            f"The object store that holds the warehouse failed at {operation}: {store_code}.",
            remedy="Let lakeui doctor try the store. Then look at the history, and repeat the request.",
            operation=operation,
            store_code=store_code,
        )


class DatabaseAway(LakeError):
    """The database did not answer, or ended under the work. Details: ``retry_after`` in seconds."""

    code, status, title = "DATABASE_AWAY", 503, "The database is away"

    def __init__(self) -> None:
        super().__init__(
            "The database does not answer. Whether a change came to stand is not known.",
            remedy="Wait, look at the history, then repeat the request. An Idempotency-Key makes that safe.",
            retry_after=5,
        )


class Overloaded(LakeError):
    """The server has no place for more work of this kind now."""

    code, status, title = "OVERLOADED", 503, "Too busy"


def outcome_of(error: BaseException | None) -> str:
    """The code of an outcome: ``OK``, or that of the problem document which the error becomes."""
    if error is None:
        return OK
    return error.code if isinstance(error, LakeError) else "INTERNAL_ERROR"
