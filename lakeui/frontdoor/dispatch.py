"""From a statement to its result: read once, judged, done, and done again where others came in between."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Any

from catalog_app.domain.commit_messages import message_check
from lakeui.common.errors import InvalidValue, LakeError, NotSupported
from lakeui.frontdoor.call import Call
from lakeui.frontdoor.inputs_outputs import Session, StatementResult
from lakeui.frontdoor.meant_tables import tables_proposed
from lakeui.frontdoor.parsing import ParsedStatement, parsed
from lakeui.frontdoor.queries.measuring import measured
from lakeui.frontdoor.queries.session_functions import parse_for
from lakeui.frontdoor.recording import recorded
from lakeui.frontdoor.rehearsing import rehearsal_refuse, rehearse
from lakeui.frontdoor.resuming import earlier_outcome
from lakeui.frontdoor.rights import catalog_of
from lakeui.frontdoor.statements import EXPRESSIONS, KEEPS, Handler, handler_of, has, is_allowed, run
from lakeui.sql import statements as sql
from lakeui.sql.session_values import may_ask_session
from merge_app.execution.commit import ATTEMPTS, SerializationConflict, branch_moved_error, pause_seconds
from merge_app.jobs.context import Context


def dispatch(said: ParsedStatement | str, session: Session, context: Any = None) -> StatementResult:
    """Run one statement, which is read here if it was not before."""
    with recorded(session, context) as record:
        read = parsed_for(said, session) if isinstance(said, str) else said
        statement, session = _meant(read, session)
        record.is_a(statement, session)
        if session.transaction and read.is_alone:
            raise NotSupported(
                "This statement cannot be part of a transaction.", remedy="COMMIT or ROLLBACK first, then run it alone."
            )
        handler = measured(handler_of(statement)) if read.is_measured else handler_of(statement)
        return record.answers(carry_out(_asking_session(statement, handler), statement, read.text, session, context))


def parsed_for(text: str, session: Session) -> ParsedStatement:
    """The statement, read for the session: a table that it may mean is proposed."""
    with tables_proposed(text, session):
        return parsed(text, session.parameters)


def _meant(read: ParsedStatement, session: Session) -> tuple[Any, Session]:
    """The statement, and the session with what its text says of it: a dry run is one whoever asks for it. A merge and a
    VACUUM have dry runs of their own, which plan and do no more.
    """
    statement, session = read.statement, replace(session, dry_run=session.dry_run or read.is_dry_run)
    if message := read.message or session.message:
        session = replace(session, message=_message(message, read, session))
    if not session.dry_run:
        return statement, session
    if isinstance(statement, sql.MergeBranch | sql.Vacuum):
        return replace(statement, dry_run=True), replace(session, dry_run=False)
    rehearsal_refuse(statement)
    return statement, session


def _message(message: str, read: ParsedStatement, session: Session) -> str:
    if not read.takes_message:
        raise InvalidValue(
            "This statement makes no commit, so it takes no message.", remedy="Leave the message out.", field="message"
        )
    if read.message and session.message and read.message != session.message:
        raise InvalidValue("The commit has two messages.", remedy="Say one of them.", field="message")
    return message_check(message)


def _asking_session(statement: Any, handler: Handler) -> Handler:
    """The handler, which reads the statement again, on the snapshot of its call, where that asks the session."""
    if not has(statement, EXPRESSIONS):
        return handler

    def handle(call: Call, read: Any) -> StatementResult:
        if not may_ask_session(call.text):
            return handler(call, read)
        found = parse_for(call, call.text, call.session.parameters)
        return handler(call, found.statement if isinstance(found, sql.DryRun) else found)

    return handle


def carry_out(handler: Handler, statement: Any, text: str, session: Session, context: Any = None) -> StatementResult:
    """Do what ``statement`` says, again where others came in between; once where an earlier attempt had done it."""
    for number in range(ATTEMPTS):
        if number:
            time.sleep(pause_seconds(number))
        call = Call(session, context or Context(), text, keeps=_keeps(statement, session))
        try:
            if session.dry_run:
                return rehearse(call, statement, lambda rehearsed: run(rehearsed, handler, statement))
            attempt = run if call.context.attempt <= 1 else _run_again
            return attempt(call, handler, statement)
        except SerializationConflict:
            call.context.step("look again", "others changed the same rows meanwhile")
    raise branch_moved_error()


def _keeps(statement: Any, session: Session) -> bool:
    return has(statement, KEEPS) and not session.is_whole


def _run_again(call: Call, handler: Handler, statement: Any) -> StatementResult:
    """A later attempt. The earlier one may have committed; or be alive after all, and commit while this one works."""
    done = earlier_outcome(call)
    if done is not None:
        return done
    try:
        found = run(call, handler, statement)
    except LakeError:
        done = earlier_outcome(call)
        if done is None:
            raise
        return done
    return earlier_outcome(call) or found


def admit(said: ParsedStatement | str, session: Session) -> int | None:
    read = parsed(said, session.parameters) if isinstance(said, str) else said
    statement, session = _meant(read, session)
    return statement_admit(statement, read.text, session)


def statement_admit(statement: Any, text: str, session: Session) -> int | None:
    """Judge what is about to be queued, as it will be judged again when it runs. Answers the catalog whose members may
    see the task, None where only its author may.
    """
    call = Call(session, Context(), text, keeps=_keeps(statement, session))
    return catalog_of(call, statement) if is_allowed(call, statement) else None
