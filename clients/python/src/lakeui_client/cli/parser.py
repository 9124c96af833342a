"""The words of ``lake``: which commands there are, and what each takes."""

from __future__ import annotations

import argparse
import sys
from typing import Any, NoReturn

from lakeui_client.cli import accounts, branches, commands, merges, owners, people, place, pull_requests, statements
from lakeui_client.cli.pipelines import FORMS, pipelines
from lakeui_client.cli.resets import reset

_ABOUT = "A lakeui server from the command line."
_STATUSES = (
    "Ends with 0 when it is done, 2 when a conflict refuses, 3 when people have to act first, 1 for anything else."
)
_VERDICTS = ("approve", "request-changes", "comment", "withdraw")
_MODES = ("create", "append", "replace", "insert", "update", "upsert")


class Parser(argparse.ArgumentParser):
    """Ends with 1 where a command line is not understood: 2 is a conflict."""

    def error(self, message: str) -> NoReturn:
        self.print_usage(sys.stderr)
        self.exit(place.FAILED, f"{self.prog}: {message}\n")


def parser_make() -> Parser:
    common = Parser(add_help=False, argument_default=argparse.SUPPRESS)
    common.add_argument("--json", action="store_true", help="print one JSON document")
    common.add_argument("--wait", action="store_true", help="say on standard error what the server is doing")
    common.add_argument("-C", "--catalog", help="instead of LAKEUI_CATALOG, or the one that was switched to")
    common.add_argument("-b", "--branch", help="instead of LAKEUI_BRANCH, or the one that was switched to")
    common.add_argument("--url", help="instead of LAKEUI_URL, or the server that was signed in to")
    parser = Parser(prog="lake", description=_ABOUT, epilog=_STATUSES, parents=[common])
    parser.add_argument("--version", action="version", version="lake 0.1.0")
    words = parser.add_subparsers(metavar="COMMAND", dest="command", required=True, parser_class=Parser)

    def word(name: str, run: place.Command, text: str) -> Parser:
        made: Parser = words.add_parser(name, help=text, description=text, parents=[common])
        made.set_defaults(run=run)
        return made

    _places(word)
    _histories(word)
    _merges(word)
    _protection(word)
    _undone(word)
    _data(word)
    _people(word)
    _programs(word)
    _owners(word)
    _account(word)
    _work(word)
    completion = word("completion", commands.completion, "print the completion of a shell, to be evaluated by it")
    completion.add_argument("shell", choices=("bash", "zsh", "fish"))
    return parser


def _begins(made: Parser) -> None:
    made.add_argument("--from", dest="source", metavar="BRANCH", help="begin there instead of at the present branch")
    made.add_argument("--version", dest="at_version", type=int, metavar="N", help="begin at this version of it")
    made.add_argument("--time", dest="at_time", metavar="TIME", help="begin as it was at this time")
    made.add_argument("--expires", metavar="WHEN", help="have it dropped in so long ('7 days'), or at a time")


def _places(word: Any) -> None:
    made = word(
        "login", accounts.login, "keep a server and an access token, which LAKEUI_TOKEN or a prompt gives, or a new one"
    )
    made.add_argument("server", nargs="?", metavar="URL")
    made.add_argument("--user", metavar="NAME", help="make a token of this account, by its password")
    made.add_argument(
        "--link", metavar="LINK", help="choose the password of an invited account, and make a token of it"
    )
    made.add_argument("--purpose", metavar="TEXT", help="of the new token; else the name of this machine")
    made.add_argument("--expires", metavar="TIME", help="of the new token")
    word("logout", accounts.logout, "revoke the token that is kept, and forget it")
    word("status", branches.status, "say where commands act")
    made = word("catalogs", branches.catalogs, "list catalogs, or make, rename, drop or bring back one")
    made.add_argument("--create", metavar="NAME")
    made.add_argument("--comment", metavar="TEXT")
    made.add_argument("--rename", nargs=2, metavar=("OLD", "NEW"))
    made.add_argument("--drop", metavar="NAME")
    made.add_argument("--dropped", action="store_true", help="list those that were dropped")
    made.add_argument("--undrop", metavar="NAME", help="the one of that name that was dropped last")
    made.add_argument("--id", type=int, metavar="ID", help="bring back the one of that id")
    made.add_argument("--as", dest="as_name", metavar="NAME", help="under another name")
    made = word("branch", branches.branch, "list branches, or make, rename or drop one")
    made.add_argument("name", nargs="?")
    _begins(made)
    made.add_argument("-d", "--delete", metavar="NAME")
    made.add_argument("-m", "--move", nargs=2, metavar=("OLD", "NEW"))
    made.add_argument(
        "--set-expiry",
        nargs=2,
        metavar=("NAME", "WHEN"),
        help=f"when it is dropped: '7 days', a time, or {branches.NEVER}",
    )
    made.add_argument("--dropped", action="store_true", help="list those that were dropped")
    made = word("switch", branches.switch, "go to another branch")
    made.add_argument("name")
    made.add_argument("-c", "--create", action="store_true", help="make it first")
    _begins(made)


