"""What is given to a command as a file, as JSON, or as a secret."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from lakeui_client.errors import failed


def file_text(name: str) -> str:
    return Path(name).read_text(encoding="utf-8") if name != "-" else sys.stdin.read()


def secret_read(prompt: str) -> str:
    """A line that no list of commands keeps: typed unseen at a terminal, else from standard input."""
    if not sys.stdin.isatty():
        return sys.stdin.readline().strip()
    import getpass

    return getpass.getpass(prompt).strip()


def json_read(text: str, kind: Any, option: str) -> Any:
    try:
        found = json.loads(text)
    except ValueError as error:
        raise failed(f"What {option} says is no JSON: {error}.", "Write it in single quotes.") from None
    if not isinstance(found, kind):
        raise failed(f"What {option} says is of another type of JSON.", "lake COMMAND --help says which.")
    return found
