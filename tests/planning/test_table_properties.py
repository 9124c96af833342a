"""Properties that lakeui reads are judged when they are set."""

from __future__ import annotations

import pytest

from catalog_app.domain.table_properties import KNOWN, properties_check
from lakeui.common.errors import InvalidValue


@pytest.mark.parametrize("key", KNOWN)
def test_a_known_property_takes_its_values_and_no_other(key: str) -> None:
    for value in KNOWN[key]:
        properties_check({key: value})
    for value in ("foo", "", "Copy-On-Write"):
        with pytest.raises(InvalidValue, match="cannot be") as refusal:
            properties_check({"owner": "x", key: value})
        assert refusal.value.details["field"] == key


@pytest.mark.parametrize(
    ("key", "nearest"),
    [
        ("write.merge.mod", "write.merge.mode"),
        ("WRITE.MERGE.MODE", "write.merge.mode"),
        ("write.updte.mode", "write.update.mode"),
        ("merge.zzz", None),
    ],
)
def test_an_unknown_property_of_ours_is_refused_with_the_nearest(key: str, nearest: str | None) -> None:
    with pytest.raises(InvalidValue, match="no table property") as refusal:
        properties_check({key: "copy-on-write"})
    assert (refusal.value.details["field"], refusal.value.details["nearest"]) == (key, nearest)


def test_all_other_names_are_the_person_s_own() -> None:
    properties_check({"owner": "x", "writer": "y", "merged": "", "mergex.y": "z", "delta.x": "1"})
