"""Our dialect of SQL for queries and expressions: Spark's, with every function kept just as it was written.

Known functions are not turned into general ones, so that what is generated calls what was checked, by the same name.
Nothing in here decides what is allowed; see ``allowlist``.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, ClassVar

from sqlglot import exp
from sqlglot.dialects.spark import Spark
from sqlglot.errors import ParseError, TokenError
from sqlglot.generators.spark import SparkGenerator
from sqlglot.parsers.spark import SparkParser
from sqlglot.tokenizer_core import Token, TokenType

from catalog_app.domain.names import name_folded
from catalog_app.domain.quoting import quote_name
from lakeui.common.errors import SyntaxProblem
from lakeui.sql.growth import growth_guarded
from lakeui.sql.lexer import syntax_problem
from lakeui.sql.operators import BitwiseUnsignedRightShift, OperatorParser, VariantPath
from lakeui.sql.parameters import START, with_values
from lakeui.sql.pipes import pipe_sql
from lakeui.sql.session_functions import with_functions
from lakeui.sql.session_values import with_session_values

_COMMAND_TOKENS = {TokenType.COMMAND, TokenType.EXECUTE, TokenType.FETCH, TokenType.SHOW, TokenType.RENAME}
_SPECIAL_CALLS = ("CAST", "TRY_CAST", "EXTRACT", "OVERLAY", "POSITION", "SUBSTRING", "SUBSTR", "TRIM")
_TRAVEL_WORDS = {
    "VERSION": "VERSION",
    "SYSTEM_VERSION": "VERSION",
    "TIMESTAMP": "TIMESTAMP",
    "SYSTEM_TIME": "TIMESTAMP",
}
_UNIT_FUNCTIONS = {"DATEADD", "DATE_ADD", "DATEDIFF", "DATE_DIFF", "TIMESTAMPADD", "TIMESTAMPDIFF"}
_SMALLEST = re.compile(r"-\s*(?:128Y|32768S|9223372036854775808L)\b", re.IGNORECASE)
"""The numbers with a suffix that only exist with their sign."""
_WRITTEN_PLAIN = (
    exp.Select,
    exp.From,
    exp.Pivot,
    exp.Table,
    exp.WithinGroup,
    exp.BitwiseLeftShift,
    exp.BitwiseRightShift,
)


class Lake(Spark):
    """The dialect."""

    class Tokenizer(Spark.Tokenizer):
        """Spark's tokens, without commands that swallow text, without templates, and with hints as comments."""

        COMMANDS: ClassVar[set[TokenType]] = set()
        COMMENTS: ClassVar[list[Any]] = ["--", ("/*", "*/")]
        KEYWORDS: ClassVar[dict[str, TokenType]] = {
            text: token
            for text, token in Spark.Tokenizer.KEYWORDS.items()
            if "{" not in text and "}" not in text and text != "/*+" and token not in _COMMAND_TOKENS
        }

    class Parser(OperatorParser):
        FUNCTIONS: ClassVar[dict[str, Callable[..., Any]]] = {}
        FUNCTION_PARSERS: ClassVar[dict[str, Callable[..., Any]]] = {
            name: reader for name, reader in SparkParser.FUNCTION_PARSERS.items() if name in _SPECIAL_CALLS
        }
        NO_PAREN_FUNCTION_PARSERS: ClassVar[dict[str, Callable[..., Any]]] = {
            name: reader for name, reader in SparkParser.NO_PAREN_FUNCTION_PARSERS.items() if name in ("CASE", "IF")
        }
        NO_PAREN_FUNCTIONS: ClassVar[dict[TokenType, Any]] = {
            TokenType.CURRENT_DATE: exp.CurrentDate,
            TokenType.CURRENT_TIMESTAMP: exp.CurrentTimestamp,
        }

        PLACEHOLDER_PARSERS: ClassVar[dict[TokenType, Callable[..., Any]]] = {
            **SparkParser.PLACEHOLDER_PARSERS,
            TokenType.PLACEHOLDER: lambda self: _marker(self._prev),
        }

        _looked_through: list[Token] | None = None
        _has_changes = False

        STRICT_CAST = True
        SUPPORTS_TABLE_QUERY = True
        # ARRAY[…] is not Spark's: array(1, 2)[0] is an element, as is that of a column named list.
        ARRAY_CONSTRUCTORS: ClassVar[dict[str, Any]] = {}
        VERSION_PHRASES: ClassVar[dict[tuple[str, ...], str]] = {
            (*start, word, "AS", "OF"): meaning for start in ((), ("FOR",)) for word, meaning in _TRAVEL_WORDS.items()
        }

        def _parse_table(self, *arguments: Any, **named: Any) -> exp.Expr | None:
            """Also ``t CHANGES FROM VERSION a TO BRANCH b``, which is ``table_difference('t', a, branch => 'b')``."""
            return self._changes() or super()._parse_table(*arguments, **named)

        def _may_have_changes(self) -> bool:
            """Whether the word stands in the text, which is looked through once."""
            if self._looked_through is not self._tokens:
                self._looked_through = self._tokens
                self._has_changes = any(token.text.upper() == "CHANGES" for token in self._tokens)
            return self._has_changes

        def _changes(self) -> exp.Table | None:
            if not self._may_have_changes():
                return None
            start = self._index
            name = self._parse_table_parts(fast=True)
            if not isinstance(name, exp.Table) or not self._match_text_seq("CHANGES", "FROM"):
                self._retreat(start)
                return None
            first = self._change_point()
            last = self._change_point() if self._match_text_seq("TO") else None
            if first is None or last is None:
                self.raise_error("Expected CHANGES FROM point TO point, each VERSION number, BRANCH name or TAG name")
            parts = (name.args.get(part) for part in ("catalog", "db", "this"))
            text = ".".join(quote_name(part.name) for part in parts if part is not None)
            call = exp.Anonymous(this="table_difference", expressions=[exp.Literal.string(text), first, last])
            table = exp.Table(this=call)
            own = exp.TableAlias(this=exp.to_identifier(name.name, quoted=True))
            table.set("alias", self._parse_table_alias() or own)
            return table

        def _change_point(self) -> exp.Expr | None:
            if self._match_text_seq("VERSION"):
                return self._parse_number()
            for kind in ("BRANCH", "TAG"):
                if self._match_text_seq(kind):
                    name = self._parse_id_var(any_token=False)
                    text = None if name is None else exp.Literal.string(name.name)
                    return text and exp.Kwarg(this=exp.var(kind.lower()), expression=text)
            return None

    class Generator(SparkGenerator):
        TABLESAMPLE_SEED_KEYWORD = "REPEATABLE"
        # A common table stays where it is written: there its name counts, and there it may name columns around it.
        EXPRESSIONS_WITHOUT_NESTED_CTES: ClassVar[Any] = frozenset()
        # Left to the general generator is what Spark's would turn into something that its parser reads otherwise.
        TRANSFORMS: ClassVar[dict[Any, Any]] = {
            node: writer for node, writer in SparkGenerator.TRANSFORMS.items() if node not in _WRITTEN_PLAIN
        } | {
            exp.StrPosition: lambda self, e: self.func("POSITION", e.args["substr"], e.this, e.args.get("position")),
            exp.CurrentTimestamp: lambda _self, _e: "CURRENT_TIMESTAMP",
            BitwiseUnsignedRightShift: lambda self, e: self.binary(e, ">>>"),
            VariantPath: lambda self, e: f"{self.sql(e, 'this')}:{e.path}",
        }

        def select_sql(self, expression: exp.Select) -> str:
            """Operators behind a pipe stay there, where columns go by the names of several tables."""
            piped = pipe_sql(expression, self.sql)
            return str(super().select_sql(expression)) if piped is None else str(self.prepend_ctes(expression, piped))

        def anonymous_sql(self, expression: exp.Anonymous) -> str:
            """A call as it was written; the size of what it makes is checked (``growth``)."""
            return f"{expression.name}({', '.join(growth_guarded(expression, self.sql))})"

        def lateral_sql(self, expression: exp.Lateral) -> str:
            """Spark's generator writes the name of a LATERAL VIEW bare; like any other it is quoted here."""
            alias = expression.args.get("alias")
            if not expression.args.get("view") or alias is None:
                return str(super().lateral_sql(expression))
            outer = " OUTER" if expression.args.get("outer") else ""
            name = f" {self.sql(alias, 'this')}" if alias.this else ""
            columns = self.expressions(alias, key="columns", flat=True)
            return f" LATERAL VIEW{outer} {self.sql(expression, 'this')}{name}" + (f" AS {columns}" if columns else "")


