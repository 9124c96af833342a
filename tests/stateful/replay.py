"""MERGE BRANCH on the naive model: what the source did since both last agreed is redone on the destination (P1).

Attributes: the net of a side's changes after the last one that the other side knows too. Rows: per row, from the image
that the source has now. Conflicts are (kind of thing, id, code).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from tests.stateful.model import (
    EVERYTHING,
    Branch,
    Change,
    Column,
    Database,
    Entry,
    Origin,
    Row,
    RowWork,
    State,
    Table,
    Thing,
    widens,
)

Conflict = tuple[str, int, str]
Key = tuple[Thing, tuple[Any, ...]]


@dataclass(frozen=True, slots=True)
class Net:
    before: Any
    after: Any


@dataclass(slots=True)
class Verdict:
    """``required`` conflicts must be reported, ``possible`` ones may be: rows do not tell which files hold them."""

    required: set[Conflict] = field(default_factory=set)
    possible: set[Conflict] = field(default_factory=set)
    state: State = field(default_factory=State)
    entries: list[Entry] = field(default_factory=list)
    is_empty: bool = False


@dataclass(frozen=True, slots=True)
class Known:
    """What a branch knows: all that it reaches, of things that it ``lost`` what it reached then."""

    reach: frozenset[Origin]
    lost: Mapping[Thing, frozenset[Origin]]

    @classmethod
    def by(cls, branch: Branch, lost: Iterable[Thing]) -> Known:
        return cls(branch.reach, {thing: _reach_before_absence(branch, thing) for thing in lost})

    def of(self, thing: Thing) -> frozenset[Origin]:
        return self.lost.get(thing, self.reach)

    def has(self, entry: Entry) -> bool:
        """That a thing came or went is known wherever it is reached."""
        is_life = isinstance(entry, Change) and entry.key == ("exists",)
        return entry.origin in (self.reach if is_life else self.of(entry.thing))


def _reach_before_absence(branch: Branch, thing: Thing) -> frozenset[Origin]:
    """What a branch reached when it last lost a thing; all that it reaches, if it never did."""
    had = {version: kept.state.get(thing) is not None for version, kept in branch.versions.items()}
    absent = max((version for version, is_there in had.items() if not is_there), default=0)
    before = max((version for version, is_there in had.items() if is_there and version < absent), default=None)
    return branch.reach if before is None else branch.versions[before].reach


@dataclass(frozen=True, slots=True)
class Side:
    """One branch as seen by the other, to which this is ``known``."""

    branch: Branch
    known: Known
    nets: Mapping[Key, Net]

    @classmethod
    def of(cls, branch: Branch, known: Known) -> Side:
        return cls(branch, known, _nets(branch.line, known))

    def things(self) -> set[Thing]:
        """What this side changed, net."""
        return {thing for thing, _ in self.nets} | {
            work.thing for work in self.branch.line if isinstance(work, RowWork) and not self.known.has(work)
        }

    def net(self, thing: Thing, *key: Any) -> Net | None:
        return self.nets.get((thing, key))

    def dropped(self, thing: Thing) -> bool:
        net = self.net(thing, "exists")
        return net is not None and not net.after

    def created(self, thing: Thing) -> bool:
        net = self.net(thing, "exists")
        return net is not None and net.after

    def steps(self, thing: Thing) -> list[Change]:
        """How it came and went by this side since the other side's last word on that."""
        found: list[Change] = []
        for entry in self.branch.line:
            if isinstance(entry, Change) and entry.thing == thing and entry.key == ("exists",):
                found = [] if self.known.has(entry) else [*found, entry]
        return found

    def works(self, thing: Thing) -> list[RowWork]:
        """Own row work on a table. A full overwrite absorbs what precedes it (P7), also one that was merged from the
        other side, which knows of it; but not work on rows that it spared.
        """
        return [left for _, left in self._left(thing)]

    def is_left(self, entry: RowWork) -> bool:
        return any(work is entry for work, _ in self._left(entry.thing))

    def has_met_nothing(self, thing: Thing) -> bool:
        """Whether the other side's overwrite of a whole table found nothing here: files decide whether it was redone,
        and then what this side had done before counts no more.
        """
        works = (entry for entry in self.branch.line if isinstance(entry, RowWork) and entry.thing == thing)
        return any(work.empties_all and work.found_nothing and self.known.has(work) for work in works)

    def _left(self, thing: Thing) -> list[tuple[RowWork, RowWork]]:
        """Own row work as it was done, and what is left of it."""
        found: list[tuple[RowWork, RowWork]] = []
        gone: set[int] = set()
        for entry in self.branch.line:
            if not isinstance(entry, RowWork) or entry.thing != thing:
                continue
            if entry.empties_all:
                spared = [(work, left) for work, left in found if _is_spared(work, entry, gone)]
                found = [(work, self._beside(left, entry)) for work, left in spared]
                gone |= {row.id for row in entry.touched if not self.known.has(entry)}
            if not self.known.has(entry):
                found += [] if self._is_back_at_base(entry) else [(entry, entry)]
            elif entry.kind == "overwrite":
                found = [(work, left) for work, left in found if not _is_overruled(work, entry)]
        return found

    def _beside(self, work: RowWork, overwrite: RowWork) -> RowWork:
        """What it did besides to rows that a full overwrite spared: not to those in files that this put back."""
        files = {row.file for row in overwrite.written}
        images = [(row, _base_image(row, self.known.of(work.thing))) for row in work.touched]
        left = [row for row, image in images if image is None or row.id in overwrite.spared or image.file not in files]
        return replace(work, touched=tuple(left))

    def _is_back_at_base(self, entry: RowWork) -> bool:
        """Whether it restored a table to what it was before this side changed it, and nothing was pulled since (P7).
        That it had been dropped and brought back is nothing.
        """
        if entry.restored is None:
            return False
        versions = self.branch.versions
        known = self.known.of(entry.thing)
        if any(n > entry.restored and (n in known or kept.is_merge) for n, kept in versions.items()):
            return False
        left: list[Entry] = []
        for other in self.branch.line[: versions[entry.restored].line]:
            if other.thing != entry.thing or (isinstance(other, Change) and other.key == ("exists",)):
                continue
            if not self.known.has(other):
                left.append(other)
            elif isinstance(other, RowWork) and other.empties_all:
                left = [item for item in left if isinstance(item, Change) or _is_spared(item, other)]
            elif isinstance(other, RowWork) and other.kind == "overwrite":
                left = [item for item in left if isinstance(item, Change) or not _is_overruled(item, other)]
        return not left

    def brought_back(self, thing: Thing) -> dict[int, Row]:
        """By row id, the images that the last restore put back: to other branches they come with it as if new."""
        restores = [work for work in self.works(thing) if work.restored is not None]
        return {row.id: row for row in restores[-1].written} if restores else {}

    def arrived(self, thing: Thing) -> frozenset[int]:
        """Ids of the other side's rows that came here after own overwrites, which spare them where they are redone.
        Images that had come and gone before they were merged never came; those that own overwrites put back came with
        these.
        """
        tables = (kept.state.get(thing) for kept in self.branch.versions.values())
        seen = {(row.id, row.writer) for table in tables if isinstance(table, Table) for row in table.rows.values()}
        found: set[int] = set()
        put_back: set[int] = set()
        has_emptied = False
        for entry in self.branch.line:
            if not isinstance(entry, RowWork) or entry.thing != thing:
                continue
            if not self.known.has(entry) and (entry.scope is EVERYTHING or entry.scope):
                has_emptied = True
                left = set() if entry.scope is EVERYTHING else found - {row.id for row in entry.touched}
                found = left | (entry.spared - put_back)
                put_back |= {row.id for row in entry.written}
            elif self.known.has(entry) and has_emptied:
                came = {row.id for row in entry.written if (row.id, row.writer) in seen}
                found, put_back = found | came, put_back - came
        return frozenset(found)


