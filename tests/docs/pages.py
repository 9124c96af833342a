"""The documents of the repository, and their running text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from pathlib import Path

from markdown_it import MarkdownIt
from markdown_it.token import Token

ROOT = Path(__file__).parents[2]
PAGES = sorted(
    [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "clients").rglob("*.md")],
    key=lambda page: str(page.relative_to(ROOT)),
)
GENERATED = {
    f"docs/reference/{name}.md"
    for name in ("errors", "merge-rules", "rest", "rights", "settings", "statements", "table-properties")
}
"""Pages made from data, whose tests compare them with it. Their lists of names are no sentences."""

_MARKDOWN = MarkdownIt("commonmark").enable("table")
_END = re.compile(r"(?<=[.!?:;])[)\"'*]*\s+(?=[A-Z`\[(*\"0-9]|(?:lakeui|dbt|axe|nginx)\b)")
"""The end of a sentence or of a clause that stands by itself."""


def name(page: Path) -> str:
    return str(page.relative_to(ROOT))


@cache
def tokens(page: Path) -> list[Token]:
    return _MARKDOWN.parse(page.read_text())


def texts(page: Path) -> Iterator[tuple[int, str]]:
    """The line and the text of each paragraph, heading, item and cell. A piece of code counts as one word, ``X``."""
    for token in tokens(page):
        if token.type == "inline":
            yield (token.map or [0])[0] + 1, "".join(_text(child) for child in token.children or ())


def sentences(page: Path) -> Iterator[tuple[int, str]]:
    for line, text in texts(page):
        yield from ((line, sentence) for sentence in sentences_of(text))


def sentences_of(text: str) -> list[str]:
    return [sentence for sentence in _END.split(text) if words(sentence)]


def words(sentence: str) -> list[str]:
    return re.findall(r"\w[\w'.,/-]*", sentence)


@cache
def anchors(page: Path) -> set[str]:
    """The names that a link can give after ``#``, as GitHub makes them of headings."""
    parsed = tokens(page)
    headings = (
        "".join(_code_too(child) for child in after.children or ())
        for before, after in pairwise(parsed)
        if before.type == "heading_open"
    )
    return {re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-") for heading in headings}


def links(page: Path) -> Iterator[str]:
    for token in tokens(page):
        for child in token.children or ():
            target = child.attrGet("href") or child.attrGet("src")
            if target is not None:
                yield str(target)


def _text(token: Token) -> str:
    if token.type == "code_inline":
        return "X"
    return " " if token.type in {"softbreak", "hardbreak"} else _code_too(token)


def _code_too(token: Token) -> str:
    return token.content if token.type in {"text", "code_inline"} else ""
