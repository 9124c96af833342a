"""Merges as people do them, of ``tests/in_memory``, on files that Spark reads."""

from __future__ import annotations

from tests.in_memory.merges.test_merge_stories import (
    grown,
    test_a_conflict_is_resolved_by_pulling_and_merging_back,
    test_an_unrelated_catalog_brings_new_objects_under_their_ids,
    test_criss_cross_merges_apply_nothing_twice,
    test_names_can_be_swapped,
)

__all__ = [
    "grown",
    "test_a_conflict_is_resolved_by_pulling_and_merging_back",
    "test_an_unrelated_catalog_brings_new_objects_under_their_ids",
    "test_criss_cross_merges_apply_nothing_twice",
    "test_names_can_be_swapped",
]