def _histories(word: Any) -> None:
    made = word("log", branches.log, "list the commits of the branch, newest first")
    made.add_argument("-n", dest="number", type=int, default=20, metavar="N", help="at most so many")
    for name in ("author", "operation", "search"):
        made.add_argument(f"--{name}", metavar="TEXT")
    made = word("show", branches.show_one, "show a version of the branch, or an audit record by its id")
    made.add_argument("what", metavar="VERSION|ID")
    made.add_argument("--all", action="store_true", help="of a version: all of its operations, not the first 100")
    made = word("tags", branches.tags, "list tags, or tag a version of the branch")
    made.add_argument("name", nargs="?")
    made.add_argument("--version", dest="at_version", type=int, metavar="N", help="instead of the newest")
    made.add_argument("-d", "--delete", metavar="NAME")
    made.add_argument("-m", "--move", nargs=2, metavar=("OLD", "NEW"))
    made = word("queries", statements.queries, "list saved queries, show the text of one, save or remove one")
    made.add_argument("id", nargs="?", type=int, metavar="ID")
    made.add_argument("--save", nargs=2, metavar=("NAME", "STATEMENT"))
    made.add_argument("--shared", action="store_true", help="everybody who sees the catalog reads it")
    made.add_argument("-d", "--delete", type=int, metavar="ID")
    made = word(
        "history", statements.history, "list the statements that you ran, show the text of one, remove one or all"
    )
    made.add_argument("id", nargs="?", type=int, metavar="ID")
    made.add_argument("-n", dest="number", type=int, default=20, metavar="N", help="at most so many")
    made.add_argument("--on", metavar="BRANCH", help="only those of this branch")
    made.add_argument("--outcome", metavar="CODE", help="OK, or the code of a problem")
    made.add_argument("--search", metavar="TEXT", help="only those whose text has this")
    made.add_argument("-d", "--delete", type=int, metavar="ID")
    made.add_argument("--delete-all", action="store_true", help="remove all that the other options choose")
    made = word(
        "audit", merges.audit, "list audit records, newest first, or plan a merge once more from what is stored"
    )
    made.add_argument("action", nargs="?", choices=("list", "replay"), default="list")
    made.add_argument("id", nargs="?", metavar="ID", help="the record to replay; ends with 1 where its plan differs")
    made.add_argument("-n", dest="number", type=int, default=20, metavar="N", help="at most so many")
    made.add_argument("--kind", default="merge", help="merge, restore, undrop, transaction, vacuum, settings or bypass")
    for name in ("outcome", "source", "destination", "actor", "since", "until"):
        made.add_argument(f"--{name}", metavar="TEXT")


def _message(made: Parser) -> None:
    made.add_argument("-m", "--message", metavar="TEXT", help="what the history says of the commit")


def _undone(word: Any) -> None:
    made = word("revert", merges.revert, "take a merge back")
    made.add_argument("merge_id", metavar="ID")
    _bypass(made)
    made = word("reset", reset, "make a branch what its parent is; what it had goes to the trash")
    made.add_argument("name", nargs="?", help="instead of the present branch")
    made.add_argument("--if-head", type=int, metavar="N", help="only while it is at this version")
    made.add_argument("--dry-run", action="store_true", help="say what it would discard")
    _bypass(made)
    made = word("restore", merges.restore, "take the branch, a database or a table back to how it was")
    made.add_argument("object", nargs="?", metavar="DATABASE[.TABLE]")
    made.add_argument("--to-version", type=int, metavar="N")
    made.add_argument("--to-time", metavar="TIME")
    made.add_argument("--dry-run", action="store_true")
    made = word("undrop", merges.undrop, "bring a dropped branch back")
    made.add_argument("name")
    made.add_argument("--id", type=int, metavar="ID", help="of several dropped ones of that name, instead of the last")
    made.add_argument("--as", dest="as_name", metavar="NAME", help="under another name")


