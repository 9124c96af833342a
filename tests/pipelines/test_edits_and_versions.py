"""Every edit of a pipeline is a version; what cannot run is not kept."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth.models import User

from catalog_app.domain.roles import LAKEUI
from catalog_app.models import Catalog
from lakeui.common.errors import AlreadyExists, LakeError, NotFound, Stale
from merge_app.pipelines.definition.templates import TableAddress
from merge_app.pipelines.models import Pipeline
from merge_app.pipelines.selectors import pipeline_get, pipeline_targets, pipelines_list
from merge_app.pipelines.services import pipeline_create, pipeline_delete, pipeline_edit
from tests.pipelines.conftest import values

pytestmark = pytest.mark.django_db


def versions(pipeline: Pipeline) -> list[tuple[int, str]]:
    return [(found.number, found.body["config"]) for found in pipeline.versions.order_by("number")]


def test_only_a_changing_edit_makes_a_version(pipeline: Pipeline, alice: User) -> None:
    first = pipeline.config
    pipeline_edit(pipeline, {"config": "strict: true"}, author_id=alice.pk)
    pipeline_edit(pipeline, {"config": "strict: true", "layer": "gold"}, author_id=alice.pk)
    assert versions(pipeline) == [(1, first), (2, "strict: true")]
    assert pipeline_get(LAKEUI, pipeline.pk).revision == 2


def test_an_edit_of_a_stale_pipeline_is_refused(pipeline: Pipeline, alice: User) -> None:
    earlier = pipeline_get(LAKEUI, pipeline.pk)
    pipeline_edit(pipeline, {"layer": "silver"}, author_id=alice.pk)
    with pytest.raises(Stale):
        pipeline_edit(earlier, {"layer": "bronze"}, author_id=alice.pk)
    assert pipeline_get(LAKEUI, pipeline.pk).layer == "silver"
    assert len(versions(pipeline)) == 2


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"name": ""}, "INVALID_VALUE"),
        ({"name": "a\u200bb"}, "INVALID_VALUE"),
        ({"name": "a\u202eb"}, "INVALID_VALUE"),
        ({"name": ".."}, "INVALID_VALUE"),
        ({"name": "n" * 256}, "INVALID_VALUE"),
        ({"table": "t" * 256}, "INVALID_VALUE"),
        ({"table": "a\nb"}, "INVALID_VALUE"),
        ({"database": " a"}, "INVALID_VALUE"),
        ({"branch": "nowhere"}, "NOT_FOUND"),
        ({"source": "  "}, "INVALID_VALUE"),
        ({"source": "SELECT {% if %}"}, "INVALID_CONFIG"),
        ({"source": "-- @strickt: true"}, "INVALID_CONFIG"),
        ({"config": "strict: 1"}, "INVALID_CONFIG"),
        ({"config": "merge_strategy: snapshot\nstrict: true"}, "INVALID_CONFIG"),
        ({"schedule": "often"}, "INVALID_VALUE"),
        ({"schedule": "0 0 31 2 *"}, "INVALID_VALUE"),
    ],
)
def test_what_cannot_run_is_not_kept(pipeline: Pipeline, changes: dict[str, Any], code: str) -> None:
    with pytest.raises(LakeError) as caught:
        pipeline_edit(pipeline_get(LAKEUI, pipeline.pk), changes, author_id=None)
    assert caught.value.code == code
    kept = pipeline_get(LAKEUI, pipeline.pk)
    assert kept.revision == 1
    assert all(getattr(kept, name) != value for name, value in changes.items())


def test_names_of_pipelines_follow_those_of_tables(pipeline: Pipeline, catalog: Catalog) -> None:
    long = "n" * 255
    edited = pipeline_edit(pipeline, {"name": "Zu\u0308ge", "database": long, "table": "o\u0308l"}, author_id=None)
    assert (edited.name, edited.database, edited.table) == ("Z\u00fcge", long, "\u00f6l")
    with pytest.raises(AlreadyExists):
        pipeline_create(catalog=catalog, values=values(name="zu\u0308ge"), owner_id=None)


def test_names_older_than_the_rule_permit_other_edits(pipeline: Pipeline) -> None:
    Pipeline.objects.filter(pk=pipeline.pk).update(name="a\u200bb")
    assert pipeline_edit(pipeline_get(LAKEUI, pipeline.pk), {"layer": "gold"}, author_id=None).layer == "gold"


def test_two_pipelines_of_a_catalog_have_two_names(pipeline: Pipeline, catalog: Catalog) -> None:
    with pytest.raises(AlreadyExists):
        pipeline_create(catalog=catalog, values=values(name="DELAYS"), owner_id=None)


def test_deleted_pipelines_are_gone_and_their_names_free(pipeline: Pipeline, catalog: Catalog) -> None:
    pipeline_delete(pipeline)
    with pytest.raises(NotFound):
        pipeline_get(LAKEUI, pipeline.pk)
    again = pipeline_create(catalog=catalog, values=values(), owner_id=None)
    assert [found.pk for found in pipelines_list(LAKEUI, catalog="LAKE")] == [again.pk]


def test_a_pipeline_refers_to_the_others(pipeline: Pipeline, catalog: Catalog) -> None:
    other = pipeline_create(catalog=catalog, values=values(name="Airports", table="airports"), owner_id=None)
    assert pipeline_targets(catalog, but=pipeline.pk) == {"Airports": TableAddress("gold", "airports")}
    assert set(pipeline_targets(catalog)) == {pipeline.name, other.name}