def _marker(token: Token) -> exp.Expr:
    """A ``?``, which keeps where it stands."""
    marker = exp.Placeholder()
    marker.meta[START] = token.start
    return marker


_DIALECT = Lake()


def tokens(text: str) -> list[Token]:
    """The tokens of a text. A doubled quote in a string, which the tokenizer reads as two strings, is one again.
    ``0x1F`` is a name, as Spark reads it, and ``window`` before a bracket is a function.
    """
    found: list[Token] = []
    for token in _DIALECT.tokenize(text):
        last = found[-1] if found else None
        if last is not None and token.token_type == TokenType.L_PAREN and last.token_type == TokenType.WINDOW:
            found[-1] = Token(TokenType.VAR, last.text, last.line, last.col, last.start, last.end)
        if token.token_type == TokenType.HEX_STRING and text[token.start] == "0":
            written = text[token.start : token.end + 1]
            found.append(Token(TokenType.VAR, written, token.line, token.col, token.start, token.end))
            continue
        if (
            last is not None
            and token.token_type == last.token_type == TokenType.STRING
            and token.start == last.end + 1
            and text[token.start] == text[last.end]
        ):
            merged = last.text + text[last.end] + token.text
            found[-1] = Token(TokenType.STRING, merged, last.line, last.col, last.start, token.end)
        else:
            found.append(token)
    return found


