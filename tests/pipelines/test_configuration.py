"""config.yaml and annotations come together field by field, and everything that is wrong is said with its line."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from merge_app.pipelines.definition.configuration import Configuration, configuration_resolve
from merge_app.pipelines.definition.fields import FIELDS, Strategy
from merge_app.pipelines.definition.mistakes import InvalidConfig

KEYED = "merge_strategy: incremental\nunique_key: [id]\n"


def origins(found: Configuration) -> dict[str, tuple[Any, str, int | None]]:
    """The fields that somebody gave."""
    return {
        name: (setting.value, setting.origin, setting.line)
        for name, setting in found.settings.items()
        if setting.origin != "default"
    }


EFFECTIVE = [
    ("nothing is given", "", "SELECT 1", {}),
    ("a file of comments", "# later\n", "", {}),
    ("the file alone", "strict: true\n", "", {"strict": (True, "config.yaml", 1)}),
    ("one column is a list of one", "unique_key: id", "", {"unique_key": (("id",), "config.yaml", 1)}),
    ("a key without value is absent", "description:\nstrict: false", "", {"strict": (False, "config.yaml", 2)}),
    (
        "an annotation wins field by field",
        KEYED,
        "-- @unique_key: a, b\nSELECT 1",
        {"merge_strategy": ("incremental", "config.yaml", 1), "unique_key": (("a", "b"), "source", 1)},
    ),
    (
        "annotations stand in every kind of comment",
        "",
        "-- @strict: TRUE\nSELECT 1 /* x\n * @description: a: b\n@tie_break: c */ {# @unique_key: [k] #}",
        {
            "strict": (True, "source", 1),
            "description": ("a: b", "source", 3),
            "tie_break": ("c", "source", 4),
            "unique_key": (("k",), "source", 4),
        },
    ),
    (
        "how far to look back is a number or a time",
        "lookback: 3",
        "-- @lookback: 12  Hours",
        {"lookback": ("12 hours", "source", 1)},
    ),
    ("a whole number needs no quotes", "lookback: 3", "", {"lookback": ("3", "config.yaml", 1)}),
    ("quoted text is no comment", "", "SELECT '-- @strict: true', \"/* @strict: true */\", `--@strict: true`", {}),
    ("an apostrophe in a comment opens nothing", "", "-- don't\n-- @strict: true", {"strict": (True, "source", 2)}),
    ("an escaped quote does not close", "", "SELECT 'a\\'-- @strict: true'", {}),
    ("only the beginning of a comment counts", "", "-- mail to a@strict: true", {}),
]


@pytest.mark.parametrize(
    ("config", "source", "expected"), [case[1:] for case in EFFECTIVE], ids=[c[0] for c in EFFECTIVE]
)
def test_each_field_has_its_value_and_its_origin(config: str, source: str, expected: dict[str, Any]) -> None:
    found = configuration_resolve(config, source)
    assert origins(found) == expected
    assert set(found.settings) == set(FIELDS)


REFUSED = [
    ("unknown key", "strict: true\nunque_key: a", "", [("config.yaml", 2, "unque_key", "unique_key")]),
    ("unknown annotation", "", "\n-- @merge_stratgy: x", [("source", 2, "merge_stratgy", "merge_strategy")]),
    ("unknown strategy", "merge_strategy: snapshots", "", [("config.yaml", 1, "merge_strategy", "snapshot")]),
    ("a strategy far from all", "merge_strategy: upsert", "", [("config.yaml", 1, "merge_strategy", "delete_insert")]),
    ("a number for a name", "watermark_column: 5", "", [("config.yaml", 1, "watermark_column", "quotes")]),
    ("YAML's on is no name", "watermark_column: on", "", [("config.yaml", 1, "watermark_column", "quotes")]),
    ("text for a flag", "strict: 'yes'", "", [("config.yaml", 1, "strict", "quotes")]),
    ("text for a flag in the source", "", "-- @strict: si", [("source", 1, "strict", "true or false")]),
    ("a list for one name", "tie_break: [a, b]", "", [("config.yaml", 1, "tie_break", "one value")]),
    ("a mapping", "unique_key: {a: b}", "", [("config.yaml", 1, "unique_key", "key: value")]),
    ("a nested list", "unique_key: [[a]]", "", [("config.yaml", 1, "unique_key", "quotes")]),
    (
        "a view archives nothing",
        "materialized: view\narchive_landing_zones: true",
        "",
        [("config.yaml", 2, "archive_landing_zones", "Take the key out")],
    ),
    (
        "a view of rows that are written",
        "merge_strategy: append_only\nmaterialized: view",
        "",
        [("config.yaml", 2, "materialized", "full_refresh")],
    ),
    ("an empty name in the file", "unique_key: 'a,,b'", "", [("config.yaml", 1, "unique_key", "column")]),
    ("an empty name", "", "-- @unique_key: a,,b", [("source", 1, "unique_key", "column")]),
    ("a column twice", "unique_key: [a, A]", "", [("config.yaml", 1, "unique_key", "once")]),
    ("a key twice", "strict: true\n\nstrict: false", "", [("config.yaml", 3, "strict", "one of the two")]),
    ("an annotation twice", "", "-- @strict: true\n--@strict: true", [("source", 2, "strict", "one of the two")]),
    ("no YAML", "strict: true\nunique_key: [a", "", [("config.yaml", 2, None, "key: value")]),
    ("no mapping", "- a", "", [("config.yaml", 1, None, "key: value")]),
    ("a circle", "unique_key: &a [*a]", "", [("config.yaml", 1, "unique_key", "quotes")]),
    ("two documents", "strict: true\n---\nstrict: false", "", [("config.yaml", 2, None, "key: value")]),
    ("a program", "description: !!python/name:os.system", "", [("config.yaml", 1, "description", "quotes")]),
    ("too deep", "[" * 10_000, "", [("config.yaml", 1, None, "key: value")]),
    ("too long", "#" * 70_000, "", [("config.yaml", 1, None, "few lines")]),
    (
        "everything at once",
        "merge_strategy: scd3\nstrict: 1",
        "-- @x: 1\n-- @unique_key:",
        [
            ("config.yaml", 1, "merge_strategy", "scd2"),
            ("config.yaml", 2, "strict", "true or false"),
            ("source", 1, "x", "merge_strategy"),
            ("source", 2, "unique_key", "column"),
        ],
    ),
    (
        "one column for two times",
        "merge_strategy: scd2\nunique_key: id\nscd_valid_to: Valid_From",
        "",
        [("config.yaml", 3, "scd_valid_to", "another column")],
    ),
    (
        "a time for a key",
        "merge_strategy: scd2\nunique_key: [id, valid_to]",
        "",
        [("config.yaml", 2, "unique_key", "another column")],
    ),
]


@pytest.mark.parametrize(("config", "source", "expected"), [case[1:] for case in REFUSED], ids=[c[0] for c in REFUSED])
def test_errors_are_reported_with_line_and_remedy(config: str, source: str, expected: list[Any]) -> None:
    with pytest.raises(InvalidConfig) as caught:
        configuration_resolve(config, source)
    errors = caught.value.details["errors"]
    assert [(error["file"], error["line"], error["field"]) for error in errors] == [entry[:3] for entry in expected]
    for error, (*_, advice) in zip(errors, expected, strict=True):
        assert advice in error["remedy"]
        assert error["message"] in caught.value.message


@pytest.mark.parametrize(
    ("strategy", "field"),
    [
        ("incremental", "unique_key"),
        ("delete_insert", "unique_key"),
        ("scd2", "unique_key"),
        ("snapshot", "partition_column"),
    ],
)
class TestAStrategyThatLacksARequiredField:
    def test_falls_back_to_full_refresh_and_says_so(self, strategy: str, field: str) -> None:
        found = configuration_resolve(f"merge_strategy: {strategy}", "")
        assert (found.strategy, found.asked_strategy) == (Strategy.FULL_REFRESH, strategy)
        assert found.is_degraded
        assert found.missing == (field,)
        assert strategy in found.warnings[0]
        assert field in found.warnings[0]

    def test_does_not_where_an_annotation_gives_it(self, strategy: str, field: str) -> None:
        found = configuration_resolve(f"merge_strategy: {strategy}", f"-- @{field}: a")
        assert found.strategy == strategy
        assert not found.is_degraded

    @pytest.mark.parametrize("by_catalog", [True, False])
    def test_is_an_error_under_strict_catalog_or_pipeline(self, strategy: str, field: str, by_catalog: bool) -> None:
        config = f"# ours\nmerge_strategy: {strategy}\n" + ("" if by_catalog else "strict: true")
        with pytest.raises(InvalidConfig) as caught:
            configuration_resolve(config, "", strict=by_catalog)
        (error,) = caught.value.details["errors"]
        assert (error["line"], error["field"]) == (2, field)


def test_a_key_the_strategy_ignores_is_a_warning() -> None:
    found = configuration_resolve("merge_strategy: append_only\npartition_column: day", "")
    assert found.warnings == ("partition_column (config.yaml, line 2) is not used by append_only.",)
    assert not found.is_degraded


@given(config=st.text(max_size=80), source=st.text(max_size=80))
def test_no_text_fails_otherwise(config: str, source: str) -> None:
    with suppress(InvalidConfig):
        configuration_resolve(config, source)


@pytest.mark.parametrize("name", ["unique_key", "partitions"])
@pytest.mark.parametrize("text", ["id, day", "[id, day]"])
def test_lists_mean_the_same_in_file_and_annotation(name: str, text: str) -> None:
    strategy = "merge_strategy: " + ("incremental" if name == "unique_key" else "snapshot\npartition_column: day")
    in_file = configuration_resolve(f"{strategy}\n{name}: '{text}'", "")
    in_source = configuration_resolve(strategy, f"-- @{name}: {text}")
    assert in_file.names(name) == in_source.names(name) == ("id", "day")


def test_a_list_may_hold_names_with_commas() -> None:
    found = configuration_resolve("merge_strategy: incremental\nunique_key: ['id, day']", "")
    assert found.names("unique_key") == ("id, day",)
