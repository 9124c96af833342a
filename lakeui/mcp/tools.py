"""The tools: what each takes, and the statement or the function of the interface that it comes to.

None merges, approves, bypasses or administers. What else a caller may not do is refused where it always is.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field, field_validator
from pydantic_core import PydanticCustomError
from rest_framework.request import Request

from catalog_app.domain.names import name_folded
from catalog_app.domain.quoting import quote_name
from catalog_app.models import Branch
from catalog_app.selectors.snapshots import branch_get
from lakeui import frontdoor
from lakeui.api.compare.comparing import Pair, comparison_read
from lakeui.api.http.base import LONGEST_STATEMENT_BYTES, catalog_of, principal_of, scopes_of
from lakeui.api.http.lookup import source_branch
from lakeui.api.http.request_work import read_of
from lakeui.api.http.serializers import TaskAnswer
from lakeui.api.requests.lookup import addressed_request
from lakeui.api.requests.views import request_opened, request_shown
from lakeui.api.sql.sql_view import statement_response
from lakeui.common.errors import InvalidValue, PermissionDenied
from lakeui.frontdoor.rights import statement_kind
from lakeui.frontdoor.statements import CHANGING_KINDS
from lakeui.tasks.statements import bound, statement_run
from merge_app.jobs.context import Context
from merge_app.jobs.selectors import task_check_visible, task_get

MOST_OBJECTS = 100
"""Objects of a comparison that an answer holds."""
NOT_BY_WRITE = frozenset(
    {"create_branch", "drop_branch", "rename_branch", "reset_branch", "set_branch_expiry", "undrop_branch"}
    | {"begin_transaction"}
)
WRITE_KINDS = sorted(
    set(CHANGING_KINDS) - NOT_BY_WRITE - {"commit_transaction", "import_load", "pipeline_work", "published_work"}
)

Name = Field(min_length=1, max_length=255)


class Arguments(BaseModel):
    """What is not declared is refused, and text that no name and no database can hold."""

    model_config = ConfigDict(extra="forbid", strict=True)

    @field_validator("*")
    @classmethod
    def _text(cls, value: Any) -> Any:
        if isinstance(value, str) and value and not value.strip():
            raise PydanticCustomError("blank", "Text of spaces only says nothing")
        _storable_require(value)
        return value


def _storable_require(value: Any) -> None:
    if isinstance(value, dict):
        value = [*value, *value.values()]
    if isinstance(value, list):
        for item in value:
            _storable_require(item)
    elif isinstance(value, str) and any(mark == "\0" or "\ud800" <= mark <= "\udfff" for mark in value):
        raise PydanticCustomError("unstorable", "A NUL or half of a surrogate pair is no text")


class ListArguments(Arguments):
    catalog: str | None = Field(None, max_length=255, description="Without one, the catalogs are listed.")
    branch: str = Field("main", max_length=255)
    database: str | None = Field(None, max_length=255, description="Without one, branches and databases are listed.")


class DescribeArguments(Arguments):
    catalog: str = Name
    branch: str = Field("main", max_length=255)
    database: str = Name
    table: str = Name


class StatementArguments(Arguments):
    catalog: str = Name
    branch: str = Name
    statement: str = Field(max_length=LONGEST_STATEMENT_BYTES, description="One SQL statement. `?` stands for a value.")
    parameters: list[Any] | None = Field(None, description="The values of `?`, in order. They never become text.")


class QueryArguments(StatementArguments):
    branch: str = Field("main", max_length=255)


class OpenBranchArguments(Arguments):
    catalog: str = Name
    name: str = Field(min_length=1, max_length=255, description="An agent's own: `agent/<its name>/...`.")
    parent: str = Field("main", max_length=255)


class PairArguments(Arguments):
    catalog: str = Name
    source: str = Name
    destination: str = Field("main", max_length=255)


class OpenRequestArguments(PairArguments):
    title: str = Field(min_length=1, max_length=200)
    description: str = Field("", max_length=20_000)


class StatusArguments(Arguments):
    catalog: str | None = Field(None, max_length=255, description="Of the merge request.")
    number: int | None = Field(None, ge=1, description="Number of the merge request.")
    task: str | None = Field(None, max_length=64, description="Instead: the id of a task that another tool answered.")


class UndoArguments(Arguments):
    catalog: str = Name
    branch: str = Name
    version: int = Field(ge=1, description="Your commit, which must be the newest of the branch.")


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool as it is offered. ``reads``: it changes nothing."""

    name: str
    description: str
    takes: type[Arguments]
    run: Callable[[Request, Any], Any]
    reads: bool = True


