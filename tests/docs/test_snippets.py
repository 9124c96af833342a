"""Statements, commands and calls that the documents show are those that lakeui knows.

``tests/in_memory/queries/test_documents.py`` runs the statements, ``tests/on_spark/merges/test_demo_lake.py`` what has
an output below it.
"""

from __future__ import annotations

import argparse
import ast
import json
import re
from functools import cache
from importlib.util import find_spec
from pathlib import Path

import pytest
import yaml
from django.core.management import get_commands, load_command_class

from lakeui.sql.parse import parse
from lakeui_client.cli.parser import parser_make
from tests.docs.pages import GENERATED, PAGES, ROOT, name, tokens
from tests.docs.snippets import calls, command_lines, statements

_TARGET = re.compile(r"^([a-z0-9-]+):", re.MULTILINE)
_PLACEHOLDER = re.compile(r"\{[^}]*\}|[A-Z]{2,}|\d+|fixer")
_OF_DJANGO = {"createsuperuser", "makemigrations"}
_SAID = {"version", "COMMAND"}


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_statements_are_read(page: Path) -> None:
    if name(page) not in GENERATED:
        for text in statements(page):
            parse(text)


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_commands_are_there(page: Path) -> None:
    wrong = [" ".join(words) for words in command_lines(page) if not is_known(words)]
    assert not wrong


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_calls_are_in_the_document(page: Path) -> None:
    assert not [f"{method} {path}" for method, path in calls(page) if (method, _shape(path)) not in operations()]


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_other_blocks_are_sound(page: Path) -> None:
    for token in tokens(page):
        if token.type == "fence":
            match token.info.strip():
                case "python":
                    _python_check(token.content)
                case "json":
                    json.loads(token.content)
                case "yaml":
                    yaml.safe_load(token.content)


def test_what_is_not_there_is_found() -> None:
    assert is_known(["make", "up"])
    assert not is_known(["make", "coffee"])
    assert is_known(["manage.py", "sql", "-c", "demo", "SELECT 1"])
    assert not is_known(["manage.py", "sql", "--loud"])
    assert not is_known(["manage.py", "fly"])
    assert is_known(["lake", "request", "open", "title"])
    assert not is_known(["lake", "request", "sing"])
    assert is_known(["sql", "-b", "delays", "SELECT 1"])
    assert not is_known(["sql", "--loud"])
    assert ("GET", _shape("/api/v1/catalogs/demo/branches/".replace("demo", "{catalog}"))) in operations()
    assert ("GET", _shape("/api/v1/nothing/")) not in operations()


def is_known(words: list[str]) -> bool:
    program, *rest = words
    if program == "make":
        return rest[0] in _targets() or rest[0].startswith("PYTHON=")
    if program == "lake":
        return _fits(_lake(), rest)
    if program == "sql":
        return _fits(_command("sql"), rest)
    if rest[0] in _SAID | _OF_DJANGO:
        return True
    return rest[0] in get_commands() and _fits(_command(rest[0]), rest[1:])


def _fits(parser: argparse.ArgumentParser, words: list[str]) -> bool:
    """Whether the parser knows the options and, where it has some, the first commands among the words."""
    inner = next((action for action in parser._actions if isinstance(action, argparse._SubParsersAction)), None)
    known = {option for action in parser._actions for option in action.option_strings}
    for at, word in enumerate(words):
        if word.startswith("-") and len(word) > 1 and not word[1:].isdigit():
            if word.partition("=")[0] not in known:
                return False
        elif inner is not None:
            return word in inner.choices and _fits(inner.choices[word], words[at + 1 :])
    return True


@cache
def _targets() -> frozenset[str]:
    return frozenset(_TARGET.findall((ROOT / "Makefile").read_text(encoding="utf-8")))


@cache
def _lake() -> argparse.ArgumentParser:
    return parser_make()


@cache
def _command(command: str) -> argparse.ArgumentParser:
    app = get_commands()[command]
    loaded = load_command_class(app, command) if isinstance(app, str) else app
    return loaded.create_parser("manage.py", command)


@cache
def operations() -> frozenset[tuple[str, str]]:
    paths = json.loads((ROOT / "frontend" / "openapi.json").read_text(encoding="utf-8"))["paths"]
    return frozenset((method.upper(), _shape(path)) for path, methods in paths.items() for method in methods)


def _shape(path: str) -> str:
    return _PLACEHOLDER.sub("{}", path)


def _python_check(text: str) -> None:
    """It is Python, and what it imports of the client is there."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] == "lakeui_client":
            assert not [alias.name for alias in node.names if not _has(str(node.module), alias.name)]


def _has(module: str, wanted: str) -> bool:
    """Whether the module has something of that name, or a module. Read, not imported: its library may not be here."""
    spec = find_spec(module)
    assert spec is not None
    assert spec.origin is not None
    if spec.submodule_search_locations and find_spec(f"{module}.{wanted}") is not None:
        return True
    return wanted in _names(ast.parse(Path(spec.origin).read_text()))


def _names(tree: ast.Module) -> set[str]:
    """What a module defines and imports by name."""
    found = set()
    for node in tree.body:
        match node:
            case ast.ClassDef() | ast.FunctionDef():
                found.add(node.name)
            case ast.Import() | ast.ImportFrom():
                found |= {alias.asname or alias.name for alias in node.names}
            case ast.Assign() | ast.AnnAssign():
                targets = node.targets if isinstance(node, ast.Assign) else [node.target]
                found |= {target.id for target in targets if isinstance(target, ast.Name)}
    return found
