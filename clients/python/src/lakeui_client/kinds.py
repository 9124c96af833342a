"""What kind of statement a text is, as far as a client has to know: whether it may be sent twice, and has rows.

In doubt a statement writes: it is then done once, under a key, and takes no more than a little longer.
"""

from __future__ import annotations

import re

_COMMENT = r"/\*(?:[^*/]|\*(?!/)|/(?!\*))*\*/"
for _ in range(3):
    # Comments may stand inside of comments. Deeper ones match nothing: in doubt a statement writes.
    _COMMENT = rf"/\*(?:[^*/]|\*(?!/)|/(?!\*)|{_COMMENT})*\*/"
_BLANKS = rf"(?:\s|--[^\n]*(?:\n|$)|{_COMMENT})*"
_FLAGS = re.IGNORECASE | re.DOTALL
_QUERY = re.compile(rf"{_BLANKS}(?:\({_BLANKS})*(select|with|values|from|table)\b", _FLAGS)
_BEGINS_QUERY = ("select", "from", "values", "table", "(")
_SHOWS = re.compile(rf"{_BLANKS}(show|describe|desc|explain|use)\b", _FLAGS)
_MOVES = re.compile(rf"{_BLANKS}use\b", _FLAGS)
_OF_A_SESSION = re.compile(
    rf"{_BLANKS}(set\b|(?:create\s+(?:or\s+replace\s+)?|drop\s+)temp(?:orary)?\s+(?:view|function)\b)", _FLAGS
)
_TOKEN = re.compile(
    rf"""{_BLANKS}(r'[^']*'|r"[^"]*"|'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|`(?:[^`]|``)*`|\w+|.)""", _FLAGS
)
_CHANGES = re.compile(
    rf"{_BLANKS}(insert|update|delete|truncate|optimize|comment|copy\s+into"
    r"|merge\s+(?:with\s+schema\s+evolution\s+)?into"
    r"|restore(?!\s+(?:branch|merge)\b)"
    r"|(?:create|replace|drop|alter|restore|undrop)\s+(?:or\s+replace\s+)?(?:table|database|schema|namespace))\b",
    _FLAGS,
)

_NAME = r"(?:`(?:[^`]|``)*`|\w+)"
_PATH = rf"{_NAME}(?:\.{_NAME})*"
_RESTRICTS = re.compile(
    rf"{_BLANKS}alter\s+table\s+{_PATH}\s+(?:alter\s+(?:column\s+)?{_PATH}\s+)?"
    r"(?:un)?set\s+(?:row\s+filter|mask)\b",
    _FLAGS,
)
"""Who sees rows is a setting of the catalog, on all of its branches."""


def is_query(statement: str) -> bool:
    """Whether it only reads rows. WITH stands before statements that write, too."""
    found = _QUERY.match(statement)
    if found is None:
        return False
    return found[1].lower() != "with" or _after_with(statement, found.end()) in _BEGINS_QUERY


def _after_with(statement: str, start: int) -> str:
    """The word that stands behind the named queries of WITH; "" where they do not end."""
    depth, closed = 0, False
    for token in _TOKEN.finditer(statement, start):
        word = token[1].lower()
        if closed and word not in (",", "as"):
            return word
        closed = False
        if word == "(":
            depth += 1
        elif word == ")":
            depth -= 1
            closed = depth == 0
            if depth < 0:
                return ""
    return ""


def reads(statement: str) -> bool:
    """Whether to run it twice is to run it once."""
    return is_query(statement) or any(kind.match(statement) is not None for kind in (_SHOWS, _OF_A_SESSION))


def reads_in_session(statement: str) -> bool:
    """Whether to run it twice in a session is to run it once: what a session keeps would be there already."""
    return reads(statement) and _OF_A_SESSION.match(statement) is None


def moves(statement: str) -> bool:
    """Whether it chooses another catalog, branch or database."""
    return _MOVES.match(statement) is not None


def changes_tables(statement: str) -> bool:
    """Whether it belongs into a transaction: it changes tables or databases of the branch."""
    if _RESTRICTS.match(statement) is not None:
        return False
    found = _QUERY.match(statement)
    return _CHANGES.match(statement) is not None or (found is not None and not is_query(statement))
