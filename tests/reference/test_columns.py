"""One column, one id: the same addition on two branches is one column (R13)."""

from __future__ import annotations

import pytest

from tests.reference.facts import Refused
from tests.reference.lake import Lake
from tests.reference.statements import NewRow, insert, put_attributes


class Story:
    """Table T1 with column v on main and b."""

    def __init__(self) -> None:
        self.lake = Lake()
        made = {
            "exists": True,
            "name": "T1",
            "column__v__exists": (None,),
            "column__v__name": "v",
            "column__v__type": 1,
        }
        self.lake.commit("main", put_attributes("T1", **made))
        self.lake.branch("b", self.lake.branches["main"])

    def add(self, b: str, type_: int = 1, default: str | None = None) -> str:
        older = None if default is None else (default, 1)
        c = self.lake.columns.allocate(self.lake.branches[b], "T1", "n", older)
        added = {"exists": (older,), "name": "n", "type": type_}
        self.lake.commit(b, put_attributes("T1", **{f"column__{c}__{of}": value for of, value in added.items()}))
        return c

    def drop(self, b: str, c: str) -> None:
        self.lake.commit(b, put_attributes("T1", **{f"column__{c}__exists": None}))

    def codes(self) -> tuple[str, ...]:
        with pytest.raises(Refused) as refused:
            self.lake.merge("b", "main")
        return refused.value.codes


@pytest.fixture
def s() -> Story:
    return Story()


def test_equal_additions_on_two_branches_are_one_column(s: Story) -> None:
    assert s.add("main") == (c := s.add("b"))
    s.lake.merge("b", "main")
    assert [c for c in s.lake.branches["main"].columns("T1") if c != "v"] == [c]


def test_wider_types_are_taken_and_narrower_refused(s: Story) -> None:
    c = s.add("main")
    s.add("b", type_=2)
    with s.lake.tried():
        s.lake.merge("b", "main")
        assert s.lake.branches["main"].columns("T1")[c].type == 2
    with pytest.raises(Refused, match="COLUMN_TYPE_NARROWING"):
        s.lake.merge("main", "b")


def test_another_value_of_older_rows_is_another_column(s: Story) -> None:
    assert s.add("main") != s.add("b", default="d")
    assert s.codes() == ("COLUMN_NAME_TAKEN",)


def test_a_dropped_column_added_again_is_new(s: Story) -> None:
    first = s.add("main")
    s.drop("main", first)
    assert (second := s.add("main")) != first
    assert s.add("b") == second, "a branch that never saw the first takes the one that is alive"
    s.lake.merge("b", "main")


def test_a_dropped_id_is_not_given_again_anywhere(s: Story) -> None:
    first = s.add("main")
    s.drop("main", first)
    assert s.add("b") != first


def test_a_renamed_column_shares_its_id_no_longer(s: Story) -> None:
    first = s.add("main")
    s.lake.commit("main", put_attributes("T1", **{f"column__{first}__name": "other"}))
    assert s.add("b") != first


def test_adding_a_shared_column_again_is_refused(s: Story) -> None:
    first = s.add("main")
    assert s.add("b") == first
    s.drop("b", first)
    s.add("b")
    assert s.codes() == ("COLUMN_NAME_TAKEN",)


def test_dropped_values_do_not_return_with_the_column(s: Story) -> None:
    first = s.add("main")
    s.add("b")
    s.lake.commit("b", insert("T1", [NewRow(None, {"v": ("1", 1), "n": ("taken", 1)}, "a")]))
    s.drop("b", first)
    assert s.codes() == ("COLUMN_MISSING",)
