"""Stories of merges as data: TOML files that name an ancestor, the statements of branches, and what comes of them."""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import cached_property
from itertools import product
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parents[1] / "stories"
ANCESTORS = FOLDER / "ancestors.toml"
Values = dict[str, str]
"""One value of a dimension: the text of each placeholder that it fills."""

_FILE = frozenset({"title", "about", "modelled", "ancestor", "each", "story"})
_STORY = frozenset({"name", "why", "ancestor", "steps", "each", "pairs", "mirrors", "modelled"})
_ANCESTOR = frozenset({"like", "steps"})
_STEP = re.compile(r"(?P<branches>\w+(?:, \w+)*)(?: in (?P<transaction>\w+))?:(?: (?P<sql>.*))?")
_MERGE = re.compile(r"MERGE BRANCH (?P<source>\w+) TO (?P<target>\w+)(?P<rest>.*)")
_ROWS = re.compile(r"\(|,|no rows\b")
KINDS = ("as", "like", "alike", "refused", "notes", "end", "rows", "nothing to merge")


class StoryError(ValueError):
    """What a file says that is no story: the file, the line, the story, and the way out."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What has to come of a step. ``kind`` is one of ``KINDS``."""

    kind: str
    value: str = ""

    @property
    def codes(self) -> list[str]:
        return sorted(re.findall(r"\w+", self.value)) if self.value != "none" else []


@dataclass(frozen=True, slots=True)
class Step:
    """One line of a story. A merge has ``source`` and its target in ``branches``."""

    place: str
    branches: tuple[str, ...]
    sql: str
    outcomes: tuple[Outcome, ...] = ()
    source: str | None = None
    transaction: str | None = None

    def of(self, kind: str) -> list[Outcome]:
        return [outcome for outcome in self.outcomes if outcome.kind == kind]

    @property
    def asked(self) -> list[str]:
        """The names of steps before it that it asks for."""
        return re.findall(r"\{(\w+)(?:\.merge)?\}", self.sql) + [outcome.value for outcome in self.of("like")]

    @property
    def is_plain_merge(self) -> bool:
        """Nothing is decided in it."""
        return self.source is not None and "(" not in self.sql


@dataclass(frozen=True)
class Script:
    """Lines as a file has them. Placeholders are filled before a line is read."""

    path: Path
    story: str
    first: int
    """The line of the file at which the text begins."""
    text: str

    def steps(self, values: Mapping[str, str]) -> list[Step]:
        return [step for number, line in self._lines() if (step := self._step(number, filled(line, values)))]

    def _lines(self) -> Iterator[tuple[int, str]]:
        """Each line with those that go on with it, which begin with a space."""
        found: list[tuple[int, str]] = []
        for number, line in enumerate(self.text.splitlines(), self.first):
            if line.startswith(" ") and found:
                found[-1] = (found[-1][0], f"{found[-1][1]} {line.strip()}")
            elif line.strip():
                found.append((number, line.strip()))
        yield from found

    def _step(self, number: int, line: str) -> Step | None:
        said, _, expected = line.partition("->")
        place = f"{self.path.name}:{number}: {self.story}: {line}"
        outcomes = tuple(self._outcome(place, text.strip()) for text in expected.split(";") if text.strip())
        if merge := _MERGE.fullmatch(said.strip()):
            return Step(place, (merge["target"],), merge[0], outcomes, merge["source"])
        step = _STEP.fullmatch(said.strip())
        if step is None:
            raise StoryError(f"{place}\nA step is `branch: statement`, or MERGE BRANCH a TO b.")
        sql = step["sql"] or ""
        if not sql and not outcomes:
            return None
        return Step(place, tuple(step["branches"].split(", ")), sql, outcomes, None, step["transaction"])

    @staticmethod
    def _outcome(place: str, text: str) -> Outcome:
        if _ROWS.match(text):
            return Outcome("rows", text)
        kind, _, value = text.partition(" ")
        if text == "nothing to merge":
            return Outcome(text)
        if kind not in KINDS:
            raise StoryError(f"{place}\nNo outcome begins with {kind!r}.{_nearest(kind, KINDS)}")
        return Outcome(kind, value)


@dataclass(frozen=True)
class Story:
    name: str
    why: str
    ancestors: tuple[Script, ...]
    script: Script
    dimensions: tuple[tuple[str, tuple[Values, ...]], ...]
    pairs: bool = False
    mirrors: bool = False
    modelled: bool = False

    @property
    def test(self) -> str:
        """The name of its test."""
        return "test_" + re.sub(r"\W+", "_", self.name.casefold()).strip("_")

    def cases(self) -> Iterator[Values]:
        """Each combination of values."""
        for chosen in product(*(values for _, values in self.dimensions)):
            yield {name: text for values in chosen for name, text in values.items()}


