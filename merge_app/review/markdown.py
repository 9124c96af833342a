"""Markdown to HTML that can be shown as it is: CommonMark with tables, no HTML of its own, cleaned once more."""

from __future__ import annotations

from functools import cache

import nh3
from markdown_it import MarkdownIt

_BLOCKS = ("blockquote", "h1", "h2", "h3", "h4", "h5", "h6", "hr", "li", "ol", "p", "pre", "ul")
_TABLES = ("table", "tbody", "td", "th", "thead", "tr")
_TEXTS = ("a", "br", "code", "del", "em", "s", "strong")
TAGS = frozenset((*_BLOCKS, *_TABLES, *_TEXTS))
"""No images: they would tell another server who reads this."""

ATTRIBUTES = {"a": {"href", "title"}, "ol": {"start"}, "code": {"class"}}
SCHEMES = {"http", "https", "mailto"}


def markdown_render(text: str) -> str:
    """The HTML of a text. What is HTML in the text comes out as text; links lead to the web or to a mail address."""
    return nh3.clean(
        _parser().render(text),
        tags=set(TAGS),
        attributes=ATTRIBUTES,
        url_schemes=SCHEMES,
        link_rel="nofollow noopener noreferrer",
    )


@cache
def _parser() -> MarkdownIt:
    return MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])
