"""Checked values of configuration keys, whether YAML or an annotation gives them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from merge_app.pipelines.definition.fields import FIELDS, Field, Kind, Value
from merge_app.pipelines.definition.mistakes import nearest

LONGEST_NAME = 255
_SPAN = re.compile(r"\d{1,9}|\d{1,9} +(second|minute|hour|day|week|month|year)s?", re.IGNORECASE)
_SPAN_REMEDY = "Write a whole number, or one of seconds, minutes, hours, days, weeks, months or years."


@dataclass(frozen=True, slots=True)
class Given:
    """A value and the line (from 1) that gives it."""

    value: Value
    line: int


class BadValue(Exception):
    """A key that there is not, or a value that it does not take."""

    def __init__(self, message: str, remedy: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.remedy = remedy


def field_named(name: str) -> Field:
    """Raises BadValue for a key that there is not."""
    field = FIELDS.get(name)
    if field is None:
        raise BadValue(f"There is no key {name}.", nearest(name, FIELDS))
    return field


def text_value(field: Field, text: str) -> Value:
    """The value of a field other than FLAG and NAMES, from its text."""
    match field.kind:
        case Kind.CHOICE:
            if text not in field.choices:
                raise BadValue(f"{field.name} cannot be {text or 'empty'}.", nearest(text, field.choices))
            return text
        case Kind.NAME:
            return column_name(field, text)
        case Kind.TEXTS:
            return (_condition(field, text),)
        case Kind.NAMES | Kind.VALUES:
            return split_value(field, text)
        case Kind.SPAN:
            if not _SPAN.fullmatch(text):
                raise BadValue(f"{field.name} takes {field.kind}; {text or 'nothing'} is none.", _SPAN_REMEDY)
            return " ".join(text.lower().split())
        case Kind.FLAG:
            raise BadValue(f"{field.name} takes true or false.", "Write it without quotes.")
    return text


def list_value(field: Field, texts: Sequence[str]) -> Value:
    """The value of a field that takes several. No column stands twice."""
    if field.kind is Kind.TEXTS:
        return tuple(_condition(field, text) for text in texts)
    if field.kind is Kind.VALUES:
        return tuple(dict.fromkeys(_value(field, text) for text in texts))
    if field.kind is not Kind.NAMES:
        raise BadValue(f"{field.name} takes {field.kind}, no list.", "Write one value.")
    names = tuple(column_name(field, text) for text in texts)
    folded = [name.casefold() for name in names]
    twice = next((name for index, name in enumerate(names) if folded[index] in folded[:index]), None)
    if twice is not None:
        raise BadValue(f"{field.name} names the column {twice} twice.", "Name each column once.")
    return names


def split_value(field: Field, text: str) -> Value:
    """The value of a field that takes several, from one text: ``a, b`` and ``[a, b]`` are two, in annotations and in
    config.yaml alike. A name with a comma stands in a list of YAML.
    """
    return list_value(field, text.removeprefix("[").removesuffix("]").split(","))


def _condition(field: Field, text: str) -> str:
    if not text.strip():
        raise BadValue(f"{field.name} takes {field.kind}.", "Write a condition over the table's columns.")
    return text.strip()


def _value(field: Field, text: str) -> str:
    if not text.strip():
        raise BadValue(f"{field.name} takes {field.kind}.", "Write a value, or leave it out.")
    return text.strip()


def column_name(field: Field, text: str) -> str:
    name = text.strip()
    if not name or len(name) > LONGEST_NAME or not name.isprintable():
        raise BadValue(f"{field.name} takes {field.kind}.", "Write the column's name as the table has it.")
    return name
