"""Spark's plan of a query for people: its operators and what they do, in the names that people gave.

What is shown is on a list. So no path of a file, and no column that the engine puts beside those of a table, gets out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

_NODE = re.compile(r"^(?P<lead>[ :|+*-]*)(?P<name>[A-Za-z].*?) *\((?P<number>\d+)\)$")
_BLOCK = re.compile(r"^\((\d+)\) ")
_FACT = re.compile(r"^([A-Z][A-Za-z ]*?)(?: \[\d+\])? ?: (.*)$")
_ALIAS = re.compile(r"\b__c\d+#(\d+)L? AS (.+?)#\d+L?(?=[,\]])")
_COLUMN = re.compile(r"\b(__c\d+)(?:#(\d+)L?)?")
_NUMBERED = re.compile(r"(?<=[\w)`])#\d+L?")
_OWN = re.compile(r"__lake|_metadata|row_index|\bbase#\d+")
_PLAN_ID = re.compile(r",? *\[(?:plan_id=|id=#)\d+\]")
_SHOWN = ("Condition", "Left keys", "Right keys", "Join condition", "Keys", "Functions", "PushedFilters")
_SHOWN_ARGUMENTS = ("Exchange", "Sort", "TakeOrderedAndProject", "Window", "CollectLimit", "GlobalLimit", "LocalLimit")
_LABELS = {"Condition": "", "Arguments": "", "PushedFilters": "pushed filters "}
_NOTHING = ("None", "[]", "")
NOT_SHOWN = "(of lakeui)"
"""Stands for what the engine adds to the query by itself."""


def plan_shown(text: str) -> list[str]:
    """The lines of a plan that Spark wrote in the mode ``formatted``, each indented by its depth."""
    names = dict(_ALIAS.findall(text))
    facts = dict(_facts(text, names))
    found = []
    for line in text.splitlines():
        if line.startswith("Subquery:"):
            found.append("Subquery")
        node = _NODE.match(line)
        if node is not None and node["name"] != "AdaptiveSparkPlan":
            said = "; ".join(facts.get(node["number"], ()))
            depth = max(len(node["lead"].replace("*", "").rstrip(" ")) // 3, 0)
            name = node["name"].removesuffix(" parquet").strip()
            found.append("  " * depth + name + (f": {said}" if said else ""))
    return found


def _facts(text: str, names: dict[str, str]) -> Iterator[tuple[str, list[str]]]:
    """By the number of an operator what is shown of it."""
    for block in text.split("\n\n"):
        lines = block.strip("\n").splitlines()
        begins = _BLOCK.match(lines[0]) if lines else None
        if begins is None:
            continue
        operator = lines[0][begins.end() :].split(" ")[0]
        # Conditions that were pushed into a scan name its columns without a number.
        output = next((line for line in lines if line.startswith("Output")), "")
        own = {column: names[number] for column, number in _COLUMN.findall(output) if number in names}
        known = {**names, **own}
        yield begins[1], [said for line in lines[1:] if (said := _fact(line, operator, known)) is not None]


def _fact(line: str, operator: str, names: dict[str, str]) -> str | None:
    found = _FACT.match(line)
    if found is None or found[2].strip() in _NOTHING:
        return None
    is_shown = found[1] in _SHOWN or (found[1] == "Arguments" and operator in _SHOWN_ARGUMENTS)
    if not is_shown:
        return None
    label = _LABELS.get(found[1], found[1].lower() + " ")
    return label + _named(_PLAN_ID.sub("", found[2].strip()), names)


def _named(text: str, names: dict[str, str]) -> str:
    if _OWN.search(text):
        return NOT_SHOWN
    known = _COLUMN.sub(lambda part: names.get(part[2] or part[1], "column"), text)
    return _NUMBERED.sub("", known)
