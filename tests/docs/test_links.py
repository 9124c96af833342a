"""Each link of a document leads to a file and to a heading that are there."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import pytest

from tests.docs.pages import PAGES, ROOT, anchors, links, name


def broken(page: Path, target: str) -> bool:
    parts = urlsplit(target)
    if parts.scheme or parts.netloc:
        return False
    file = (page.parent / unquote(parts.path)).resolve() if parts.path else page
    if not file.exists() or not file.is_relative_to(ROOT):
        return True
    return bool(parts.fragment) and file.suffix == ".md" and unquote(parts.fragment) not in anchors(file)


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_links_lead_somewhere(page: Path) -> None:
    assert not [target for target in links(page) if broken(page, target)]


def test_a_broken_link_is_found(tmp_path: Path) -> None:
    page = ROOT / "README.md"
    assert broken(page, "docs/no-such-page.md")
    assert broken(page, "docs/internals/merge.md#no-such-heading")
    assert not broken(page, "docs/internals/merge.md#what-is-missing")


def test_the_site_has_every_document() -> None:
    """The menu of the site is written by hand: no page is missing, none is too many."""
    menu = set(_pages(tomllib.loads((ROOT / "zensical.toml").read_text(encoding="utf-8"))["project"]["nav"]))
    of_docs = {name(page) for page in PAGES if name(page).startswith("docs/")}
    assert of_docs <= menu
    assert all((ROOT / page).exists() for page in menu)


def _pages(entry: Any) -> Iterator[str]:
    if isinstance(entry, str):
        yield entry
    else:
        for inner in entry.values() if isinstance(entry, dict) else entry:
            yield from _pages(inner)
