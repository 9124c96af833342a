"""What a person chose for a clash of keys is a decision of the merge: it has the merge's stamp (R10)."""

from __future__ import annotations

from typing import Any

import pytest

from tests.reference.facts import Refused
from tests.reference.lake import Lake
from tests.reference.statements import NewRow, insert, put_attributes, update

KEY = ("T1", 1)
MINE, THEIRS, EDITED = ((("v", (text, 1)),) for text in ("mine", "theirs", "edited"))


@pytest.fixture
def lake() -> Lake:
    """Key 1 is updated on b and main; third knows neither."""
    lake = Lake()
    made = {"exists": True, "name": "T1", "keyed": True}
    made |= {"column__v__exists": (None,), "column__v__name": "v", "column__v__type": 1}
    lake.commit("main", put_attributes("T1", **made), insert("T1", [NewRow(1, {"v": ("base", 1)}, "a")]))
    for b in ("b", "third"):
        lake.branch(b, lake.branches["main"])
    lake.commit("b", update("T1", lambda r: True, {"v": ("mine", 1)}))
    lake.commit("main", update("T1", lambda r: True, {"v": ("theirs", 1)}))
    return lake


def test_without_a_decision_the_merge_is_refused(lake: Lake) -> None:
    with pytest.raises(Refused, match="PRIMARY_KEY_CLASH"):
        lake.merge("b", "main")


@pytest.mark.parametrize(("decision", "image"), [("source", MINE), ("target", THEIRS), (EDITED, EDITED)])
def test_decisions_reach_both_sides_and_a_third_branch(lake: Lake, decision: Any, image: Any) -> None:
    lake.merge("b", "main", {KEY: decision})
    lake.merge("b", "third")
    for b in ("b", "third"):
        assert lake.merge("main", b) == "merged"
        assert lake.branches[b].value("T1", "row", 1) == image
        assert lake.merge(b, "main") == "nothing"
