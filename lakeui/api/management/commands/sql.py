"""``manage.py sql -c CATALOG -b BRANCH "STATEMENT"``, ``-f FILE``, or neither: statements from the command line."""

from __future__ import annotations

import json
import sys
from argparse import ArgumentParser
from functools import partial
from pathlib import Path
from typing import Any
from uuid import UUID

from django.conf import settings
from django.contrib.auth import get_user_model
from django.core.management.base import BaseCommand, CommandError
from django.db import transaction

from lakeui import frontdoor
from lakeui.api.http.base import LONGEST_STATEMENT_BYTES
from lakeui.api.http.text_table import csv_lines, text_table
from lakeui.api.sql.conversation import Conversation, is_leaving, names_known
from lakeui.common.counts import counted
from lakeui.common.errors import LakeError
from lakeui.common.events import events_hush
from lakeui.frontdoor.keeping import statement_kept
from lakeui.tasks.scripts import script_submit
from lakeui.tasks.statements import bound, statement_run, statement_session, task_kind
from merge_app.jobs.context import Context
from merge_app.jobs.errors import TaskFinished
from merge_app.jobs.models import Task, TaskState
from merge_app.jobs.selectors import task_wait
from merge_app.jobs.services import task_cancel, task_submit

WAIT_STEP_SECONDS = 1.0
FORMATS = ("table", "csv", "json")


class TaskProblem(LakeError):
    """What a task ended in, as the problem that it keeps."""

    def __init__(self, problem: dict[str, Any]) -> None:
        super().__init__(str(problem.get("detail", "The statement failed.")))
        self.problem = problem

    def as_problem(self) -> dict[str, Any]:
        return self.problem