def _is_spared(work: RowWork, overwrite: RowWork, gone: Collection[int] = ()) -> bool:
    """Whether a full overwrite, where it was redone, left rows of earlier work alone. Earlier work that emptied the
    table also took those that own overwrites before it had taken.
    """
    rows = {row.id for row in (*work.touched, *work.written)}
    return bool(overwrite.spared & (rows.union(gone) if work.empties_all else rows))


def _is_overruled(work: RowWork, later: RowWork) -> bool:
    """Whether an overwrite of partitions, or a drop of them, was itself overwritten."""
    if work.kind not in ("overwrite", "partition") or work.scope is EVERYTHING or later.scope is EVERYTHING:
        return False
    return work.scope <= later.scope


def _nets(line: Sequence[Entry], known: Known) -> dict[Key, Net]:
    """A change that the other side knows overrules what this side said before; back to the start is nothing (P7)."""
    found: dict[Key, Net] = {}
    for entry in line:
        if not isinstance(entry, Change):
            continue
        keys = [(entry.thing, key) for key in _keys(entry)]
        if known.has(entry):
            if _ends_words(entry, [found[key] for key in keys if key in found]):
                ended = {(thing, key[:2]) for thing, key in keys}
                found = {other: net for other, net in found.items() if (other[0], other[1][:2]) not in ended}
            for key in keys:
                found.pop(key, None)
            continue
        for key in keys:
            found[key] = Net(found[key].before if key in found else entry.before, entry.after)
    return {key: net for key, net in found.items() if net.before != net.after}


