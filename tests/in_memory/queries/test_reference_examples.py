"""Every example of the reference page runs."""

from __future__ import annotations

import re
from typing import Any

import pytest

from lakeui.api.sql.conversation import Conversation
from lakeui.sql.reference import reference_data
from lakeui.tasks.statements import statement_run
from merge_app.jobs.context import Context
from tests.support.lake import Lake

DATA = reference_data()
_CATALOG = "reference_page"


@pytest.mark.parametrize("section", DATA["section"], ids=lambda section: section["title"])
def test_each_example_of_the_section_runs(lake: Lake, section: dict[str, Any]) -> None:
    session = {"catalog": lake.catalog, "branch": "main", "transaction": None, "bypass_reason": ""}

    def run(parameters: dict[str, Any]) -> dict[str, Any]:
        return statement_run(parameters, user=None, scopes=None, context=Context())

    conversation = Conversation(session, run)
    known: dict[str, Any] = {}
    for text in DATA["setup"]:
        conversation.say(text, known.update)
    for statement in section["statement"]:
        for text in statement["examples"]:
            known["head"] = lake.head()
            # Catalogs of all tests have one room of names.
            reported = re.sub(rf"\b{_CATALOG}\b", f"{lake.catalog}_too", text).format(**known)
            conversation.say(reported, known.update)
            if reported.startswith("USE CATALOG"):
                conversation.session |= {"catalog": lake.catalog, "branch": "main"}
