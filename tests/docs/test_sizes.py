"""Functions and modules are short enough to be read at once."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from tests.docs.pages import ROOT

FUNCTION, MODULE = 40, 400
"""Most lines."""
_TOPS = ("catalog_app", "lakeui", "merge_app", "clients/python/src")


def _modules() -> Iterator[tuple[str, str]]:
    paths = (path for top in _TOPS for path in sorted((ROOT / top).rglob("*.py")) if "migrations" not in path.parts)
    for path in paths:
        yield path.relative_to(ROOT).as_posix(), path.read_text(encoding="utf-8")


def long_functions(source: str) -> list[str]:
    """The functions that have too many lines, from the first of ``def`` to the last."""
    nodes = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    return [f"{node.lineno}: {node.name}" for node in nodes if _lines(node) > FUNCTION]


def length(source: str) -> int:
    """Lines of the module. Its imports and ``__all__`` are a list of names, and do not count."""
    body = ast.parse(source).body
    return len(source.splitlines()) - sum(_lines(node) for node in body if _is_listing(node))


def _is_listing(node: ast.stmt) -> bool:
    is_all = isinstance(node, ast.Assign) and any(isinstance(t, ast.Name) and t.id == "__all__" for t in node.targets)
    return is_all or isinstance(node, ast.Import | ast.ImportFrom)


def _lines(node: ast.stmt) -> int:
    assert node.end_lineno is not None
    return node.end_lineno - node.lineno + 1


def test_functions_are_short() -> None:
    found = [f"{name}:{function}" for name, source in _modules() for function in long_functions(source)]
    assert not found, "\n".join(found)


def test_modules_are_short() -> None:
    found = [f"{name}: {length(source)} lines" for name, source in _modules() if length(source) > MODULE]
    assert not found, "\n".join(found)


def test_what_the_checks_refuse() -> None:
    body = "    pass\n" * FUNCTION
    assert long_functions(f"def short():\n{body[: -len('    pass') - 1]}") == []
    assert long_functions(f"def long():\n{body}") == ["1: long"]
    assert length("import a\nfrom b import (\n    c,\n)\n__all__ = [\n    'c',\n]\nx = 1\n") == 1