def _keys(change: Change) -> list[tuple[Any, ...]]:
    """What it sets: a column that merges made of several begins and ends under each of their ids."""
    column = change.before or change.after
    if not isinstance(column, Column):
        return [change.key]
    return [("column", i, "exists") for i in dict.fromkeys((change.key[1], *column.ids))]


def _ends_words(change: Change, own: Sequence[Net]) -> bool:
    """Whether nothing is left of what this side said of a column: the other dropped it, or brought back what it had
    dropped itself.
    """
    is_drop = change.after is None or any(net.after is None for net in own)
    return change.key[0] == "column" and change.key[2] == "exists" and is_drop


def merge(source: Branch, destination: Branch) -> Verdict:
    """What the merge must do; the branches stay as they are."""
    verdict = Verdict(is_empty=source.reach <= destination.reach, state=destination.state)
    back = _brought_back(source, destination)
    mine = Side.of(source, Known.by(destination, back))
    theirs = Side.of(destination, Known.by(source, back))
    for thing in sorted(mine.things()):
        _Object(thing, mine, theirs, verdict).redo()
    _dropped_databases(mine, verdict)
    _names(mine, destination.state, verdict)
    verdict.entries = _redone_entries(mine, destination, verdict.state)
    return verdict


def _brought_back(source: Branch, destination: Branch) -> list[Thing]:
    """What the source has again and the destination had and has not. A drop and its undrop are nothing (P7): what the
    drop absorbed counts.
    """
    told = [entry.thing for entry in source.line if isinstance(entry, Change) and _brings_back(entry, destination)]
    return [thing for thing in dict.fromkeys(told) if source.state.get(thing) is not None]


def _brings_back(change: Change, destination: Branch) -> bool:
    is_news = change.key == ("exists",) and change.after and change.origin not in destination.reach
    return is_news and destination.state.get(change.thing) is None and destination.last(change.thing) is not None


def _redone_entries(mine: Side, destination: Branch, after: State) -> list[Entry]:
    """What the merge adds to the destination's line: only what is left of the source's changes is said there, of what
    is there all by which it came and went, of what is not there only that the merge itself took it away.
    """
    values = {(entry.thing, entry.key): entry.after for entry in destination.line if isinstance(entry, Change)}
    entries: list[Entry] = []
    for entry in mine.branch.line:
        if mine.known.has(entry):
            continue
        is_gone = after.get(entry.thing) is None or mine.branch.state.get(entry.thing) is None
        if is_gone and not (isinstance(entry, Change) and entry.key == ("exists",)):
            # A drop absorbs what precedes it (P7).
            continue
        if isinstance(entry, RowWork):
            if mine.is_left(entry):
                entries.append(_as_redone(entry, mine, destination, after))
        elif _is_told(entry, mine, destination.state, after):
            named = _named_here(entry, destination.state, after)
            before = values.get((named.thing, named.key), named.before)
            values[named.thing, named.key] = named.after
            is_drop = isinstance(before, Column) and named.after is None
            entries.append(named if is_drop else replace(named, before=before))
            entries += _given(entry, mine, destination, after)
    return entries


