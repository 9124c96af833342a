"""Joins of few rows. To divide rows for a join takes Spark a job for each side, after which it plans anew."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql.connect.dataframe import DataFrame

    from catalog_app.domain.files import TableScan

FEW_TOGETHER = 100_000
"""Up to so many rows are joined in one partition."""


@dataclass(frozen=True, slots=True)
class Joining:
    """How the frames of one query are joined; ``rows``: how many their files hold together."""

    rows: int

    @classmethod
    def of(cls, *scans: TableScan) -> Joining:
        return cls(sum(file.rows for scan in scans for file in scan.files))

    @property
    def are_few(self) -> bool:
        return self.rows <= FEW_TOGETHER

    def together(self, rows: DataFrame) -> DataFrame:
        """The rows, in one partition where they are few."""
        return rows.coalesce(1) if self.are_few else rows

    def beside(self, rows: DataFrame) -> DataFrame:
        """The same as the second side of a join."""
        return rows.coalesce(1).hint("shuffle_hash") if self.are_few else rows
