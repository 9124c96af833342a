"""The Jinja of a pipeline's source: what it may use, and what is rendered from it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from types import TracebackType
from typing import Any, NoReturn

from jinja2 import StrictUndefined, TemplateError, TemplateSyntaxError, Undefined, UndefinedError, nodes
from jinja2.sandbox import SandboxedEnvironment

from catalog_app.domain.quoting import quote_name
from merge_app.pipelines.definition.fields import Strategy
from merge_app.pipelines.definition.landing import DATABASE as LANDING
from merge_app.pipelines.definition.landing import HELPER as LANDING_HELPER
from merge_app.pipelines.definition.mistakes import SOURCE, Mistake, nearest, nearest_of, refuse
from merge_app.pipelines.definition.typed_texts import TypedText, TypedTexts

LONGEST_SOURCE = 256 * 1024
"""Characters."""
LONGEST_SQL = 1024 * 1024
_TEMPLATE = "<template>"
"""What Jinja calls a template that comes from no file."""


@dataclass(frozen=True, slots=True)
class TableAddress:
    database: str
    table: str

    @property
    def sql(self) -> str:
        return f"{quote_name(self.database)}.{quote_name(self.table)}"


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What a template sees. ``references`` are the targets of the catalog's pipelines by name; ``watermark`` is the
    highest value of the watermark column as text, None where there is none, and ``watermark_type`` the column's Spark
    type. ``continues``: the target has rows from which an incremental run continues. ``started_at`` is the time of the
    run as text, in UTC.
    """

    strategy: Strategy
    this: TableAddress
    continues: bool = False
    watermark: str | None = None
    watermark_type: str = "string"
    started_at: str = "1970-01-01 00:00:00"
    references: Mapping[str, TableAddress] | None = None

    def as_json(self) -> dict[str, Any]:
        return {
            "strategy": self.strategy.value,
            "this": [self.this.database, self.this.table],
            "continues": self.continues,
            "watermark": self.watermark,
            "watermark_type": self.watermark_type,
            "started_at": self.started_at,
            "references": {name: [to.database, to.table] for name, to in (self.references or {}).items()},
        }

    @classmethod
    def from_json(cls, body: Mapping[str, Any]) -> Surroundings:
        references = {name: TableAddress(*parts) for name, parts in body["references"].items()}
        this = TableAddress(*body["this"])
        return cls(**{**body, "strategy": Strategy(body["strategy"]), "this": this, "references": references})


_GLOBALS = ("range", "dict")
HELPERS = (
    "this",
    "watermark_value",
    "run_started_at",
    "is_incremental",
    "is_append_only",
    "is_delete_insert",
    "is_scd2",
    "is_snapshot",
    "ref",
    "source",
    LANDING_HELPER,
)
"""What a template may name."""
_IN_BLOCKS = ("loop", "caller", "varargs", "kwargs", "self")
"""What Jinja itself gives inside of loops, macros and blocks."""


class _Environment(SandboxedEnvironment):
    """Templates make text of values that are given to them, and reach nothing else."""

    def __init__(self) -> None:
        self.typed_texts = TypedTexts()
        super().__init__(
            undefined=StrictUndefined, keep_trailing_newline=True, finalize=self._printed, autoescape=False
        )
        # lipsum and cycler are toys; namespace and joiner keep state that SQL does not need.
        self.globals = {name: self.globals[name] for name in _GLOBALS}

    def _printed(self, value: Any) -> Any:
        if isinstance(value, TypedText):
            return self.typed_texts.mark(value)
        return _printable(value)


class _Refused(TemplateError):
    """A helper was used in a way that it does not allow."""

    def __init__(self, message: str, remedy: str) -> None:
        super().__init__(message)
        self.remedy = remedy


def template_render(source: str, surroundings: Surroundings) -> str:
    """The SQL that the source makes. Raises InvalidConfig with the line.

    Bounds neither time nor memory: ``bounded_render`` does.
    """
    if len(source) > LONGEST_SOURCE:
        _refuse(None, f"The source has more than {LONGEST_SOURCE:,} characters.", "Split it into several pipelines.")
    environment = _Environment()
    try:
        made = environment.from_string(source, globals=_helpers(surroundings)).render()
        text = environment.typed_texts.settled(made)
    except TemplateSyntaxError as error:
        _refuse(error.lineno, _sentence(error), "Mend the template.")
    except _Refused as error:
        _refuse(_line_of(error.__traceback__), str(error.message), error.remedy)
    except UndefinedError as error:
        remedy = nearest(_undefined_name(error), HELPERS)
        _refuse(_line_of(error.__traceback__), _sentence(error), remedy)
    # What a template computes can fail in any way that Python can: 1/0, or a text that is no number.
    except Exception as error:  # noqa: BLE001
        _refuse(_line_of(error.__traceback__), _sentence(error), "Mend the template.")
    if len(text) > LONGEST_SQL:
        _refuse(None, f"The template makes more than {LONGEST_SQL:,} characters.", "Make it shorter.")
    return text