def _statement(request: Request, text: str, catalog: str | None, branch: str, read: Any = None, **more: Any) -> Any:
    """What the statement answers, or the task that carries it out and has not ended yet. ``read``: the statement, where
    it was read before.
    """
    parameters = {
        "catalog": catalog,
        "branch": branch,
        "statement": text,
        "transaction": None,
        "bypass_reason": "",
        **more,
    }
    response: Any = statement_response(request, parameters, read)
    if response.status_code == 202:
        return {"task": response.data["id"], "state": response.data["state"]}
    if response.status_code != 200:
        # A task that failed: its problem document is the answer.
        raise ToolFailed(response)
    return response.data


class ToolFailed(Exception):
    """The problem document of a task that failed."""

    def __init__(self, response: Any) -> None:
        super().__init__(response.status_code)
        self.response = response


def _shown(request: Request, text: str, catalog: str | None = None, branch: str = "main") -> list[dict[str, Any]]:
    """The rows of a SHOW or a DESCRIBE, by names of columns."""
    parameters = {"catalog": catalog, "branch": branch, "statement": text, "transaction": None}
    answer = statement_run(parameters, user=request.user, scopes=scopes_of(request), context=Context())
    names = [column["name"] for column in answer["columns"]]
    return [dict(zip(names, row, strict=True)) for row in answer["rows"]]


def _list(request: Request, asked: ListArguments) -> Any:
    if asked.catalog is None:
        return {"catalogs": _shown(request, "SHOW CATALOGS")}
    if asked.database is None:
        return {
            "branches": _shown(request, "SHOW BRANCHES", asked.catalog),
            "databases": _shown(request, "SHOW DATABASES", asked.catalog, asked.branch),
        }
    text = f"SHOW TABLES IN {quote_name(asked.database)}"
    return {"tables": _shown(request, text, asked.catalog, asked.branch)}


def _describe(request: Request, asked: DescribeArguments) -> Any:
    table = f"{quote_name(asked.database)}.{quote_name(asked.table)}"
    return {
        "columns": _shown(request, f"DESCRIBE TABLE {table}", asked.catalog, asked.branch),
        "create": _shown(request, f"SHOW CREATE TABLE {table}", asked.catalog, asked.branch),
    }


def _query(request: Request, asked: QueryArguments) -> Any:
    more = {"parameters": asked.parameters}
    read = frontdoor.parsed(asked.statement, bound(more))
    if not read.is_query:
        raise InvalidValue("This tool takes queries.", remedy="Use the tool `write`.", field="statement")
    return _statement(request, asked.statement, asked.catalog, asked.branch, read, **more)


def _open_branch(request: Request, asked: OpenBranchArguments) -> Any:
    text = f"CREATE BRANCH {quote_name(asked.name)} FROM {quote_name(asked.parent)}"
    _statement(request, text, asked.catalog, "main")
    made = _branch(request, asked.catalog, asked.name)
    return {"branch": made.name, "head_version": made.head_version}


def _branch(request: Request, catalog: str, name: str) -> Branch:
    return branch_get(catalog_of(request, name_folded(catalog)), name_folded(name))


def _write(request: Request, asked: StatementArguments) -> Any:
    more = {"parameters": asked.parameters}
    read = frontdoor.parsed(asked.statement, bound(more))
    kind = statement_kind(type(read.statement))
    if kind not in WRITE_KINDS:
        raise InvalidValue(
            f"This tool does not take {kind.replace('_', ' ')}.",
            remedy="It takes statements that change databases, tables, views or rows of one branch.",
            field="statement",
        )
    return _statement(request, asked.statement, asked.catalog, asked.branch, read, **more)