def _named_here(change: Change, before: State, after: State) -> Change:
    """The change under the id that the destination has a column under; an addition keeps its own."""
    here, there = before.get(change.thing), after.get(change.thing)
    if change.key[0] != "column" or not (isinstance(here, Table) and isinstance(there, Table)):
        return change
    if change.key[2] != "exists":
        column = there.column(change.key[1])
        return change if column is None else replace(change, key=("column", column.id, change.key[2]))
    gone = next((c for key in _keys(change) if (c := here.column(key[1])) is not None), None)
    if change.after is not None or gone is None:
        return change
    return replace(change, key=("column", gone.id, "exists"), before=gone)


def _given(entry: Change, mine: Side, destination: Branch, after: State) -> Iterable[Change]:
    """What the addition of a column made of one that the destination had, but for what the source says apart."""
    here, there = destination.last(entry.thing), after.get(entry.thing)
    if not (isinstance(entry.after, Column) and isinstance(here, Table) and isinstance(there, Table)):
        return
    for column in there.columns:
        known = here.column(column.id)
        if known is None or entry.after.id not in column.ids:
            continue
        for attribute in ("name", "type", "nullable", "default", "initial"):
            before, made = getattr(known, attribute), getattr(column, attribute)
            if before != made and all(mine.net(entry.thing, "column", i, attribute) is None for i in column.ids):
                yield Change(entry.origin, entry.thing, ("column", column.id, attribute), before, made)


def _is_told(change: Change, mine: Side, before: State, after: State) -> bool:
    here, there = after.get(change.thing), mine.branch.state.get(change.thing)
    if change.key == ("exists",) and here is not None and there is not None:
        return any(change is step for step in mine.steps(change.thing))
    is_news = change.key != ("exists",) or here != before.get(change.thing)
    return is_news and any((change.thing, key) in mine.nets for key in _keys(change))


def _as_redone(entry: RowWork, mine: Side, destination: Branch, after: State) -> RowWork:
    """Row work as it lies in the destination's line: it touched what it took away there, also of a table that was
    brought back, and rows that came with it; rows that the destination had taken away did not come.
    """
    here, there = destination.last(entry.thing), after.get(entry.thing)
    if not (isinstance(here, Table) and isinstance(there, Table)):
        return entry
    known = mine.known.of(entry.thing)
    rows, left = here.rows, there.rows
    gone = {row.id: row for row in rows.values() if left.get(row.id) is not row}
    new = {row.id: row for row in entry.touched if row.birth not in known}
    hit = {i: row for i, row in gone.items() if _in_scope(row, [entry]) or any(t.id == i for t in entry.touched)}
    written = tuple(row for row in entry.written if row.birth not in known or row.id in left)
    spared = mine.arrived(entry.thing) if entry.scope is EVERYTHING else frozenset()
    touched = tuple((new | hit).values())
    found_nothing = bool(entry.touched) and not touched and not any(left.get(row.id) is row for row in entry.written)
    return replace(entry, touched=touched, written=written, spared=spared, found_nothing=found_nothing)


def _dropped_databases(mine: Side, verdict: Verdict) -> None:
    """What lies in a database goes with it, and nothing can be put into one that is gone."""
    orphans = [table for table in verdict.state.tables.values() if table.database_id not in verdict.state.databases]
    for table in orphans:
        if not mine.dropped(("database", table.database_id)):
            verdict.required.add(("table", table.id, "OBJECT_DROPPED_ON_DEST"))
    verdict.state = verdict.state.without(("table", table.id) for table in orphans)


def _names(mine: Side, before: State, verdict: Verdict) -> None:
    """Names are unique in the final state; what the source named yields to nothing and takes from nobody. What both
    brought back has the name that the destination gave it.
    """
    for holders in verdict.state.names().values():
        if len(holders) > 1:
            made = {thing for thing in holders if mine.created(thing) and before.get(thing) is None}
            present = {thing for thing in holders if mine.branch.state.get(thing) is not None}
            named = made | {thing for thing in present if mine.net(thing, "name") or mine.net(thing, "database")}
            verdict.required |= {(*thing, "NAME_EXISTS") for thing in named}


