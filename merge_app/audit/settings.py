"""Who changed what about a catalog's members and rules."""

from __future__ import annotations

from uuid import UUID

from catalog_app.domain.roles import Principal
from catalog_app.models import Catalog
from catalog_app.services.settings import RecordChange, SettingChange
from merge_app.audit.services import AttemptRecord, attempt_record


def setting_recorder(principal: Principal, task_id: UUID | None = None) -> RecordChange:
    """What writes changes by that person, or in that task, into the audit."""

    def record(catalog: Catalog, change: SettingChange) -> None:
        attempt_record(
            AttemptRecord(
                catalog_id=catalog.pk,
                kind="settings",
                source="",
                destination=f"{change.setting} {change.name}",
                outcome="changed",
                source_head=0,
                destination_head=0,
                merge_base=0,
                fingerprint="",
                body={
                    "setting": change.setting,
                    "name": change.name,
                    "before": change.before,
                    "after": change.after,
                },
                actor_id=principal.user_id,
                actor_name=principal.name,
                task_id=task_id,
            )
        )

    return record
