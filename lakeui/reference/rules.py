"""docs/reference/merge-rules.md, made of the rule tables and of the texts of their codes."""

from __future__ import annotations

from collections.abc import Iterator

from catalog_app.rules.codes import CODE_TABLE, CodeText, VerdictCode
from catalog_app.rules.loader import Cell, CellVerdict, RuleTable, load_rules
from lakeui.reference.markdown import code, page, table
from merge_app.planning.decision_phrases import PHRASES
from merge_app.planning.decisions import decisions_of_object
from merge_app.planning.merge_plan import Decision

HEAD = """# Merge rules

A merge that is refused says for each conflict its code, what each branch did, and the sentence of the rule. Search this
page for the code: it has the pairs that raise it, and the way out. The tables stand after the codes.

- The rules are data: `catalog_app/rules/*.toml`. *Table, update × insert* is the cell with `source = "update"` and
  `destination = "insert"` in `table.toml`. `primary_key.toml` has the cells that differ with a primary key.
  [Change a rule](../../CONTRIBUTING.md#change-a-rule-of-merging) says how.
- [How a merge finds its result](../internals/merge.md) explains what the tables stand on.
- `destination` in codes and fields is the target of the merge.
- A1, A6.2, R9 and the like, in the `note` of a finding, are [marks of rules](../internals/merge.md#marks).
- *Widen* goes by [a table of types](sql.md#which-type-widens-to-which), with an example of both directions of a merge.
"""
_MARKS = {CellVerdict.OK: "·", CellVerdict.CONDITIONAL: "?", CellVerdict.CONFLICT: "✕"}
_CODES = {
    "properties": ("CHECK_DIFFERS", "LAYOUT_DIFFERS"),
    "columns of constraints": ("CHECK_COLUMN_MISSING", "LAYOUT_COLUMN_MISSING"),
    "values of constraints": ("CHECK_VIOLATED",),
    "columns": ("COLUMN_MISSING", "COLUMN_NAME_TAKEN", "COLUMNS_JOINED", "NO_COLUMN_LEFT"),
    "values of required columns": ("NOT_NULL_WITHOUT_VALUE",),
    "partitions": ("PARTITION_EXISTS",),
}
"""By condition, what its conflicts are called beside the code of the cell."""
_WORDS = {CellVerdict.OK: "no conflict", CellVerdict.CONDITIONAL: "depends", CellVerdict.CONFLICT: "conflict"}


def rules_page() -> str:
    tables = list(load_rules().tables.values())
    return page(_lines(tables))


def _lines(tables: list[RuleTable]) -> Iterator[str]:
    yield HEAD
    yield "## Conflicts"
    yield ""
    yield "Each refuses the merge until it is cleared or decided. A part of the object, such as a row, a column or a"
    yield "property, may be decidable too: the refusal lists it. Statements and refusals write a decision as RESOLVE"
    yield "takes it: `MERGE BRANCH delays RESOLVE (TABLE flights.flights KEEP BOTH)`. REST has a value for each. See"
    yield "[statements](statements.md)."
    yield ""
    yield from table(["in RESOLVE", "in REST"], ([code(item.form), code(name.value)] for name, item in PHRASES.items()))
    for name, text in CODE_TABLE.items():
        if text.is_conflict:
            yield from _code(name, text, tables)
    yield "## Notes"
    yield ""
    yield "A note refuses nothing: it says what the merge leaves out or overrides."
    yield ""
    for name, text in CODE_TABLE.items():
        if not text.is_conflict:
            yield from _code(name, text, tables)
    for rules in tables:
        yield from _table(rules)


def _code(name: VerdictCode, text: CodeText, tables: list[RuleTable]) -> Iterator[str]:
    yield f"### {name.value}"
    yield ""
    yield f"{text.title}."
    yield ""
    for rules, cell in _cells(name, tables):
        yield f"- {rules.title}, *{cell.source} × {cell.destination}* ({_WORDS[cell.verdict]}). {cell.sentence}"
    yield f"- Way out: {text.remedy}"
    if text.is_conflict:
        yield f"- Or decide the whole object: {', '.join(map(_form, decisions_of_object(name)))}."
    yield ""


def _form(decision: Decision) -> str:
    return code(PHRASES[decision].form)


def _cells(name: VerdictCode, tables: list[RuleTable]) -> Iterator[tuple[RuleTable, Cell]]:
    """Cells of that code; of a table that extends another, its own alone."""
    seen: set[int] = set()
    for rules in tables:
        for cell in rules.cells.values():
            if cell.code == name.value and id(cell) not in seen:
                seen.add(id(cell))
                yield rules, cell


def _table(rules: RuleTable) -> Iterator[str]:
    yield f"## {rules.title}"
    yield ""
    yield "Rows: what the source did. Columns: what the target did."
    yield "`✕` is a conflict, `?` depends on more, `·` is none. The second table has the reasons and codes."
    yield ""
    axes = [axis.key for axis in rules.axes]
    yield from table(
        ["source \\ target", *axes],
        ([f"**{source}**", *(_MARKS[_shown(rules.cell(source, target))] for target in axes)] for source in axes),
    )
    yield from table(
        ["source", "target", "verdict", "why"],
        (
            [cell.source, cell.destination, _verdict(cell), cell.sentence]
            for source in axes
            for cell in (rules.cell(source, target) for target in axes)
        ),
    )


def _verdict(cell: Cell) -> str:
    codes = [cell.code, *(VerdictCode(name).value for name in _CODES.get(cell.condition, ()))]
    return ", ".join([_WORDS[_shown(cell)], *(code(name) for name in codes if name)])


def _shown(cell: Cell) -> CellVerdict:
    """A cell that is no conflict unless its condition finds one depends, to a reader, on that."""
    return CellVerdict.CONDITIONAL if cell.condition else cell.verdict
