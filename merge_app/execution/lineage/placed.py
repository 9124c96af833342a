"""The facts of a side's rows, with the places where live rows lie."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from merge_app.execution.lineage.births import Births
from merge_app.lineage.facts import ABSENT, Array, FactColumns, Ints, Kind, RowFacts, image_codes
from merge_app.lineage.outcomes import taken


@dataclass(frozen=True, slots=True, eq=False)
class Placed:
    """The rows of a side: facts, and where live rows lie: the file by id, 0 where a row is deleted, and position.
    ``undoes``: of a restored row, the stamp that the restore replaced. ``row_id``: the rows' own, also where a key
    takes its place among the facts.
    """

    facts: RowFacts
    file: Ints
    position: Ints
    undoes: Ints
    row_id: Ints

    def images(self, at: Array) -> Ints:
        """By code where the rows ``at`` these positions lie, -1 for none; ``ABSENT`` where they are not live."""
        files = taken(self.file, at, 0)
        return np.where(files > 0, image_codes(files, taken(self.position, at, 0)), ABSENT)


def placed(rows: Mapping[str, Array], births: Births, news: Ints, keys: tuple[Ints, Ints] | None = None) -> Placed:
    """``keys``: in a table with a primary key, ascending codes that take the place of the row ids (R10). Beside them
    stands when rows got other keys than they were inserted with, 0 for others (R14).
    """
    at = births.of(rows["row_id"])
    is_live = rows["file"] > 0
    image = np.where(is_live, image_codes(rows["file"], rows["position"]), ABSENT)
    # P7: an image that was there before is what the other side knows, if that knows the stamp that it had then, and not
    # what a restore replaced by it.
    knows_prior, knows_undone = (~np.isin(rows[name], news) for name in ("prior", "undoes"))
    is_back = (rows["prior"] > 0) & knows_prior & ((rows["undoes"] == 0) | ~knows_undone)
    facts = FactColumns(
        rows["stamp"],
        rows["kind"],
        image,
        rows["brings_stamp"],
        rows["brings_kind"],
        image,
        rows["prior"],
        is_back,
    )
    identity, born_at = rows["row_id"], births.stamp[at]
    if keys is not None:
        identity, given = keys
        born_at = np.maximum(born_at, given)
    partition = _partition_facts(rows, (births.partition[at], births.lies[at]), born_at, news)
    facts_of = RowFacts(identity, facts, partition, births.file[at], births.stamp[at])
    return Placed(facts_of, rows["file"], rows["position"], rows["undoes"], rows["row_id"])


def _partition_facts(rows: Mapping[str, Array], births: tuple[Ints, Ints], born_at: Ints, news: Ints) -> FactColumns:
    """Who decided where the rows lie: a rename or restore; else who wrote them there. ``births``: the partitions that
    the rows were born in, as they were called then, and as the side calls them.
    """
    born_in, lies_in = births
    # A row that is younger than the rename was written where it lies.
    is_decided = rows["placed"] > born_at
    is_live = rows["file"] > 0
    is_elsewhere = is_live & ((rows["partition"] != born_in) | (rows["partition"] != lies_in))
    # An image that was written elsewhere, and that a restore returned, lies there by the restore.
    came_back = is_elsewhere & ~is_decided & (rows["kind"] == Kind.RESTORE) & (rows["brings_stamp"] > 0)
    written = np.where(is_elsewhere, rows["stamp"], born_at)
    stamps = np.where(is_decided, rows["placed"], written)
    kinds = np.where(is_decided, rows["placed_kind"], np.where(came_back, int(Kind.RESTORE), int(Kind.UPDATE)))
    brings = np.where(came_back, rows["brings_stamp"], rows["placed_brings"])
    brought = np.where(came_back, int(Kind.UPDATE), int(Kind.MOVE))
    return FactColumns(
        # A stamp that the other side knows decides nothing, whichever it is.
        np.where(np.isin(stamps, news), stamps, 0),
        kinds,
        rows["partition"],
        brings,
        np.where(brings > 0, brought, 0),
        rows["partition"],
        np.zeros(len(kinds), dtype=np.int64),
        # What both sides know is found of partitions that met (``with_places``).
        np.zeros(len(kinds), dtype=np.bool_),
    )
