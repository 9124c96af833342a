"""Owners of tables: who has to approve a merge that changes them, judged on the plan of the merge. Pure.

A rule of protection holds entries in order. Of a table the last entry that matches counts, as in a file CODEOWNERS.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from catalog_app.domain.plan_facts import ChangedTable, PlanFacts

WHOLE = frozenset({"*", "**"})
"""Second parts of a pattern that stand for all tables of a database, and for the database itself."""
TABLES_NAMED = 20
"""So many tables of a verdict are named."""
_UNKNOWN = re.compile(r"[\[\]{}!`\"'\\/\s]")


def pattern_fault(pattern: str) -> str:
    """Why the pattern is not understood, as half a sentence; empty where it is."""
    database, dot, table = pattern.partition(".")
    unknown = _UNKNOWN.search(pattern)
    if unknown:
        return f"{unknown[0]!r} has no meaning in it"
    if not dot:
        return "it names no table"
    if not database or not table:
        return "one of its two parts is empty"
    if "." in table:
        return "it has more than two parts"
    if "**" in database or ("**" in table and table != "**"):
        return "** stands for all tables of a database only, as its whole second part"
    return ""


@dataclass(frozen=True, slots=True)
class OwnerEntry:
    """Tables of ``pattern`` and who owns them; without a person and a group they have no owner. ``members``: those of
    the groups at this time.
    """

    pattern: str
    people: tuple[str, ...] = ()
    groups: tuple[str, ...] = ()
    members: frozenset[str] = frozenset()

    @property
    def names(self) -> frozenset[str]:
        """The user names of all owners."""
        return self.members.union(self.people)

    @property
    def is_owned(self) -> bool:
        return bool(self.people or self.groups)


def entry_read(document: Mapping[str, Any], members: Mapping[str, Iterable[str]]) -> OwnerEntry:
    """The entry of a stored document, with the members of its groups."""
    groups = tuple(document["groups"])
    found = frozenset(name for group in groups for name in members.get(group, ()))
    return OwnerEntry(document["pattern"], tuple(document["people"]), groups, found)


@dataclass(frozen=True, slots=True)
class OwnerSet:
    """The owners of one rule of protection. ``is_required``: a merge needs an approval of one of them."""

    pattern: str
    version: int
    entries: tuple[OwnerEntry, ...]
    is_required: bool = False


@dataclass(frozen=True, slots=True)
class OwnerVerdict:
    """Changed tables with the entry that counts for them. ``is_judged``: somebody looked at the plan."""

    branches: str
    version: int
    entry: OwnerEntry
    tables: tuple[str, ...]
    is_required: bool
    is_judged: bool = True

    def approved_by(self, names: Iterable[str]) -> tuple[str, ...]:
        """Which of these people own the tables."""
        return tuple(sorted(self.entry.names.intersection(names)))

    def is_fulfilled(self, names: Iterable[str]) -> bool:
        """Whether nothing is missing once these people approved."""
        return not self.is_required or bool(self.is_judged and self.approved_by(names))

    @property
    def message(self) -> str:
        """What is missing, in a sentence."""
        if not self.is_judged:
            return "The owners of the changed tables are not known of this plan yet."
        who = " or ".join([*self.entry.people, *(f"a member of {group}" for group in self.entry.groups)])
        return f"{self._shown}: an approval of an owner is missing ({who})."

    @property
    def _shown(self) -> str:
        more = len(self.tables) - 3
        return ", ".join(self.tables[:3]) + (f" and {more} more" if more > 0 else "")

    def as_json(self, names: Iterable[str]) -> dict[str, Any]:
        """What REST and the audit say of it, after approvals of these people."""
        return {
            "branches": self.branches,
            "version": self.version,
            "pattern": self.entry.pattern,
            "people": list(self.entry.people),
            "groups": list(self.entry.groups),
            "tables": list(self.tables[:TABLES_NAMED]),
            "table_count": len(self.tables),
            "is_required": self.is_required,
            "approved_by": list(self.approved_by(names)),
        }


def owners_judge(sets: Iterable[OwnerSet], facts: PlanFacts | None) -> tuple[OwnerVerdict, ...]:
    """The entries that count for what the plan changes; ``facts`` None: it was not looked at yet."""
    return tuple(verdict for item in sets for verdict in _judged(item, facts))


def _judged(owners: OwnerSet, facts: PlanFacts | None) -> Iterator[OwnerVerdict]:
    said = owners.pattern, owners.version
    if facts is None:
        yield OwnerVerdict(*said, OwnerEntry(""), (), owners.is_required, is_judged=False)
        return
    matched: dict[int, dict[str, None]] = {}
    matchers = [_Matcher(entry.pattern) for entry in owners.entries]
    for table in facts.tables:
        for place, name in _counting(table, matchers):
            matched.setdefault(place, {})[name] = None
    for place in sorted(matched):
        entry = owners.entries[place]
        if entry.is_owned:
            yield OwnerVerdict(*said, entry, tuple(matched[place]), owners.is_required)


def _counting(table: ChangedTable, matchers: Sequence[_Matcher]) -> Iterator[tuple[int, str]]:
    """The places of the entries that count for a changed object, under each of its names: a new name is no way past."""
    for name in table.names:
        if table.is_database:
            yield from ((place, name) for place in _of_database(name.removesuffix(".*"), matchers))
            continue
        for database, own in _parts(name):
            places = [place for place, matcher in enumerate(matchers) if matcher.matches(database, own)]
            yield from ((place, name) for place in places[-1:])


def _of_database(name: str, matchers: Sequence[_Matcher]) -> list[int]:
    """The entries that count for some table of the database: each of them is asked, as a database that is renamed takes
    all of its tables along.
    """
    found: list[int] = []
    for place, matcher in enumerate(matchers):
        if matcher.has_database(name):
            found = [place] if matcher.is_whole else [*found, place]
    return found


def _parts(name: str) -> Iterator[tuple[str, str]]:
    """Database and table of a full name. Names may hold dots: then it is read in each way that there is."""
    places = [place for place, char in enumerate(name) if char == "."]
    for place in places:
        yield name[:place], name[place + 1 :]


@dataclass(frozen=True, slots=True)
class _Matcher:
    """A pattern that is asked often."""

    pattern: str
    _database: re.Pattern[str] = field(init=False)
    _table: re.Pattern[str] = field(init=False)

    def __post_init__(self) -> None:
        database, _, table = self.pattern.casefold().partition(".")
        object.__setattr__(self, "_database", _compiled(database))
        object.__setattr__(self, "_table", _compiled(table))

    @property
    def is_whole(self) -> bool:
        """Whether it matches each table of its databases."""
        return self.pattern.partition(".")[2] in WHOLE

    def has_database(self, name: str) -> bool:
        return self._database.fullmatch(name.casefold()) is not None

    def matches(self, database: str, table: str) -> bool:
        return self.has_database(database) and self._table.fullmatch(table.casefold()) is not None


def _compiled(part: str) -> re.Pattern[str]:
    """``*`` is any characters, ``?`` one. Upper and lower case are one, as in names of tables."""
    text = re.sub(r"\*+", "*", part)
    return re.compile("".join({"*": ".*", "?": "."}.get(char, re.escape(char)) for char in text), re.DOTALL)