@dataclass(frozen=True)
class StoryFile:
    """The stories of one file. Whatever it says that is not understood is refused with its line."""

    path: Path
    text: str = field(repr=False)

    @classmethod
    def read(cls, path: Path) -> StoryFile:
        return cls(path, path.read_text())

    @cached_property
    def _data(self) -> dict[str, Any]:
        try:
            return tomllib.loads(self.text)
        except tomllib.TOMLDecodeError as error:
            raise StoryError(f"{self.path.name}: {error}") from None

    @property
    def title(self) -> str:
        return str(self._data["title"])

    @property
    def about(self) -> str:
        return str(self._data["about"]).strip()

    @cached_property
    def ancestors(self) -> dict[str, tuple[Script, ...]]:
        """Each with those that it is like in front. Those of every file have a file of their own."""
        known = {} if self.path == ANCESTORS else dict(StoryFile.read(ANCESTORS).ancestors)
        for name, said in self._data.get("ancestor", {}).items():
            self._known(said, _ANCESTOR, name)
            script = Script(self.path, name, self._line_of(f"[ancestor.{name}]", "steps = '''"), said["steps"])
            known[name] = (*(self._ancestor(known, said["like"], name) if "like" in said else ()), script)
        return known

    @cached_property
    def stories(self) -> list[Story]:
        self._known(self._data, _FILE, "the file")
        found = [self._story(said) for said in self._data.get("story", [])]
        for story in found:
            if sum(other.test == story.test for other in found) > 1:
                raise StoryError(
                    f"{self.path.name}: two stories are called {story.name!r}. Give each a name of its own."
                )
        return found

    def _story(self, said: dict[str, Any]) -> Story:
        name = said.get("name")
        if not name or "steps" not in said:
            raise StoryError(f"{self.path.name}: a story needs a name and steps: {name or said}")
        self._known(said, _STORY, name)
        dimensions = tuple((key, self._values(name, key, of)) for key, of in self._each(name, said))
        return Story(
            name,
            said.get("why", ""),
            self._ancestor(self.ancestors, said.get("ancestor", "one row"), name),
            Script(self.path, name, self._line_of(f'name = "{name}"', "steps = '''"), said["steps"]),
            dimensions,
            bool(said.get("pairs")),
            bool(said.get("mirrors")),
            bool(said.get("modelled", self._data.get("modelled"))),
        )

    def _each(self, name: str, said: dict[str, Any]) -> Iterator[tuple[str, list[Any]]]:
        """The dimensions of a story. One that is named by a text is of the whole file."""
        shared = self._data.get("each", {})
        for key, values in said.get("each", {}).items():
            if isinstance(values, list):
                yield key, values
            elif values in shared:
                yield key, shared[values]
            else:
                raise StoryError(f"{self._at(name)}: no dimension {values!r} of the file.{_nearest(values, shared)}")

    def _values(self, name: str, key: str, values: list[Any]) -> tuple[Values, ...]:
        found = tuple(value if isinstance(value, dict) else {key: value} for value in values)
        if any(
            not isinstance(text, str) or value.keys() != found[0].keys() for value in found for text in value.values()
        ):
            raise StoryError(
                f"{self._at(name)}: the values of {key} are texts, or tables of texts with the same names."
            )
        return found

    def _ancestor(self, known: Mapping[str, tuple[Script, ...]], wanted: str, name: str) -> tuple[Script, ...]:
        if wanted not in known:
            raise StoryError(f"{self._at(name)}: no ancestor {wanted!r}.{_nearest(wanted, known)}")
        return known[wanted]

    def _known(self, said: Mapping[str, Any], fields: frozenset[str], name: str) -> None:
        for key in said.keys() - fields:
            raise StoryError(f"{self._at(name)}: no field {key!r} of it.{_nearest(key, fields)}")

    def _at(self, name: str) -> str:
        line = self._line_of(f'name = "{name}"') - 1
        return f"{self.path.name}:{line or 1}: {name}"

    def _line_of(self, *texts: str) -> int:
        """The line behind the first one that begins with the last of these, each looked for behind the one before."""
        lines, number = self.text.splitlines(), 0
        for text in texts:
            number = next((n for n in range(number, len(lines)) if lines[n].startswith(text)), number - 1) + 1
        return number + 1


def filled(line: str, values: Mapping[str, str]) -> str:
    """The line with the placeholders that have a value. Others are versions, which are known when it runs."""
    before = None
    while line != before:
        before, line = line, re.sub(r"\{(\w+)\}", lambda found: values.get(found[1], found[0]), line)
    return line


def flipped(steps: list[Step]) -> list[Step]:
    """The same work with source and target exchanged: main is b and b is main from the first merge on."""
    first = next(place for place, step in enumerate(steps) if step.source)
    return [*steps[:first], *(_exchanged(step) for step in steps[first:])]


def _exchanged(step: Step) -> Step:
    other = {"main": "b", "b": "main"}
    branches = tuple(other.get(branch, branch) for branch in step.branches)
    sql, source = step.sql, step.source
    if source:
        found = _MERGE.fullmatch(sql)
        assert found
        source = other.get(source, source)
        sql = f"MERGE BRANCH {source} TO {branches[0]}{found['rest']}"
    return Step(step.place, branches, sql, step.outcomes, source, step.transaction)


def rows_of(text: str) -> list[tuple[Any, ...]]:
    """`(1, 'a'), (2, NULL)` as rows. `no rows` beside rows adds none."""
    rows = [ast.literal_eval(_spelled(part)) for part in _parts(text) if part.strip() not in ("", "no rows")]
    return [row if isinstance(row, tuple) else (row,) for row in rows]


_TEXT = r"""'(?:[^']|'')*'|"[^"]*\""""
_CONSTANTS = {"NULL": "None", "true": "True", "false": "False"}


def _spelled(row: str) -> str:
    """The row with the constants of SQL as those of Python."""

    def constant(found: re.Match[str]) -> str:
        text = found[0]
        return _CONSTANTS.get(text) or repr(text[1:-1].replace("''", "'"))

    return re.sub(rf"{_TEXT}|\b(?:{'|'.join(_CONSTANTS)})\b", constant, row.strip())


def _parts(text: str) -> list[str]:
    """What commas outside of brackets part."""
    found, depth = [""], 0
    for piece in re.findall(rf"{_TEXT}|.", text):
        depth += (piece in "([") - (piece in ")]")
        if piece == "," and depth == 0:
            found.append("")
        else:
            found[-1] += piece
    return found


def _nearest(word: str, known: Any) -> str:
    near = get_close_matches(str(word), [str(name) for name in known], 1)
    return f" The nearest one is {near[0]!r}." if near else f" Known are: {', '.join(sorted(map(str, known)))}."
