"""Decisions of a merge as text: what is written is read back as it was."""

from __future__ import annotations

import pytest

from lakeui.common.errors import SyntaxProblem
from lakeui.sql import statements as sql
from lakeui.sql.decisions import decisions_parsed, decisions_written
from lakeui.sql.parse import parse
from merge_app.planning.decision_phrases import PHRASES
from merge_app.planning.merge_plan import Decision, ResolutionPart

NASTY = 'it\'s `a` \\ "b"'
PLAIN = {"source", "destination", "larger", "both", "rerun", "leave_out"}
DECISIONS = [
    *(sql.ConflictDecision("table", "d`x.it's `a`", decision) for decision in sorted(PLAIN)),
    sql.ConflictDecision("table", "d.t", "rename", new_name=NASTY),
    sql.ConflictDecision("table", "d.t", "newest", "rows", value=NASTY),
    sql.ConflictDecision("table", "d.t", "edited", "cell", f'{{"id":"{NASTY}"}}', NASTY, value=f'"{NASTY}"'),
    sql.ConflictDecision("table", "d.t", "source", "row", f'{{"id":"{NASTY}"}}'),
    sql.ConflictDecision("table", "d.t", "source", "column", column=NASTY),
    sql.ConflictDecision("table", "d.t", "source", "property", NASTY),
    sql.ConflictDecision("table", "d.t", "source", "partition", '["2013",null,"it\'s"]'),
    sql.ConflictDecision("database", "it's `a`", "destination"),
    sql.ConflictDecision("database", "a.b", "destination", "property", "k"),
]


def test_every_decision_and_part_is_among_them() -> None:
    assert {item.decision for item in DECISIONS} == {decision.value for decision in Decision}
    assert {item.part for item in DECISIONS} == {part.value for part in ResolutionPart}


@pytest.mark.parametrize("decision", DECISIONS, ids=lambda item: f"{item.part} {item.decision}")
def test_a_decision_is_read_as_it_was_written(decision: sql.ConflictDecision) -> None:
    found = parse(f"MERGE BRANCH s TO t {decisions_written([decision, decision])}")
    assert isinstance(found, sql.MergeBranch)
    assert found.decisions == (decision, decision)


def test_every_decision_has_a_phrase_of_its_own() -> None:
    assert set(PHRASES) == set(Decision)
    assert len({phrase.words for phrase in PHRASES.values()}) == len(PHRASES)


def test_no_decision_is_refused_with_every_form() -> None:
    with pytest.raises(SyntaxProblem) as refused:
        decisions_parsed("TABLE d.t BOTH")
    assert all(phrase.form in refused.value.message for phrase in PHRASES.values())


def test_no_decisions_are_no_text() -> None:
    assert decisions_written([]) == ""
