"""The reference page is made of the grammar, and has all of it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import get_args

import pytest

from lakeui.common.errors import SyntaxProblem
from lakeui.frontdoor.sessions.temporary import parameters_after
from lakeui.sql import statements as s
from lakeui.sql.parameters import Parameters
from lakeui.sql.parse import FORBIDDEN, READERS, UNSUPPORTED, parse
from lakeui.sql.reference import REFUSED, reference_data, reference_page, refusal

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "statements.md"
DATA = reference_data()
STATEMENTS = [statement for section in DATA["section"] for statement in section["statement"]]
EXAMPLES = [
    text.format(head=1, merge_id="0f8fad5b-d9cb-469f-a165-70867728950e")
    for statement in STATEMENTS
    for text in (*statement["examples"], *statement.get("parsed", ()))
]


def test_the_page_is_what_the_grammar_makes() -> None:
    assert PAGE.read_text(encoding="utf-8") == reference_page(), (
        "python -m lakeui.sql.reference > docs/reference/statements.md"
    )


@pytest.mark.parametrize("phrase", READERS)
def test_every_beginning_has_an_example(phrase: str) -> None:
    assert any(text == phrase or text.startswith(f"{phrase} ") for text in EXAMPLES)


def test_every_kind_of_statement_has_an_example() -> None:
    kinds, session = set(), Parameters(database="d")
    for text in EXAMPLES:
        found = parse(text, session)
        kinds.add(type(found))
        session = replace(parameters_after(found, session), database="d")
    assert kinds == set(get_args(s.Statement))


@pytest.mark.parametrize("text", REFUSED)
def test_refusal_says_why_and_names_a_remedy(text: str) -> None:
    error = refusal(text)
    assert error.message
    assert error.remedy


@pytest.mark.parametrize("phrase", [*UNSUPPORTED, *FORBIDDEN])
def test_beginnings_listed_as_refused_are_refused_by_name(phrase: str) -> None:
    error = refusal(f"{phrase} x")
    assert not isinstance(error, SyntaxProblem)
