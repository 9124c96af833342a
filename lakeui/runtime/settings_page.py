"""docs/reference/settings.md, made of the description of the settings: ``python -m lakeui.runtime.settings_page``."""

from __future__ import annotations

from collections.abc import Iterator

from lakeui.runtime.environment import FILE, OTHERS, PREFIX, TEST_PREFIX
from lakeui.runtime.variables import FIELDS, SECTIONS, allowed, is_secret, otherwise

HEAD = f"""# Settings

All settings are environment variables. This page is made of their description (`lakeui/runtime/variables.py`).

- A variable that is empty counts as not set.
- A wrong value, or an unknown name that begins with `{PREFIX}`, ends each command. The message names all that is wrong,
  what is allowed, and the nearest name.
- Secrets may stand in files: `NAME{FILE}` names the file. Its last line end does not count. `NAME` and `NAME{FILE}`
  together are refused. No message shows a secret.
- `lakeui doctor` shows what is set and where that comes from, and checks each service.
"""


def settings_page() -> str:
    """The page as Markdown."""
    return "\n".join([HEAD, *_sections(), *_rest()]) + "\n"


def _sections() -> Iterator[str]:
    title_of = {first: title for title, first in SECTIONS.items()}
    for name, field in FIELDS.items():
        if name in title_of:
            yield from _beginning(title_of[name], is_first=name == next(iter(FIELDS)))
        shown = f"`{name}`" + (f" (`{FILE}`)" if is_secret(name) else "")
        yield f"| {shown} | {field.description} | {otherwise(field)} | {allowed(field)} |"
    yield ""


def _beginning(title: str, *, is_first: bool) -> Iterator[str]:
    if not is_first:
        yield ""
    yield f"## {title}"
    yield ""
    yield "| variable | what it says | unless set | may be |"
    yield "|---|---|---|---|"


def _rest() -> Iterator[str]:
    secrets = ", ".join(f"`{name}{FILE}`" for name in FIELDS if is_secret(name))
    yield f"Files of secrets: {secrets}."
    yield ""
    yield "## Names of others"
    yield ""
    yield "The server lets these pass and does not read them, but for `LAKEUI_FAULTS`: by it, tests stop the server."
    yield f"Names that begin with `{TEST_PREFIX}` are of tests, too."
    yield ""
    yield from (f"- {reader}: {', '.join(f'`{name}`' for name in names)}" for reader, names in OTHERS.items())
    yield ""
    yield "Without the prefix, `JAVA_HOME` says which Java `up` takes, `XDG_DATA_HOME` where an installed lakeui keeps"
    yield "its data, and `OTEL_EXPORTER_OTLP_ENDPOINT` where spans go."


if __name__ == "__main__":
    import sys

    sys.stdout.write(settings_page())
