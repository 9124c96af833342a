"""An owner went past a protection: a record of its own, whatever else the change leaves."""

from __future__ import annotations

import logging
from uuid import UUID

from catalog_app.models import Branch
from catalog_app.selectors.protection import Bypass
from merge_app.audit.services import BYPASS_KIND, AttemptRecord, attempt_record

logger = logging.getLogger(__name__)


def bypass_record(
    bypass: Bypass,
    *,
    branch: Branch,
    statement: str,
    actor_id: int | None,
    actor_name: str,
    task_id: UUID | None,
    version: int | None = None,
) -> None:
    """Write it in the transaction of the change; ``version`` is the commit's, None where the change is none."""
    logger.warning("%s bypassed the protection of branch %s: %s", actor_name, bypass.branch, bypass.reason)
    head = branch.head_version
    attempt_record(
        AttemptRecord(
            catalog_id=branch.catalog_id,
            kind=BYPASS_KIND,
            source="",
            destination=bypass.branch,
            outcome="bypassed",
            source_head=head,
            destination_head=head,
            merge_base=head,
            fingerprint="",
            # The record of a merge or a restore has the task and the version: there is one of each.
            body={
                "reason": bypass.reason,
                "refused": bypass.refused,
                "patterns": list(bypass.patterns),
                "statement": statement,
                "version": version,
                "task_id": str(task_id) if task_id else None,
            },
            actor_id=actor_id,
            actor_name=actor_name,
        )
    )
