"""What README and the tutorial show is what their commands answer on the demo lake."""

from __future__ import annotations

from contextlib import suppress
from io import StringIO

import pytest
from django.core.management import call_command

from lakeui.demo.load import CATALOG, demo_load
from tests.docs.pages import ROOT
from tests.docs.transcripts import Ids, Step, same, transcript

TUTORIAL = tuple(transcript(ROOT / "docs" / "tutorial.md", "lake"))
README = tuple(transcript(ROOT / "README.md", "lake"))


@pytest.fixture(scope="module")
def demo(services: None) -> None:
    demo_load(lambda *_: None)


def answer(step: Step, ids: Ids) -> str:
    out, err = StringIO(), StringIO()
    with suppress(SystemExit):
        call_command("sql", "-c", CATALOG, *map(ids.of_run, step.arguments), stdout=out, stderr=err)
    return (out.getvalue() + err.getvalue()).strip()


def test_the_tutorial_says_what_happens(demo: None, celery_worker: None) -> None:
    ids = Ids()
    assert len(TUTORIAL) > 10
    wrong = []
    for step in TUTORIAL:
        seen = answer(step, ids)
        ids.pair(step.output, seen)
        if not same(step.output, seen):
            wrong.append(f"{step.arguments}\n--- written\n{step.output}\n--- seen\n{seen}")
    assert not wrong, "\n\n".join(wrong)


def test_the_readme_shows_steps_of_the_tutorial() -> None:
    assert len(README) == 5
    assert set(README) <= set(TUTORIAL)
