"""What the general parser lacks of Spark: ``v:path`` into a VARIANT, the shift ``>>>``, a sample before a name.

Each operator is a node of its own, and is written as it was read: Spark names a column by the last part of its path.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Any, ClassVar

from sqlglot import exp
from sqlglot.parsers.spark import SparkParser
from sqlglot.tokenizer_core import TokenType

from lakeui.sql.pipes import PipeParser

_WORD = re.compile(r"[^\W\d]\w*")
_SHIFTS = {TokenType.LT: exp.BitwiseLeftShift, TokenType.GT: exp.BitwiseRightShift}


class BitwiseUnsignedRightShift(exp.Expression, exp.Binary):
    """``a >>> b``."""


class VariantPath(exp.Expression, exp.Condition):
    """``this:path``. ``expressions`` are literals: the text of each is ``.name``, ``['name']`` or ``[number]``."""

    arg_types = {"this": True, "expressions": True}

    @property
    def path(self) -> str:
        """The path as SQL text."""
        return "".join(part.name for part in self.expressions).removeprefix(".")


class OperatorParser(PipeParser):
    """Spark's parser, with these operators."""

    COLON_IS_VARIANT_EXTRACT = True
    COLUMN_OPERATORS: ClassVar[dict[TokenType, Any]] = {
        **SparkParser.COLUMN_OPERATORS,
        TokenType.DCOLON: lambda self, this, kind: self._cast_of(this, kind),
    }

    def _cast_of(self, this: exp.Expr | None, kind: exp.Expr) -> exp.Expr:
        """``this::kind``. What stands in brackets behind a type is an element of the value."""
        elements = kind.args.get("values")
        kind.set("values", None)
        cast = self.build_cast(strict=self.STRICT_CAST, this=this, to=kind)
        return cast if elements is None else self.expression(exp.Bracket(this=cast, expressions=elements))

    def _parse_dcolon(self) -> exp.Expr | None:
        """The type, with what stands in brackets behind it as its ``values``."""
        kind = self._parse_types()
        if not isinstance(kind, exp.Cast):
            return kind
        if self._prev.token_type != TokenType.R_BRACKET or not kind.this.expressions:
            self.raise_error("Expected an operator behind the type", self._prev)
        kind.to.set("values", kind.this.expressions)
        return kind.to

    def _parse_field(
        self,
        any_token: bool = False,
        tokens: Collection[TokenType] | None = None,
        anonymous_func: bool = False,
    ) -> exp.Expr | None:
        if any_token and self._index and self._prev.token_type == TokenType.DOT and self._match(TokenType.STRING):
            self._quotes_refuse()
        return super()._parse_field(any_token, tokens, anonymous_func)

    def _parse_id_var(self, any_token: bool = True, tokens: Collection[TokenType] | None = None) -> exp.Expr | None:
        found = super()._parse_id_var(any_token, tokens)
        if found is not None and self._prev.token_type == TokenType.STRING:
            self._quotes_refuse()
        return found

    def _parse_string_as_identifier(self) -> exp.Identifier | None:
        """What stands in quotes of either kind is a text. Elsewhere a name in them would be read as a value."""
        if self._match(TokenType.STRING):
            self._quotes_refuse()
        return None

    def _quotes_refuse(self) -> None:
        name = self._prev.text.replace("`", "``")
        self.raise_error(f"A text in quotes is no name; write `{name}`", self._prev)

    def _parse_colon_as_variant_extract(self, this: exp.Expr | None) -> exp.Expr | None:
        """The path behind each colon, and ``::type`` behind it."""
        while this is not None and self._match(TokenType.COLON):
            parts = [self._path_name() or self._path_bracket()]
            while (part := self._path_name(dot=True) or self._path_bracket(is_first=False)) is not None:
                parts.append(part)
            this = self._parse_column_ops(self.expression(VariantPath(this=this, expressions=parts)))
        return this

    def _path_name(self, *, dot: bool = False) -> exp.Expr | None:
        if dot and not self._match(TokenType.DOT):
            return None
        token = self._curr
        is_word = token.token_type not in self.TEXT_MATCH_EXCLUDED_TOKENS and _WORD.fullmatch(token.text)
        if not token or not (is_word or token.token_type == TokenType.IDENTIFIER):
            if dot:
                self.raise_error("Expected a name behind the dot of the path")
            return None
        self._advance()
        return exp.Literal.string(".`" + token.text.replace("`", "``") + "`")

    def _path_bracket(self, *, is_first: bool = True) -> exp.Expr | None:
        if not self._match(TokenType.L_BRACKET):
            if is_first:
                self.raise_error("Expected a name, ['name'] or [number] behind the colon")
            return None
        if not self._match_set((TokenType.STRING, TokenType.NUMBER)):
            self.raise_error("In brackets of a path stands a text in quotes or a number")
        inside = self._prev
        is_name = inside.token_type == TokenType.STRING
        if "'" in inside.text or "\\" in inside.text or not (is_name or inside.text.isdecimal()):
            self.raise_error("A path takes no text with quotes or backslashes, and whole numbers only")
        if not self._match(TokenType.R_BRACKET):
            self.raise_error("Expected ] behind one text or number of the path")
        return exp.Literal.string(f"['{inside.text}']" if is_name else f"[{inside.text}]")

    def _parse_subquery(self, this: exp.Expr | None, parse_alias: bool = True) -> exp.Subquery | None:
        """Also ``(query) TABLESAMPLE (..) AS name``."""
        sample = self._parse_table_sample() if this is not None and parse_alias else None
        query = super()._parse_subquery(this, parse_alias)
        if query is not None and sample is not None:
            query.set("sample", sample)
        return query

    def _parse_bitwise(self) -> exp.Expr | None:
        """``>>>`` is three signs that touch, so that the end of ``ARRAY<ARRAY<ARRAY<INT>>>`` is none."""
        this = self._parse_term()
        while (operator := self._bitwise_operator()) is not None:
            this = self.expression(operator(this=this, expression=self._parse_term()))
        return this

    def _bitwise_operator(self) -> type[exp.Expr] | None:
        if self._match_set(self.BITWISE):
            return self.BITWISE[self._prev.token_type]
        if self._match(TokenType.DPIPE):
            return exp.DPipe
        for sign, shift in _SHIFTS.items():
            if self._match_pair(sign, sign):
                is_unsigned = sign == TokenType.GT and self._is_connected() and self._match(sign)
                return BitwiseUnsignedRightShift if is_unsigned else shift
        return None
