"""``@key: value`` in the comments of a pipeline's SQL."""

from __future__ import annotations

import re
from collections.abc import Iterator

from merge_app.pipelines.definition.configuration_values import BadValue, Given, field_named, split_value, text_value
from merge_app.pipelines.definition.fields import Field, Kind, Value
from merge_app.pipelines.definition.mistakes import SOURCE, Mistake

_PARTS = re.compile(
    r"""'(?:\\.|[^'\\])*' | "(?:\\.|[^"\\])*" | `[^`]*`
    | --(?P<line>[^\n]*) | /\*(?P<block>.*?)(?:\*/|\Z) | \{\#(?P<jinja>.*?)(?:\#\}|\Z)""",
    re.VERBOSE | re.DOTALL,
)
"""Quoted text, in which nothing is a comment, and comments."""
_ANNOTATION = re.compile(r"[\s*]*@(\w+)[ \t]*:(.*)")
_FLAGS = {"true": True, "false": False}


def annotations_read(source: str) -> tuple[dict[str, Given], list[Mistake]]:
    """The annotations of a source, and everything that is wrong with them."""
    given: dict[str, Given] = {}
    mistakes: list[Mistake] = []
    for line, name, text in _annotations(source):
        try:
            field = field_named(name)
            if name in given:
                raise BadValue(f"@{name} stands in line {given[name].line} already.", "Leave one of the two.")
            given[name] = Given(_value(field, text), line)
        except BadValue as bad:
            mistakes.append(Mistake(SOURCE, line, bad.message, bad.remedy, name))
    return given, mistakes


def _annotations(source: str) -> Iterator[tuple[int, str, str]]:
    """Line (from 1), key and text of every annotation: one a line of a comment, at its beginning."""
    for part in _PARTS.finditer(source):
        group = part.lastgroup
        if group is None:
            continue
        first = source.count("\n", 0, part.start(group)) + 1
        for offset, text in enumerate(part[group].split("\n")):
            found = _ANNOTATION.fullmatch(text.rstrip("\r"))
            if found:
                yield first + offset, found[1], found[2].strip()


def _value(field: Field, text: str) -> Value:
    if field.kind is Kind.FLAG:
        if text.lower() not in _FLAGS:
            raise BadValue(f"{field.name} takes true or false; {text or 'nothing'} is none.", "Write true or false.")
        return _FLAGS[text.lower()]
    if field.kind in (Kind.NAMES, Kind.VALUES):
        return split_value(field, text)
    return text_value(field, text)
