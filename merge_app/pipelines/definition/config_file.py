"""``config.yaml``: read with the line of every key, and edited without touching what an edit does not manage."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import yaml

from merge_app.pipelines.definition.configuration_values import (
    BadValue,
    Given,
    field_named,
    list_value,
    split_value,
    text_value,
)
from merge_app.pipelines.definition.fields import FIELDS, Field, Kind, Value
from merge_app.pipelines.definition.literals import NULL_PARTITION
from merge_app.pipelines.definition.mistakes import CONFIG_FILE, Mistake, refuse

LONGEST_CONFIG = 64 * 1024
"""Characters."""
_TAG = "tag:yaml.org,2002:"
_REMEDY = "Write `key: value` lines, lists as [a, b]."


def config_read(text: str) -> tuple[dict[str, Given], list[Mistake]]:
    """The keys of a configuration file and everything that is wrong with it. A key without value counts as absent."""
    try:
        entries = _entries(text)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        message = " ".join(filter(None, [error.context, error.problem])).capitalize() or "This is no YAML"
        return {}, [_mistake(mark, f"{message}.", _REMEDY)]
    except (yaml.YAMLError, BadValue) as error:
        message, remedy = (error.message, error.remedy) if isinstance(error, BadValue) else (f"{error}.", _REMEDY)
        return {}, [Mistake(CONFIG_FILE, 1, " ".join(message.split()), remedy)]
    given: dict[str, Given] = {}
    mistakes: list[Mistake] = []
    seen: dict[str, int] = {}
    for key, value in entries:
        name = key.value if isinstance(key, yaml.ScalarNode) else "?"
        try:
            field = field_named(name)
            if name in seen:
                raise BadValue(f"{name} stands in line {seen[name]} already.", "Leave one of the two.")
            seen[name] = key.start_mark.line + 1
            if not _is_null(value):
                given[name] = Given(_value(field, value), key.start_mark.line + 1)
        except BadValue as bad:
            mistakes.append(_mistake(key.start_mark, bad.message, bad.remedy, name))
    return given, mistakes


def config_edit(text: str, changes: Mapping[str, Value]) -> str:
    """The file with these keys set, and with those removed whose value is None. Every other line, and comments, stay
    as they are. Raises InvalidConfig where the file cannot be read or a value does not fit.
    """
    refuse(
        [Mistake(CONFIG_FILE, None, f"There is no key {name}.", field=name) for name in changes if name not in FIELDS]
    )
    refuse([mistake for mistake in config_read(text)[1] if mistake.field not in changes])
    if _is_flow(text):
        refuse([Mistake(CONFIG_FILE, 1, "A file in braces cannot be edited key by key.", _REMEDY)])
    entries = {key.value: (key, value) for key, value in _entries(text)}
    edited = text
    for name in sorted(entries.keys() & changes.keys(), key=lambda name: -entries[name][0].start_mark.index):
        edited = _replaced(edited, *entries[name], changes[name])
    added = [
        f"{name}: {_written(changes[name])}\n"
        for name in FIELDS
        if changes.get(name) is not None and name not in entries
    ]
    if added and edited and not edited.endswith("\n"):
        edited += "\n"
    edited += "".join(added)
    refuse(config_read(edited)[1])
    return edited


def _replaced(text: str, key: Any, node: Any, value: Value) -> str:
    """The text with another value for the key; without the key's lines where the value is None."""
    end = _end(text, node)
    if value is None:
        following = text.find("\n", end)
        return text[: key.start_mark.index] + (text[following + 1 :] if following >= 0 else "")
    start = node.start_mark.index
    is_below_key = node.start_mark.line > key.start_mark.line
    start = key.end_mark.index + 1 if is_below_key or start == end else start
    return f"{text[:start]}{' ' if text[start - 1] == ':' else ''}{_written(value)}{text[end:]}"


def _end(text: str, node: Any) -> int:
    """Where a value ends. The mark of a block is at what follows it, comments and empty lines in between."""
    if isinstance(node, yaml.SequenceNode) and not node.flow_style:
        return max(_end(text, item) for item in node.value)
    end: int = node.end_mark.index
    is_block = isinstance(node, yaml.ScalarNode) and node.style in ("|", ">")
    return len(text[:end].rstrip()) if is_block else end


def _written(value: Value) -> str:
    """The value in one line of YAML."""
    plain = list(value) if isinstance(value, tuple) else [value]
    line = yaml.safe_dump(plain, default_flow_style=True, allow_unicode=True, width=2**31).rstrip("\n")
    return line if isinstance(value, tuple) else line[1:-1]


def _entries(text: str) -> list[tuple[Any, Any]]:
    """The nodes of keys and values. Raises YAMLError and BadValue."""
    if len(text) > LONGEST_CONFIG:
        raise BadValue(f"The file has more than {LONGEST_CONFIG:,} characters.", "A configuration has a few lines.")
    try:
        root = yaml.compose(text, Loader=yaml.SafeLoader)
    except RecursionError:
        raise BadValue("The file is nested too deep.", _REMEDY) from None
    if root is None or (isinstance(root, yaml.ScalarNode) and _is_null(root)):
        return []
    if not isinstance(root, yaml.MappingNode):
        raise BadValue("The file is no mapping of keys to values.", _REMEDY)
    return list(root.value)


def _is_flow(text: str) -> bool:
    root = yaml.compose(text, Loader=yaml.SafeLoader)
    return isinstance(root, yaml.MappingNode) and bool(root.flow_style)


def _is_null(node: Any) -> bool:
    return bool(node.tag == f"{_TAG}null")


def _value(field: Field, node: Any) -> Value:
    if isinstance(node, yaml.SequenceNode):
        return list_value(field, [_text(field, item) for item in node.value])
    if not isinstance(node, yaml.ScalarNode):
        raise BadValue(f"{field.name} takes {field.kind}, no mapping.", _REMEDY)
    if field.kind in (Kind.NAMES, Kind.VALUES):
        return split_value(field, _text(field, node))
    if field.kind is Kind.FLAG and node.tag == f"{_TAG}bool":
        return bool(yaml.SafeLoader.bool_values[node.value.lower()])
    if (field.kind is Kind.SPAN and node.tag == f"{_TAG}int") or field.kind is Kind.VALUE:
        return text_value(field, str(node.value))
    return text_value(field, _text(field, node))


def _text(field: Field, node: Any) -> str:
    if field.kind is Kind.VALUES and isinstance(node, yaml.ScalarNode):
        return NULL_PARTITION if _is_null(node) else str(node.value)
    if not isinstance(node, yaml.ScalarNode) or node.tag != f"{_TAG}str":
        shown = f"{node.value}" if isinstance(node, yaml.ScalarNode) else "a nested value"
        remedy = (
            "Write true or false." if field.kind is Kind.FLAG else "Put text that looks like something else in quotes."
        )
        raise BadValue(f"{field.name} takes {field.kind}; {shown} is none.", remedy)
    return str(node.value)


def _mistake(mark: Any, message: str, remedy: str, field: str | None = None) -> Mistake:
    line, column = (mark.line + 1, mark.column + 1) if mark is not None else (1, None)
    return Mistake(CONFIG_FILE, line, message, remedy, field, column)