def read_query(text: str) -> exp.Expr:
    """The tree of a query."""
    return _read(text, None)


def read_expression(text: str) -> exp.Expr:
    """The tree of an expression."""
    return _read(text, exp.Condition)


def write(tree: exp.Expr) -> str:
    """The SQL of a checked tree: every name quoted, no comments, on one line."""
    generator = Lake.Generator(dialect=_DIALECT, identify=True, comments=False, normalize_functions=False)
    try:
        return str(generator.generate(tree))
    except (RecursionError, TokenError) as error:
        # A cast reads its type as text; where no depth is left, the tokenizer is what fails.
        raise too_deep() from error


def _read(text: str, kind: type[exp.Expr] | None) -> exp.Expr:
    # The blanks that keep the places of a text are not read once more for each part of a statement.
    body = text.lstrip()
    try:
        parser = Lake.Parser(dialect=_DIALECT)
        trees = parser.parse(tokens(body), body) if kind is None else parser.parse_into(kind, tokens(body), body)
    except ParseError as error:
        raise _as_problem(text, body, error) from None
    except TokenError as error:
        if isinstance(error.__cause__, RecursionError):
            raise too_deep() from None
        raise syntax_problem(text, len(text.rstrip()), f"The text cannot be read ({error})") from None
    except RecursionError:
        raise too_deep() from None
    found = [tree for tree in trees if tree is not None]
    if len(found) != 1:
        raise syntax_problem(text, len(text.rstrip()), "Expected exactly one query or expression")
    tree = with_session_values(with_values(found[0], text, len(text) - len(body)))
    return with_functions(_settle(text, tree))


def too_deep() -> SyntaxProblem:
    """The refusal of a statement that is nested deeper than it can be read."""
    return SyntaxProblem("The statement is nested too deeply.", remedy="Split it up.", line=1, column=1, near="")


def _as_problem(text: str, body: str, error: ParseError) -> SyntaxProblem:
    """The first thing that the parser stumbled over, as our error. ``body`` ends ``text``."""
    first = error.errors[0] if error.errors else {}
    near = str(first.get("highlight") or "")
    message = _plain(str(first.get("description") or "")).rstrip(".")
    line = int(first.get("line") or 1)
    last_column = int(first.get("col") or 1)
    lines = body.split("\n")
    start = sum(len(item) + 1 for item in lines[: line - 1]) + last_column - max(len(near), 1)
    return syntax_problem(text, len(text) - len(body) + max(start, 0), message, near=near)


def _plain(message: str) -> str:
    """What the parser says, without its own objects and classes."""
    if "<" in message:
        message = re.sub(r" but got <Token .*", "", message)
        message = re.sub(r"Required keyword: '.*", "Something is missing", message)
    if not message or "<" in message:
        return "The text is not SQL"
    return message.removeprefix("Invalid expression / ")


def _settle(text: str, tree: exp.Expr) -> exp.Expr:
    """What the general parser leaves open: strings raw or side by side, units of time, a SELECT of nothing."""
    for string in list(tree.find_all(exp.RawString, exp.Concat, bfs=False))[::-1]:
        parts = string.expressions if isinstance(string, exp.Concat) else [string]
        whole = exp.Literal.string("".join(part.name for part in parts))
        if string is tree:
            tree = whole
        string.replace(whole)
    if not text.isascii():
        for name in tree.find_all(exp.Identifier):
            name.set("this", name_folded(name.this))
    for call in tree.find_all(exp.Anonymous):
        arguments = call.expressions
        if call.name.upper() in _UNIT_FUNCTIONS and len(arguments) == 3 and _is_bare_word(arguments[0]):
            arguments[0].replace(exp.var(arguments[0].name))
    if _SMALLEST.search(text):
        for number in list(tree.find_all(exp.Neg)):
            signed = _negated_inside(number)
            tree = signed if number is tree else tree
            number.replace(signed)
    if any(not select.expressions for select in tree.find_all(exp.Select)):
        raise syntax_problem(text, len(text.rstrip()), "A SELECT names no columns; it ends")
    return tree


def _negated_inside(number: exp.Neg) -> exp.Expr:
    """``-128Y``: the sign belongs to the number before that becomes a TINYINT, which does not hold 128."""
    cast = number.this
    if not (isinstance(cast, exp.Cast) and isinstance(cast.this, exp.Literal)) or cast.this.is_string:
        return number
    if not cast.to.is_type("tinyint", "smallint", "bigint"):
        # A DOUBLE takes its sign after the cast: before, the zero of -0.0D is a DECIMAL, which has none.
        return number
    return exp.Cast(this=exp.Neg(this=cast.this.copy()), to=cast.to.copy())


def _is_bare_word(node: exp.Expr) -> bool:
    """A unit such as MONTH in first place (``datediff(MONTH, a, b)``) is read as a column, and is none."""
    return (
        isinstance(node, exp.Column)
        and not node.table
        and isinstance(node.this, exp.Identifier)
        and not node.this.quoted
    )
