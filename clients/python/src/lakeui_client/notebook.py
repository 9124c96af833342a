"""``%%lake`` runs a cell of SQL, ``%lake`` a command, in IPython and Jupyter: ``%load_ext lakeui_client``.

Both act where ``lake switch`` went. A refusal ends the cell, so that the cells below it do not run on.
"""

from __future__ import annotations

import argparse
import html
import shlex
from collections.abc import Sequence
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

from IPython.core.error import UsageError
from IPython.core.interactiveshell import InteractiveShell
from IPython.core.magic import Magics, line_cell_magic, magics_class, no_var_expand
from IPython.display import display

from lakeui_client.cli import show
from lakeui_client.cli.parser import parser_make
from lakeui_client.cli.place import SILENT, Place
from lakeui_client.cli.statements import where_statements_run
from lakeui_client.errors import ConflictError, LakeError, failed
from lakeui_client.kinds import is_query
from lakeui_client.results import frame_of
from lakeui_client.values import Conflict, Result

if TYPE_CHECKING:
    import pyarrow as pa

    from lakeui_client.results import KeptResult

ROWS = 10_000
FORMS = ("pandas", "arrow")
_READS_THE_TERMINAL = ("login", "completion")


class Shown(NamedTuple):
    """A table as a notebook and a terminal show it."""

    title: str
    names: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]

    def __repr__(self) -> str:
        return "\n".join(part for part in (self.title, show.table(self.names, self.rows)) if part)

    def _repr_html_(self) -> str:
        def row(values: Sequence[Any], tag: str) -> str:
            return f"<tr>{''.join(f'<{tag}>{_markup(value)}</{tag}>' for value in values)}</tr>"

        body = "".join(row(values, "td") for values in self.rows)
        head = f"<caption>{_markup(self.title)}</caption><thead>{row(self.names, 'th')}</thead>"
        return f"<table>{head}<tbody>{body}</tbody></table>"


def _markup(value: Any) -> str:
    return html.escape(value if isinstance(value, str) else show.cell(value))


def conflict_table(refused: ConflictError) -> Shown:
    """Every conflict of a refusal, and its ways out."""
    rows = tuple(_conflict_row(conflict) for conflict in refused.conflicts)
    return Shown(refused.detail, ("object", "source", "target", "code", "why", "ways out"), rows)


def _conflict_row(conflict: Conflict) -> tuple[str, ...]:
    return (conflict.object, conflict.source_op, conflict.dest_op, conflict.code, conflict.message, conflict.remedy)


class _Words(argparse.ArgumentParser):
    """Raises what a notebook shows, and never ends the kernel."""

    def error(self, message: str) -> NoReturn:
        raise UsageError(f"{self.prog}: {message}\n{self.format_usage()}")

    def exit(self, status: int = 0, message: str | None = None) -> NoReturn:
        raise UsageError(message or "")


def _cell_parser() -> _Words:
    made = _Words(prog="%%lake", description="Run the statement of the cell.", add_help=False)
    made.add_argument("-o", "--output", metavar="NAME", help="keep the result under this name of the notebook")
    made.add_argument("-p", "--parameter", action="append", default=[], metavar="NAME", help="the value of :NAME")
    made.add_argument("-f", "--form", choices=FORMS, help="pandas where it is installed, else arrow")
    made.add_argument("-n", "--rows", type=int, default=ROWS, metavar="N", help="fetch at most so many; 0 fetches all")
    made.add_argument("-d", "--database", help="where tables lie that are named without one")
    made.add_argument("-C", "--catalog")
    made.add_argument("-b", "--branch")
    made.add_argument("--url")
    made.add_argument("--script", action="store_true", help="the cell holds several statements")
    made.add_argument("--dry-run", action="store_true", help="do all but the commit")
    return made


