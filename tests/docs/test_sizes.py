"""Functions and modules are short enough to be read at once."""

from __future__ import annotations

import ast
from functools import cache

from tests.docs.pages import ROOT
from tests.docs.strings import statements

FUNCTION, MODULE = 40, 400
"""Most lines."""
_TOPS = ("catalog_app", "lakeui", "merge_app", "clients/python/src")


@cache
def _measured() -> list[tuple[str, list[str], int]]:
    """Each module with its long functions and its length. It is read once."""
    paths = (path for top in _TOPS for path in sorted((ROOT / top).rglob("*.py")) if "migrations" not in path.parts)
    found = []
    for path in paths:
        source = path.read_text(encoding="utf-8")
        tree = ast.parse(source)
        found.append((path.relative_to(ROOT).as_posix(), long_functions(tree), length(source, tree)))
    return found


def long_functions(tree: ast.Module) -> list[str]:
    """The functions that have too many lines, from the first of ``def`` to the last."""
    nodes = [node for node in statements(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    return [f"{node.lineno}: {node.name}" for node in nodes if _lines(node) > FUNCTION]


def length(source: str, tree: ast.Module) -> int:
    """Lines of the module. Its imports and ``__all__`` are a list of names, and do not count."""
    return len(source.splitlines()) - sum(_lines(node) for node in tree.body if _is_listing(node))


def _is_listing(node: ast.stmt) -> bool:
    is_all = isinstance(node, ast.Assign) and any(isinstance(t, ast.Name) and t.id == "__all__" for t in node.targets)
    return is_all or isinstance(node, ast.Import | ast.ImportFrom)


def _lines(node: ast.stmt) -> int:
    assert node.end_lineno is not None
    return node.end_lineno - node.lineno + 1


def test_functions_are_short() -> None:
    found = [f"{name}:{function}" for name, functions, _ in _measured() for function in functions]
    assert not found, "\n".join(found)


def test_modules_are_short() -> None:
    found = [f"{name}: {lines} lines" for name, _, lines in _measured() if lines > MODULE]
    assert not found, "\n".join(found)


def test_what_the_checks_refuse() -> None:
    body = "    pass\n" * FUNCTION
    assert long_functions(ast.parse(f"def short():\n{body[: -len('    pass') - 1]}")) == []
    assert long_functions(ast.parse(f"def long():\n{body}")) == ["1: long"]
    inner = body.replace("    ", "        ")
    for opened in ("class A:", "if a:\n  pass\nelse:", "try:\n  pass\nexcept E:", "match a:\n  case 1:", "with a:"):
        assert long_functions(ast.parse(f"{opened}\n    async def long():\n{inner}")), opened
    listed = "import a\nfrom b import (\n    c,\n)\n__all__ = [\n    'c',\n]\nx = 1\n"
    assert length(listed, ast.parse(listed)) == 1
