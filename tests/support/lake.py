"""A lake of its own for a test: SQL in, rows out."""

from __future__ import annotations

import itertools
import uuid
from typing import Any

from catalog_app.domain.files import FileScan
from catalog_app.models import Branch
from catalog_app.selectors.snapshots import branch_get, catalog_get, catalog_with_branch
from catalog_app.services.integrity import catalog_check
from lakeui.common.errors import MergeConflict
from lakeui.frontdoor import Session, StatementResult, compute, execute
from merge_app.audit.selectors import audit_get


class Lake:
    """One fresh catalog; statements run in this process on real PostgreSQL and Spark."""

    main = "main"
    """The branch on which statements run that name none."""

    def __init__(self) -> None:
        self.catalog = f"lake_{uuid.uuid4().hex[:10]}"
        self.sql(f"CREATE CATALOG {self.catalog}")

    def named(self, branch: str) -> str:
        """How the branch is called in the catalog."""
        return branch

    def sql(self, text: str, branch: str = "main", *, transaction: str | None = None) -> StatementResult:
        return execute(text, Session(catalog=self.catalog, branch=branch, transaction=transaction))

    def rows(self, table: str, branch: str = "main", columns: str = "*") -> list[tuple[Any, ...]]:
        found = self.sql(f"SELECT {columns} FROM {table}", branch).rows
        return sorted((tuple(row) for row in found), key=repr)

    def merge(self, source: str, destination: str = "main") -> dict[str, Any]:
        return self.sql(f"MERGE BRANCH {source} TO {destination}").extra

    def dry_run(self, source: str, destination: str = "main") -> dict[str, Any]:
        return self.sql(f"MERGE BRANCH {source} TO {destination} DRY RUN").extra

    def refused(self, source: str, destination: str = "main") -> list[dict[str, Any]]:
        """The conflicts of a merge that must be refused."""
        try:
            self.merge(source, destination)
        except MergeConflict as refusal:
            conflicts: list[dict[str, Any]] = refusal.details["conflicts"]
            return conflicts
        raise AssertionError(f"{source} merged into {destination}")

    def codes(self, source: str, destination: str = "main") -> set[str]:
        return {conflict["code"] for conflict in self.refused(source, destination)}

    def audit(self, merge_id: str) -> dict[str, Any]:
        return audit_get(merge_id)

    def branch(self, name: str = "main") -> Branch:
        # Stories ask around each statement: both in one query where the branch is there.
        catalog, branch = catalog_with_branch(self.catalog, name)
        return branch or branch_get(catalog, name)

    def head(self, branch: str = "main") -> int:
        return self.branch(branch).head_version

    def breaches(self) -> list[str]:
        """What check_catalog finds, and rows that live twice or store strange stamps."""
        engine = compute.engine()

        def stamps_of(file: FileScan) -> set[int]:
            _, facts = engine.file_rows(file)
            return set() if facts is None else set(facts.stamp.tolist())

        return catalog_check(catalog_get(self.catalog), row_ids_of=engine.live_row_ids, stamps_of=stamps_of)


class OwnBranch(Lake):
    """A lake that many tests begin with: each has a branch of its own in place of main, and leaves main as it is.
    ``cut`` are further branches of its own, made at once.
    """

    _numbers = itertools.count(1)

    def __init__(self, shared: Lake, *cut: str) -> None:
        self.catalog = shared.catalog
        self.main = f"own{next(self._numbers)}"
        self._own = {"main": self.main, **{name: f"{self.main}_{name}" for name in cut}}
        for name in self._own.values():
            shared.sql(f"CREATE BRANCH {name}")

    def sql(self, text: str, branch: str = "main", *, transaction: str | None = None) -> StatementResult:
        return super().sql(text, self.named(branch), transaction=transaction)

    def merge(self, source: str, destination: str = "main") -> dict[str, Any]:
        return super().merge(self.named(source), self.named(destination))

    def dry_run(self, source: str, destination: str = "main") -> dict[str, Any]:
        return super().dry_run(self.named(source), self.named(destination))

    def head(self, branch: str = "main") -> int:
        return super().head(self.named(branch))

    def named(self, branch: str) -> str:
        return self._own.get(branch, branch)