def _merges(word: Any) -> None:
    made = word("diff", branches.diff, "compare a branch with the present one; the present one with its parent")
    made.add_argument("source", nargs="?")
    made.add_argument("destination", nargs="?")
    made = word("merge", merges.merge, "merge a branch into the present one")
    made.add_argument("source")
    made.add_argument("--into", metavar="BRANCH", help="merge into this one instead")
    made.add_argument("--dry-run", action="store_true", help="say what it would do; ends with 2 where it is refused")
    made.add_argument("--resolve", metavar="TEXT", help="what becomes of conflicts: 'TABLE d.t KEEP BOTH, ..'")
    made.add_argument("--decisions", metavar="JSON", help="the same as a JSON array, as REST has it")
    _message(made)
    _bypass(made)
    _requests(word("request", merges.request, "merge requests"))
    pull_requests.words_add(word)
    _reviews(word)
    _restrictions(word)


def _reviews(word: Any) -> None:
    made = word("statuses", merges.statuses, "list what other systems report of a merge request, or report something")
    made.add_argument("number", type=int)
    made.add_argument("context", nargs="?", help="what reports: ci/tests")
    made.add_argument("state", nargs="?", choices=("pending", "success", "failure", "error"), default="success")
    made.add_argument("--source-head", type=int, metavar="N", help="the version that was looked at; else the newest")
    made.add_argument("--description", metavar="TEXT")
    made.add_argument("--target-url", metavar="URL")
    made = word("review", merges.review, "review a merge request; an approval is of the plan as it is now")
    made.add_argument("number", type=int)
    made.add_argument("verdict", choices=_VERDICTS)
    made.add_argument("-m", "--message", metavar="TEXT")
    made.add_argument("--fingerprint", metavar="TEXT", help="approve the plan that was looked at, and no other")
    made.add_argument(
        "--looked-at", metavar="CODE", help="approve after a look at the rows drawn: the code beside them"
    )


def _restrictions(word: Any) -> None:
    made = word(
        "restrictions", people.restrictions, "list what is hidden of tables, hide rows and columns, or lift that"
    )
    made.add_argument("table", nargs="?", metavar="DATABASE.TABLE", help="of which something is hidden")
    made.add_argument("--role", metavar="ROLE", help="from this role and those below it")
    made.add_argument("--group", metavar="GROUP", help="from this group")
    made.add_argument("--filter", metavar="CONDITION", help="only rows for which it is true are seen")
    made.add_argument(
        "--mask", action="append", default=[], metavar="COLUMN=EXPRESSION", help="what is read in place of the column"
    )
    made.add_argument("--preview", action="store_true", help="show rows as they see them, and change nothing")
    made.add_argument("--lift", type=int, metavar="ID", help="have the restriction hide nothing any more")


def _protection(word: Any) -> None:
    made = word("policies", merges.policies, "list protection rules with their merge policies, or set those of one")
    made.add_argument("pattern", nargs="?", help="of the rule whose policies are shown or set")
    made.add_argument("--set", metavar="FILE", help="an array of policies as JSON; - reads standard input")
    made = word(
        "protect", owners.protect, "list the rules that protect branches, or protect those that match a pattern"
    )
    made.add_argument("pattern", nargs="?", help="a branch, or release/*; what is not said here stays as it is")
    made.add_argument("--approvals", type=int, metavar="N", help="so many people approve each merge")
    made.add_argument("--check", action="append", metavar="NAME", help="has to pass; may be given several times")
    made.add_argument("--status", action="append", metavar="CONTEXT", help="has to be reported as a success")
    made.add_argument("--role", choices=place.ROLES, help="the least that merges")
    made.add_argument("--set", metavar="JSON", help="any other members of a rule, as REST has it")
    made.add_argument("--remove", action="store_true", help="remove the rule")
    made = word("checks", merges.checks, "list the checks of the catalog, make or remove one, or read tests of dbt")
    made.add_argument("--create", metavar="JSON", help="a check: name, and query, or template with parameters")
    made.add_argument("--remove", metavar="NAME")
    made.add_argument("--dbt", metavar="FILE", help="a schema.yml, whose tests become checks; - reads standard input")
    made.add_argument("--database", metavar="NAME", help="of the models of --dbt")
    made.add_argument("--required", action="store_true", help="with --dbt: tests of severity error gate every request")
    made.add_argument("--dry-run", action="store_true", help="with --dbt: say what would be made")


