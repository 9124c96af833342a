"""A place in the words of a statement: the tool that every statement reader is written with."""

from __future__ import annotations

import re
from typing import NoReturn

from sqlglot import exp

from catalog_app.domain.names import name_folded
from lakeui.common.errors import SyntaxProblem
from lakeui.sql.lexer import Kind, Word, read_words, syntax_problem

_UNSTORED = re.compile("[\x00\ud800-\udfff]")
_OPENING = {"(": ")", "[": "]", "{": "}"}


def is_stored(text: str) -> bool:
    """Whether PostgreSQL takes the text: it has no NUL and no half of a character."""
    return _UNSTORED.search(text) is None


class Cursor:
    """Reads the words of one statement from left to right. ``accept`` looks and takes, ``expect`` takes or fails.

    ``common``: the common tables of a WITH that stood before. ``message``: what the statement says of its commit.
    ``views``: the folded names of the session's temporary views.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self.words = _one_statement(text)
        self.index = 0
        self.common: exp.With | None = None
        self.message: str | None = None
        self.views: frozenset[str] = frozenset()

    # -- looking ------------------------------------------------------------------------------------------------

    @property
    def current(self) -> Word | None:
        return self.words[self.index] if self.index < len(self.words) else None

    @property
    def at_end(self) -> bool:
        return self.index >= len(self.words)

    def sees(self, *texts: str) -> bool:
        """Whether the next words are these keywords or symbols."""
        found = self.words[self.index : self.index + len(texts)]
        return len(found) == len(texts) and all(
            word.kind in (Kind.WORD, Kind.SYMBOL) and word.value.upper() == text
            for word, text in zip(found, texts, strict=True)
        )

    def sees_kind(self, *kinds: Kind) -> bool:
        return self.current is not None and self.current.kind in kinds

    # -- taking -------------------------------------------------------------------------------------------------

    def accept(self, *texts: str) -> bool:
        if not self.sees(*texts):
            return False
        self.index += len(texts)
        return True

    def accept_phrase(self, *phrases: str) -> str | None:
        """The first of the phrases (words parted by blanks) that comes next, taken."""
        return next((phrase for phrase in phrases if self.accept(*phrase.split())), None)

    def accept_last(self, *texts: str) -> bool:
        """Whether the statement ends in these keywords, behind something else; they are taken off."""
        found = self.words[-len(texts) :]
        if len(self.words) <= len(texts) or [(word.kind, word.value.upper()) for word in found] != [
            (Kind.WORD, text) for text in texts
        ]:
            return False
        self.words = self.words[: -len(texts)]
        return True

    def expect(self, *texts: str) -> None:
        for text in texts:
            if not self.accept(text):
                self.fail(f"Expected {text}")

    def take(self) -> Word:
        word = self.current
        if word is None:
            self.fail("The statement ends too early")
        if word.kind == Kind.STRING and not is_stored(word.value):
            # Such texts are stored by PostgreSQL, which has no NUL; those of expressions are Spark's.
            self.fail("A comment, property, partition or key cannot hold the character NUL or half a character")
        self.index += 1
        return word

    def name(self, what: str = "a name") -> str:
        """One identifier, quoted or not."""
        if not self.sees_kind(Kind.WORD, Kind.QUOTED):
            self.fail(f"Expected {what}")
        return name_folded(self.take().value)

    def string(self, what: str = "a string in quotes") -> str:
        if not self.sees_kind(Kind.STRING):
            self.fail(f"Expected {what}")
        return self.take().value

    def integer(self, what: str = "a whole number") -> int:
        if not (self.sees_kind(Kind.NUMBER) and self.words[self.index].value.isdecimal()):
            self.fail(f"Expected {what}")
        return int(self.take().value)

    def names_in_parentheses(self, what: str = "a column name") -> tuple[str, ...]:
        self.expect("(")
        names = [self.name(what)]
        while self.accept(","):
            names.append(self.name(what))
        self.expect(")")
        return tuple(names)

    def end(self) -> None:
        if not self.at_end:
            self.fail("Nothing more was expected here")

    # -- spans of foreign text ----------------------------------------------------------------------------------

    def span(self, *stops: str, phrases: tuple[str, ...] = ()) -> str:
        """The text up to a stop word or symbol outside of parentheses, or to the end; padded, so that places stay.

        The stop itself is not taken. An empty span is an error.
        """
        first = self.index
        depth = 0
        while (word := self.current) is not None:
            if depth == 0 and (self._stops_here(stops) or any(self.sees(*phrase.split()) for phrase in phrases)):
                break
            if word.kind == Kind.SYMBOL:
                depth += (word.value in _OPENING) - (word.value in _OPENING.values())
                if depth < 0:
                    break
            self.index += 1
        if self.index == first:
            self.fail("Expected an expression")
        return self.between(self.words[first].start, self.words[self.index - 1].end)

    def rest(self) -> str:
        """All text from here to the end, padded."""
        if self.at_end:
            self.fail("The statement ends too early")
        start, end = self.words[self.index].start, self.words[-1].end
        self.index = len(self.words)
        return self.between(start, end)

    def between(self, start: int, end: int) -> str:
        """A slice of the text behind blanks that keep every line and column where it was."""
        lines, column = self.text.count("\n", 0, start), start - self.text.rfind("\n", 0, start) - 1
        return "\n" * lines + " " * column + self.text[start:end]

    def _stops_here(self, stops: tuple[str, ...]) -> bool:
        return any(self.sees(stop) for stop in stops)

    # -- failing ------------------------------------------------------------------------------------------------

    def problem(self, message: str) -> SyntaxProblem:
        word = self.current
        if word is None:
            return syntax_problem(self.text, len(self.text.rstrip()), message)
        return syntax_problem(self.text, word.start, message, near=self.text[word.start : word.end][:60])

    def fail(self, message: str) -> NoReturn:
        raise self.problem(message)


def _one_statement(text: str) -> tuple[Word, ...]:
    """The words of the only statement in the text, its closing semicolons dropped."""
    words = read_words(text)
    count = len(words)
    while count and words[count - 1].kind == Kind.SYMBOL and words[count - 1].value == ";":
        count -= 1
    words = words[:count]
    if not words:
        raise syntax_problem(text, 0, "There is no statement")
    for word in words:
        if word.kind == Kind.SYMBOL and word.value == ";":
            raise syntax_problem(
                text, word.start, "Only one statement a call is possible; a second one starts", near=";"
            )
    return words