def template_check(source: str) -> None:
    """Raise InvalidConfig where the source is no template, or names what templates do not have, with everything that
    is wrong; nothing is rendered.
    """
    environment = _Environment()
    try:
        tree = environment.parse(source)
    except TemplateSyntaxError as error:
        _refuse(error.lineno, _sentence(error), "Mend the template.")
    refuse([*_unknown_names(tree), *_unknown_filters(tree, environment), *_other_templates(tree)])


def _unknown_names(tree: nodes.Template) -> Iterator[Mistake]:
    """Names that nothing in the template gives. Jinja's own search computes constants, which a template can make as
    long as it likes.
    """
    own = {node.name for node in tree.find_all(nodes.Name) if node.ctx != "load"}
    macros = {node.name for node in tree.find_all(nodes.Macro)}
    known = [*HELPERS, *_GLOBALS, *sorted(own | macros)]
    for node in tree.find_all(nodes.Name):
        if node.ctx == "load" and node.name not in (*known, *_IN_BLOCKS):
            yield Mistake(SOURCE, node.lineno, f"The template knows no {node.name}.", nearest(node.name, known))


def _unknown_filters(tree: nodes.Template, environment: _Environment) -> Iterator[Mistake]:
    for node in tree.find_all((nodes.Filter, nodes.Test)):
        assert isinstance(node, nodes.Filter | nodes.Test)
        what, known = ("filter", environment.filters) if isinstance(node, nodes.Filter) else ("test", environment.tests)
        if node.name not in known:
            near = nearest_of(node.name, known)
            remedy = f"Did you mean {near}?" if near else "Mend the template."
            yield Mistake(SOURCE, node.lineno, f"Templates have no {what} {node.name}.", remedy)


def _other_templates(tree: nodes.Template) -> Iterator[Mistake]:
    for node in tree.find_all((nodes.Include, nodes.Import, nodes.FromImport, nodes.Extends)):
        yield Mistake(SOURCE, node.lineno, "There is no other template that this one could use.", "Mend the template.")


def template_asks_for_state(source: str) -> bool:
    """Whether rendering depends on what the target holds, so that it has to be looked up first."""
    return "watermark_value" in source or "is_incremental" in source


def _helpers(surroundings: Surroundings) -> dict[str, Any]:
    strategy = surroundings.strategy
    references = {name.casefold(): address for name, address in (surroundings.references or {}).items()}

    def ref(name: str) -> str:
        address = references.get(str(name).casefold())
        if address is None:
            remedy = nearest(str(name), references) if references else "The catalog has no other pipeline."
            raise _Refused(f"ref: there is no pipeline {name}.", remedy)
        return address.sql

    def source(database: str, table: str) -> str:
        return TableAddress(str(database), str(table)).sql

    def landing(zone: str) -> str:
        return TableAddress(LANDING, str(zone)).sql

    found = surroundings.watermark
    helpers = {
        "this": surroundings.this.sql,
        "watermark_value": None if found is None else TypedText(found, surroundings.watermark_type),
        "run_started_at": TypedText(surroundings.started_at, "timestamp"),
        "is_incremental": _answer(strategy is Strategy.INCREMENTAL and surroundings.continues),
        "is_append_only": _answer(strategy is Strategy.APPEND_ONLY),
        "is_delete_insert": _answer(strategy is Strategy.DELETE_INSERT),
        "is_scd2": _answer(strategy is Strategy.SCD2),
        "is_snapshot": _answer(strategy is Strategy.SNAPSHOT),
        "ref": ref,
        "source": source,
        LANDING_HELPER: landing,
    }
    assert tuple(helpers) == HELPERS
    return helpers


def _answer(value: bool) -> Callable[[], bool]:
    return lambda: value


def _printable(value: Any) -> Any:
    if value is None:
        raise _Refused("There is no value to print here.", "Ask first: {% if watermark_value %} … {% endif %}.")
    if callable(value) and not isinstance(value, Undefined):
        raise _Refused("A helper stands here without being called.", "Write the parentheses: is_incremental().")
    return value


def _line_of(trace: TracebackType | None) -> int | None:
    """The line of the template in which it failed: Jinja puts its lines into the trace."""
    line = None
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == _TEMPLATE:
            line = trace.tb_lineno
        trace = trace.tb_next
    return line


def _sentence(error: Exception) -> str:
    text = str(error).rstrip(".")
    return f"{text[:1].upper()}{text[1:]}." if isinstance(error, TemplateError) else f"{type(error).__name__}: {text}."


def _undefined_name(error: TemplateError) -> str:
    parts = str(error.message).split("'")
    return parts[1] if len(parts) > 1 else ""


def _refuse(line: int | None, message: str, remedy: str) -> NoReturn:
    refuse([Mistake(SOURCE, line, message, remedy)])
    raise AssertionError
