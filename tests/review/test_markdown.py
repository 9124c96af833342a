"""What people write is shown as they meant it, and does nothing."""

from __future__ import annotations

from html.parser import HTMLParser
from typing import Any

import pytest

from merge_app.review.markdown import TAGS, markdown_render

ATTACKS = [
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "[x](javascript:alert(1))",
    "[x](JaVaScRiPt:alert(1))",
    "[x](data:text/html;base64,PHNjcmlwdD4=)",
    "[x](vbscript:msgbox)",
    "![x](https://evil.example/track.png)",
    '<a href="javascript:alert(1)">x</a>',
    "<svg/onload=alert(1)>",
    "<iframe src=//evil.example></iframe>",
    '[x](https://ok.example "onmouseover=alert(1)")',
    "<style>*{display:none}</style>",
    "[a]: javascript:alert(1)\n\n[a]",
    '```"><script>alert(1)</script>\nx\n```',
    '<https://ok.example/"onclick=alert(1)>',
]


class Tags(HTMLParser):
    """The elements of a text as a browser sees them, with their attributes."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[tuple[str, list[tuple[str, str]]]] = []

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.found.append((tag, attrs))

    @classmethod
    def of(cls, html: str) -> list[tuple[str, list[tuple[str, str]]]]:
        parser = cls()
        parser.feed(html)
        assert parser.found
        return parser.found


@pytest.mark.parametrize("text", ATTACKS)
def test_nothing_that_acts_comes_out(text: str) -> None:
    for tag, attributes in Tags.of(markdown_render(text)):
        assert tag in TAGS
        for name, value in attributes:
            assert name in {"href", "title", "rel", "class"}
            assert name != "href" or value.startswith(("https://", "mailto:"))


def test_headings_lists_tables_and_links_come_out() -> None:
    text = "# Title\n\n- *one*\n- `two`\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n[web](https://lake.example)"
    found = markdown_render(text)
    for part in ("<h1>Title</h1>", "<em>one</em>", "<code>two</code>", "<td>1</td>"):
        assert part in found
    assert '<a href="https://lake.example" rel="nofollow noopener noreferrer">web</a>' in found


def test_html_in_the_text_is_shown_as_text() -> None:
    assert markdown_render("1 <b>2</b>") == "<p>1 &lt;b&gt;2&lt;/b&gt;</p>\n"
