"""The metadata of a table of Apache Iceberg, and the files that they name.

PyIceberg reads the metadata, through files that are checked one by one: metadata may name any place. What it says of
credentials, and of classes to read files with, is not used.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from catalog_app.takeover.locations import Locations
from lakeui.common.errors import InvalidValue, NotFound, NotSupported

if TYPE_CHECKING:
    from pyiceberg.io import FileIO as AnyFileIO
    from pyiceberg.table import FileScanTask, Table

_NUMBERED = re.compile(r"v?(\d+)(?:-[^/]*)?\.metadata\.json$")


def metadata_file(locations: Locations, path: str) -> str:
    """The newest metadata of the table in a folder; a path that is metadata itself names them."""
    if path.endswith(".metadata.json"):
        return path
    folder = locations.find(f"{path}/metadata")
    try:
        files = {file.path.rpartition("/")[2]: file.path for file in locations.files(folder)}
    except NotFound as error:
        raise InvalidValue(
            f"There is no table of Iceberg at {path}: it has no folder metadata.",
            remedy="Name the folder of the table, or its file .metadata.json.",
        ) from error
    if "version-hint.text" in files:
        with named_input(locations, files["version-hint.text"]) as stream:
            said = stream.read().decode().strip()
        for name in (f"v{said}.metadata.json", f"{said}.metadata.json", said):
            if name in files and name.endswith(".metadata.json"):
                return files[name]
    numbered = [(int(found[1]), place) for name, place in files.items() if (found := _NUMBERED.match(name))]
    newest = [place for number, place in numbered if number == max(numbered)[0]]
    if len(newest) != 1:
        raise InvalidValue(
            f"Which metadata of {path} are the newest is not clear: {len(newest)} files have the highest number.",
            remedy="Name the file .metadata.json that the catalog of the table names.",
        )
    return newest[0]


def named_input(locations: Locations, path: str) -> Any:
    """A file that the metadata name, open for reading. ``path`` is allowed already."""
    try:
        return locations.warehouse.filesystem.open_input_file(locations.warehouse.absolute(path))
    except FileNotFoundError as error:
        raise InvalidValue(
            f"The file {path}, which the metadata of the table name, is not there.",
            remedy="Name metadata whose files are all there.",
        ) from error


def metadata_table(locations: Locations, path: str) -> Table:
    """The table as its metadata say. Each file that they name is checked before it is opened."""
    from pyiceberg.catalog.noop import NoopCatalog
    from pyiceberg.exceptions import ValidationError
    from pyiceberg.serializers import FromInputFile
    from pyiceberg.table import StaticTable

    io = _read_only(locations)
    try:
        metadata = FromInputFile.table_metadata(io.new_input(path))
    except (ValueError, ValidationError) as error:
        raise InvalidValue(
            f"The metadata {path} are none of Iceberg that can be read.", remedy="Name a whole file .metadata.json."
        ) from error
    return StaticTable(("taken",), metadata, path, io, NoopCatalog("taken"))


def _read_only(locations: Locations) -> AnyFileIO:
    """Files at allowed locations. PyIceberg is loaded where it is first needed."""
    from pyiceberg.io import FileIO, InputFile, OutputFile

    class Allowed(InputFile):
        """A file at an allowed location."""

        def __len__(self) -> int:
            with self.open() as stream:
                return int(stream.size())

        def exists(self) -> bool:
            return locations.warehouse.exists(locations.find(self.location))

        def open(self, seekable: bool = True) -> Any:
            return named_input(locations, locations.find(self.location))

    class ReadOnly(FileIO):
        """PyIceberg's interface has methods that write; these refuse, as files of others are never written."""

        def new_input(self, location: str) -> InputFile:
            return Allowed(location)

        def new_output(self, location: str) -> OutputFile:
            raise NotImplementedError(f"{location} is read only")

        def delete(self, location: Any) -> None:
            raise NotImplementedError(f"{location} is read only")

    return ReadOnly()


def planned_files(table: Table) -> list[FileScanTask]:
    """The data files of the table with their delete files, by path. Raises NotSupported where one is not Parquet."""
    try:
        tasks = sorted(table.scan().plan_files(), key=lambda task: task.file.file_path)
    except (ValueError, NotImplementedError) as error:
        # PyIceberg has no error of its own for these: it raises one kind where it plans, another for a server's plan.
        if "equality delete" not in str(error):
            raise
        raise NotSupported(
            "The table has equality deletes, which lakeui does not read.",
            remedy="Rewrite its data files with the engine that writes it, and take it over then.",
        ) from error
    for task in tasks:
        if str(task.file.file_format.value) != "PARQUET":
            raise NotSupported(
                f"The file {task.file.file_path} is {task.file.file_format.value}.", remedy="Write it as Parquet."
            )
    return tasks
