"""What is to be merged where, for whom, and the plan that came of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol
from uuid import UUID

from catalog_app.domain.agents import Account
from catalog_app.domain.protection import MergeAuthority
from catalog_app.models import Branch
from lakeui.common.errors import Stale
from merge_app.audit.models import MergeAttempt
from merge_app.execution.apply import CommitHeader
from merge_app.execution.lineage.source_side import SourceSide
from merge_app.planning.merge_plan import MergePlan, Resolution


class Progress(Protocol):
    """Where a merge says what it is doing."""

    def step(self, name: str, detail: str = "") -> None: ...

    def check_cancelled(self) -> None: ...


class MergeRequestPort(Protocol):
    """The merge request that a merge is carried out for. What it is asked happens in one transaction with the merge,
    or with the record of its refusal.
    """

    def resolutions(self, source: Branch, destination: Branch) -> tuple[Resolution, ...]:
        """What people decided of the conflicts of these heads."""

    def hold(self) -> None:
        """Lock the request, before any branch is locked."""

    def authorise(self, prepared: PreparedMerge) -> MergeAuthority:
        """Answer for the plan that is about to be applied; both branches are locked and are what was planned on.
        Raises MergeBlocked where the request does not stand.
        """

    def describe(self, prepared: PreparedMerge) -> dict[str, Any]:
        """What the audit record says of the request."""

    def settle(self, attempt: MergeAttempt) -> None:
        """Take note of what the attempt came to."""


@dataclass(frozen=True, slots=True)
class Decided:
    """Decisions that come with a merge, for the heads that they were looked at on, and as an audit record has them."""

    source_head: int
    destination_head: int
    resolutions: tuple[Resolution, ...]
    described: tuple[dict[str, Any], ...]

    def of(self, source: Branch, destination: Branch) -> tuple[Resolution, ...]:
        """Raises Stale where a branch has moved since."""
        if (source.head_version, destination.head_version) != (self.source_head, self.destination_head):
            raise Stale("A branch moved since the decisions were looked at.", remedy="Run the statement again.")
        return self.resolutions


@dataclass(frozen=True, slots=True)
class MergeCommand:
    """What is to be merged where. ``header`` names the actor and the statement; ``transaction_id`` the transaction
    whose workspace the source is, ``request_port`` the merge request that this is done for, if there is one;
    ``decided`` what the statement decided itself. ``account``: the actor's as the statement began, where that was
    looked up.
    """

    source_id: int
    destination_id: int
    header: CommitHeader
    transaction_id: UUID | None = None
    request_port: MergeRequestPort | None = None
    decided: Decided | None = None
    account: Account | None = None

    @property
    def done(self) -> str:
        """The outcome of success."""
        return "merged" if self.transaction_id is None else "committed"


@dataclass(frozen=True, slots=True)
class PreparedMerge:
    """A planned merge with the heads it was planned on."""

    source: Branch
    destination: Branch
    side: SourceSide
    merge_base: int
    planned: MergePlan
    is_empty: bool
    started: float
