"""Results of any number of rows: the server keeps them, and they are fetched in pieces. Memory holds one piece."""

from __future__ import annotations

import http.client
import time
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self
from urllib.parse import urlsplit

from lakeui_client.errors import LakeError, NotFound, failed
from lakeui_client.http import ATTEMPTS, Http

if TYPE_CHECKING:
    import pyarrow as pa

ARROW, CSV = "application/vnd.apache.arrow.stream", "text/csv"
PARQUET = "application/vnd.apache.parquet"
KINDS = {"arrow": ARROW, "csv": CSV, "parquet": PARQUET}
PAGE_ROWS = 10_000
PIECE_BYTES = 1024 * 1024


class KeptResult:
    """A result of yours that the server keeps. It is let go at the end of its ``with`` block, else after some hours
    (``expires_at``). Fetching raises LakeError with the code ``RESULT_EXPIRED`` then.
    """

    def __init__(self, http: Http, raw: dict[str, Any]) -> None:
        self.http, self.raw = http, raw
        self.id: str = raw["id"]
        self.path = urlsplit(raw["url"]).path

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        try:
            self.let_go()
        except LakeError:
            # What ended the block is what its reader has to know.
            if kind is None:
                raise

    @property
    def columns(self) -> tuple[tuple[str, str], ...]:
        """Name and Spark SQL type of each."""
        return tuple((column["name"], column["type"]) for column in self.raw["columns"])

    @property
    def row_count(self) -> int:
        return int(self.raw["row_count"])

    @property
    def version(self) -> int | None:
        found: int | None = self.raw["version"]
        return found

    @property
    def expires_at(self) -> str:
        return str(self.raw["expires_at"])

    def rows(self, start: int = 0) -> Iterator[tuple[Any, ...]]:
        """The rows behind the first ``start`` as values of JSON, a page at a time."""
        page = self.http.get(f"{self.path}rows/", start=start, limit=PAGE_ROWS)
        while True:
            yield from map(tuple, page["rows"])
            if page["next"] is None:
                return
            page = self.http.follow(page["next"])

    def batches(self, start: int = 0) -> Generator[pa.RecordBatch, None, None]:
        """The rows behind the first ``start`` as Arrow batches. What breaks off continues at the row where it broke.
        Takes ``lakeui-client[arrow]``.
        """
        ipc, trials = _arrow(), 0
        while True:
            try:
                with self.http.opened(f"{self.path}rows/", ARROW, start=start) as response:
                    for batch in ipc.open_stream(response):
                        start += batch.num_rows
                        trials = 0
                        yield batch
                return
            except (OSError, http.client.HTTPException) as error:
                trials += 1
                if trials >= ATTEMPTS:
                    raise self.http.no_answer(error) from error
                # The server may be restarting: each trial waits longer.
                time.sleep(0.2 * 2**trials)

    def to_arrow(self) -> pa.Table:
        """All rows at once. Takes ``lakeui-client[arrow]``."""
        ipc = _arrow()
        try:
            with self.http.opened(f"{self.path}rows/", ARROW) as response:
                table: pa.Table = ipc.open_stream(response).read_all()
        except (OSError, http.client.HTTPException) as error:
            raise self.http.no_answer(error) from error
        return table

    def pieces(self, kind: str) -> Iterator[bytes]:
        """The bytes of the whole result as ``arrow``, ``csv`` or ``parquet``."""
        with self.http.opened(f"{self.path}rows/", KINDS[kind]) as response:
            while piece := self._read(response):
                yield piece

    def _read(self, response: http.client.HTTPResponse) -> bytes:
        try:
            return response.read(PIECE_BYTES)
        except (OSError, http.client.HTTPException) as error:
            raise self.http.no_answer(error) from error

    def save(self, file: str | Path) -> None:
        """Write the result into a file, CSV or Parquet by its ending. It is there whole or not at all."""
        path = Path(file)
        waiting = path.with_name(f".{path.name}.part")
        try:
            with waiting.open("wb") as written:
                for piece in self.pieces(kind_of(path)):
                    written.write(piece)
            waiting.replace(path)
        finally:
            waiting.unlink(missing_ok=True)

    def let_go(self) -> None:
        """Let the server remove it. One that is gone stays gone."""
        try:
            self.http.write("DELETE", self.path, has_key=False)
        except NotFound:
            return
        except LakeError as error:
            if error.code != "RESULT_EXPIRED":
                raise


def frame_of(table: pa.Table) -> Any:
    """The rows for pandas. Whole numbers beside NULL stay whole: float64 holds 53 bits of them."""
    return table.to_pandas(integer_object_nulls=True)


def kind_of(file: str | Path) -> str:
    """``csv`` or ``parquet``, by the ending. Raises LakeError for another one."""
    ending = Path(file).suffix.lower()
    if ending not in (".csv", ".parquet"):
        raise failed(f"{file} ends neither in .csv nor in .parquet.", "Its ending says what is written.")
    return ending[1:]


def _arrow() -> Any:
    try:
        import pyarrow.ipc
    except ImportError:
        raise failed("There is no pyarrow.", "pip install 'lakeui-client[arrow]'", code="NO_PYARROW") from None
    return pyarrow.ipc
