"""``manage.py sql`` with a prompt: a session that continues, and what a person is proposed."""

from __future__ import annotations

from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from prompt_toolkit.application import create_app_session
from prompt_toolkit.completion import CompleteEvent
from prompt_toolkit.document import Document
from prompt_toolkit.input import create_pipe_input
from prompt_toolkit.output import DummyOutput

from lakeui import frontdoor
from lakeui.api.sql import prompt
from lakeui.api.sql.conversation import Conversation, is_leaving, is_whole, names_known
from lakeui.common.errors import NotFound, SyntaxProblem
from tests.api.conftest import FakeDoor

SESSION = {"catalog": "demo", "branch": "main", "transaction": None, "bypass_reason": "", "database": None}


def talk(answers: dict[str, Any] | None = None) -> tuple[Conversation, list[dict[str, Any]]]:
    """A conversation, and the statements that it ran."""
    ran: list[dict[str, Any]] = []

    def run(parameters: dict[str, Any]) -> dict[str, Any]:
        ran.append(parameters)
        answer = (answers or {}).get(parameters["statement"], {"rows": []})
        if isinstance(answer, Exception):
            raise answer
        return dict(answer)

    return Conversation(SESSION, run), ran


@pytest.mark.parametrize(
    ("text", "whole"),
    [
        ("SELECT 1", False),
        ("SELECT 1;", True),
        ("SELECT 1; -- done", True),
        ("SELECT ';", False),
        ("SELECT ';'", False),
        ("SELECT /* ;", False),
        ("SELECT 1;\nSELECT 2", False),
        ("quit", True),
        ("  ", True),
    ],
)
def test_semicolons_outside_strings_and_comments_end_the_input(text: str, whole: bool) -> None:
    assert is_whole(text) is whole


def test_leaving_has_words() -> None:
    assert [word for word in ("exit", "QUIT;", "\\q", "SELECT 1;") if is_leaving(word)] == ["exit", "QUIT;", "\\q"]


def test_catalog_branch_database_and_transaction_last() -> None:
    conversation, ran = talk(
        {
            "USE DATABASE d": {"catalog": "demo", "branch": "main", "database": "d"},
            "USE BRANCH b": {"catalog": "demo", "branch": "b"},
            "BEGIN": {"transaction": "t1"},
            "USE CATALOG other": {"catalog": "other", "branch": "main"},
        }
    )
    said: list[dict[str, Any]] = []
    conversation.say("USE DATABASE d; USE BRANCH b; BEGIN; SELECT * FROM t;", said.append)
    assert len(said) == 4
    last = ran[-1]
    assert (last["branch"], last["database"], last["transaction"]) == ("b", "d", "t1")
    assert conversation.place == "demo/b/d*"
    assert conversation.end()
    assert (ran[-1]["statement"], ran[-1]["transaction"]) == ("ROLLBACK", "t1")
    assert not conversation.end()
    conversation.say("USE CATALOG other;", said.append)
    assert conversation.place == "other/main"


def test_a_failure_ends_line_and_keeps_the_session() -> None:
    conversation, ran = talk({"USE BRANCH nowhere": NotFound("branch", "nowhere")})
    with pytest.raises(NotFound):
        conversation.say("USE BRANCH nowhere; SELECT 1;", lambda _: None)
    with pytest.raises(SyntaxProblem):
        conversation.say("SELEKT 1;", lambda _: None)
    assert [item["statement"] for item in ran] == ["USE BRANCH nowhere"]
    assert conversation.session == SESSION


def test_only_names_the_person_may_see_are_proposed() -> None:
    def run(parameters: dict[str, Any]) -> dict[str, Any]:
        if parameters["statement"] == "SHOW BRANCHES":
            raise NotFound("branch", "main")
        return {
            "rows": {"SHOW TABLES": [["d", "flights", "9"]], "SHOW DATABASES": [["d", "1"]]}[parameters["statement"]]
        }

    assert names_known(SESSION, run) == ["d", "d.flights", "flights"]
    assert names_known({**SESSION, "catalog": None}, lambda _: {"rows": [["demo"]]}) == ["demo"]


def completions(typed: str) -> list[str]:
    completer = prompt.NamesAndKeywords(lambda: ["d.flights", "flights"])
    return [item.text for item in completer.get_completions(Document(typed), CompleteEvent())]


def test_keywords_and_names_are_completed() -> None:
    assert "SELECT" in completions("sel")
    assert completions("SELECT * FROM fl") == ["flights"]
    assert completions("SELECT * FROM d.f") == ["d.flights"]
    assert completions("SELECT ") == []


def test_only_its_owner_reads_the_history(tmp_path: Path) -> None:
    path = prompt.history_file(str(tmp_path / "home"))
    assert path.stat().st_mode & 0o777 == 0o600


def test_enter_ends_a_statement_only_behind_its_semicolon(tmp_path: Path) -> None:
    with create_pipe_input() as keys, create_app_session(input=keys, output=DummyOutput()):
        session = prompt.prompt_session(str(tmp_path), list)
        keys.send_text("SELECT 'a;\rb'\r, 1;\r")
        assert session.prompt("> ") == "SELECT 'a;\nb'\n, 1;"
    assert "SELECT 'a;" in prompt.history_file(str(tmp_path)).read_text()


@pytest.mark.django_db(transaction=True)
def test_a_prompt_continues_after_a_refusal(door: FakeDoor, monkeypatch: pytest.MonkeyPatch) -> None:
    typed = iter(["SELECT 1;", "SELEKT;", KeyboardInterrupt(), "  ", "SELECT 2;"])

    class Typing:
        def prompt(self, _place: str) -> str:
            line = next(typed, EOFError())
            if isinstance(line, BaseException):
                raise line
            return line

    door.work = lambda *_: frontdoor.StatementResult()
    monkeypatch.setattr(prompt, "prompt_session", lambda *_: Typing())
    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    out, err = StringIO(), StringIO()
    call_command("sql", "-c", "demo", stdout=out, stderr=err)
    asked = [call[0] for call in door.calls if not call[0].startswith("SHOW")]
    assert asked == ["SELECT 1", "SELECT 2"]
    assert "SYNTAX_ERROR" in err.getvalue()
