"""What the server answers, as values. Each keeps the JSON that it was made of in ``raw``."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from lakeui_client.conflicts import Conflict
from lakeui_client.errors import Stale, failed

if TYPE_CHECKING:
    import pyarrow as pa

    from lakeui_client.results import KeptResult


class Compared(NamedTuple):
    """An object that one branch changed, and the verdict of the rules on it."""

    verdict: str
    kind: str
    name: str
    source_ops: tuple[str, ...]
    dest_ops: tuple[str, ...]
    codes: tuple[str, ...]
    raw: dict[str, Any]

    @classmethod
    def read(cls, raw: dict[str, Any]) -> Compared:
        lists = {name: tuple(raw[name]) for name in ("source_ops", "dest_ops", "codes")}
        return cls(raw["verdict"], raw["kind"], raw["name"], **lists, raw=raw)


class Diff(NamedTuple):
    """Two branches compared: what a merge of the first into the second would meet. ``fingerprint`` names its plan."""

    source: str
    destination: str
    mergeable: bool
    is_empty: bool
    fingerprint: str
    objects: tuple[Compared, ...]
    raw: dict[str, Any]

    @property
    def conflicts(self) -> tuple[Compared, ...]:
        """The objects that refuse the merge."""
        return tuple(entry for entry in self.objects if entry.verdict == "conflict")


class Rehearsal(NamedTuple):
    """What a merge would do. Nothing was changed."""

    mergeable: bool
    conflicts: tuple[Conflict, ...]
    fingerprint: str
    merge_id: str
    raw: dict[str, Any]


class Merged(NamedTuple):
    """A merge. ``outcome`` is ``merged``, or ``nothing to merge``; ``merge_id`` reverts it."""

    merge_id: str
    outcome: str
    version: int | None
    fingerprint: str
    raw: dict[str, Any]


class Undone(NamedTuple):
    """What was restored or undropped, as a commit of its own."""

    audit_id: str
    outcome: str
    version: int | None
    raw: dict[str, Any]


class Reset(NamedTuple):
    """A branch after its reset, or in a dry run as it would be. ``discarded_id``: the branch that had the name, which
    ``undrop_branch`` brings back. Where not ``is_done``, the branch was what its parent is already.
    """

    is_done: bool
    parent: str
    version: int
    discarded_id: int
    commits: int
    raw: dict[str, Any]


class Result:
    """What a statement answered: rows of a query, or ``version`` and ``metrics`` of a write.

    ``rows`` are values of JSON; ``truncated`` where there are more than the server sends at once. ``keep`` and
    ``to_arrow`` have all.
    """

    def __init__(self, raw: Mapping[str, Any], keep: Callable[[], KeptResult] | None = None) -> None:
        self.raw = dict(raw)
        self._keep = keep

    @property
    def columns(self) -> tuple[tuple[str, str], ...]:
        """Name and Spark SQL type of each."""
        return tuple((column["name"], column["type"]) for column in self.raw.get("columns", ()))

    @property
    def rows(self) -> list[tuple[Any, ...]]:
        return [tuple(row) for row in self.raw.get("rows", ())]

    @property
    def row_count(self) -> int:
        return int(self.raw.get("row_count", 0))

    @property
    def truncated(self) -> bool:
        return bool(self.raw.get("truncated", False))

    @property
    def version(self) -> int | None:
        return self.raw.get("version")

    @property
    def metrics(self) -> dict[str, Any]:
        return dict(self.raw.get("metrics", {}))

    def __iter__(self) -> Iterator[tuple[Any, ...]]:
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.raw.get("rows", ()))

    def __repr__(self) -> str:
        return f"<Result: {len(self.columns)} columns, {self.row_count} rows, version {self.version}>"

    def to_dicts(self) -> list[dict[str, Any]]:
        names = [name for name, _ in self.columns]
        return [dict(zip(names, row, strict=True)) for row in self.rows]

    def keep(self) -> KeptResult:
        """All rows of a query, which is asked once more and kept by the server. Raises Stale where the branch moved
        since.
        """
        if self._keep is None:
            raise failed("Only the result of a query is kept.", "Read `rows`.")
        kept = self._keep()
        try:
            version_require(kept.version, self.version)
        except BaseException:
            kept.let_go()
            raise
        return kept

    def to_arrow(self) -> pa.Table:
        """All rows with their types. A query is asked once more, as by ``keep``. Of other statements the values as they
        were sent. Takes ``lakeui-client[arrow]``.
        """
        if self._keep is not None:
            with self.keep() as kept:
                return kept.to_arrow()
        if self.truncated:
            raise failed("There are more rows than the server sends at once.", "Ask for fewer.")
        import pyarrow

        names = [name for name, _ in self.columns]
        columns: Sequence[Sequence[Any]] = list(zip(*self.rows, strict=True)) or [() for _ in names]
        return pyarrow.table({name: list(values) for name, values in zip(names, columns, strict=True)})

    def to_pandas(self) -> Any:
        """As ``to_arrow``, as a DataFrame; takes pandas."""
        from lakeui_client.results import frame_of

        return frame_of(self.to_arrow())


def version_require(read: int | None, wanted: int | None) -> None:
    """Raises Stale where another version was read than the one that was answered before."""
    if read is None or wanted is None or read == wanted:
        return
    raise Stale(
        {
            "code": "STALE",
            "detail": f"The branch moved from version {wanted} to {read} since the query was answered.",
            "remedy": "Ask again, or name the version in the query: FROM t VERSION AS OF n.",
        }
    )