def _json(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError as error:
        raise CommandError(f"--parameters is no JSON: {error}") from error


def _text(given: str) -> str:
    return sys.stdin.read() if given == "-" else given


def _script(name: str) -> str:
    """The text of the file. Raises CommandError where it cannot be read, or is too long."""
    try:
        text = sys.stdin.read() if name == "-" else Path(name).read_text(encoding="utf-8")
    except (OSError, UnicodeError) as error:
        raise CommandError(f"{name} cannot be read: {error}") from error
    if len(text.encode()) > LONGEST_STATEMENT_BYTES:
        raise CommandError(f"{name} has more than {LONGEST_STATEMENT_BYTES:,} bytes.")
    return text


class Command(BaseCommand):
    _format = "table"
    help = (
        "Run an SQL statement, or a file of several, and print what it answers. Ctrl-C cancels it."
        " Without either, on a terminal: a prompt, which keeps catalog, branch, database and transaction."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("statement", nargs="?", help='the statement; "-" reads it from standard input')
        parser.add_argument("-f", "--file", help='a script of several statements; "-" reads it from standard input')
        parser.add_argument(
            "--one-transaction", action="store_true", help="the statements of the script become one commit, or none"
        )
        parser.add_argument("-c", "--catalog", help="catalog of the session")
        parser.add_argument("-b", "--branch", default="main", help="branch of the session (default: main)")
        parser.add_argument("-d", "--database", help="database of tables that are named without one")
        parser.add_argument("-t", "--transaction", help="transaction that BEGIN answered")
        parser.add_argument(
            "-p", "--parameters", help="values of the markers as JSON: an array for ?, an object for :name"
        )
        parser.add_argument("--user", help="user who does it, with their rights (default: lakeui itself)")
        parser.add_argument("--bypass-reason", default="", help="why the protection of a branch is bypassed this once")
        parser.add_argument(
            "--format",
            choices=FORMATS,
            default="table",
            help="how answers are printed; json is the body that the HTTP interface answers (default: table)",
        )
        parser.add_argument(
            "--json", action="store_const", dest="format", const="json", help="the same as --format json"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        events_hush()
        self._format = options["format"]
        if options["statement"] is None and options["file"] is None and sys.stdin.isatty():
            self._talk(options)
            return
        if (options["statement"] is None) == (options["file"] is None):
            raise CommandError("Write a statement, or name a file by -f.")
        is_script = options["file"] is not None
        statement = _script(options["file"]) if is_script else _text(options["statement"])
        if options["one_transaction"] and not is_script:
            raise CommandError("--one-transaction is for a script: name its file by -f.")
        named = ("catalog", "branch", "transaction", "bypass_reason")
        parameters = {name: options[name] for name in named} | {"statement": statement}
        if options["database"] is not None:
            parameters["database"] = options["database"]
        if options["parameters"] is not None:
            parameters["parameters"] = _json(options["parameters"])
        user = self._user(options["user"])
        try:
            if is_script:
                problem, body = self._run_script(parameters, user, one_transaction=options["one_transaction"])
            else:
                problem, body = self._run(parameters, user)
        except LakeError as error:
            problem, body = error.as_problem(), {}
        if problem is not None:
            self._refuse(problem)
            sys.exit(1)
        self._print_all(body)

    def _talk(self, options: dict[str, Any]) -> None:
        """Statements from a prompt, until somebody leaves. One that fails ends nothing."""
        from lakeui.api.sql.prompt import prompt_session

        user = self._user(options["user"])
        named = ("catalog", "branch", "transaction", "bypass_reason", "database")
        talk = Conversation({name: options[name] for name in named}, partial(self._do, user=user))
        known: list[str] = []
        session = prompt_session(settings.LAKEUI["HOME"], lambda: known)
        while True:
            known[:] = names_known(talk.session, partial(self._do, user=user, is_typed=False))
            try:
                text = session.prompt(f"{talk.place}> ")
            except KeyboardInterrupt:
                continue
            except EOFError:
                break
            if is_leaving(text):
                break
            if not text.strip():
                continue
            try:
                talk.say(text, self._print_all)
            except LakeError as error:
                self._refuse(error.as_problem())
        if talk.end():
            self.stderr.write("The open transaction is rolled back.")

    def _do(self, parameters: dict[str, Any], *, user: Any, is_typed: bool = True) -> dict[str, Any]:
        """The body of one statement. Raises LakeError."""
        problem, body = self._run(parameters, user, is_typed=is_typed)
        if problem is not None:
            raise TaskProblem(problem)
        return body

    def _user(self, name: str | None) -> Any:
        if name is None:
            return None
        user = get_user_model().objects.filter(username=name, is_active=True).first()
        if user is None:
            raise CommandError(f"There is no active user {name}.")
        return user

    def _run(
        self, parameters: dict[str, Any], user: Any, *, is_typed: bool = True
    ) -> tuple[dict[str, Any] | None, dict[str, Any]]:
        """The problem or None, and the body. ``is_typed``: the user has it in their history."""
        with statement_kept(parameters, user if is_typed else None) as keeping:
            read = frontdoor.parsed(parameters["statement"], bound(parameters))
            if not read.is_task:
                body = statement_run(parameters, user=user, scopes=None, context=Context(), read=read)
                keeping.answers(body)
                return None, body
            catalog_id = frontdoor.admit(read, statement_session(parameters, user=user, scopes=None))
            with transaction.atomic():
                task = task_submit(kind=task_kind(read), parameters=parameters, user=user, catalog_id=catalog_id)
                keeping.becomes(task.pk)
        return self._outcome(task)

    def _run_script(
        self, parameters: dict[str, Any], user: Any, *, one_transaction: bool
    ) -> tuple[dict[str, Any] | None, dict[str, Any]]:
        """The problem or None, and the body."""
        if parameters.pop("transaction"):
            raise CommandError("A script begins its own transaction: leave out --transaction.")
        if one_transaction:
            parameters["one_transaction"] = True
        with statement_kept(parameters, user) as keeping, transaction.atomic():
            task = script_submit(parameters, user=user, scopes=None)
            keeping.becomes(task.pk)
        return self._outcome(task)

    def _outcome(self, task: Task) -> tuple[dict[str, Any] | None, dict[str, Any]]:
        try:
            task = self._follow(task.pk)
        except KeyboardInterrupt:
            task = self._cancel(task.pk)
        if task.state == TaskState.SUCCEEDED:
            return None, task.result or {}
        return task.error or {}, {}

    def _follow(self, task_id: UUID) -> Task:
        """Wait for the end; on a terminal the steps are shown as they begin."""
        shown = ""
        task = task_wait(task_id, seconds=WAIT_STEP_SECONDS)
        while not task.is_finished:
            if task.message != shown and self.stderr.isatty():
                shown = task.message
                self.stderr.write(f"{shown} …")
            task = task_wait(task_id, seconds=WAIT_STEP_SECONDS)
        return task

    def _cancel(self, task_id: UUID) -> Task:
        self.stderr.write("Cancelling; Ctrl-C again leaves the task to itself.")
        try:
            task_cancel(task_id=task_id)
        except TaskFinished:
            self.stderr.write("Too late: the task had finished.")
        return self._follow(task_id)

    def _refuse(self, problem: dict[str, Any]) -> None:
        """Print the problem."""
        if self._format == "json":
            self.stdout.write(json.dumps(problem, ensure_ascii=False, indent=2))
        else:
            self._print_results(problem.get("script", {}).get("results", []))
        lines = [f"{problem.get('code', 'ERROR')}: {problem.get('detail', 'The statement failed.')}"]
        conflicts = problem.get("conflicts", [])
        lines += [line for entry in conflicts for line in _conflict_lines(entry)]
        # The way out of a merge is that of its first conflict.
        if (remedy := problem.get("remedy")) and f"    {remedy}" not in lines:
            lines.append(remedy)
        self.stderr.write("\n".join(lines))

    def _print_all(self, body: dict[str, Any]) -> None:
        """What a statement answered, or each of a script."""
        if self._format == "json":
            self.stdout.write(json.dumps(body, ensure_ascii=False, indent=2))
        elif "results" in body:
            self._print_results(body["results"])
        else:
            self._print(body)

    def _print_results(self, results: list[dict[str, Any]]) -> None:
        for body in results:
            number, line = body.pop("number"), body.pop("line")
            if self._format == "table":
                self.stdout.write(f"-- statement {number}, line {line}")
            self._print(body)

    def _print(self, body: dict[str, Any]) -> None:
        if self._format == "csv":
            self._print_csv(body)
            return
        if body["columns"]:
            self.stdout.write(text_table(body["columns"], body["rows"]))
        count = body["row_count"]
        facts = [counted(count, "row")] if body["columns"] else []
        if body["truncated"]:
            facts.append(f"the first {len(body['rows']):,} shown")
        if body["version"] is not None:
            facts.append(f"version {body['version']}")
        facts += [f"{name.replace('_', ' ')} {value:,}" for name, value in sorted(body["metrics"].items()) if value]
        # What has no place in a table is in --json: plans, verdicts in full, segments.
        common = {"columns", "rows", "row_count", "truncated", "version", "metrics"}
        shown = {value for row in body["rows"] for value in row if isinstance(value, str)}
        for name in sorted(body.keys() - common):
            value = body[name]
            if isinstance(value, str) and value not in shown:
                self.stdout.write(f"{name.replace('_', ' ')}: {value}")
        self.stdout.write("(" + ", ".join(facts) + ")" if facts else "OK")

    def _print_csv(self, body: dict[str, Any]) -> None:
        """The rows; what cannot stand among them is said beside."""
        if body["columns"]:
            self.stdout.write("\n".join(csv_lines([column["name"] for column in body["columns"]], body["rows"])))
        if body["truncated"]:
            shown = len(body["rows"])
            self.stderr.write(
                f"Only the first {counted(shown, 'row is', 'rows are')} here. Download the whole result over HTTP."
            )


def _conflict_lines(entry: dict[str, Any]) -> list[str]:
    """A conflict under the code that the page of rules explains, and its own way out."""
    found = " ".join([f"  - [{entry['code']}]", *filter(None, [entry.get("message")])])
    return [found, *([f"    {remedy}"] if (remedy := entry.get("remedy")) else [])]