def _requests(request: Parser) -> None:
    actions = request.add_subparsers(metavar="ACTION", dest="action", required=True, parser_class=Parser)
    made = actions.add_parser("list", help="list them")
    made.add_argument("--state", metavar="STATE")
    made = actions.add_parser("open", help="open one of the present branch")
    made.add_argument("title")
    made.add_argument("--source", metavar="BRANCH", help="of this branch instead")
    made.add_argument("--into", metavar="BRANCH", help="instead of its parent")
    made.add_argument("--description", metavar="TEXT")
    made.add_argument("--reviewer", action="append", metavar="NAME", help="may be given several times")
    made = actions.add_parser("show", help="show one, and what blocks it")
    made.add_argument("number", type=int)
    made.add_argument("--exit-code", action="store_true", help="end with 3 where something blocks it")
    made = actions.add_parser("merge", help="merge one; ends with 3 where people have to act first")
    made.add_argument("number", type=int)
    made.add_argument("--fingerprint", metavar="TEXT", help="only if its plan is the one that was looked at")
    _bypass(made)
    made = actions.add_parser("close", help="close one")
    made.add_argument("number", type=int)
    for action in actions.choices.values():
        action.add_argument("--json", action="store_true", default=argparse.SUPPRESS, help="print one JSON document")
        action.add_argument("--wait", action="store_true", default=argparse.SUPPRESS, help="say what the server does")
        action.add_argument("-C", "--catalog", default=argparse.SUPPRESS)
        action.add_argument("-b", "--branch", default=argparse.SUPPRESS)


def _bypass(made: Parser) -> None:
    made.add_argument("--bypass-reason", metavar="TEXT", help="owners, in an emergency: why to go past a protection")


def _data(word: Any) -> None:
    made = word("sql", statements.sql, "run a statement on the branch, or a script")
    made.add_argument("statement", nargs="?")
    made.add_argument("-f", "--file", help="a script; - reads standard input")
    made.add_argument("-p", "--parameters", metavar="JSON", help="an array for the markers ?, an object for :name")
    made.add_argument("-d", "--database", help="where tables lie that are named without one")
    made.add_argument("--dry-run", action="store_true", help="do all but the commit")
    _message(made)
    made.add_argument(
        "--format", choices=("arrow", "csv", "json"), help="all rows of a query as a stream; json is an object a line"
    )
    made.add_argument("--one-transaction", action="store_true", help="the script becomes one commit, or none")
    made = word(
        "session", statements.session, "keep USE, temporary views and a transaction from one lake sql to the next"
    )
    made.add_argument("action", nargs="?", default="show", choices=("begin", "end", "show"))
    made.add_argument("-d", "--database", help="of begin: where tables lie that are named without one")
    made = word("import", statements.import_file, "load a file into a table, as one commit")
    made.add_argument("file")
    made.add_argument("table", metavar="DATABASE.TABLE")
    made.add_argument("--mode", choices=_MODES, default="append")
    made.add_argument("--key", action="append", metavar="COLUMN", help="of insert, update, upsert: which rows match")
    made.add_argument("--primary-key", action="append", metavar="COLUMN", help="of create")
    made.add_argument("--dry-run", action="store_true")
    _message(made)
    made = word("export", statements.export, "write a table, or the result of a query, into a file")
    made.add_argument("query", metavar="TABLE|QUERY")
    made.add_argument("file", metavar="FILE.csv|FILE.parquet")


def _people(word: Any) -> None:
    made = word(
        "people", people.people, "list the members of the catalog, or change one; the staff: accounts of the server"
    )
    made.add_argument("--add", metavar="NAME")
    made.add_argument("--change", metavar="NAME")
    made.add_argument("--role", default="viewer", choices=place.ROLES)
    made.add_argument("--remove", metavar="NAME")
    made.add_argument("--accounts", action="store_true", help="list the accounts of the server")
    made.add_argument("--rights", action="store_true", help="list who gave whom which right")
    made.add_argument("--invite", metavar="NAME", help="make an account, and a link by which a password is chosen")
    made.add_argument("--email", metavar="ADDRESS", help="of whom is invited")
    made.add_argument("--group", action="append", metavar="NAME", help="of whom is invited; may be given several times")
    made.add_argument("--link", metavar="NAME", help="make a new link for somebody")
    made.add_argument("--disable", metavar="NAME", help="end sessions and tokens of an account, and refuse its sign-in")
    made.add_argument("--enable", metavar="NAME")
    made.add_argument("--second-factor-off", metavar="NAME", help="of somebody who lost app and recovery codes")


