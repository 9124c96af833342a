"""Data tests of a dbt project's ``schema.yml``, as checks. What is not understood is named with its line."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import yaml

from catalog_app.domain.quoting import quote_name
from lakeui.common.errors import InvalidValue, LakeError
from lakeui.sql.check_templates import parameters_read, query_shown
from lakeui.sql.parse import parse

LONGEST_FILE = 512 * 1024
"""Characters."""
LONGEST_NAME = 100
MOST_TESTS = 2000

_CALL = re.compile(
    r"(?:\{\{\s*)?(?P<kind>ref|source)\(\s*(['\"])(?P<first>[^'\"]+)\2\s*"
    r"(?:,\s*(['\"])(?P<second>[^'\"]+)\4\s*)?\)(?:\s*\}\})?"
)
_TESTS = ("data_tests", "tests")
_OPTIONS = frozenset({"name", "config", "arguments", "description", *("severity", "where", "enabled", "tags", "meta")})
_PLAIN_CONFIG = frozenset({"severity", "where", "enabled", "tags", "meta", "limit", "store_failures"})
_PERIODS = ("minute", "hour", "day")
_ELSEWHERE = ("schema", "database", "enabled")
"""Of the configuration of a model: they say that it lies elsewhere, or nowhere."""


@dataclass(frozen=True, slots=True)
class DbtCheck:
    """A test as a check. ``is_error``: whether dbt fails by it; one of severity ``warn`` gates nothing. ``note``: how
    it may differ from dbt's.
    """

    name: str
    template: str
    parameters: Mapping[str, Any]
    query: str
    is_error: bool
    note: str = ""


@dataclass(frozen=True, slots=True)
class NotRead:
    """A test that makes no check: where it stands, from line 1 on, and why."""

    line: int
    test: str
    reason: str


@dataclass(slots=True)
class DbtTests:
    """What a file holds, in its order."""

    checks: list[DbtCheck] = field(default_factory=list)
    not_read: list[NotRead] = field(default_factory=list)


class _NotUnderstoodError(Exception):
    def __init__(self, node: yaml.Node, reason: str) -> None:
        super().__init__(reason)
        self.line, self.reason = node.start_mark.line + 1, reason


def dbt_tests_read(text: str, database: str) -> DbtTests:
    """The tests of models, seeds, snapshots and sources. Models lie in ``database``; a source names its schema itself.
    Raises InvalidValue for a text that is no such file.
    """
    if len(text) > LONGEST_FILE:
        raise InvalidValue(f"The file has more than {LONGEST_FILE} characters.", remedy="Give its parts one by one.")
    try:
        root = yaml.compose(text, yaml.SafeLoader)
        if root is None:
            raise InvalidValue("The file is empty.", remedy="Give a schema.yml of a dbt project.")
        return _File(database, _mapping(root)).read()
    except yaml.YAMLError as error:
        raise InvalidValue(f"This is no YAML: {' '.join(str(error).split())}", remedy="Correct the file.") from None
    except RecursionError:
        raise InvalidValue("The file is nested too deep.", remedy="Give a schema.yml of a dbt project.") from None
    except _NotUnderstoodError as error:
        raise InvalidValue(f"Line {error.line}: {error.reason}", remedy="Correct the file.") from None


class _File:
    """One file, while it is read."""

    def __init__(self, database: str, root: Mapping[str, yaml.Node]) -> None:
        self._database, self._root = database, root
        self._schemas: dict[str, str] = {}
        self._found = DbtTests()

    def read(self) -> DbtTests:
        sources = [_mapping(source) for source in _sequence(self._root.get("sources"))]
        for source in sources:
            name = _name_of(source)
            self._schemas[name] = _text(source["schema"]) if "schema" in source else name
        for kind in ("models", "seeds", "snapshots"):
            for node in _sequence(self._root.get(kind)):
                self._model(node)
        for node in _sequence(self._root.get("unit_tests")):
            self._leave_out(node, _name_of(_mapping(node)), "Unit tests are not read.")
        for source in sources:
            if "database" in source:
                self._leave_out(source["database"], f"source {_name_of(source)}", "database is not read.")
                continue
            for node in _sequence(source.get("tables")):
                entry = _mapping(node)
                name = _text(entry["identifier"]) if "identifier" in entry else _name_of(entry)
                self._table(entry, self._schemas[_name_of(source)], name)
                self._freshness(source, entry, f"{self._schemas[_name_of(source)]}.{name}")
        return self._found

    def _model(self, node: yaml.Node) -> None:
        entry = _mapping(node)
        config = _mapping(entry["config"]) if "config" in entry else {}
        unread = [name for name in _ELSEWHERE if name in config] + [name for name in ("versions",) if name in entry]
        if unread:
            self._leave_out(node, f"model {_name_of(entry)}", f"{', '.join(unread)} is not read.")
            return
        alias = config.get("alias", entry.get("alias"))
        self._table(entry, self._database, _name_of(entry) if alias is None else _text(alias))

    def _leave_out(self, node: yaml.Node, what: str, reason: str) -> None:
        self._found.not_read.append(NotRead(node.start_mark.line + 1, what, reason))

    def _table(self, entry: Mapping[str, yaml.Node], database: str, name: str) -> None:
        table = f"{database}.{name}"
        for test in _tests(entry):
            self._test(test, table, None)
        for node in _sequence(entry.get("columns")):
            column = _mapping(node)
            for test in _tests(column):
                self._test(test, table, _name_of(column))

    def _test(self, node: yaml.Node, table: str, column: str | None) -> None:
        label = "?"
        try:
            label, given = _named_test(node)
            options = {key: given.pop(key) for key in list(given) if key in _OPTIONS}
            given |= _mapping(options["arguments"]) if "arguments" in options else {}
            config = {**options, **(_mapping(options["config"]) if "config" in options else {})}
            if "column_name" in given:
                column = _text(given.pop("column_name"))
            template, parameters = _READ.get(label, _unknown)(self, node, given, table, column)
            is_error = _is_error(node, config)
            if "where" in config:
                template, parameters = _with_where(node, template, parameters, _text(config["where"]))
            name = _text(options["name"]) if "name" in options else _own_name(label, table, column)
            self._add(node, label, name, template, parameters, is_error)
        except _NotUnderstoodError as error:
            self._found.not_read.append(NotRead(error.line, f"{label} of {table}", error.reason))

    def _add(
        self, node: yaml.Node, label: str, name: str, template: str, parameters: Mapping[str, Any], is_error: bool
    ) -> None:
        if len(self._found.checks) >= MOST_TESTS:
            raise _NotUnderstoodError(node, f"A file makes at most {MOST_TESTS} checks.")
        if "/" in name or len(name) > LONGEST_NAME:
            raise _NotUnderstoodError(node, f"{name} is no name of a check: at most {LONGEST_NAME} characters, no /.")
        if any(check.name.lower() == name.lower() for check in self._found.checks):
            raise _NotUnderstoodError(node, f"Two tests are called {name}; give one of them a name.")
        try:
            read = parameters_read(template, parameters)
            query = query_shown(template, read)
            parse(query)
            self._found.checks.append(DbtCheck(name, template, read, query, is_error, _NOTES.get(label, "")))
        except LakeError as error:
            raise _NotUnderstoodError(node, f"{error.message} {error.remedy}".strip()) from None

    def _freshness(self, source: Mapping[str, yaml.Node], entry: Mapping[str, yaml.Node], table: str) -> None:
        """``error_after`` of the table or of its source, else ``warn_after``."""
        node = entry.get("freshness", source.get("freshness"))
        loaded = entry.get("loaded_at_field", source.get("loaded_at_field"))
        if node is None or _is_null(node):
            return
        try:
            limits = _mapping(node)
            bound = next((limits[name] for name in ("error_after", "warn_after") if name in limits), None)
            if bound is None or loaded is None:
                raise _NotUnderstoodError(node, "It needs loaded_at_field, and error_after or warn_after.")
            if "filter" in limits:
                raise _NotUnderstoodError(node, "filter is not read.")
            span = _mapping(bound)
            period = _text(span["period"]) if "period" in span else ""
            if period not in _PERIODS or "count" not in span:
                raise _NotUnderstoodError(bound, f"It needs count, and a period of {', '.join(_PERIODS)}.")
            parameters = {"table": table, "column": _text(loaded), "at_most": f"{_value(span['count'])} {period}"}
            name = _own_name("freshness", table, None)
            self._add(node, "freshness", name, "freshness", parameters, "error_after" in limits)
        except _NotUnderstoodError as error:
            self._found.not_read.append(NotRead(error.line, f"freshness of {table}", error.reason))

    # -- tests, by their names ----------------------------------------------------------------------------------------

    def of_column(self, node: yaml.Node, given: dict[str, yaml.Node], table: str, column: str | None) -> dict[str, Any]:
        if column is None:
            raise _NotUnderstoodError(node, "It stands under no column.")
        _nothing_left(node, given)
        return {"table": table, "column": column}

    def related(self, node: yaml.Node, given: dict[str, yaml.Node], table: str, column: str | None) -> dict[str, Any]:
        to, other = (given.pop(name, None) for name in ("to", "field"))
        if to is None or other is None:
            raise _NotUnderstoodError(node, "It needs `to` and `field`.")
        called = _CALL.fullmatch(_text(to).strip())
        if called is None:
            raise _NotUnderstoodError(to, f"{_text(to)} is neither ref('model') nor source('source', 'table').")
        first, second = called["first"], called["second"]
        if called["kind"] == "source":
            if second is None:
                raise _NotUnderstoodError(to, "source() names a source and a table.")
            target = f"{self._schemas.get(first, first)}.{second}"
        else:
            target = f"{self._database}.{second or first}"
        return {**self.of_column(node, given, table, column), "to_table": target, "to_column": _text(other)}


Read = Callable[["_File", yaml.Node, dict[str, yaml.Node], str, str | None], tuple[str, dict[str, Any]]]


def _not_null(file: _File, node: yaml.Node, given: Any, table: str, column: str | None) -> tuple[str, dict[str, Any]]:
    return "not_null", file.of_column(node, given, table, column)


def _unique(file: _File, node: yaml.Node, given: Any, table: str, column: str | None) -> tuple[str, dict[str, Any]]:
    found = file.of_column(node, given, table, column)
    return "unique", {"table": table, "columns": [found["column"]]}


def _accepted(file: _File, node: yaml.Node, given: Any, table: str, column: str | None) -> tuple[str, dict[str, Any]]:
    values = [_value(item) for item in _sequence(given.pop("values", None))]
    if "quote" in given and _value(given.pop("quote")) is not False:
        values = [str(value) for value in values]
    return "accepted_values", {**file.of_column(node, given, table, column), "values": values}


def _related(file: _File, node: yaml.Node, given: Any, table: str, column: str | None) -> tuple[str, dict[str, Any]]:
    return "relationships", file.related(node, given, table, column)


def _combined(file: _File, node: yaml.Node, given: Any, table: str, column: str | None) -> tuple[str, dict[str, Any]]:
    columns = [_text(item) for item in _sequence(given.pop("combination_of_columns", None))]
    _nothing_left(node, given)
    return "unique", {"table": table, "columns": columns}


def _expression(file: _File, node: yaml.Node, given: Any, table: str, column: str | None) -> tuple[str, dict[str, Any]]:
    condition = given.pop("expression", None)
    if condition is None:
        raise _NotUnderstoodError(node, "It needs `expression`.")
    _nothing_left(node, given)
    text = _text(condition) if column is None else f"{quote_name(column)} {_text(condition)}"
    return "bad_share", {"table": table, "condition": f"NOT ({text})"}


def _unknown(file: _File, node: yaml.Node, given: Any, table: str, column: str | None) -> tuple[str, dict[str, Any]]:
    raise _NotUnderstoodError(node, f"lakeui knows {', '.join(_READ)}. Write another test as a query.")


_READ: dict[str, Read] = {
    "not_null": _not_null,
    "unique": _unique,
    "accepted_values": _accepted,
    "relationships": _related,
    "dbt_utils.unique_combination_of_columns": _combined,
    "dbt_utils.expression_is_true": _expression,
}

_NOTES = {"dbt_utils.unique_combination_of_columns": "Rows with a NULL in one of the columns are no duplicates here."}


def _with_where(
    node: yaml.Node, template: str, parameters: Mapping[str, Any], where: str
) -> tuple[str, dict[str, Any]]:
    """A condition on the rows that are looked at, where the test judges each row by itself."""
    if template == "not_null":
        bad = f"{quote_name(parameters['column'])} IS NULL"
    elif template == "bad_share":
        bad = parameters["condition"]
    else:
        raise _NotUnderstoodError(node, f"`where` of {template} is not read. Write the test as a query.")
    return "bad_share", {"table": parameters["table"], "condition": f"({where}) AND ({bad})"}


def _is_error(node: yaml.Node, config: Mapping[str, yaml.Node]) -> bool:
    unknown = sorted(config.keys() - _PLAIN_CONFIG - _OPTIONS)
    if unknown:
        raise _NotUnderstoodError(node, f"{', '.join(unknown)} is not read.")
    if "enabled" in config and _value(config["enabled"]) is not True:
        raise _NotUnderstoodError(node, "It is not enabled, or a template says whether it is.")
    severity = _text(config["severity"]).lower() if "severity" in config else "error"
    if severity not in ("error", "warn"):
        raise _NotUnderstoodError(config["severity"], f"The severity {severity} is neither error nor warn.")
    return severity == "error"


def _own_name(test: str, table: str, column: str | None) -> str:
    return ": ".join([test.removeprefix("dbt_utils."), f"{table}.{column}" if column else table])


# -- nodes of YAML ----------------------------------------------------------------------------------------------------


def _tests(entry: Mapping[str, yaml.Node]) -> Iterator[yaml.Node]:
    for key in _TESTS:
        yield from _sequence(entry.get(key))


def _named_test(node: yaml.Node) -> tuple[str, dict[str, yaml.Node]]:
    """``not_null``, ``{not_null: {..}}``, or ``{name: .., test_name: not_null, ..}``."""
    if isinstance(node, yaml.ScalarNode):
        return _text(node), {}
    found = _mapping(node)
    if "test_name" in found:
        return _text(found.pop("test_name")), found
    if len(found) != 1:
        raise _NotUnderstoodError(node, "A test has one name.")
    ((name, value),) = found.items()
    return name, {} if _is_null(value) else _mapping(value)


def _nothing_left(node: yaml.Node, given: Mapping[str, yaml.Node]) -> None:
    if given:
        raise _NotUnderstoodError(node, f"{', '.join(given)} is not read.")


def _mapping(node: yaml.Node) -> dict[str, yaml.Node]:
    if not isinstance(node, yaml.MappingNode):
        raise _NotUnderstoodError(node, "Keys with values are expected here.")
    found: dict[str, yaml.Node] = {}
    for key, value in node.value:
        name = _text(key)
        if name in found:
            raise _NotUnderstoodError(key, f"{name} stands here twice.")
        found[name] = value
    return found


def _sequence(node: yaml.Node | None) -> list[yaml.Node]:
    if node is None or _is_null(node):
        return []
    if not isinstance(node, yaml.SequenceNode):
        raise _NotUnderstoodError(node, "A list is expected here.")
    return list(node.value)


def _is_null(node: yaml.Node) -> bool:
    return isinstance(node, yaml.ScalarNode) and node.tag == "tag:yaml.org,2002:null"


def _value(node: yaml.Node) -> Any:
    if not isinstance(node, yaml.ScalarNode):
        raise _NotUnderstoodError(node, "One value is expected here.")
    value = yaml.SafeLoader("").construct_object(node)
    if not isinstance(value, str | int | float | bool):
        raise _NotUnderstoodError(node, f"{node.value} is neither a text, a number, true nor false.")
    return value


def _text(node: yaml.Node) -> str:
    if not isinstance(node, yaml.ScalarNode) or _is_null(node):
        raise _NotUnderstoodError(node, "A text is expected here.")
    return str(node.value)


def _name_of(entry: Mapping[str, yaml.Node]) -> str:
    if "name" not in entry:
        node = next(iter(entry.values()), yaml.ScalarNode("", "", start_mark=yaml.Mark("", 0, 0, 0, None, 0)))
        raise _NotUnderstoodError(node, "The entry has no name.")
    return _text(entry["name"])
