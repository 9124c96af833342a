"""What a file of stories says is understood, or refused with the file, the line and the way out."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.story_files import ANCESTORS, FOLDER, StoryError, StoryFile, flipped, rows_of

FILE = Path("some.toml")
STORY = """title = "Some"
about = "Some."

[[story]]
name = "one"
steps = '''
b: UPDATE d.t SET v = 'b'
MERGE BRANCH b TO main -> notes none
b: SELECT * FROM d.t -> (1, 'b')
'''
"""


def read(text: str) -> None:
    for story in StoryFile(FILE, text).stories:
        for script in (*story.ancestors, story.script):
            for values in story.cases():
                script.steps(values)


def refusal(text: str) -> str:
    with pytest.raises(StoryError) as refused:
        read(text)
    return str(refused.value)


@pytest.mark.parametrize(
    ("said", "written", "line", "way"),
    [
        ('name = "one"', 'name = "one"\nmirror = true', 5, "no field 'mirror' of it. The nearest one is 'mirrors'"),
        (
            'name = "one"',
            'name = "one"\nancestor = "one rows"',
            5,
            "no ancestor 'one rows'. The nearest one is 'one row'",
        ),
        ('name = "one"', 'name = "one"\neach.x = "xs"', 5, "no dimension 'xs' of the file"),
        ('name = "one"', 'name = "one"\neach.x = [1]', 5, "the values of x are texts"),
        ("-> notes none", "-> note none", 8, "No outcome begins with 'note'. The nearest one is 'notes'"),
        ("b: UPDATE", "UPDATE", 7, "A step is `branch: statement`"),
    ],
)
def test_what_is_not_understood_is_refused_with_line(said: str, written: str, line: int, way: str) -> None:
    message = refusal(STORY.replace(said, written))
    assert message.startswith(f"some.toml:{line}: one")
    assert way in message


def test_invalid_toml_and_duplicate_story_names_are_refused() -> None:
    assert "some.toml: " in refusal("title =")
    assert "two stories are called 'one'" in refusal(STORY + STORY[STORY.index("[[story]]") :])


def test_flipped_exchanges_source_and_target_from_first_merge() -> None:
    (story,) = StoryFile(FILE, STORY).stories
    found = [(step.branches, step.source, step.sql) for step in flipped(story.script.steps({}))]
    assert found == [
        (("b",), None, "UPDATE d.t SET v = 'b'"),
        (("b",), "main", "MERGE BRANCH main TO b"),
        (("main",), None, "SELECT * FROM d.t"),
    ]


def test_placeholders_fill_each_other_and_rows_follow_sql() -> None:
    text = STORY.replace('name = "one"', 'name = "one"\neach.x = [{x = "{y}", y = "(1, NULL)"}]').replace(
        "(1, 'b')", "{x}"
    )
    (story,) = StoryFile(FILE, text).stories
    (values,) = story.cases()
    assert story.script.steps(values)[-1].outcomes[0].value == "(1, NULL)"
    assert rows_of("no rows, (1, 'it''s, so', true), , (2)") == [(1, "it's, so", True), (2,)]


def test_every_placeholder_is_filled_or_named_before() -> None:
    for path in FOLDER.glob("*.toml"):
        for story in StoryFile.read(path).stories if path != ANCESTORS else ():
            for values in story.cases():
                named = {
                    outcome.value
                    for script in (*story.ancestors, story.script)
                    for step in script.steps(values)
                    for outcome in step.of("as")
                }
                steps = [step for script in (*story.ancestors, story.script) for step in script.steps(values)]
                assert {name for step in steps for name in step.asked} <= named, f"{path.name}: {story.name}"
