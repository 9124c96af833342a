"""The demo's pipelines: one for each strategy, none degraded, each a query that the front door takes."""

from __future__ import annotations

import pytest

from lakeui.demo.flights import TABLES
from lakeui.demo.pipelines import PIPELINES
from lakeui.sql.parse import parse
from lakeui.sql.statements import Select
from merge_app.pipelines.definition.configuration import Configuration, configuration_resolve
from merge_app.pipelines.definition.fields import Strategy
from merge_app.pipelines.definition.templates import Surroundings, TableAddress, template_render


def resolved(name: str) -> Configuration:
    return configuration_resolve(*PIPELINES[name])


def test_there_is_one_for_each_strategy() -> None:
    assert sorted(resolved(name).strategy for name in PIPELINES) == sorted(Strategy)


@pytest.mark.parametrize("name", PIPELINES)
def test_each_is_whole(name: str) -> None:
    found = resolved(name)
    assert not found.warnings
    assert found.text("description")
    for continues, watermark in ((False, None), (True, "2013-12-31 23:00:00")):
        there = Surroundings(found.strategy, TableAddress("flights", name), continues, watermark)
        statement = parse(template_render(PIPELINES[name][1], there))
        assert isinstance(statement, Select)
        assert {reference.name.table for reference in statement.query.tables} <= TABLES.keys()
