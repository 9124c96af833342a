"""Answers as text for a terminal."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lakeui_client.values import Diff

WIDEST_CELL = 80


def table(names: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    """A header, a rule, and the rows; numbers to the right, NULL in capitals."""
    if not names:
        return ""
    shown = [[cell(name) for name in names], *([cell(value) for value in row] for row in rows)]
    widths = [max(width(line[place]) for line in shown) for place in range(len(names))]
    right = [
        bool(rows) and all(isinstance(row[place], int | float | None) for row in rows) for place in range(len(names))
    ]
    lines = ["  ".join(_padded(*item) for item in zip(line, widths, right, strict=True)).rstrip() for line in shown]
    return "\n".join([lines[0], "  ".join("-" * size for size in widths), *lines[1:]])


def entries(found: Sequence[Mapping[str, Any]], *names: str) -> str:
    """Some members of the entries of a list; a dot leads into a member."""
    return table(
        [name.rpartition(".")[2] for name in names], [[_member(entry, name) for name in names] for entry in found]
    )


def _member(entry: Any, path: str) -> Any:
    for name in path.split("."):
        entry = entry.get(name) if isinstance(entry, Mapping) else None
    return entry


def _padded(text: str, size: int, to_right: bool) -> str:
    padding = " " * (size - width(text))
    return padding + text if to_right else text + padding


def cell(value: Any) -> str:
    if value is None:
        return "NULL"
    text = safe(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False))
    return text if len(text) <= WIDEST_CELL else text[: WIDEST_CELL - 1] + "…"


def safe(text: str) -> str:
    """Control characters, which could drive the reader's terminal, shown as what they are."""
    hidden = ("Cc", "Cf", "Zl", "Zp", "Cs")
    if text.isascii() and text.isprintable():
        return text
    return "".join(
        one.encode("unicode_escape", "backslashreplace").decode() if unicodedata.category(one) in hidden else one
        for one in text
    )


def width(text: str) -> int:
    """Columns of a terminal: wide characters take two, combining ones none."""
    if text.isascii():
        return len(text)
    return sum(
        0 if unicodedata.combining(one) else 2 if unicodedata.east_asian_width(one) in ("W", "F") else 1 for one in text
    )


def comparison(found: Diff) -> str:
    """Two branches compared: each object that one of them changed."""
    counts = found.raw
    head = f"{found.source} is {counts['ahead']} ahead of {found.destination}, {counts['behind']} behind."
    rows = [
        (
            entry.verdict,
            entry.name,
            ", ".join(entry.source_ops),
            ", ".join(entry.dest_ops) or "-",
            ", ".join(entry.codes),
            _brings(entry.raw["brings"]),
        )
        for entry in found.objects
    ]
    drawn = table(("verdict", "object", found.source, found.destination, "codes", "rows"), rows) if rows else ""
    end = "It merges." if found.mergeable else "A merge is refused."
    return "\n".join(part for part in (head, drawn, "Nothing to merge." if found.is_empty else end) if part)


def _brings(found: Mapping[str, Any]) -> str:
    """How many rows a merge brings."""
    words = [word for word in ("inserted", "updated", "deleted") if found[f"rows_{word}"]]
    counts = ", ".join(f"{found[f'rows_{word}']:,} {word}" for word in words)
    return counts if found["rows_are_exact"] or not counts else f"at most {counts}"


def summary(raw: Mapping[str, Any]) -> str:
    """The line below an answer: rows, version, metrics."""
    parts = []
    if raw.get("columns"):
        count = raw["row_count"]
        parts.append(f"{count:,} row{'' if count == 1 else 's'}{' shown, there are more' if raw['truncated'] else ''}")
    if raw.get("version") is not None:
        parts.append(f"version {raw['version']}")
    parts += [
        f"{name.replace('_', ' ')} {value:,}"
        for name, value in sorted(raw.get("metrics", {}).items())
        if isinstance(value, int | float) and value and not isinstance(value, bool)
    ]
    line = f"({', '.join(parts)})" if parts else ""
    return "\n".join(part for part in (line, _parent_merge(raw.get("parent_merge"))) if part)


def _parent_merge(said: Mapping[str, Any] | None) -> str:
    """What a dry run says of a merge to the parent branch."""
    if not said:
        return ""
    branch = safe(said["branch"])
    if refused := said.get("refused"):
        return f"A merge to {branch} would then be refused: {safe(refused['message'])}"
    lines = [f"A merge to {branch} would then have {'no conflict' if said['mergeable'] else 'conflicts'}."]
    found = said["conflicts"] + said["notes"]
    lines += [f"  {item['code']} of {safe(item['object'])}: {item['count']}" for item in found]
    return "\n".join(lines)


def conflict_lines(entry: Mapping[str, Any]) -> list[str]:
    """A conflict under the code that the page of rules explains, and its own way out."""
    found = f"  - [{safe(str(entry['code']))}] {safe(str(entry['message']))}"
    return [found, *([f"    {safe(str(entry['remedy']))}"] if entry.get("remedy") else [])]


def problem(document: Mapping[str, Any]) -> str:
    """A refusal: what, each conflict or blocker, and the way out."""
    lines = [f"{document.get('code', 'FAILED')}: {safe(str(document.get('detail', '')))}"]
    conflicts = document.get("conflicts") or ()
    lines += [line for entry in conflicts for line in conflict_lines(entry)]
    lines += [f"  - {safe(entry['message'])}" for entry in document.get("blockers") or ()]
    lines += [f"  - {safe(entry['field'])}: {safe(entry['message'])}" for entry in document.get("errors") or ()]
    # The way out of a merge is that of its first conflict.
    if (remedy := safe(str(document.get("remedy") or ""))) and f"    {remedy}" not in lines:
        lines.append(remedy)
    return "\n".join(lines)
