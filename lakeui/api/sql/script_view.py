"""``POST /api/v1/sql/script/``: several statements, in their order, as a task."""

from __future__ import annotations

from typing import Any

from django.db import transaction
from django.http import HttpResponse
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request

from lakeui.api.http.answers import NOT_FINISHED
from lakeui.api.http.base import LONGEST_STATEMENT_BYTES, ApiView, scopes_of
from lakeui.api.http.errors import TooLarge
from lakeui.api.http.idempotency import IDEMPOTENCY_KEY, request_digest, task_key
from lakeui.api.http.prefer import read_preference
from lakeui.api.http.serializers import ParametersField, ProblemDocument, SessionRequest, StatementAnswer
from lakeui.api.http.strict import body_checked
from lakeui.api.sql.sql_view import PREFER, task_response
from lakeui.common.errors import InvalidValue
from lakeui.frontdoor.keeping import statement_kept
from lakeui.frontdoor.sessions.sql_sessions import session_filled
from lakeui.sql.scripts import MOST_STATEMENTS
from lakeui.tasks.scripts import script_submit
from merge_app.jobs.selectors import task_known


class ScriptRequest(SessionRequest):
    """Several statements and the session that they run in."""

    script = serializers.CharField(
        trim_whitespace=False,
        help_text=f"At most {MOST_STATEMENTS} statements with a semicolon between each two, and 1 MiB.",
    )
    one_transaction = serializers.BooleanField(
        required=False, help_text="All statements become one commit, or none: as between `BEGIN` and `COMMIT`."
    )
    dry_run = serializers.BooleanField(
        required=False, help_text="With `one_transaction`: do all, and roll back at the end."
    )
    parameters = ParametersField(
        required=False, allow_null=True, help_text="An object with the values of the markers `:name` of all statements."
    )

    def validate_script(self, value: str) -> str:
        if (size := len(value.encode())) > LONGEST_STATEMENT_BYTES:
            raise TooLarge(f"The script has {size} bytes; at most {LONGEST_STATEMENT_BYTES} are taken.")
        return value


class ScriptResult(StatementAnswer):
    """What one statement of a script answers. Its rows are left out, and it is ``truncated``, where those of the script
    pass 1 MiB together.
    """

    number = serializers.IntegerField(help_text="Which statement of the script, from 1.")
    line = serializers.IntegerField(help_text="The line of the script on which it begins, from 1.")


class ScriptAnswer(serializers.Serializer[Any]):
    """What a script answers. With ``one_transaction``: also ``transaction``, its ``state`` and ``notes``."""

    results = ScriptResult(many=True)
    version = serializers.IntegerField(allow_null=True, help_text="Version that the last statement read or made.")


class ScriptView(ApiView):
    """Runs a script."""

    serves_limited_tokens = True

    @extend_schema(
        operation_id="sql_script_run",
        summary="Run several SQL statements",
        description="Each runs after the one before, until one fails. The problem then has `script`: the `number` and"
        " `line` of the statement that failed, and the numbers that are `standing` with their `results`. A script that"
        " cannot be read as a whole does not begin. USE CATALOG, USE BRANCH and USE DATABASE count for those behind.",
        tags=["sql"],
        parameters=[PREFER, IDEMPOTENCY_KEY],
        request=ScriptRequest,
        responses={
            (200, "application/json"): ScriptAnswer,
            **NOT_FINISHED,
            **{(status, "application/problem+json"): ProblemDocument for status in (400, 401, 403, 404, 409, 413, 422)},
        },
    )
    def post(self, request: Request) -> HttpResponse:
        sent = body_checked(ScriptRequest, request)
        # Lists of tasks show the member of this name.
        sent["statement"] = sent.pop("script")
        key = task_key(request)
        is_known = bool(key) and task_known(user_id=int(request.user.pk or 0), idempotency_key=key)
        parameters = sent if is_known else _filled(request, sent)
        with statement_kept(parameters, None if is_known else request.user) as keeping, transaction.atomic():
            task = script_submit(
                parameters,
                user=request.user,
                scopes=scopes_of(request),
                idempotency_key=key,
                request_digest=request_digest(request, sent) if key else "",
                is_known=is_known,
            )
            keeping.becomes(task.pk)
        return task_response(task, read_preference(request.headers.get("Prefer", "")))


def _filled(request: Request, sent: dict[str, Any]) -> dict[str, Any]:
    """The script with what its session keeps. A script begins and ends its own transactions."""
    parameters = session_filled(sent, request.data, request.user)
    if parameters.pop("transaction", None) is not None:
        raise InvalidValue(
            "A transaction is open in the session, and a script begins its own.",
            remedy="COMMIT or ROLLBACK first, or send the statements one by one.",
            field="session",
            nearest=None,
        )
    return parameters