def _programs(word: Any) -> None:
    made = word("agents", people.agents, "list agents and what holds them, or make, change or end one")
    made.add_argument("--create", metavar="JSON", help="an object, as REST has it: name, purpose, catalogs, tables")
    made.add_argument("--change", nargs=2, metavar=("NAME", "JSON"))
    made.add_argument("--token", nargs=2, metavar=("NAME", "PURPOSE"), help="make a token for one")
    made.add_argument("--tokens", metavar="NAME", help="list the tokens of one, with when each was used last")
    made.add_argument("--end", metavar="NAME", help="end its tokens and tasks for good")
    made = word("tokens", people.tokens, "list your access tokens, or make or revoke one")
    made.add_argument("--create", metavar="PURPOSE")
    made.add_argument("--scope", action="append", choices=("read", "write", "merge", "admin"))
    made.add_argument("--expires", metavar="TIME")
    made.add_argument("--revoke", metavar="ID", type=int)


def _owners(word: Any) -> None:
    made = word("groups", owners.groups, "list the groups that have a role in the catalog, or change them")
    made.add_argument("--add", metavar="GROUP", help="give it the --role")
    made.add_argument("--remove", metavar="GROUP", help="take its role away")
    made.add_argument("--role", default="viewer", choices=place.ROLES)
    made.add_argument("--all", action="store_true", help="list the groups of the server")
    made.add_argument("--create", metavar="GROUP", help="superusers: make a group")
    made.add_argument("--delete", metavar="GROUP", help="superusers: remove a group")
    made.add_argument("--put", nargs=2, metavar=("NAME", "GROUP"), help="superusers: put somebody into a group")
    made.add_argument("--take", nargs=2, metavar=("NAME", "GROUP"), help="superusers: take somebody out of a group")
    made = word("settings", owners.settings, "show the settings of the catalog and what it wants of its pipelines")
    made.add_argument("--set", metavar="JSON", help="change settings, as REST has them")
    made.add_argument("--pipelines", metavar="JSON", help="change what it wants of its pipelines")
    made = word("webhooks", owners.webhooks, "list the addresses that get events of the catalog, or add or remove one")
    made.add_argument("--create", metavar="URL")
    made.add_argument("--event", action="append", default=[], metavar="NAME", help="may be given several times")
    made.add_argument("--form", choices=("event", "chat"), help="the event as JSON, or a line of text for a chat")
    made.add_argument("--remove", type=int, metavar="ID")
    made.add_argument("--test", type=int, metavar="ID", help="send a message that says nothing")
    made.add_argument("--sent", type=int, metavar="ID", help="list what was sent, newest first")


def _account(word: Any) -> None:
    made = word("mail", people.mail, "show what you get by mail and in your chat, or choose it")
    made.add_argument("--address", metavar="ADDRESS", help="send there; empty: to the address of the account")
    made.add_argument("--events", metavar="NAMES", help="with commas between, and no others; empty for none")
    made.add_argument("--chat", action="store_true", help="ask for the address of your chat's incoming webhook")
    made.add_argument("--no-chat", action="store_true", help="forget that address")
    made.add_argument("--chat-events", metavar="NAMES", help="what your chat gets, as --events")
    made.add_argument("--test", action="store_true", help="send a mail that says nothing")
    made.add_argument("--test-chat", action="store_true", help="send a message to your chat that says nothing")
    made.add_argument("--sent", action="store_true", help="list what was sent")


def _work(word: Any) -> None:
    made = word("tasks", commands.tasks, "list tasks of the server, or stop one")
    made.add_argument("-n", dest="number", type=int, default=20, metavar="N", help="at most so many")
    made.add_argument("--state", choices=("queued", "running", "succeeded", "failed", "cancelled", "lost"))
    made.add_argument("--cancel", metavar="ID")
    made = word("pipelines", pipelines, "list pipelines, run one, send it files, write them as files or read them")
    made.add_argument("action", nargs="?", choices=tuple(FORMS), default="list")
    made.add_argument("named", nargs="*", help="; ".join(" ".join((name, *form)) for name, form in FORMS.items()))
    made.add_argument("--dry-run", action="store_true", help="say what a run would write, or an import change")
    made.add_argument("--watch", action="store_true", help="of import: follow the folder until Ctrl-C")
    made.add_argument("-m", "--message", metavar="TEXT", help="of run: what the history says of the commit")
    made = word("api", commands.api, "send any request: GET catalogs/{catalog}/graph/")
    made.add_argument("method", choices=("GET", "POST", "PUT", "PATCH", "DELETE"))
    made.add_argument("path", help="below /api/v1/; {catalog} and {branch} are the present ones")
    made.add_argument("--body", metavar="JSON")
    made.add_argument("--all", action="store_true", help="of a list: the entries of all of its pages")
