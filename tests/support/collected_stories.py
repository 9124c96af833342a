"""Files of stories as modules of tests: a story is a test with its name, and its cases are parameters."""

from __future__ import annotations

import inspect
from copy import deepcopy
from types import ModuleType
from typing import Any

import pytest

from tests.support.lake import Lake
from tests.support.memory_engine import MemoryEngine
from tests.support.modelled_lake import ModelledLake
from tests.support.played_stories import Named, Player
from tests.support.soak import IS_SOAK
from tests.support.stored_databases import StoredDatabases
from tests.support.story_files import Story, StoryError, StoryFile, Values, flipped

AS_WRITTEN, FLIPPED = "as written", "flipped"


class StoryModule(pytest.Module):
    """A file of stories. One that is no story fails where it is collected, with its line."""

    def _getobj(self) -> ModuleType:
        module = ModuleType(self.path.stem)
        try:
            for story in StoryFile.read(self.path).stories:
                setattr(module, story.test, _test_of(story))
        except StoryError as error:
            raise self.CollectError(str(error)) from None
        return module


def _test_of(story: Story) -> Any:
    def test(stored: StoredDatabases, memory_engine: MemoryEngine, **chosen: Any) -> None:
        direction = chosen.pop("direction", AS_WRITTEN)
        values = {name: text for given in chosen.values() for name, text in given.items()}
        story_play(story, values, stored, memory_engine, is_flipped=direction == FLIPPED)

    dimensions: list[tuple[str, list[Any]]] = [
        (key, [pytest.param(value, id=_id(value)) for value in values]) for key, values in story.dimensions
    ]
    if story.mirrors:
        dimensions.append(("direction", [AS_WRITTEN, FLIPPED]))
    names = ["stored", "memory_engine", *(name for name, _ in dimensions)]
    keyword = inspect.Parameter.KEYWORD_ONLY
    test.__signature__ = inspect.Signature([inspect.Parameter(name, keyword) for name in names])  # type: ignore[attr-defined]
    marked: Any = pytest.mark.pairwise(test) if story.pairs else test
    for name, params in dimensions:
        marked = pytest.mark.parametrize(name, params)(marked)
    marked.__name__ = story.test
    return marked


def _id(value: Values) -> str:
    return next(iter(value.values()))[:50] or "nothing"


def story_play(
    story: Story, values: Values, stored: StoredDatabases, engine: MemoryEngine, *, is_flipped: bool
) -> None:
    """One case of a story, on a lake that begins with its ancestor."""
    key = (story.modelled, *(tuple(script.steps(values)) for script in story.ancestors))
    lake, names = stored.once(key, lambda: _begun(story, values), engine)
    # The model changes with the lake: each story has its own.
    is_first = values == next(story.cases()) and not is_flipped
    player = Player(deepcopy(lake) if story.modelled else lake, is_first or IS_SOAK, dict(names))
    steps = story.script.steps(values)
    steps = flipped(steps) if is_flipped else steps
    player.play(steps)
    player.settle(steps)


def _begun(story: Story, values: Values) -> tuple[Lake, dict[str, Named]]:
    player = Player(ModelledLake() if story.modelled else Lake())
    for script in story.ancestors:
        player.play(script.steps(values))
    return player.lake, player.names