class _Object:
    """One thing that the source changed, redone on the destination."""

    def __init__(self, thing: Thing, mine: Side, theirs: Side, verdict: Verdict) -> None:
        self.thing, self.mine, self.theirs, self.verdict = thing, mine, theirs, verdict

    def conflict(self, code: str) -> None:
        self.verdict.required.add((*self.thing, code))

    def redo(self) -> None:
        here, there = self.verdict.state.get(self.thing), self.mine.branch.state.get(self.thing)
        if here is None and self.mine.created(self.thing):
            # What both had is brought back as the destination had it.
            here = self.theirs.branch.last(self.thing)
            if here is None:
                self._new(there)
                return
        if there is None:
            if self.mine.dropped(self.thing) and here is not None:
                self.verdict.state = self.verdict.state.without([self.thing])
        elif here is None:
            if self._is_changed():
                self.conflict("OBJECT_DROPPED_ON_DEST")
        else:
            self._put(self._redone(here, there))

    def _new(self, item: Database | Table | None) -> None:
        if item is not None:
            self._put(item)

    def _is_changed(self) -> bool:
        return bool(self.mine.works(self.thing)) or any(thing == self.thing for thing, _ in self.mine.nets)

    def _put(self, item: Database | Table) -> None:
        self.verdict.state = self.verdict.state.with_object(item)

    def _redone(self, here: Any, there: Any) -> Database | Table:
        item = replace(here, properties=self._properties(here.properties))
        name, database = self.mine.net(self.thing, "name"), self.mine.net(self.thing, "database")
        item = replace(item, name=name.after) if name else item
        if isinstance(item, Database):
            return item
        item = replace(item, database_id=database.after) if database else item
        item = Columns(self.thing, self.mine, self.theirs, self.verdict).redone(item, there)
        return Rows(self.thing, self.mine, self.theirs, self.verdict).redone(item, there)

    def _properties(self, present: Mapping[str, str]) -> dict[str, str]:
        result = dict(present)
        for (thing, key), net in self.mine.nets.items():
            if thing != self.thing or key[0] != "property":
                continue
            other = self.theirs.net(thing, *key)
            if net.after is None and other is not None and other.after is None:
                self.conflict("UNSET_SAME_PROPERTY")
            result.pop(key[1], None)
            if net.after is not None:
                result[key[1]] = net.after
        return result


class Columns(_Object):
    """The source's column operations on the destination's columns, by column id (A6.1 and the extensions)."""

    def redone(self, here: Table, there: Table) -> Table:
        nets = {
            key[1:]: net for (thing, key), net in self.mine.nets.items() if thing == self.thing and key[0] == "column"
        }
        if not nets:
            return here
        dropped = [c for c, attribute in nets if attribute == "exists" and nets[c, attribute].after is None]
        result = replace(here, columns=tuple(c for c in here.columns if not set(c.ids) & set(dropped)))
        added = [c for c, attribute in nets if attribute == "exists" and nets[c, attribute].after is not None]
        for (column_id, attribute), net in nets.items():
            if attribute != "exists" and column_id not in (*dropped, *added) and there.column(column_id):
                result = self._altered(result, column_id, attribute, net)
        for column_id in added:
            column = there.column(column_id)
            if column is not None:
                result = self._added(result, column)
        names = [column.name for column in result.columns]
        if len(set(names)) < len(names):
            self.conflict("COLUMN_NAME_TAKEN")
        return result

    def _altered(self, table: Table, column_id: int, attribute: str, net: Net) -> Table:
        column = table.column(column_id)
        if column is None:
            self.conflict("COLUMN_MISSING")
            return table
        if attribute == "initial":
            return _with_column(table, self._filled(column, net.after))
        is_replaced = column.type == net.before and self._replaces_rows()
        if attribute == "type" and not widens(column.type, net.after) and not is_replaced:
            self.conflict("COLUMN_TYPE_NARROWING")
        return _with_column(table, replace(column, **{attribute: net.after}))

    def _added(self, table: Table, column: Column) -> Table:
        """One that is there already, because both brought it back, becomes as the source has it."""
        same = table.column(column.id) or next((item for item in table.columns if item.name == column.name), None)
        is_one = same is not None and (not set(column.ids).isdisjoint(same.ids) or self._is_theirs(same))
        if same is None or not is_one:
            return replace(table, columns=(*table.columns, column))
        if not widens(same.type, column.type):
            self.conflict("COLUMN_TYPE_NARROWING")
        aliases = tuple(dict.fromkeys(i for i in (*same.aliases, *column.ids) if i != same.id))
        stated = {"name": column.name, "type": column.type, "nullable": column.nullable, "default": column.default}
        merged = replace(same, **stated, aliases=aliases)
        return _with_column(table, self._filled(merged, column.initial))

    def _filled(self, column: Column, initial: Any) -> Column:
        """Older rows that read as a value here keep it, unless the source's take the place of all."""
        return replace(column, initial=initial) if column.initial is None or self._replaces_rows() else column

    def _replaces_rows(self) -> bool:
        return any(work.empties_all for work in self.mine.works(self.thing))

    def _is_theirs(self, column: Column) -> bool:
        return any(self.theirs.net(self.thing, "column", i, "exists") is not None for i in column.ids)


