"""Where a data set may lie: in a folder of this machine that no other table format keeps its own books about."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from pathlib import Path
from urllib.parse import unquote, urlsplit

from lakeui.common.errors import InvalidValue

_SCHEME = re.compile(r"^([A-Za-z][A-Za-z0-9+.-]*):")
_FORMATS = {"_delta_log": "Delta Lake", ".hoodie": "Apache Hudi"}
"""The folder by which a table format is known, and the format's name."""
_ICEBERG = "Apache Iceberg"


def data_set_root(target: str | os.PathLike[str]) -> Path:
    """The folder that the target names. Raises InvalidValue for addresses that are no folder here, and for folders of
    other table formats: their logs would go on naming files that a merge replaced.
    """
    root = _path(target).resolve()
    if root.is_file():
        raise InvalidValue(f"{root} is a file.", remedy="Name the folder that holds the data set.")
    for folder in (root, *root.parents):
        known = [name for mark, name in _FORMATS.items() if (folder / mark).is_dir()]
        if not known and any((folder / "metadata").glob("*.metadata.json")):
            known = [_ICEBERG]
        if known:
            raise _of_format(folder, known[0])
    return root


def inside_refuse(root: Path, paths: Iterable[str]) -> None:
    """Raise InvalidValue where one of the files below the folder is of the log of such a table."""
    for path in paths:
        *folders, name = path.split("/")
        known = next((_FORMATS[folder] for folder in folders if folder in _FORMATS), None)
        if known is None and folders[-1:] == ["metadata"] and name.endswith(".metadata.json"):
            known = _ICEBERG
        if known is not None:
            raise _of_format(root, known)


def _path(target: str | os.PathLike[str]) -> Path:
    text = os.fspath(target)
    found = _SCHEME.match(text) if isinstance(target, str) else None
    if found is None:
        return Path(text)
    scheme, address = found.group(1).lower(), urlsplit(text)
    if scheme == "file" and address.path.startswith("/") and address.netloc in ("", "localhost"):
        return Path(unquote(address.path))
    raise InvalidValue(
        f"Data sets at {scheme}: cannot be merged into.",
        remedy="Name a folder of this machine, as a path or file:///path; one whose name has a colon as ./name.",
        field="target",
        nearest="file",
    )


def _of_format(folder: Path, name: str) -> InvalidValue:
    return InvalidValue(
        f"{folder} holds a table of {name}, whose log names its files.",
        remedy=f"Write to it with {name}, or name a folder of plain Parquet files.",
        field="target",
        nearest=None,
    )
