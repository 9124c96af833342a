"""Pieces of code in the documents: statements, command lines, calls of the interface."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

from lakeui.sql.scripts import script_split
from tests.docs.pages import tokens

_CALL = re.compile(r"\b(GET|POST|PUT|PATCH|DELETE)\s+(/api/v1/[^\s`]*)")
_COMMENT = re.compile(r"\s#\s.*$|\s{2,}#.*$")
_PYTHONS = ("python", ".venv/bin/python")


def blocks(page: Path) -> list[str]:
    """Blocks in the SQL of lakeui. A word behind ``sql`` says that a block is of another dialect."""
    return [token.content for token in tokens(page) if token.type == "fence" and token.info.strip() == "sql"]


def statements(page: Path) -> list[str]:
    """The statements of all blocks."""
    return [statement.text for block in blocks(page) for statement in script_split(block)]


def limits(page: Path) -> list[tuple[str, str]]:
    """Blocks that end in a refusal, each with the code that its last comment names."""
    blocks = [token.content for token in tokens(page) if token.type == "fence" and token.info.strip() == "sql limit"]
    return [(text, code.strip()) for text, _, code in (block.rpartition("-- refused:") for block in blocks)]


def command_lines(page: Path) -> Iterator[list[str]]:
    """Command lines in blocks and in pieces of code, as words: of ``make``, ``manage.py``, ``lakeui`` and ``lake``. The
    word ``sql`` is an alias of ``manage.py sql``.
    """
    for line in _lines(page):
        try:
            words = shlex.split(_COMMENT.sub("", line.removeprefix("$ ")))
        except ValueError:
            continue
        while words and (words[0] in _PYTHONS or re.fullmatch(r"\w+=\S*", words[0])):
            words = words[1:]
        end = next((at for at, word in enumerate(words) if word in {"&&", "|", ">", ";"}), len(words))
        if words[:1] and words[0] in {"make", "manage.py", "sql", "lakeui", "lake"} and end > 1:
            yield words[:end]


def calls(page: Path) -> Iterator[tuple[str, str]]:
    """Methods and addresses of the interface."""
    for line in _lines(page):
        for method, path in _CALL.findall(line):
            yield method, path.partition("?")[0].rstrip(",.;")


def _lines(page: Path) -> Iterator[str]:
    for token in tokens(page):
        if token.type == "fence" and token.info.strip() in {"", "sh"}:
            yield from token.content.splitlines()
        for child in token.children or ():
            if child.type == "code_inline":
                yield child.content
