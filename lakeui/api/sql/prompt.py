"""The prompt of ``manage.py sql``: lines with history and completion, by prompt_toolkit."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from prompt_toolkit import PromptSession
from prompt_toolkit.application import get_app
from prompt_toolkit.completion import CompleteEvent, Completer, Completion
from prompt_toolkit.document import Document
from prompt_toolkit.filters import Condition
from prompt_toolkit.history import FileHistory

from lakeui.api.sql.conversation import is_whole
from lakeui.sql.parse import READERS

_WORD = re.compile(r"[\w.@`]+$")
_QUERIES = (
    "SELECT FROM WHERE GROUP BY HAVING ORDER BY LIMIT JOIN LEFT RIGHT FULL INNER CROSS ON USING AS DISTINCT UNION ALL"
    " EXCEPT INTERSECT WITH VALUES CASE WHEN THEN ELSE END AND OR NOT IN EXISTS BETWEEN LIKE IS NULL CAST OVER"
    " PARTITION SET MATCHED BY SOURCE TARGET DRY RUN VERSION TIMESTAMP OF CHECK CONSTRAINT PRIMARY KEY DEFAULT"
)
KEYWORDS = tuple(sorted({*_QUERIES.split(), *(word for phrase in READERS for word in phrase.split())}))


class NamesAndKeywords(Completer):
    """Keywords in capitals, and names that ``names`` gives. A name with a dot is completed as a whole."""

    def __init__(self, names: Callable[[], Iterable[str]]) -> None:
        self._names = names

    def get_completions(self, document: Document, _complete_event: CompleteEvent) -> Iterator[Completion]:
        found = _WORD.search(document.text_before_cursor)
        if found is None:
            return
        typed = found[0]
        for word in (*KEYWORDS, *self._names()):
            if word.casefold().startswith(typed.casefold()) and word != typed:
                yield Completion(word, start_position=-len(typed))


def history_file(home: str) -> Path:
    """What was typed before, which only its owner reads."""
    path = Path(home) / "sql_history"
    path.parent.mkdir(parents=True, exist_ok=True)
    os.close(os.open(path, os.O_CREAT | os.O_APPEND, 0o600))
    return path


def prompt_session(home: str, names: Callable[[], Iterable[str]]) -> PromptSession[str]:
    """Enter ends what is whole; else the statement continues in the next line."""
    return PromptSession(
        history=FileHistory(str(history_file(home))),
        completer=NamesAndKeywords(names),
        complete_while_typing=False,
        multiline=Condition(lambda: not is_whole(get_app().current_buffer.text)),
    )