@magics_class
class LakeMagics(Magics):
    """``%lake`` and ``%%lake``."""

    # What stands in braces is JSON, and no expression of the notebook.
    @line_cell_magic
    @no_var_expand
    def lake(self, line: str, cell: str | None = None) -> Any:
        """``%lake COMMAND`` is the command ``lake``. ``%%lake`` runs the SQL of its cell: ``%%lake --help``."""
        try:
            return self._command(line) if cell is None else self._statement(line, cell)
        # Without their frames: a notebook keeps the last error, and with its frames the connection to the server.
        except ConflictError as refused:
            display(conflict_table(refused))  # type: ignore[no-untyped-call]  # IPython's has no types
            raise UsageError(f"{refused.code}: {refused.remedy}") from refused.with_traceback(None)
        except LakeError as refused:
            raise UsageError(show.problem(refused.problem)) from refused.with_traceback(None)

    def _command(self, line: str) -> None:
        words = _split(line) or ["status"]
        if words[0] in _READS_THE_TERMINAL:
            raise UsageError(f"%lake {words[0]} needs a terminal. Run there: lake {words[0]}")
        try:
            given = parser_make().parse_args(words)
        except SystemExit:
            # argparse has said why, in the output of the cell.
            raise UsageError(f"%lake {line} is not a command of lake. %lake --help lists them.") from None
        said = given.run(Place(given, None), given)
        if said is not SILENT:
            print(said.text)

    def _statement(self, line: str, cell: str) -> Any:
        words = _split(line)
        parser = _cell_parser()
        if "--help" in words or "-h" in words:
            print(parser.format_help())
            return None
        given = parser.parse_args(words)
        if not cell.strip():
            raise failed("The cell holds no statement.", "Write one below %%lake.")
        found = self._run(cell, given)
        if given.output is None:
            return found
        self._variables[given.output] = found
        return None

    def _run(self, cell: str, given: argparse.Namespace) -> Any:
        parameters = {name: self._value(name) for name in given.parameter} or None
        here, where = where_statements_run(Place(given, None), given)
        if given.script:
            if given.dry_run or given.database or given.form:
                raise failed("A script takes no dry run, no database and no form.", "Leave them out.")
            return [_answer(result) for result in here.script(cell, parameters)]
        if is_query(cell) and not given.dry_run:
            with here.keep(cell, parameters, **where) as kept:
                return _in_form(_fetched(kept, given.rows), given.form)
        return _answer(here.sql(cell, parameters, dry_run=given.dry_run, **where))

    def _value(self, name: str) -> Any:
        if name not in self._variables:
            raise failed(f"The notebook has no variable {name}.", f"Set {name} in a cell above.")
        return self._variables[name]

    @property
    def _variables(self) -> dict[str, Any]:
        """Those of the notebook."""
        assert self.shell is not None
        found: dict[str, Any] = self.shell.user_ns
        return found


def _split(line: str) -> list[str]:
    try:
        return shlex.split(line)
    except ValueError as error:
        raise failed(f"{line} cannot be read: {error}.", "Close the quote.") from None


def _answer(result: Result) -> Shown:
    """What a statement answered that is no query."""
    names = tuple(name for name, _ in result.columns)
    return Shown(show.summary(result.raw), names, tuple(result.rows))


def _fetched(kept: KeptResult, most: int) -> pa.Table:
    """The first ``most`` rows, and a word where there are more. Memory holds no others."""
    if most < 0:
        raise failed(f"{most} is no number of rows.", "Say how many, or 0 for all.")
    if most == 0 or kept.row_count <= most:
        return kept.to_arrow()
    import pyarrow

    batches, wanted = [], most
    fetched = kept.batches()
    for batch in fetched:
        batches.append(batch.slice(0, wanted))
        wanted -= batches[-1].num_rows
        if not wanted:
            break
    # Its answer is not read to the end.
    fetched.close()
    print(f"{most:,} of {kept.row_count:,} rows. %%lake --rows N fetches N of them, 0 all.")
    return pyarrow.Table.from_batches(batches)


def _in_form(table: pa.Table, form: str | None) -> Any:
    if form == "arrow":
        return table
    if find_spec("pandas") is None:
        if form == "pandas":
            raise failed("There is no pandas.", "pip install pandas, or %%lake --form arrow")
        return table
    return frame_of(table)


def load(shell: InteractiveShell) -> None:
    shell.register_magics(LakeMagics)
