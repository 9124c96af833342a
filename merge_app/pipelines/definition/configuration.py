"""The effective configuration: defaults, ``config.yaml`` over them, annotations over both, field by field."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from merge_app.pipelines.definition.annotations import annotations_read
from merge_app.pipelines.definition.config_file import config_read
from merge_app.pipelines.definition.configuration_values import Given
from merge_app.pipelines.definition.fields import FIELDS, Strategy, Value
from merge_app.pipelines.definition.mistakes import CONFIG_FILE, SOURCE, Mistake, refuse

DEFAULT = "default"


@dataclass(frozen=True, slots=True)
class Setting:
    """A field's value and where it comes from: ``default``, ``config.yaml`` or ``source`` with its line (from 1)."""

    value: Value
    origin: str = DEFAULT
    line: int | None = None

    def as_json(self) -> dict[str, Any]:
        value = list(self.value) if isinstance(self.value, tuple) else self.value
        return {"value": value, "origin": self.origin, "line": self.line}


@dataclass(frozen=True, slots=True)
class Configuration:
    """What a run goes by. ``strategy`` is the one that acts. It is full_refresh where ``missing`` names fields that
    the one asked for requires (seed 004), and the run is degraded then.
    """

    settings: Mapping[str, Setting]
    missing: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    is_strict: bool = False

    @property
    def asked_strategy(self) -> Strategy:
        return Strategy(str(self.settings["merge_strategy"].value))

    @property
    def strategy(self) -> Strategy:
        return Strategy.FULL_REFRESH if self.missing else self.asked_strategy

    @property
    def is_degraded(self) -> bool:
        return bool(self.missing)

    @property
    def filled(self) -> dict[str, str]:
        """The columns that a run itself fills, by the key that names them."""
        return {name: str(self.settings[name].value) for name in _filled(self.settings)}

    def text(self, name: str) -> str | None:
        """The value of a key that takes one text."""
        value = self.settings[name].value
        assert value is None or isinstance(value, str)
        return value

    def names(self, name: str) -> tuple[str, ...]:
        """The value of a key that takes several."""
        value = self.settings[name].value
        assert isinstance(value, tuple)
        return value

    def texts(self, name: str) -> tuple[str, ...]:
        """The value of a key that takes conditions, or values."""
        return self.names(name)

    def flag(self, name: str) -> bool:
        return self.settings[name].value is True

    def as_json(self) -> dict[str, Any]:
        return {
            "strategy": self.strategy.value,
            "asked_strategy": self.asked_strategy.value,
            "degraded": self.is_degraded,
            "missing": list(self.missing),
            "warnings": list(self.warnings),
            "fields": {name: setting.as_json() for name, setting in self.settings.items()},
        }


def configuration_resolve(config: str, source: str, *, strict: bool = False) -> Configuration:
    """The configuration of a pipeline from its two texts. ``strict``: the catalog wants no run to degrade.

    Raises InvalidConfig with everything that is wrong in either text.
    """
    from_file, mistakes = config_read(config)
    from_source, more = annotations_read(source)
    refuse([*mistakes, *more])
    settings = {name: _setting(name, from_file, from_source) for name in FIELDS}
    refuse([*_contradictions(settings), *_not_there(settings)])
    strategy = Strategy(str(settings["merge_strategy"].value))
    missing = tuple(
        name for name, field in FIELDS.items() if strategy in field.required_by and not settings[name].value
    )
    is_strict = strict or settings["strict"].value is True
    if missing and is_strict:
        refuse([_missing(name, settings["merge_strategy"]) for name in missing])
    warnings = (*_fallback(strategy, missing), *_unused(settings, strategy))
    return Configuration(settings, missing, warnings, is_strict)


def _setting(name: str, from_file: Mapping[str, Given], from_source: Mapping[str, Given]) -> Setting:
    for origin, given in ((SOURCE, from_source), (CONFIG_FILE, from_file)):
        if name in given:
            return Setting(given[name].value, origin, given[name].line)
    return Setting(FIELDS[name].default)


def _contradictions(settings: Mapping[str, Setting]) -> list[Mistake]:
    """Columns that cannot be two things at once."""
    filled = _filled(settings)
    names = (*filled, "unique_key", "scd_columns", "tie_break") if filled else ()
    named = [(name, column) for name in names for column in _columns(settings[name].value)]
    mistakes = []
    for index, (name, column) in enumerate(named):
        others = [other for other, earlier in named[:index] if earlier.casefold() == column.casefold()]
        if others and others[0] in filled:
            setting = settings[name] if settings[name].origin != DEFAULT else settings[others[0]]
            file = CONFIG_FILE if setting.origin == DEFAULT else setting.origin
            message = f"{others[0]} and {name} both name the column {column}."
            mistakes.append(Mistake(file, setting.line, message, "Name another column.", name))
    return mistakes


def _not_there(settings: Mapping[str, Setting]) -> list[Mistake]:
    """Values of keys that ask for what a run cannot do."""
    archives, made = settings["archive_landing_zones"], settings["materialized"]
    mistakes = []
    if archives.value and made.value == "view":
        message = "A view reads no files, so a run has none to archive."
        remedy = "Take the key out, or choose materialized: table."
        mistakes.append(Mistake(archives.origin, archives.line, message, remedy, "archive_landing_zones"))
    strategy = settings["merge_strategy"].value
    if made.value == "view" and strategy != Strategy.FULL_REFRESH:
        message = f"A view holds no rows that {strategy} could write."
        remedy = "Choose merge_strategy: full_refresh, or materialized: table."
        mistakes.append(Mistake(made.origin, made.line, message, remedy, "materialized"))
    return mistakes


def _filled(settings: Mapping[str, Setting]) -> tuple[str, ...]:
    """Keys that name columns which a run itself fills."""
    if settings["merge_strategy"].value != Strategy.SCD2:
        return ()
    times = ("scd_valid_from", "scd_valid_to")
    return (*times, "scd_deleted") if settings["hard_deletes"].value == "new_record" else times


def _columns(value: Value) -> tuple[str, ...]:
    if isinstance(value, tuple):
        return value
    return (value,) if isinstance(value, str) else ()


def _missing(name: str, strategy: Setting) -> Mistake:
    file = CONFIG_FILE if strategy.origin == DEFAULT else strategy.origin
    remedy = f"Add `{name}: …` to config.yaml, or @{name} to the source."
    return Mistake(file, strategy.line, f"{strategy.value} requires {name}.", remedy, name)


def _fallback(strategy: Strategy, missing: tuple[str, ...]) -> list[str]:
    if not missing:
        return []
    return [f"{strategy} requires {' and '.join(missing)}; the run falls back to {Strategy.FULL_REFRESH}."]


def _unused(settings: Mapping[str, Setting], strategy: Strategy) -> list[str]:
    found = [
        f"{name} ({_place(setting)}) is not used by {strategy}."
        for name, setting in settings.items()
        if setting.origin != DEFAULT and strategy not in FIELDS[name].strategies
    ]
    checks = settings["checks"]
    if checks.value and settings["publish"].value == "direct":
        found.append(f"checks ({_place(checks)}) mean nothing unless publish is checked.")
    if strategy is Strategy.SNAPSHOT and settings["allow_empty"].value and not settings["partitions"].value:
        found.append(f"allow_empty ({_place(settings['allow_empty'])}) is not used by snapshot without partitions.")
    return found


def _place(setting: Setting) -> str:
    return f"{setting.origin}, line {setting.line}"
