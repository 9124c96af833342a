"""Settings as an environment says them: read, checked, and refused with one error that names all that is wrong."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from pydantic import ValidationError

from lakeui.common.errors import InvalidValue
from lakeui.common.nearest import nearest_name
from lakeui.runtime.variables import FIELDS, Variables, allowed, is_secret

PREFIX, FILE = "LAKEUI_", "_FILE"
ENVIRONMENT = "environment"
TEST_PREFIX = "LAKEUI_TEST_"
"""What tests read, and nothing else: no name of a setting begins so."""
OTHERS = {
    "the Python client, the command `lake` and the examples": (
        *("LAKEUI_URL", "LAKEUI_TOKEN", "LAKEUI_CATALOG", "LAKEUI_BRANCH", "LAKEUI_REVIEWER_TOKEN"),
        *("LAKEUI_SESSION",),
    ),
    "tests and the scripts of the pages": (
        *("LAKEUI_FAULTS", "LAKEUI_SOAK", "LAKEUI_SOAK_SECONDS", "LAKEUI_SEED", "LAKEUI_LOAD", "LAKEUI_KEEP_TESTS"),
        *("LAKEUI_TESTS_TEMPLATE", "LAKEUI_PYTHON", "LAKEUI_USER", "LAKEUI_PASSWORD"),
        *("LAKEUI_REVIEWER", "LAKEUI_REVIEWER_PASSWORD"),
    ),
}
"""By reader, names that are no settings of the server and that it lets pass."""


@dataclass(frozen=True, slots=True)
class Said:
    """A value as it stands in the environment or in a file, and where that is."""

    text: str
    origin: str


def said_by(environment: Mapping[str, str]) -> dict[str, Said]:
    """By name, each variable that is set, or whose file is named. Raises ``InvalidValue``, naming all that is wrong."""
    found, wrong = _said_and_wrong(environment)
    _refuse(wrong)
    return found


def variables_read(environment: Mapping[str, str]) -> Variables:
    """What the environment sets, typed. Raises ``InvalidValue``, naming all that is wrong, and no secret."""
    found, wrong = _said_and_wrong(environment)
    wrong += _unknown(environment)
    try:
        read = Variables.model_validate({name: said.text for name, said in found.items()})
    except ValidationError as refused:
        names = dict.fromkeys(str(error["loc"][0]) for error in refused.errors())
        wrong += [_sentence(name, found[name]) for name in names]
    _refuse(wrong)
    return read


def _said_and_wrong(environment: Mapping[str, str]) -> tuple[dict[str, Said], list[str]]:
    found: dict[str, Said] = {}
    wrong: list[str] = []
    for name in FIELDS:
        text = environment.get(name, "")
        file = environment.get(name + FILE, "") if is_secret(name) else ""
        if text.strip() and file.strip():
            wrong.append(f"{name} and {name}{FILE} are both set; leave one of them out.")
        elif text.strip():
            is_kept = is_secret(name) and not name.endswith(("_URL", "_REMOTE"))
            found[name] = Said(text if is_kept else text.strip(), ENVIRONMENT)
        elif file.strip():
            try:
                found[name] = Said(_of_file(Path(file)), f"file {file}")
            except OSError as error:
                wrong.append(f"{name}{FILE} is {file!r}, which cannot be read: {error.strerror}.")
            except ValueError as error:
                wrong.append(f"{name}{FILE} is {file!r}, which {error}.")
    return found, wrong


def _of_file(path: Path) -> str:
    try:
        text = path.read_text(encoding="utf-8").rstrip("\r\n")
    except UnicodeDecodeError:
        raise ValueError("holds no UTF-8 text") from None
    if not text.strip():
        raise ValueError("is empty")
    return text


_OF_SERVICES = re.compile(r"\w+_SERVICE_(HOST|PORT\w*)|\w+_PORT_\d+_(TCP|UDP|SCTP)\w*|\w+_\w+_PORT")
"""What Kubernetes sets for services whose names begin with lakeui."""


def _unknown(environment: Mapping[str, str]) -> list[str]:
    known = {*FIELDS, *(name + FILE for name in FIELDS if is_secret(name))}
    others = {name for names in OTHERS.values() for name in names}
    wrong = []
    for name in sorted(environment):
        is_known = name.startswith(TEST_PREFIX) or name in known | others or _OF_SERVICES.fullmatch(name)
        if name.startswith(PREFIX) and not is_known:
            near = nearest_name(name, known)
            wrong.append(f"{name} is no setting." + (f" Did you mean {near}?" if near else ""))
    return wrong


def _sentence(name: str, said: Said) -> str:
    shown = "wrong" if is_secret(name) else repr(said.text)
    where = "" if said.origin == ENVIRONMENT else f" ({said.origin})"
    return f"{name}{where} is {shown}; write {allowed(FIELDS[name])}."


def _refuse(wrong: list[str]) -> None:
    if wrong:
        raise InvalidValue(
            wrong[0] if len(wrong) == 1 else "\n".join([f"{len(wrong)} settings are wrong.", *wrong]),
            remedy="docs/reference/settings.md lists every setting.",
            wrong=wrong,
        )
