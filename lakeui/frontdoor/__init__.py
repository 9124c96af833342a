"""The SQL front door: text in, result out, for the page, REST, the command line and workers alike.

Modules are imported late, so that values stay cheap to import.
"""

from typing import TYPE_CHECKING

from lakeui.frontdoor.inputs_outputs import Session, StatementResult
from lakeui.sql.parameters import NO_PARAMETERS, Parameters

if TYPE_CHECKING:
    from lakeui.frontdoor.parsing import ParsedStatement

__all__ = ["Session", "StatementResult", "admit", "execute", "export", "parsed"]


def parsed(text: str, parameters: Parameters = NO_PARAMETERS) -> "ParsedStatement":
    """The statement, read once. Raises SyntaxProblem, NotSupported or InvalidValue."""
    from lakeui.frontdoor.parsing import parsed

    return parsed(text, parameters)


def execute(said: "ParsedStatement | str", session: Session, context: "object | None" = None) -> StatementResult:
    """Run one statement, which is read first if it was not before. Raises LakeError."""
    from lakeui.frontdoor.dispatch import dispatch

    return dispatch(said, session, context)


def admit(said: "ParsedStatement | str", session: Session) -> int | None:
    """Judge a statement that is about to become a task. The catalog that the task belongs to, if it is only one."""
    from lakeui.frontdoor.dispatch import admit

    return admit(said, session)


def export(
    said: "ParsedStatement | str", session: Session, target: "object", context: "object | None" = None
) -> StatementResult:
    """Write the whole result of a SELECT to a file. Raises LakeError."""
    from lakeui.frontdoor.entries.exports import query_export

    return query_export(said, session, target, context)