def _diff(request: Request, asked: PairArguments) -> Any:
    found_in = catalog_of(request, name_folded(asked.catalog))
    source = source_branch(request, found_in, name_folded(asked.source))
    destination = branch_get(found_in, name_folded(asked.destination))
    found = comparison_read(Pair(source, destination, reading=partial(read_of, request, source)))
    objects = found["objects"]
    return {**found["summary"], "objects": objects[:MOST_OBJECTS], "more_objects": len(objects[MOST_OBJECTS:])}


def _dry_run_merge(request: Request, asked: PairArguments) -> Any:
    text = f"MERGE BRANCH {quote_name(asked.source)} TO {quote_name(asked.destination)} DRY RUN"
    return _statement(request, text, asked.catalog, asked.destination)


def _open_request(request: Request, asked: OpenRequestArguments) -> Any:
    wanted = {
        "source": name_folded(asked.source),
        "destination": name_folded(asked.destination),
        "title": asked.title,
        "description": asked.description,
        "labels": [],
        "reviewers": [],
        "draft": False,
    }
    return request_opened(request, name_folded(asked.catalog), wanted).data


def _request_status(request: Request, asked: StatusArguments) -> Any:
    if asked.task is not None:
        try:
            identity = UUID(asked.task)
        except ValueError:
            raise InvalidValue("This is no id of a task.", remedy="Send the one that a tool answered.") from None
        task_check_visible(principal_of(request), identity)
        return TaskAnswer(task_get(identity)).data
    if asked.catalog is None or asked.number is None:
        raise InvalidValue(
            "Neither a merge request nor a task is named.", remedy="Send catalog and number, or task.", field="number"
        )
    return request_shown(addressed_request(request, name_folded(asked.catalog), asked.number), request.user.pk)


def _undo_own(request: Request, asked: UndoArguments) -> Any:
    branch = _branch(request, asked.catalog, asked.branch)
    newest = branch.head_commit
    if newest is None or newest.branch_id != branch.pk or newest.version != asked.version:
        raise InvalidValue(
            f"Version {asked.version} is not the newest commit of branch {branch.name}.",
            remedy=f"That is version {branch.head_version}.",
            field="version",
        )
    if newest.author_id != request.user.pk:
        raise PermissionDenied(
            f"Version {asked.version} is a commit of {newest.author_name or 'lakeui'}.",
            remedy="This tool undoes your own commits.",
        )
    before = newest.parent.version if newest.parent is not None else 0
    text = f"RESTORE BRANCH {quote_name(branch.name)} TO VERSION AS OF {max(before, branch.fork_version or 0)}"
    return _statement(request, text, asked.catalog, branch.name)


TOOLS: dict[str, Tool] = {
    tool.name: tool
    for tool in (
        Tool("list", "List catalogs; branches and databases of a catalog; tables of a database.", ListArguments, _list),
        Tool("describe", "The columns of a table, and the statement that makes it.", DescribeArguments, _describe),
        Tool("query", "Run one SELECT (Spark SQL). `table@branch` reads another branch.", QueryArguments, _query),
        Tool("open_branch", "Make a branch to work on.", OpenBranchArguments, _open_branch, reads=False),
        Tool(
            "write",
            "Run one statement that changes a branch: one commit. Long work is answered by a task.",
            StatementArguments,
            _write,
            reads=False,
        ),
        Tool("diff", "What a branch changed, and what merging it would do with each object.", PairArguments, _diff),
        Tool("dry_run_merge", "What a merge would do, and each conflict.", PairArguments, _dry_run_merge),
        Tool("open_request", "Ask people to merge a branch.", OpenRequestArguments, _open_request, reads=False),
        Tool(
            "request_status",
            "The state of a merge request and what blocks it, or the state of a task.",
            StatusArguments,
            _request_status,
        ),
        Tool(
            "undo_own",
            "Undo your newest commit on a branch, by a new commit.",
            UndoArguments,
            _undo_own,
            reads=False,
        ),
    )
}
