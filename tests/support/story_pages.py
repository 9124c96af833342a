"""``python -m tests.support.story_pages`` writes the list of stories in docs/internals/merge-stories.md anew."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from tests.support.story_files import ANCESTORS, FOLDER, Story, StoryFile

PAGE = Path(__file__).parents[2] / "docs" / "internals" / "merge-stories.md"
MARK = "<!-- From here on made by python -m tests.support.story_pages -->\n"


def listed() -> str:
    """Each file with its stories: what each is called, what it ends with, and why."""
    files = [StoryFile.read(path) for path in sorted(FOLDER.glob("*.toml")) if path != ANCESTORS]
    return "\n".join(line for file in files for line in _file(file))


def _file(file: StoryFile) -> Iterator[str]:
    yield from (
        "",
        f"## {file.title}",
        "",
        " ".join(file.about.split()),
        "",
        f"File: `tests/stories/{file.path.name}`.",
        "",
    )
    yield from ("| story | outcome | why |", "|---|---|---|")
    for story in file.stories:
        yield f"| {story.name} | {', '.join(_outcomes(story))} | {' '.join(story.why.split())} |"


def _outcomes(story: Story) -> list[str]:
    """The codes of refusals and notes; of a story that has none, that it merges."""
    steps = [step for values in story.cases() for step in story.script.steps(values)]
    codes = {code for step in steps for outcome in step.of("refused") + step.of("notes") for code in outcome.codes}
    return [f"`{code}`" for code in sorted(codes)] or ["merges"]


def text_with(page: str) -> str:
    """The page with the list as the files say it today."""
    return page.partition(MARK)[0] + MARK + listed() + "\n"


if __name__ == "__main__":
    PAGE.write_text(text_with(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
