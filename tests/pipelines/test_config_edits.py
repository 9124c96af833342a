"""Editing config.yaml key by key keeps every other line of it."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from merge_app.pipelines.definition.config_file import config_edit, config_read
from merge_app.pipelines.definition.mistakes import InvalidConfig

FILE = """# Of the flights team.
merge_strategy: full_refresh # for now

unique_key:
  - a
  # and
  - b
# What it is for.
description: |
  Long
  text

strict: true"""

EDITS: list[tuple[str, dict[str, Any], str]] = [
    ("nothing", {}, FILE),
    (
        "a value, its comment stays",
        {"merge_strategy": "append_only"},
        FILE.replace("full_refresh", "append_only"),
    ),
    ("a block list", {"unique_key": ("x", "y z")}, FILE.replace("\n  - a\n  # and\n  - b\n", " [x, y z]\n")),
    ("a block of text", {"description": "short"}, FILE.replace("|\n  Long\n  text\n", "short\n")),
    ("a key goes", {"unique_key": None}, FILE.replace("unique_key:\n  - a\n  # and\n  - b\n", "")),
    ("the last key goes", {"strict": None}, FILE.removesuffix("strict: true")),
    ("a key comes", {"watermark_column": "on"}, FILE + "\nwatermark_column: 'on'\n"),
    ("what is not there goes", {"tie_break": None}, FILE),
]


@pytest.mark.parametrize(("changes", "expected"), [case[1:] for case in EDITS], ids=[case[0] for case in EDITS])
def test_only_what_is_asked_for_changes(changes: dict[str, Any], expected: str) -> None:
    assert config_edit(FILE, changes) == expected


@pytest.mark.parametrize(
    "text", ["strict:", "strict:   # empty", "strict: ~\n", "strict: !!bool false", "strict: &x no"]
)
def test_a_value_replaces_any_other(text: str) -> None:
    given, mistakes = config_read(config_edit(text, {"strict": True}))
    assert not mistakes
    assert given["strict"].value is True


def test_only_the_wrong_values_key_can_be_corrected() -> None:
    assert config_edit("strict: 5", {"strict": True}) == "strict: true"
    with pytest.raises(InvalidConfig):
        config_edit("strict: 5", {"description": "x"})


@pytest.mark.parametrize("changes", [{"strct": True}, {"merge_strategy": "upsert"}, {"unique_key": ("",)}])
def test_an_edit_that_does_not_fit_is_refused(changes: dict[str, Any]) -> None:
    with pytest.raises(InvalidConfig):
        config_edit(FILE, changes)


def test_a_file_in_braces_is_left_to_people() -> None:
    with pytest.raises(InvalidConfig, match="braces"):
        config_edit("{strict: true}", {"strict": False})


@given(st.text(alphabet=st.characters(exclude_categories=["Cc", "Cs"]), min_size=1, max_size=40))
def test_any_text_comes_back_as_it_was(text: str) -> None:
    given_keys, mistakes = config_read(config_edit(FILE, {"description": text}))
    assert not mistakes
    assert given_keys["description"].value == text
