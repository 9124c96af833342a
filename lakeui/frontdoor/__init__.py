"""The SQL front door: text in, result out, for the page, REST, the command line and workers alike."""

from lakeui.frontdoor.values import Session, StatementResult
from lakeui.sql.parameters import NO_PARAMETERS, Parameters

__all__ = [
    "Session",
    "StatementResult",
    "admit",
    "execute",
    "export",
    "is_query",
    "is_task",
    "is_unrecorded",
    "takes_query_place",
]


def execute(text: str, session: Session, context: "object | None" = None) -> StatementResult:
    """Run one statement. See ``lakeui.frontdoor.dispatch``, imported late so that values stay cheap to import."""
    from lakeui.frontdoor.dispatch import dispatch

    return dispatch(text, session, context)


def admit(text: str, session: Session) -> int | None:
    """Judge a statement that is about to become a task; the catalog that the task belongs to, if it is only one."""
    from lakeui.frontdoor.dispatch import admit

    return admit(text, session)


def export(text: str, session: Session, target: "object", context: "object | None" = None) -> StatementResult:
    """Write the whole result of a SELECT to a file. See ``lakeui.frontdoor.exports``."""
    from lakeui.frontdoor.exports import query_export

    return query_export(text, session, target, context)


def is_task(text: str, parameters: Parameters = NO_PARAMETERS) -> bool:
    """Whether the statement runs as a task: it writes rows or merges."""
    from lakeui.frontdoor.dispatch import runs_as_task

    return runs_as_task(text, parameters)


def is_query(text: str, parameters: Parameters = NO_PARAMETERS) -> bool:
    """Whether the statement reads rows on Spark and writes nothing."""
    from lakeui.frontdoor.dispatch import is_query

    return is_query(text, parameters)


def takes_query_place(text: str, parameters: Parameters = NO_PARAMETERS) -> bool:
    """Whether the statement reads rows on Spark, for an answer or to be measured, and writes nothing."""
    from lakeui.frontdoor.dispatch import takes_query_place

    return takes_query_place(text, parameters)


def is_unrecorded(text: str, parameters: Parameters = NO_PARAMETERS) -> bool:
    """Whether the statement changes something in one short transaction, without a commit that names its task."""
    from lakeui.frontdoor.dispatch import leaves_no_commit

    return leaves_no_commit(text, parameters)
