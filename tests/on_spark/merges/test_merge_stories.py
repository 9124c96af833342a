"""Some stories of merges once more, on files that Spark reads."""

from __future__ import annotations

import pytest

from tests.in_memory.merges.test_commits_of_merges import (
    test_an_unrelated_catalog_brings_objects_under_their_ids,
)
from tests.support.lake import Lake
from tests.support.played_stories import Player
from tests.support.story_files import FOLDER, StoryFile

__all__ = ["test_an_unrelated_catalog_brings_objects_under_their_ids"]

PLAYED = [
    ("names", "names can be swapped"),
    ("repeated_merges", "a pull and a merge back settle a conflict"),
    ("repeated_merges", "criss cross merges apply nothing twice"),
    ("repeated_merges", "changes follow into a moved partition"),
    ("repeated_merges", "compacted rows keep the old partition name"),
]


@pytest.mark.parametrize(("file", "name"), PLAYED)
def test_a_story_holds_on_real_files(services: None, file: str, name: str) -> None:
    (story,) = (found for found in StoryFile.read(FOLDER / f"{file}.toml").stories if found.name == name)
    values = next(story.cases())
    player = Player(Lake(), is_foretold=True)
    for script in story.ancestors:
        player.play(script.steps(values))
    steps = story.script.steps(values)
    player.play(steps)
    player.settle(steps)
