"""Commands of the documents with the output that stands below them."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.docs.pages import tokens

_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_BYTES = re.compile(r"bytes written [\d,]+")


@dataclass(frozen=True)
class Step:
    arguments: tuple[str, ...]
    output: str


def transcript(page: Path, command: str) -> Iterator[Step]:
    """The calls of ``command`` in the page's blocks of code, in order."""
    for token in tokens(page):
        if token.type == "fence":
            for call in re.split(r"^\$ ", token.content, flags=re.MULTILINE)[1:]:
                line, _, output = call.partition("\n")
                words = shlex.split(line)
                if words[0] == command:
                    yield Step(tuple(words[1:]), output.strip())


class Ids:
    """Ids of a page and those of a run, paired in the order in which outputs show them."""

    def __init__(self) -> None:
        self._known: dict[str, str] = {}

    def of_run(self, argument: str) -> str:
        return _UUID.sub(lambda found: self._known[found.group()], argument)

    def pair(self, written: str, seen: str) -> None:
        self._known.update(zip(_UUID.findall(written), _UUID.findall(seen), strict=False))


def same(written: str, seen: str) -> bool:
    """Whether the page says what happened. It may leave out columns and fingerprints; ids and sizes differ by run."""
    return _shown(written, _columns(written)) == _shown(seen, _columns(written))


def _columns(text: str) -> list[str] | None:
    lines = text.split("\n")
    if len(lines) < 2 or not re.fullmatch(r"-+(  -+)*", lines[1]):
        return None
    return [lines[0][at.start() : at.end()].strip() for at in _spans(lines[1], len(lines[0]))]


def _shown(text: str, wanted: list[str] | None) -> list[list[str]]:
    raw = [line for line in text.split("\n") if not line.startswith("fingerprint: ")]
    lines = [_BYTES.sub("bytes written N", _UUID.sub("ID", line)).rstrip() for line in raw]
    if wanted is None:
        return [[line] for line in lines]
    spans = _spans(raw[1], max(map(len, raw)))
    names = [raw[0][at.start() : at.end()].strip() for at in spans]
    places = [spans[names.index(name)] for name in wanted if name in names]
    end = next((at for at, line in enumerate(raw) if at > 1 and re.match(r"\(\d+ rows?|merge id", line)), len(raw))
    cells = [[_UUID.sub("ID", line[at.start() : at.end()].strip()) for at in places] for line in raw[2:end]]
    return [*cells, *([line] for line in lines[end:])]


def _spans(ruler: str, width: int) -> list[re.Match[str]]:
    """Where the columns of a table lie; the last one has no end."""
    padded = ruler + "-" * max(0, width - len(ruler))
    return list(re.finditer(r"-+", padded))
