"""``lake``: the whole way from a branch to a merge that is taken back, its documents, texts and exit statuses."""

from __future__ import annotations

import io
import json
import os
import re
import stat
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.contrib.auth.models import User

from catalog_app.domain.roles import Role
from catalog_app.models import CommitOperation
from catalog_app.selectors.snapshots import branch_get, catalog_get
from lakeui_client import Catalog
from lakeui_client.cli import show
from lakeui_client.cli.main import run
from lakeui_client.cli.parser import parser_make
from tests.client.conftest import DOCUMENT, Person, protect

Call = Callable[..., tuple[int, str, str]]
ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def lake(catalog: Catalog, kept: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Call:
    """Calls the command; answers its status, what it printed, and what it printed as an error: the server, which runs
    in this process, prints there too.
    """
    monkeypatch.setenv("LAKEUI_URL", catalog.http.url)
    monkeypatch.setenv("LAKEUI_TOKEN", catalog.http._token)
    monkeypatch.setenv("LAKEUI_CATALOG", catalog.name)

    def call(*arguments: str) -> tuple[int, str, str]:
        status = run(arguments)
        said = capsys.readouterr()
        return status, said.out, said.err

    return call


def document(lake: Call, *arguments: str, status: int = 0) -> Any:
    """The one document that --json prints."""
    found, text, _ = lake(*arguments, "--json")
    assert found == status, text
    return json.loads(text)


def test_a_dry_run_reports_the_merge_to_parent() -> None:
    said: dict[str, Any] = {"branch": "main", "mergeable": True, "conflicts": [], "notes": []}
    raw: dict[str, Any] = {"version": 7, "metrics": {}, "parent_merge": said}
    assert show.summary(raw) == "(version 7)\nA merge to main would then have no conflict."
    said |= {"mergeable": False, "conflicts": [{"code": "PRIMARY_KEY_CLASH", "object": "d.t", "count": 2}]}
    assert show.summary(raw).endswith("would then have conflicts.\n  PRIMARY_KEY_CLASH of d.t: 2")
    said["refused"] = {"code": "NOT_SUPPORTED", "message": "No plan.", "remedy": ""}
    assert show.summary(raw).endswith("A merge to main would then be refused: No plan.")


def test_a_large_commit_is_shown_in_part(lake: Call, catalog: Catalog) -> None:
    branch = branch_get(catalog_get(catalog.name), "main")
    version = branch.head_version
    CommitOperation.objects.bulk_create(
        CommitOperation(
            commit=branch.head_commit, branch=branch, version=version, object_kind="table", object_id=10**6 + number,
            kind="update", metrics={}, origin_branch=branch, origin_version=version,
        ) for number in range(120)
    )  # fmt: skip
    short = document(lake, "show", str(version))
    left = short["operation_count"] - 100
    assert (len(short["operations"]), left >= 20) == (100, True)
    assert lake("show", str(version))[1].endswith(f"and {left} more; all: lake show {version} --all\n")
    assert len(document(lake, "show", str(version), "--all")["operations"]) == short["operation_count"]
    assert "more;" not in lake("show", str(version), "--all")[1]


def test_a_branch_is_changed_compared_merged_and_undone(lake: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LAKEUI_BRANCH", "fix")
    assert document(lake, "branch", "fix", "--from", "main")["parent"] == "main"
    written = document(lake, "sql", "UPDATE d.t SET name = :n WHERE id = 1", "-p", '{"n": "x"}', "-m", "one name")
    assert document(lake, "log", "-n", "1")[0]["message"] == "one name"
    assert written["metrics"]["rows_updated"] == 1
    assert document(lake, "diff")["mergeable"] is True
    assert "d.t" in lake("diff", "fix", "main")[1]
    assert document(lake, "-b", "main", "merge", "fix", "--dry-run")["mergeable"] is True
    merged = document(lake, "merge", "fix", "-b", "main", "-m", "the fix")
    assert "the fix" in lake("show", str(merged["version"]), "-b", "main")[1]
    assert merged["outcome"] == "merged"
    assert document(lake, "show", merged["merge_id"])["outcome"] == "merged"
    assert document(lake, "show", str(merged["version"]), "-b", "main")["operation"] == "MERGE BRANCH"
    assert document(lake, "audit")[0]["status"] == "mergeable" or document(lake, "audit")[0]["status"] == "merged"
    assert "Done as version" in lake("revert", merged["merge_id"])[1]
    assert document(lake, "log", "-n", "1", "-b", "main")[0]["operation"] == "RESTORE MERGE"
    status, text, _ = lake("sql", "SELECT * FROM d.t ORDER BY id", "-b", "main")
    assert (status, text.splitlines()[:4]) == (0, ["id  name", "--  ----", " 1  a", " 2  b"])


def test_a_conflict_ends_with_2_and_names_itself(lake: Call) -> None:
    lake("branch", "fix")
    lake("sql", "UPDATE d.t SET name = 'x' WHERE id = 1", "-b", "fix")
    lake("sql", "UPDATE d.t SET name = 'y' WHERE id = 1")
    assert document(lake, "merge", "fix", "--dry-run", status=2)["conflicts"]
    assert document(lake, "merge", "fix", status=2)["code"] == "MERGE_CONFLICT"
    status, _, text = lake("merge", "fix")
    assert (status, "MERGE_CONFLICT: " in text) == (2, True)
    assert "  - [PRIMARY_KEY_CLASH] On d.t: " in text
    assert "RESOLVE (TABLE d.t ROWS TAKE SOURCE | TAKE TARGET | TAKE LARGER | TAKE NEWEST BY column)" in text
    assert "Decide by --resolve '..'" in text
    decisions = '[{"database": "d", "table": "t", "part": "rows", "decision": "destination"}]'
    assert document(lake, "merge", "fix", "--dry-run", "--decisions", decisions)["mergeable"]
    wrong = document(lake, "merge", "fix", "--resolve", "TABLE d.t ROWS TARGET", status=1)
    assert (wrong["code"], wrong["field"], "TAKE TARGET" in wrong["detail"]) == ("INVALID_VALUE", "resolve", True)
    assert document(lake, "merge", "fix", "--resolve", "TABLE d.t ROWS TAKE TARGET")["outcome"] == "merged"


def test_what_waits_for_people_ends_with_3(
    lake: Call, catalog: Catalog, person: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    protect(catalog)
    monkeypatch.setenv("LAKEUI_TOKEN", person(Role.CONTRIBUTOR).http._token)
    lake("branch", "fix")
    lake("sql", "DELETE FROM d.t", "-b", "fix")
    assert lake("merge", "fix")[0] == 3
    number = str(document(lake, "request", "open", "Empty it", "--source", "fix")["number"])
    assert lake("request", "merge", number)[0] == 3
    assert document(lake, "request", "show", number, "--exit-code", status=3)["blockers"]
    monkeypatch.setenv("LAKEUI_TOKEN", person(Role.MAINTAINER).http._token)
    assert document(lake, "review", number, "approve", "-m", "Fine.")["verdict"] == "approve"
    assert document(lake, "request", "merge", number)["outcome"] == "merged"
    assert [entry["state"] for entry in document(lake, "request", "list", "--state", "merged")] == ["merged"]
    assert "(merged)" in lake("request", "show", number)[1]


def test_anything_else_that_fails_ends_with_1(lake: Call) -> None:
    assert lake("show", "999999")[0] == 1
    status, _, text = lake("sql", "SELECT * FROM d.tt")
    assert (status, "NOT_FOUND: " in text) == (1, True)
    assert document(lake, "-b", "mian", "status", status=1)["nearest"] == "main"
    with pytest.raises(SystemExit) as unknown:
        run(["mrege"])
    assert unknown.value.code == 1
    assert lake("sql", "SELECT :a", "-p", "a=1")[0] == 1


def test_catalogs_are_made_renamed_dropped_and_undropped(lake: Call) -> None:
    assert document(lake, "catalogs", "--create", "spare")["name"] == "spare"
    assert document(lake, "catalogs", "--rename", "spare", "other")["name"] == "other"
    assert "lake catalogs --undrop other brings it back" in lake("catalogs", "--drop", "other")[1]
    (gone,) = document(lake, "catalogs", "--dropped")
    assert gone["name"] == "other"
    back = document(lake, "catalogs", "--undrop", "other", "--id", str(gone["catalog_id"]), "--as", "again")
    assert (back["name"], back["branch_count"]) == ("again", 1)
    assert lake("catalogs", "--drop", "again")[0] == 0
    assert lake("catalogs", "--undrop", "again")[0] == 0
    assert lake("catalogs", "--undrop", "nowhere")[0] == 1


def test_branches_and_tags_are_named_renamed_and_dropped(lake: Call) -> None:
    lake("branch", "a")
    assert document(lake, "branch", "-m", "a", "b/c")["name"] == "b/c"
    assert document(lake, "tags", "first", "-b", "b/c")["branch"] == "b/c"
    assert [entry["name"] for entry in document(lake, "tags")] == ["first"]
    assert document(lake, "tags", "-m", "first", "1st")["version"] == document(lake, "tags")[0]["version"]
    assert document(lake, "tags", "-d", "1st") == {"dropped": "1st"}
    assert lake("branch", "-d", "b/c")[0] == 0
    assert [entry["name"] for entry in document(lake, "branch")] == ["main"]
    assert [entry["name"] for entry in document(lake, "branch", "--dropped")] == ["b/c"]
    assert document(lake, "branch", "trial", "--expires", "7 days")["expires_at"] is not None
    assert "expires_at" in lake("branch")[1]
    assert document(lake, "branch", "--set-expiry", "trial", "never")["expires_at"] is None
    assert "expires at" in lake("branch", "--set-expiry", "trial", "36 hours")[1]
    assert document(lake, "branch", "--set-expiry", "trial", "soon", status=1)["code"] == "INVALID_VALUE"
    assert lake("branch", "-d", "trial")[0] == 0
    dropped = {entry["name"]: entry["branch_id"] for entry in document(lake, "branch", "--dropped")}
    assert document(lake, "undrop", "trial", "--id", str(dropped["trial"]), "--as", "tried") == {"branch": "tried"}
    assert lake("undrop", "b/c")[0] == 0
    assert "* main" in lake("branch")[1]


def test_a_branch_is_reset_to_its_parent(lake: Call) -> None:
    head = document(lake, "branch", "b")["head_version"]
    assert "is what main is already" in lake("reset", "b")[1]
    lake("sql", "-b", "b", "CREATE TABLE d.own (id INT)")
    assert document(lake, "reset", "b", "--if-head", str(head), status=1)["code"] == "BRANCH_MOVED"
    assert lake("reset", "b", "--dry-run")[1] == "A reset of b to main discards 1 commit:\n  d.own: create\n"
    status, text, _ = lake("reset", "b", "--if-head", str(head + 1))
    assert (status, text.splitlines()[:2]) == (
        0,
        [f"Branch b is what main is, version {head}. Discarded 1 commit:", "  d.own: create"],
    )
    (dropped,) = document(lake, "branch", "--dropped")
    assert f"lake undrop b --id {dropped['branch_id']} --as NAME" in text


def test_queries_are_saved_shown_and_removed(lake: Call) -> None:
    saved = document(lake, "queries", "--save", "late", "SELECT * FROM d.t", "--shared")
    assert (saved["name"], saved["is_shared"]) == ("late", True)
    number = str(saved["id"])
    assert lake("queries", number)[1].strip() == "SELECT * FROM d.t"
    assert "late" in lake("queries")[1]
    assert document(lake, "queries", "--save", "late", "SELECT 1", status=1)["code"] == "ALREADY_EXISTS"
    assert lake("queries", "-d", number)[0] == 0
    assert document(lake, "queries") == []


def test_tables_are_restored_imported_and_run_by_scripts(lake: Call, tmp_path: Path) -> None:
    file = tmp_path / "rows.csv"
    file.write_text("id,name\n3,c\n")
    before = document(lake, "status")["branch"]["head_version"]
    assert document(lake, "import", str(file), "d.t")["metrics"]["rows_inserted"] == 1
    script = tmp_path / "all.sql"
    script.write_text("DELETE FROM d.t WHERE id = 1; SELECT count(*) AS n FROM d.t;")
    assert [found["rows"] for found in document(lake, "sql", "-f", str(script))] == [[], [[2]]]
    assert document(lake, "restore", "d.t", "--to-version", str(before), "--dry-run")["dry_run"] is True
    assert document(lake, "restore", "d.t", "--to-version", str(before))["outcome"] == "restore"
    assert document(lake, "sql", "SELECT count(*) FROM d.t")["rows"] == [[2]]
    assert document(lake, "import", str(tmp_path / "none.csv"), "d.t", status=1)["code"] == "FILE"
    document(lake, "import", str(file), "d.t", "-m", "rows of May")
    assert [entry["message"] for entry in document(lake, "log", "-n", "2")] == ["rows of May", ""]


def test_server_progress_is_printed_beside_the_answer(lake: Call, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["sql", "INSERT INTO d.t VALUES (3, 'c')", "--wait", "--json"]) == 0
    said = capsys.readouterr()
    assert json.loads(said.out)["metrics"]["rows_inserted"] == 1
    assert "commit: write one version" in said.err


def test_any_resource_can_be_asked(lake: Call, catalog: Catalog) -> None:
    graph = document(lake, "api", "GET", "catalogs/{catalog}/graph/?limit=1")
    assert len(graph["commits"]) == 1
    made = document(lake, "api", "POST", "catalogs/{catalog}/branches/", "--body", '{"name": "b"}')
    assert document(lake, "api", "GET", "catalogs/{catalog}/branches/{branch}/", "-b", "b") == made
    assert document(lake, "api", "DELETE", f"/api/v1/catalogs/{catalog.name}/branches/b/") is None
    assert [entry["name"] for entry in document(lake, "api", "GET", "catalogs/{catalog}/branches/", "--all")] == [
        "main"
    ]
    wrong = document(lake, "api", "POST", "catalogs/{catalog}/branches/", "--body", '{"nmae": "b"}', status=1)
    assert wrong["nearest"] == "name"


def test_the_staff_invites_disables_and_enables(lake: Call, person: Person) -> None:
    assert lake("people", "--accounts")[0] == 1
    User.objects.filter(access_tokens__isnull=False).update(is_staff=True, is_superuser=True)
    made = document(lake, "people", "--invite", "frida", "--email", "frida@example.org")
    assert (made["username"], made["state"]) == ("frida", "invited")
    assert "/invitation/?secret=" in document(lake, "people", "--link", "frida")["link"]
    assert document(lake, "people", "--disable", "frida")["state"] == "disabled"
    assert document(lake, "people", "--enable", "frida")["is_active"] is True
    assert "frida" in {entry["username"] for entry in document(lake, "people", "--accounts")}
    assert "no second factor" in document(lake, "people", "--second-factor-off", "frida", status=1)["detail"]
    assert document(lake, "people", "--rights")[0]["after"]["is_active"] is True


def test_people_tokens_tasks_and_pipelines_are_kept(
    lake: Call, catalog: Catalog, person: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = person(Role.VIEWER).http.get("/api/v1/tokens/")["results"][0]
    assert other["name"] == "client"
    viewer = next(entry for entry in document(lake, "people") if entry["role"] == "viewer")["username"]
    assert document(lake, "people", "--change", viewer, "--role", "reviewer")["role"] == "reviewer"
    assert document(lake, "people", "--remove", viewer) == {"removed": viewer}
    assert document(lake, "people", "--add", viewer, "--role", "contributor")["role"] == "contributor"
    made = document(lake, "tokens", "--create", "nightly", "--scope", "read")
    assert (made["scopes"], made["token"][:5]) == (["read"], "lake_")
    assert document(lake, "tokens", "--revoke", str(made["id"])) == {"revoked": made["id"]}
    assert [entry["name"] for entry in document(lake, "tokens")] == ["client"]
    chosen = document(lake, "mail", "--address", "a@example.org", "--events", "task_failed, review_asked")
    assert (chosen["address"], chosen["events"]) == ("a@example.org", ["review_asked", "task_failed"])
    assert "To a@example.org: review_asked, task_failed." in lake("mail")[1]
    assert document(lake, "mail", "--events", "all", status=1)["code"] == "INVALID_VALUE"
    assert document(lake, "mail", "--events", "")["events"] == []
    assert document(lake, "mail", "--test", status=1)["detail"] == "This server sends no mail."
    assert document(lake, "mail", "--sent") == []
    assert document(lake, "mail", "--test-chat", status=1)["detail"] == "You have no chat."
    monkeypatch.setitem(settings.LAKEUI, "WEBHOOK_NETWORKS", "127.0.0.0/8")
    monkeypatch.setattr("sys.stdin", io.StringIO("http://127.0.0.1:9/services/secret"))
    chat = document(lake, "mail", "--chat", "--chat-events", "task_failed")
    assert (chat["chat_server"], chat["chat_events"]) == ("127.0.0.1:9", ["task_failed"])
    assert "To the chat at 127.0.0.1:9: task_failed." in lake("mail")[1]
    assert document(lake, "mail", "--no-chat")["chat_server"] == ""
    catalog.branch("main").sql("INSERT INTO d.t VALUES (3, 'c')")
    assert {entry["state"] for entry in document(lake, "tasks", "-n", "2")} == {"succeeded"}
    assert document(lake, "pipelines") == []
    assert document(lake, "pipelines", "runs", "1", "-m", "x", status=1)["code"] == "CLIENT_ERROR"


def test_a_login_is_kept_per_owner_and_server(
    lake: Call, catalog: Catalog, kept: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert document(lake, "login", catalog.http.url)["catalog"] == catalog.name
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    for name in ("LAKEUI_URL", "LAKEUI_TOKEN", "LAKEUI_CATALOG"):
        monkeypatch.delenv(name)
    assert document(lake, "switch", "-c", "fix")["parent"] == "main"
    assert document(lake, "status")["branch"]["name"] == "fix"
    assert document(lake, "switch", "none", status=1)["code"] == "NOT_FOUND"
    assert document(lake, "status")["branch"]["name"] == "fix"
    other = document(lake, "status", "--url", "http://127.0.0.1:1", status=1)
    assert other["code"] == "UNAUTHENTICATED"
    monkeypatch.setenv("LAKEUI_BRANCH", "main")
    assert document(lake, "status")["branch"]["name"] == "main"
    assert lake("switch", "main")[0] == 1


def test_owners_hide_list_and_unhide_rows_and_columns(lake: Call) -> None:
    made = document(lake, "restrictions", "d.t", "--role", "viewer", "--mask", "id = NULL")
    assert (made["table"], made["masks"]) == ("d.t", {"id": "NULL"})
    assert "id = NULL" in lake("restrictions")[1]
    assert (
        document(lake, "restrictions", "d.t", "--group", "nobody", "--filter", "1=1", status=1)["code"] == "NOT_FOUND"
    )
    assert document(lake, "restrictions", "--lift", str(made["id"])) == {"lifted": made["id"]}
    assert document(lake, "restrictions") == []


def test_shells_complete_commands_options_and_branches(lake: Call) -> None:
    lake("branch", "feature/x")
    for shell in ("bash", "zsh", "fish"):
        assert "lake __complete" in lake("completion", shell)[1]
    assert lake("__complete", "mer")[1].split() == ["merge"]
    assert "--dry-run" in lake("__complete", "merge", "x", "--")[1].split()
    assert lake("__complete", "request", "o")[1].split() == ["open"]
    assert lake("__complete", "review", "1", "req")[1].split() == ["request-changes"]
    kept_names = lake("__complete", "-C", "x", "import", "f", "t", "--mode", "up")[1].split()
    assert kept_names == ["update", "upsert"]


def test_every_command_says_what_it_is_for() -> None:
    (words,) = (action for action in parser_make()._actions if action.dest == "command")
    helps = {entry.dest: entry.help for entry in words._choices_actions}  # type: ignore[attr-defined]
    assert helps.keys() == words.choices.keys()  # type: ignore[union-attr]
    assert all(helps.values())


def test_a_call_imports_nothing_that_takes_long(lake: Call) -> None:
    """Half of a call would be the import of one of these."""
    source = ROOT / "clients" / "python" / "src"
    code = (
        "import sys; from lakeui_client.cli.main import run; run(['status', '--json']);"
        " print(sorted({'asyncio', 'dataclasses', 'httpx', 'inspect', 'pyarrow', 'sqlalchemy'} & sys.modules.keys()),"
        " file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONPATH": str(source)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert (json.loads(done.stdout)["branch"]["name"], done.stderr.strip()) == ("main", "[]")


def test_input_that_cannot_be_read_is_a_sentence(lake: Call, tmp_path: Path) -> None:
    script = tmp_path / "script.sql"
    script.write_bytes(b"SELECT '\xe9'")
    assert lake("sql", "-f", str(script)) == (1, "", "FILE: The file is no UTF-8 text.\n")
    assert document(lake, "show", "²", status=1)["code"] == "NOT_FOUND"


VERBS = {
    "account": "login",
    "account/mail": "mail",
    "agents": "agents",
    "catalogs": "catalogs",
    "catalogs/branches": "branch",
    "catalogs/branches/databases": "sql",
    "catalogs/branches/databases/tables/rows": "export",
    "catalogs/branches/history": "log",
    "catalogs/branches/imports": "import",
    "catalogs/branches/protection": "policies",
    "catalogs/branches/reset": "reset",
    "catalogs/branches/trash": "undrop",
    "catalogs/candidates": "people",
    "catalogs/checks": "checks",
    "catalogs/compare": "diff",
    "catalogs/dbt-tests": "checks",
    "catalogs/graph": "api",
    "catalogs/groups": "groups",
    "catalogs/members": "people",
    "catalogs/merge-requests": "request",
    "catalogs/merge-requests/reviews": "review",
    "catalogs/merge-requests/statuses": "statuses",
    "catalogs/merges": "merge",
    "catalogs/pipeline-policy": "settings",
    "catalogs/protection-rules": "protect",
    "catalogs/queries": "queries",
    "catalogs/restores": "restore",
    "catalogs/restrictions": "restrictions",
    "catalogs/settings": "settings",
    "catalogs/tags": "tags",
    "catalogs/undrops": "undrop",
    "catalogs/webhooks": "webhooks",
    "dropped-catalogs": "catalogs",
    "groups": "groups",
    "inbox": "request",
    "markdown": "api",
    "merges": "audit",
    "people": "people",
    "pipelines": "pipelines",
    "pipelines/landing-zones": "pipelines",
    "results": "sql",
    "rights-records": "people",
    "rules": "api",
    "samples": "api",
    "search": "api",
    "sessions": "sql",
    "sql": "sql",
    "statements": "history",
    "tasks": "tasks",
    "tokens": "tokens",
}
"""By resource, with what lies below it, the verb that is about it. ``api`` sends any request."""


def test_each_resource_has_a_verb() -> None:
    # argparse has no public list of its verbs.
    (words,) = (action.choices for action in parser_make()._subparsers._group_actions)  # type: ignore[union-attr]
    assert set(VERBS.values()) <= set(words)
    paths = {re.sub(r"\{[^}]*\}", "", path.removeprefix("/api/v1/")).replace("...", "") for path in DOCUMENT["paths"]}
    parts = {"/".join(part for part in path.split("/") if part) for path in paths if path}
    resources = {part for part in parts if not part.startswith(("schema", "docs"))}
    used = {
        max((name for name in VERBS if f"{part}/".startswith(f"{name}/")), key=len, default=part) for part in resources
    }
    assert used == set(VERBS)


def test_statements_that_one_ran_are_listed_and_deleted(lake: Call) -> None:
    lake("history", "--delete-all")
    lake("sql", "SHOW TABLES")
    lake("sql", "SELECT * FROM d.tt", "-b", "nowhere")
    failed, done = document(lake, "history")
    assert (done["text"], done["outcome"], failed["branch"]) == ("SHOW TABLES", "OK", "nowhere")
    assert [entry["id"] for entry in document(lake, "history", "--on", "nowhere")] == [failed["id"]]
    assert [entry["id"] for entry in document(lake, "history", "--outcome", "ok", "-n", "5")] == [done["id"]]
    assert document(lake, "history", "--search", "tt")[0]["outcome"] == "NOT_FOUND"
    assert lake("history", str(done["id"]))[1] == "SHOW TABLES\n"
    assert "SHOW TABLES" in lake("history")[1]
    assert document(lake, "history", "-d", str(failed["id"])) == {"removed": failed["id"]}
    assert document(lake, "history", str(failed["id"]), status=1)["code"] == "NOT_FOUND"
    document(lake, "history", "--delete-all", "--search", "nothing")
    assert len(document(lake, "history")) == 1
    document(lake, "history", "--delete-all")
    assert document(lake, "history") == []


def test_owners_set_policies_and_requests_show_them(lake: Call, tmp_path: Path) -> None:
    document(lake, "api", "POST", "catalogs/{catalog}/protection-rules/", "--body", '{"pattern": "main"}')
    file = tmp_path / "policies.json"
    file.write_text('[{"name": "small", "tables": ["d.*"], "max_rows": 0}]')
    assert document(lake, "policies", "main", "--set", str(file))["version"] == 2
    assert document(lake, "policies", "main")[0]["max_rows"] == 0
    assert "small" in lake("policies")[1]
    assert document(lake, "policies", "none", status=1)["code"] == "NOT_FOUND"
    file.write_text('[{"name": "small", "rows": 1}]')
    refused = document(lake, "policies", "main", "--set", str(file), status=1)
    assert refused["field"] == "policies[0].rows"
    document(lake, "branch", "fix", "--from", "main")
    lake("sql", "INSERT INTO d.t VALUES (3, 'c')", "-b", "fix")
    lake("request", "open", "One row", "--source", "fix", "--into", "main")
    for _ in range(100):
        status, text, _ = lake("request", "show", "1", "--exit-code")
        if "it has 1 changed row, and 0 is the most" in text:
            break
        # The worker judges the request in a task of its own.
        time.sleep(0.1)
    assert status == 3
    assert "policy: No policy lets this merge through, so it needs 1 approval: small (it has 1 changed" in text


def test_tests_of_dbt_are_read_from_a_file(lake: Call, tmp_path: Path) -> None:
    file = tmp_path / "schema.yml"
    file.write_text("models: [{name: t, columns: [{name: id, data_tests: [not_null, {own.test: {a: 1}}]}]}]")
    options = ("--dbt", str(file), "--database", "d", "--required")
    assert [check["outcome"] for check in document(lake, "checks", *options, "--dry-run")["checks"]] == ["made"]
    assert document(lake, "checks") == []
    _, text, _ = lake("checks", *options)
    assert "line 1: own.test of d.t: lakeui knows not_null" in text
    (kept,) = document(lake, "checks")
    assert (kept["name"], kept["is_required"]) == ("not_null: d.t.id", True)
    made = {"name": "one id", "template": "unique", "parameters": {"table": "d.t", "columns": ["id"]}}
    assert document(lake, "checks", "--create", json.dumps(made))["template"] == "unique"
    assert document(lake, "checks", "--remove", kept["name"]) == {"removed": kept["name"]}
    assert [check["name"] for check in document(lake, "checks")] == ["one id"]


def test_a_merge_is_planned_again_by_its_id(lake: Call) -> None:
    document(lake, "branch", "fix", "--from", "main")
    lake("sql", "INSERT INTO d.t VALUES (3, 'c')", "-b", "fix")
    merged = document(lake, "merge", "fix", "-b", "main")
    done = document(lake, "audit", "replay", merged["merge_id"])
    assert (done["is_same"], done["computed"]) == (True, merged["fingerprint"])
    assert lake("audit", "replay", merged["merge_id"])[1].startswith("The plan is the same")
    assert lake("audit", "replay")[0] == 1


def test_agents_and_statuses_have_verbs(lake: Call) -> None:
    made = document(lake, "agents", "--create", '{"name": "fixer", "purpose": "corrects values"}')
    assert made["branches"] == "agent/fixer/*"
    assert document(lake, "agents", "--change", "fixer", '{"model": "m1"}')["model"] == "m1"
    assert document(lake, "agents", "--token", "fixer", "work")["token"]
    assert [entry["name"] for entry in document(lake, "agents")] == ["fixer"]
    document(lake, "branch", "fix", "--from", "main")
    lake("sql", "INSERT INTO d.t VALUES (3, 'c')", "-b", "fix")
    lake("request", "open", "One row", "--source", "fix", "--into", "main")
    assert document(lake, "statuses", "1", "ci/tests", "success")["state"] == "success"
    assert [entry["context"] for entry in document(lake, "statuses", "1")] == ["ci/tests"]
