"""``lake pull-request``: a branch for each pull request, its comparison as a comment, its merge with that of the code.

In a workflow of GitHub, Forgejo or Gitea all that it has to know stands in the environment of the step.
"""

from __future__ import annotations

import json
import os
import re
from argparse import Namespace
from pathlib import Path
from typing import Any

from lakeui_client.cli import show
from lakeui_client.cli.place import CONFLICT, DONE, FAILED, Place, Said
from lakeui_client.errors import LakeError, failed
from lakeui_client.http import segment
from lakeui_client.pull_requests import Ended, Host, PullRequest, Reported, refused_text

ACTIONS = ("begin", "report", "merge", "close")
STATES = {"success": "success", "failure": "failure", "cancelled": "error", "skipped": "error"}
"""By the result of a job, as a workflow names it, the state of the status."""


def words_add(word: Any) -> None:
    made = word(
        "pull-request", pull_request, "keep a branch for a pull request of a host of Git, and merge it with that"
    )
    made.add_argument("action", choices=ACTIONS)
    made.add_argument("--number", type=int, metavar="N", help="else that of GITHUB_EVENT_PATH; so --commit and --title")
    made.add_argument("--commit", metavar="SHA", help="the newest commit of the pull request")
    made.add_argument("--title", metavar="TEXT")
    made.add_argument("--into", default="main", metavar="BRANCH", help="instead of main")
    made.add_argument("--prefix", default="pull/", help="of the branch's name, before the number; pull/ without it")
    made.add_argument("--result", choices=tuple(STATES), default="success", help="of report: how the programs ended")
    made.add_argument("--no-comment", action="store_true", help="print what the comment would say, and send none")


def pull_request(place: Place, given: Namespace) -> Said:
    event = _event()
    head = event.get("head") or {}
    number, commit = given.number or event.get("number"), given.commit or head.get("sha")
    if not number or not commit:
        raise failed("Which pull request is not said.", "Give --number and --commit, or set GITHUB_EVENT_PATH.")
    host = None if given.no_comment or given.action == "begin" else _host()
    found = PullRequest(
        place.catalog,
        number,
        commit,
        into=given.into,
        prefix=given.prefix,
        title=given.title or event.get("title", ""),
        address=event.get("html_url", ""),
    )
    if given.action == "begin":
        return _begun(found)
    try:
        said = _reported(found, given.result) if given.action == "report" else _ended(found, given.action)
    except LakeError as error:
        if host is not None:
            _comment(host, place, found, number, refused_text(error))
        raise
    if host is not None:
        _comment(host, place, found, number, said.text)
    return said


def _event() -> dict[str, Any]:
    """The pull request of the event that started the workflow."""
    path = os.environ.get("GITHUB_EVENT_PATH")
    if not path:
        return {}
    try:
        found = json.loads(Path(path).read_text(encoding="utf-8")).get("pull_request")
    except ValueError as error:
        raise failed(f"GITHUB_EVENT_PATH holds no JSON: {error}.") from None
    return found or {}


def _host() -> Host:
    names = ("GITHUB_API_URL", "GITHUB_REPOSITORY", "GITHUB_TOKEN")
    missing = [name for name in names if not os.environ.get(name)]
    if missing:
        raise failed(
            f"{' and '.join(missing)} {'is' if len(missing) == 1 else 'are'} not set, so no comment can be sent.",
            "Set them as the workflow in examples/pull-requests.yml does, or say --no-comment.",
        )
    return Host(*(os.environ[name] for name in names))


def _begun(found: PullRequest) -> Said:
    shown = found.begin()
    later = os.environ.get("GITHUB_ENV")
    if later:
        # The steps that follow act on the branch.
        with Path(later).open("a", encoding="utf-8") as file:
            file.write(f"LAKEUI_BRANCH={found.name}\n")
    return Said(shown, f"Branch {found.name} is what {found.into} is, version {shown['head_version']}.")


def _reported(found: PullRequest, result: str) -> Said:
    done = found.report(STATES[result])
    status = DONE if done.state == "success" else FAILED
    document = {"diff": done.diff.raw, "request": done.request, "state": done.state}
    return Said(document, _report_text(found, done), status if done.diff.mergeable else CONFLICT)


def _report_text(found: PullRequest, done: Reported) -> str:
    lines = [show.comparison(done.diff), f"The programs of commit {found.commit} ended with {done.state}."]
    if done.request is not None:
        lines.append(f"Merge request {done.request}: {found.catalog.http.url}{_request_page(found, done.request)}")
    return "\n".join(lines)


def _request_page(found: PullRequest, number: int) -> str:
    return f"/c/{segment(found.catalog.name)}/requests/{number}"


def _ended(found: PullRequest, action: str) -> Said:
    done = found.merge() if action == "merge" else found.close()
    return Said(done._asdict(), _end_text(found, done))


def _end_text(found: PullRequest, done: Ended) -> str:
    if done.outcome == "nothing to merge":
        return f"{found.name} has nothing to merge into {found.into}."
    if done.outcome == "closed":
        return f"{found.name} was dropped and nothing merged; lake undrop {found.name} brings it back."
    version = "" if done.version is None else f" as version {done.version}"
    before = " before" if done.outcome == "merged before" else ""
    return f"{found.name} was merged into {found.into}{before}{version}. Undo it: lake revert {done.merge_id}"


def _comment(host: Host, place: Place, found: PullRequest, number: int, text: str) -> None:
    mark = f"<!-- lakeui {place.settings.catalog} {found.name} -->"
    host.comment(number, mark, f"**{found.name} of the lake**\n\n{_fenced(text)}")


def _fenced(text: str) -> str:
    """As a block of code, which ends with a longer fence than any in the text: nothing in it is read as Markdown."""
    fence = "`" * (2 + max((len(run) for run in re.findall("`+", text)), default=1))
    return f"{fence}\n{text}\n{fence}"
