"""Texts of the code: docstrings, what people read of it, and strings of the pages."""

from __future__ import annotations

import ast
import re
import tokenize
import tomllib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.docs.pages import ROOT

_CODE = re.compile(r"``[^`]*``|`[^`]*`")
_FIELD = re.compile(r"\{[^{}]*\}")
_SENTENCE = re.compile(r"[A-Z\"'X].*[.!?]$", re.DOTALL)
_WORDS = 4
_TAGS = re.compile(r"</?[\w.]+(?:\s[^<>]*)?/?>")
_PAGE_STRING = re.compile(r'"((?:[^"\\\n]|\\.)*)"|`((?:[^`\\]|\\.)*)`')
_PAGE_TEXT = re.compile(r">([^<>{}]*[A-Za-z][^<>{}]*)<")
_PAGE_FIELD = re.compile(r"\$\{[^{}]*\}")
_PAGE_COMMENT = re.compile(r"/\*.*?\*/|(?:^|\s)//[^\n]*", re.DOTALL)
_PARTS = ("body", "orelse", "finalbody", "handlers", "cases")
"""Where statements hold others. What holds expressions alone has no list there."""
_TOML_TEXTS = ("sentence", "does", "title")


@dataclass(frozen=True, slots=True)
class Text:
    """A text with its place. Pieces of code and values that are filled in are one word, ``X``."""

    path: Path
    line: int
    content: str

    @property
    def place(self) -> str:
        return f"{self.path.relative_to(ROOT)}:{self.line}"


def statements(tree: ast.Module) -> Iterator[ast.AST]:
    """All statements, also the inner ones, and what holds some: a handler, a case."""
    waiting: list[ast.AST] = [*tree.body]
    while waiting:
        node = waiting.pop()
        yield node
        for name in _PARTS:
            waiting.extend(getattr(node, name, ()))


def docstrings(files: Iterable[Path]) -> Iterator[Text]:
    """Docstrings of modules, classes and functions, and strings that stand behind what they describe."""
    for path in files:
        for node in statements(ast.parse(path.read_text(encoding="utf-8"))):
            if (
                isinstance(node, ast.Expr)
                and isinstance(node.value, ast.Constant)
                and isinstance(node.value.value, str)
            ):
                yield Text(path, node.lineno, _plain(node.value.value))


def comments(files: Iterable[Path]) -> Iterator[Text]:
    """Comments of Python."""
    for path in files:
        with path.open("rb") as source:
            for token in tokenize.tokenize(source.readline):
                if token.type == tokenize.COMMENT:
                    yield Text(path, token.start[0], _plain(token.string))


def page_comments(files: Iterable[Path]) -> Iterator[Text]:
    """Comments of the pages."""
    for path in files:
        source = path.read_text(encoding="utf-8")
        for found in _PAGE_COMMENT.finditer(source):
            yield Text(path, source.count("\n", 0, found.start()) + 1, _plain(found.group()))


def messages(files: Iterable[Path]) -> Iterator[Text]:
    """Sentences among the strings that are no docstrings: errors, ways out, help, descriptions."""
    for path in files:
        for node in _said(ast.parse(path.read_text(encoding="utf-8"))):
            content = _content(node)
            if content is not None and _is_sentence(content):
                yield Text(path, getattr(node, "lineno", 0), _plain(content))


def _said(tree: ast.Module) -> Iterator[ast.AST]:
    """Strings that are no docstrings. The parts of one with fields are none of their own."""
    waiting: list[tuple[ast.AST, bool]] = [(tree, False)]
    while waiting:
        node, is_part = waiting.pop()
        kind = type(node)
        if kind is ast.Name or kind is ast.Constant:
            if kind is ast.Constant and not is_part:
                yield node
            continue
        if kind is ast.JoinedStr:
            yield node
            is_part = True
        elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            continue
        waiting.extend((inner, is_part) for inner in ast.iter_child_nodes(node))


def data_texts(files: Iterable[Path]) -> Iterator[Text]:
    """Sentences of TOML files: rule tables and the reference of SQL."""
    for path in files:
        for content in _values(tomllib.loads(path.read_text(encoding="utf-8"))):
            yield Text(path, 1, _plain(content))


def page_strings(files: Iterable[Path]) -> Iterator[Text]:
    """Sentences and labels of the pages: between tags, and in strings. A piece in braces is one word."""
    for path in files:
        source = path.read_text(encoding="utf-8")
        for found in [*_PAGE_STRING.finditer(source), *_PAGE_TEXT.finditer(source)]:
            content = re.sub(r"\s+", " ", next(part for part in found.groups() if part is not None)).strip()
            content = _PAGE_FIELD.sub("X", content)
            if len(content.split()) >= _WORDS and content[:1].isupper() and content.split()[0].isalpha():
                yield Text(path, source.count("\n", 0, found.start()) + 1, _plain(_TAGS.sub("", content)))


def _content(node: ast.AST) -> str | None:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr):
        return "".join(str(part.value) if isinstance(part, ast.Constant) else "X" for part in node.values)
    return None


def _values(data: object) -> Iterator[str]:
    if isinstance(data, dict):
        for key, value in data.items():
            if key in _TOML_TEXTS and isinstance(value, str):
                yield value
            else:
                yield from _values(value)
    elif isinstance(data, list):
        for value in data:
            yield from _values(value)


def _is_sentence(content: str) -> bool:
    return len(content.split()) >= _WORDS and bool(_SENTENCE.match(content.strip()))


def _plain(content: str) -> str:
    return re.sub(r"[ \t]+", " ", _FIELD.sub("X", _CODE.sub("X", content))).strip()
