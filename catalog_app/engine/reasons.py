"""What Spark says is wrong with a value or a name, as a sentence and a way out that people can take here."""

from __future__ import annotations

import re
from dataclasses import dataclass

_ADVICE = re.compile(r"(?<=[.?!]) (?=(?:Use|Add|Correct|Did you mean|Please|Consider|Either|If|Try|To) )")
"""Where Spark's own advice begins."""
_INSTEAD = re.compile(r"^Use (?:the SQL function )?[`']([^`']+)[`'] to tolerate .* and return NULL instead\.$")
_VOWELS = ("A", "I")
"""What types begin with that take "an": ARRAY, INT, INTERVAL."""
_FALLBACK = "Correct the statement where it says this."


@dataclass(frozen=True, slots=True)
class _Known:
    """Errors of classes that begin so: ``said`` finds the parts that ``message`` and ``remedy`` name."""

    kind: str
    said: str
    message: str
    remedy: str


_KNOWN = (
    _Known(
        "CAST_INVALID_INPUT",
        r'The value (?P<value>.*) of the type "(?P<given>[^"]*)" cannot be cast to "(?P<kind>[^"]*)" because',
        "{value} is not {a} {kind}.",
        "Correct the value, or write try_cast(.. AS {kind}), which gives NULL for it.",
    ),
    _Known(
        "CAST_OVERFLOW",
        r'The value (?P<value>.*?)[LSY]? of the type "(?P<given>[^"]*)" cannot be cast to "(?P<kind>[^"]*)" due to',
        "{value} does not fit into {kind}.",
        "Use a wider type, or write try_cast(.. AS {kind}), which gives NULL for it.",
    ),
    _Known(
        "NUMERIC_VALUE_OUT_OF_RANGE",
        r"(?P<value>\S+) cannot be represented as Decimal\((?P<precision>\d+), (?P<scale>\d+)\)",
        "{value} does not fit into DECIMAL({precision},{scale}).",
        "Use a wider type, or write try_cast(.. AS DECIMAL({precision},{scale})), which gives NULL for it.",
    ),
    _Known(
        "ARITHMETIC_OVERFLOW",
        r"(?P<what>[\w ]*overflow)\.(?: Use [`'](?P<other>\w+)[`'])?",
        "The result of a computation does not fit into its type ({what}).",
        "Cast a value to a wider type, or write {other}, which gives NULL then.",
    ),
    _Known("DIVIDE_BY_ZERO", "", "Division by zero.", "Write try_divide(a, b), which gives NULL then."),
    _Known("REMAINDER_BY_ZERO", "", "Remainder by zero.", "Write try_mod(a, b), which gives NULL then."),
    _Known("INVALID_INDEX_OF_ZERO", "", "The index is 0, and the first element has 1.", "Count from 1."),
    _Known(
        "DUPLICATED_MAP_KEY",
        r"Duplicate map key (?P<key>.*) was found",
        "A map has the key {key} twice.",
        "Give each key once.",
    ),
    _Known(
        "INVALID_INLINE_TABLE.INCOMPATIBLE_TYPES",
        r"column `?(?P<column>\w+)`? for",
        "The values of one column of VALUES have no type in common ({column}).",
        "Cast them to one type, or insert the rows by several statements.",
    ),
    _Known(
        "INVALID_INLINE_TABLE",
        r'expression "(?P<value>.*)"',
        "{value} in VALUES cannot be computed.",
        "Correct the value; SELECT with the same value says what is wrong with it.",
    ),
    _Known("NULL_MAP_KEY", "", "A key of a map is NULL.", "Give each key a value."),
    _Known(
        "SCALAR_SUBQUERY_TOO_MANY_ROWS",
        "",
        "A subquery that stands for one value gives more than one row.",
        "Write an aggregate such as max(..), or a condition that leaves one row.",
    ),
    _Known(
        "UNRESOLVED_COLUMN",
        r"name (?P<name>(?:`[^`]*`\.)*`_(?:row_id|commit_version|metadata)`\S*) cannot be resolved",
        "There is no column {name} here: a query has it of a table that it reads itself.",
        "Write SELECT t._row_id, t._commit_version, t._metadata.file_name FROM t; views have none of them.",
    ),
    _Known(
        "FIELD_NOT_FOUND",
        r"field (?P<name>`\S+) in (?P<near>`file_path`, `file_name`)\.",
        "_metadata has no field {name}: it says which file a row lies in.",
        "Its fields are {near}; SHOW SEGMENTS db.table says more of each file.",
    ),
    _Known(
        "UNRESOLVED_COLUMN",
        r"name (?P<name>(?:`[^`]*`\.)*`_(?:commit_timestamp|change_type)`) cannot be resolved",
        "There is no column {name}: changes of a table have it, the table has not.",
        "table_changes('db.table', first) gives _commit_version, _commit_timestamp and _change_type.",
    ),
    _Known(
        "UNRESOLVED_COLUMN",
        r"name (?P<name>`\S+) cannot be resolved\. Did you mean one of the following\? \[(?P<near>[^\]]*)\]",
        "There is no column {name}.",
        "Did you mean {near}?",
    ),
    _Known(
        "UNRESOLVED_COLUMN",
        r"name (?P<name>`\S+) cannot be resolved",
        "There is no column {name}.",
        "Check the name, and the table that it stands behind.",
    ),
)
_REMEDIES = (
    ("DATATYPE_MISMATCH", "Cast a value to the type that is asked for."),
    ("CANNOT_PARSE_TIMESTAMP", "Correct the text, or the pattern that it is read by."),
    ("WRONG_NUM_ARGS", "Give the function as many values as it takes."),
    ("UNRESOLVED_COLUMN", "Check the name, and the table that it stands behind."),
    ("DECIMAL_PRECISION_EXCEEDS", "Give a number at most 38 digits, or write a DOUBLE, such as 1.5E40."),
    ("FIELD_NOT_FOUND", "Check the name of the field: DESCRIBE shows the type of a column."),
    ("INVALID_EXTRACT", "Only a STRUCT has fields, only ARRAY and MAP have elements."),
    ("AMBIGUOUS_REFERENCE", "Write the table in front of the name."),
)


def explained(said: str, kind: str) -> tuple[str, str]:
    """The message and the remedy for a sentence of Spark that belongs to the error class ``kind``."""
    for known in _KNOWN:
        found = re.search(known.said, said, re.DOTALL) if kind.startswith(known.kind) else None
        if found is not None:
            parts = {
                name: _plain(text or "a function that begins with try_") for name, text in found.groupdict().items()
            }
            parts["a"] = "an" if parts.get("kind", "")[:1] in _VOWELS else "a"
            return known.message.format(**parts), known.remedy.format(**parts)
    message, *advice = _ADVICE.split(said, maxsplit=1)
    return message, _advice(advice[0]) if advice else _remedy(kind)


def _advice(text: str) -> str:
    instead = _INSTEAD.match(text)
    return f"Write {instead[1]}, which gives NULL then." if instead else text


def _remedy(kind: str) -> str:
    return next((remedy for begins, remedy in _REMEDIES if kind.startswith(begins)), _FALLBACK)


def _plain(text: str) -> str:
    return text.replace("`", "")
