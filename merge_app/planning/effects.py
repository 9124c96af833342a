"""What a decision does, in sentences such as ``Keeps the table as promo has it; leaves out 1 row inserted on main``."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from catalog_app.domain.checks import property_shown
from lakeui.common.counts import counted
from merge_app.planning.merge_plan import Decision, Effect, LeftOut, RecordedStatement, Resolution, ResolutionPart

_PART_NAMES: Mapping[ResolutionPart, str] = {
    ResolutionPart.OBJECT: "the {kind}",
    ResolutionPart.PROPERTY: "{property}",
    ResolutionPart.COLUMN: "the column",
    ResolutionPart.PARTITION: "the partition {key}",
    ResolutionPart.ROWS: "all rows that both changed",
}


@dataclass(frozen=True, slots=True)
class RuleOutcome:
    """What a rule for all conflicting rows comes to: it decides ``decided`` of them and leaves ``left`` open. ``keys``
    name the first decided rows, ``results`` what these become, ``left_keys`` the first open ones.
    """

    decided: int
    left: int
    keys: tuple[str, ...] = ()
    results: tuple[str, ...] = ()
    left_keys: tuple[str, ...] = ()


def rule_effect(resolution: Resolution, outcome: RuleOutcome, source: str, destination: str) -> Effect:
    """The effect of a rule for all conflicting rows, with the values that come out of the first ones."""
    texts = []
    if outcome.decided:
        texts.append(f"{_rows(outcome.decided)} {_named(outcome.results, outcome.decided)}")
    if outcome.left:
        stay = "stays" if outcome.left == 1 else "stay"
        keys = _named([example_text(key) for key in outcome.left_keys], outcome.left)
        texts.append(f"{_rows(outcome.left)} {stay} open, as values are equal or missing {keys}")
    lost = LeftOut("either", "rows changed on both", outcome.decided, outcome.keys)
    text = f"{_kept_text(resolution, source, destination)}: {'; '.join(texts) or 'no row is in conflict'}."
    return Effect(text, (lost,) if outcome.decided else ())


def _rows(number: int) -> str:
    return counted(number, "row")


def _named(examples: Sequence[str], number: int) -> str:
    more = f" and {number - len(examples)} more" if number > len(examples) > 0 else ""
    return f"({'; '.join(examples)}{more})" if examples else ""


def effect_of(resolution: Resolution, left_out: Sequence[LeftOut], source: str, destination: str) -> Effect:
    """The effect with its sentence. ``source`` and ``destination`` are the names of the branches."""
    branches = {"source": source, "destination": destination, "either": f"{source} or {destination}"}
    texts = [_left_text(item, branches) for item in left_out]
    lost = f"leaves out {'; '.join(texts)}" if texts else "leaves out nothing"
    return Effect(f"{_kept_text(resolution, source, destination)}; {lost}.", tuple(left_out))


def rerun_effect(
    statements: Sequence[RecordedStatement], matched: Sequence[int], source: str, destination: str
) -> Effect:
    """The effect of running statements of the source again; ``matched`` counts the rows that each would change."""
    texts = [
        f"the {item.kind.value.upper()} of version {item.version} changes {counted(rows, 'row')}"
        for item, rows in zip(statements, matched, strict=True)
    ]
    kept = f"Keeps both, and runs what {source} did again on the new rows of {destination}"
    return Effect(f"{kept}: {'; '.join(texts)}.")


def effect_as_json(effect: Effect) -> dict[str, Any]:
    """The effect for answers and records."""
    return {
        "text": effect.text,
        "rows_left_out": effect.rows,
        "left_out": [
            {"side": item.side, "what": item.what, "count": item.count, "examples": list(item.examples)}
            for item in effect.left_out
        ],
    }


def effect_from_json(value: Mapping[str, Any]) -> Effect:
    """The effect that a record holds."""
    left = (LeftOut(item["side"], item["what"], item["count"], tuple(item["examples"])) for item in value["left_out"])
    return Effect(value["text"], tuple(left))


def _kept_text(resolution: Resolution, source: str, destination: str) -> str:
    part = _PART_NAMES.get(resolution.part, "the row").format(
        kind=resolution.object_kind.value, key=resolution.part_key, property=property_shown(resolution.part_key)
    )
    match resolution.decision:
        case Decision.TAKE_SOURCE:
            return f"Keeps {part} as {source} has it" if _is_plain(resolution) else f"Keeps what {source} has in {part}"
        case Decision.TAKE_DESTINATION if _is_plain(resolution):
            return f"Keeps {part} as {destination} has it"
        case Decision.TAKE_DESTINATION:
            return f"Keeps what {destination} has in {part}"
        case Decision.LEAVE_OUT:
            return f"Skips {part}: {destination} stays as it is"
        case Decision.RENAME:
            return f"Brings the {resolution.object_kind.value} of {source} under the name {resolution.name}"
        case Decision.BOTH if resolution.part is ResolutionPart.ROWS:
            return f"Keeps both: the rows that {source} changed, and those that {destination} changed"
        case Decision.BOTH:
            return f"Keeps both: the rows that {source} saw as it changed them, and the new rows of {destination}"
        case Decision.LARGER:
            return "Keeps the larger value of each cell that both changed"
        case Decision.NEWEST:
            return f"Keeps the row with the later {resolution.value}"
        case _:
            return "Keeps the value that was typed"


def _is_plain(resolution: Resolution) -> bool:
    return resolution.part is not ResolutionPart.ROWS


def _left_text(item: LeftOut, branches: Mapping[str, str]) -> str:
    branch = branches[item.side]
    named = f": {'; '.join(example_text(text) for text in item.examples)}" if item.examples else ""
    if item.count > len(item.examples) > 0:
        named += f" and {item.count - len(item.examples)} more"
    if item.what == "drop":
        return f"the drop on {branch}"
    if item.what == "name":
        return f"the name {', '.join(item.examples)} of {branch}"
    if item.what in ("table", "database"):
        return f"the {item.what} {', '.join(item.examples)} of {branch}"
    if item.what.startswith("rows "):
        return f"{counted(item.count, 'row')} {item.what.removeprefix('rows ')} on {branch}{named}"
    if item.what.startswith("values "):
        return f"{counted(item.count, 'value')} {item.what[7:]} written on {branch}{named}"
    many = {"properties": "property", "columns": "column", "partitions": "partition"}
    what = many[item.what] if item.count == 1 else item.what
    return f"the change of {item.count} {what} on {branch}{named}"


def example_text(text: str) -> str:
    """A row that is named by a JSON object as ``id 5, who "Eve"``; any other text as it is."""
    try:
        value = json.loads(text)
    except ValueError:
        return text
    if not isinstance(value, dict):
        return text
    return ", ".join(f"{name} {value_text(item)}" for name, item in value.items())


def value_text(value: Any) -> str:
    """A value of a row for people."""
    if isinstance(value, Decimal):
        return str(value)
    return "NULL" if value is None else json.dumps(value, ensure_ascii=False, default=str)