def _with_column(table: Table, changed: Column) -> Table:
    return replace(table, columns=tuple(changed if c.id == changed.id else c for c in table.columns))


class Rows(_Object):
    """The source's row work on the destination's rows, followed by row id (cells of data, A1 to A5, A6.2)."""

    def redone(self, here: Table, there: Table) -> Table:
        own, others = self.mine.works(self.thing), self.theirs.works(self.thing)
        if own:
            self._judge(own, others, is_blurred=bool(here.blurs | there.blurs))
            here = self._carried_out(own, here, there)
        required = [column for column in here.columns if not column.nullable]
        if any(here.read(row)[column.name] is None for row in here.rows.values() for column in required):
            self.conflict("NOT_NULL_WITHOUT_VALUE")
        elif any(work.scope for work in own):
            # Rows that the redo of an overwritten or dropped partition takes away are still counted by the product.
            self.verdict.possible.add((*self.thing, "NOT_NULL_WITHOUT_VALUE"))
        return here

    def _judge(self, own: Sequence[RowWork], others: Sequence[RowWork], *, is_blurred: bool) -> None:
        predicates = [work for work in own if work.kind in ("delete", "update")]
        # What a restore put back is as if new: the redo of the restore leaves nothing else of these rows.
        swept = self.mine.brought_back(self.thing).keys() - self.mine.arrived(self.thing)
        if predicates and any(work.kind == "insert" for work in others):
            # Whether what found nothing on this branch is told at all, files decide.
            is_unsure = all(work.found_nothing for work in predicates)
            (self.verdict.possible if is_unsure else self.verdict.required).add(
                (*self.thing, "PREDICATE_DML_VS_INSERT")
            )
        elif self.mine.has_met_nothing(self.thing):
            self.verdict.possible.add((*self.thing, "PREDICATE_DML_VS_INSERT"))
        for kind, code in (("delete", "SAME_FILE_UPDATE_DELETE"), ("update", "SAME_FILE_UPDATE_UPDATE")):
            ours = [row for row in base_images(own, "update", self.mine.known.of(self.thing)) if row.id not in swept]
            yours = base_images(others, kind, self.theirs.known.of(self.thing))
            has_absorbed = ours and yours and (_absorbed(own, "update") | _absorbed(others, kind))
            # A compaction may have put rows that only one branch has into one file with others.
            has_both = any(work.kind == "update" for work in own) and any(work.kind == kind for work in others)
            if has_absorbed or (is_blurred and has_both):
                self.verdict.possible.add((*self.thing, code))
            # What the destination overwrote is discarded (A4), although it put another image of the row back.
            ours = [row for row in ours if row.id not in _absorbed(own, "update") and not self._is_overwritten(row)]
            yours = [row for row in yours if row.id not in _absorbed(others, kind)]
            shared = {row.id for row in ours} & {row.id for row in yours}
            if shared or (not is_blurred and {row.file for row in ours} & {row.file for row in yours}):
                self.conflict(code)

    def _carried_out(self, own: Sequence[RowWork], here: Table, there: Table) -> Table:
        spared = self.mine.arrived(self.thing)
        rows = {row.id: row for row in here.rows.values() if row.id in spared or not _in_scope(row, own)}
        blurs = here.blurs | there.blurs
        brought_back = self.mine.brought_back(self.thing)
        for touched in (row for work in own for row in work.touched if row.id not in there.rows):
            if touched.id in rows and self._is_as_seen(touched, rows[touched.id]):
                del rows[touched.id]
        for row in there.rows.values():
            is_back = row.id in brought_back and row.id not in spared
            if row.writer in self.mine.known.of(self.thing):
                if is_back and brought_back[row.id].writer == row.writer:
                    rows[row.id] = row
            elif row.birth not in self.mine.known.of(self.thing) or is_back or self._is_reached(row, rows):
                rows[row.id] = row
            else:
                blurs = blurs | {self.theirs.branch.head}
        return replace(here, rows=rows, blurs=blurs)

    def _is_as_seen(self, row: Row, present: Row) -> bool:
        """Whether the destination neither changed the row that the source took away nor put another image back."""
        base, back = _base_image(row, self.mine.known.of(self.thing)), self.theirs.brought_back(self.thing).get(row.id)
        is_back_otherwise = base is not None and back is not None and present.writer == back.writer != base.writer
        return present.writer in self.theirs.known.of(self.thing) and not (
            is_back_otherwise or self._is_overwritten(row)
        )

    def _is_reached(self, row: Row, rows: Mapping[int, Row]) -> bool:
        """Whether what the source made of a row that both know finds it on the destination."""
        return not self._is_overwritten(row) and (row.id in rows or not self._gone_by_theirs(row))

    def _is_overwritten(self, row: Row) -> bool:
        """Whether the destination overwrote the file of the image that the source began with; another image of the row
        that it put back instead is not what the source saw (A4, A5). What an overwrite of the whole table absorbs, it
        overwrote too (P7).
        """
        base = _base_image(row, self.mine.known.of(self.thing))
        is_touched = is_gone = False
        works = (work for work in self.theirs.branch.line if isinstance(work, RowWork) and work.thing == self.thing)
        for work in works if base is not None else ():
            if any(image.file == base.file for image in work.written):
                is_touched = is_gone = False
            elif not self.theirs.known.has(work):
                is_hit = any(image.file == base.file for image in work.touched)
                is_touched = is_touched or is_hit
                is_absorbed = work.empties_all and is_touched and row.id not in work.spared
                is_gone = is_gone or is_absorbed or (bool(work.scope) and is_hit)
        return is_gone

    def _gone_by_theirs(self, row: Row) -> bool:
        """Whether the destination took the row away by something that the source does not know of."""
        touching = [
            work
            for work in self.theirs.branch.line
            if isinstance(work, RowWork) and any(item.id == row.id for item in work.touched)
        ]
        return bool(touching) and touching[-1].origin not in self.theirs.known.of(self.thing)


def _in_scope(row: Row, works: Iterable[RowWork]) -> bool:
    return any(work.scope is EVERYTHING or row.partition in work.scope for work in works)


def _absorbed(works: Sequence[RowWork], kind: str) -> set[int]:
    """Ids of rows taken away by work of this kind in partitions that later work of the same side emptied: whether it
    still counts, P7 leaves open.
    """
    return {
        row.id
        for index, work in enumerate(works)
        for row in (work.touched if work.kind == kind else ())
        if any(later.scope and row.partition in later.scope for later in works[index + 1 :])
    }


def _base_image(row: Row, known: frozenset[Origin]) -> Row | None:
    """The last image of a row that both sides know."""
    image: Row | None = row
    while image is not None and image.writer not in known:
        image = image.previous
    return image


def base_images(works: Iterable[RowWork], kind: str, known: frozenset[Origin]) -> list[Row]:
    """The images, known to both sides, of the rows that work of this kind took away."""
    found: dict[int, Row] = {}
    for work in works:
        for row in work.touched if work.kind == kind else ():
            image = _base_image(row, known)
            if image is not None:
                found[image.id] = image
    return list(found.values())
