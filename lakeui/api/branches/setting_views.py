"""``/api/v1/catalogs/{catalog}/settings/``: what tables of a catalog inherit."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from catalog_app.domain.roles import Action
from catalog_app.domain.table_properties import GRANULARITIES
from catalog_app.models import Catalog
from catalog_app.services.catalogs import merge_conflicts_change
from lakeui.api.http.answers import BAD_REQUEST, FORBIDDEN, IF_MATCH, IF_NONE_MATCH, NOT_FOUND, NOT_MODIFIED, STALE
from lakeui.api.http.base import ApiView, catalog_of, principal_of, tagged, unchanged
from lakeui.api.http.strict import body_checked
from lakeui.common.errors import InvalidValue
from lakeui.common.nearest import nearest_name
from merge_app.audit.settings import setting_recorder

_HELP = (
    "What is a conflict where both branches changed rows of a table without a primary key: the same data file, row or"
    " cell. Tables with the property `merge.conflicts` go by that."
)


class NamedChoice(serializers.ChoiceField):
    """A choice whose refusal names what is meant."""

    def to_internal_value(self, data: Any) -> Any:
        if data not in self.choices:
            known = " or ".join(map(repr, self.choices))
            raise InvalidValue(
                f"{self.field_name} cannot be {data!r}.",
                remedy=f"Set it to {known}.",
                field=self.field_name,
                nearest=nearest_name(str(data), self.choices),
            )
        return data


class CatalogSettings(serializers.Serializer[Any]):
    """What tables of the catalog inherit where they say nothing themselves."""

    merge_conflicts = NamedChoice(GRANULARITIES, help_text=_HELP)


def _shown(catalog: Catalog) -> Any:
    return CatalogSettings(catalog).data


class CatalogSettingsView(ApiView):
    @extend_schema(
        operation_id="catalog_settings_get",
        summary="Look at the settings of a catalog",
        tags=["catalogs"],
        parameters=[IF_NONE_MATCH],
        responses={200: CatalogSettings, **NOT_MODIFIED, **NOT_FOUND},
    )
    def get(self, request: Request, catalog: str) -> Response:
        return tagged(request, Response(_shown(catalog_of(request, catalog))))

    @extend_schema(
        operation_id="catalog_settings_change",
        summary="Change the settings of a catalog",
        description="Takes the role owner. Fields that are left out stay.",
        tags=["catalogs"],
        parameters=[IF_MATCH],
        request=CatalogSettings(partial=True),
        responses={200: CatalogSettings, **BAD_REQUEST, **FORBIDDEN, **NOT_FOUND, **STALE},
    )
    def patch(self, request: Request, catalog: str) -> Response:
        found = catalog_of(request, catalog, Action.MANAGE_SETTINGS)
        body = body_checked(CatalogSettings, request, partial=True)
        value = body.get("merge_conflicts", found.merge_conflicts)
        changed = merge_conflicts_change(
            catalog=found,
            value=value,
            record=setting_recorder(principal_of(request)),
            check=lambda present: unchanged(request, _shown(present)),
        )
        return tagged(request, Response(_shown(changed)))
