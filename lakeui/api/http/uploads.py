"""Files in the body of a request: raw, or as the part ``file`` of a form; on disk, and never longer than allowed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import unquote

from django.core.files.uploadedfile import TemporaryUploadedFile
from django.core.files.uploadhandler import TemporaryFileUploadHandler
from django.utils.http import parse_header_parameters
from rest_framework.parsers import FileUploadParser
from rest_framework.request import Request

from catalog_app.importing.unpacking import MEGABYTE
from catalog_app.services.imports import largest_import
from lakeui.api.http.errors import TooLarge
from lakeui.api.http.strict import unknown_name
from lakeui.common.errors import InvalidValue

UNNAMED = "upload"
_PARTS = ("file", "csrfmiddlewaretoken")
FORM_BYTES = 64 * 1024
"""What the parts of a form may take beside the file."""


class LimitedUploadHandler(TemporaryFileUploadHandler):
    """Puts files on disk and gives up as soon as they are longer than ``most`` bytes."""

    def __init__(self, request: Any, *, most: int) -> None:
        super().__init__(request)
        self._most = most

    def receive_data_chunk(self, raw_data: bytes, start: int) -> None:
        if start + len(raw_data) > self._most:
            self.file.close()
            raise too_large(self._most)
        super().receive_data_chunk(raw_data, start)


class RawFileParser(FileUploadParser):
    """Any body that is no form is the file. Its name is in Content-Disposition, if anywhere."""

    media_type = "*/*"

    def get_filename(self, stream: Any, media_type: str | None, parser_context: Mapping[str, Any]) -> str:
        return super().get_filename(stream, media_type, parser_context) or UNNAMED


def too_large(most: int) -> TooLarge:
    return TooLarge(f"The file has more than {most // MEGABYTE} MiB, the most that is taken.")


def upload_prepare(request: Request) -> None:
    """Before anything reads the body: refuse what says that it is too long, and see that the rest cannot be."""
    most = largest_import()
    said = request.headers.get("Content-Length", "")
    if said.isdecimal() and int(said) > most + FORM_BYTES:
        raise too_large(most)
    request._request.upload_handlers = [LimitedUploadHandler(request._request, most=most)]  # noqa: SLF001 - DRF wraps it


def upload_read(request: Request) -> TemporaryUploadedFile:
    """The file of the body. Raises InvalidValue without one, TooLarge."""
    file = None
    if isinstance(request.data, Mapping):
        _refuse_other_parts(request.data)
        file = request.data.get("file")
    if file is None and not request.headers.get("Content-Type", "").startswith("multipart/"):
        raise InvalidValue("The file is empty.", remedy="Choose a file with at least one row.")
    if not isinstance(file, TemporaryUploadedFile):
        raise InvalidValue(
            "There is no file in the request.",
            remedy="Send it as the body, with its name in Content-Disposition, or as the part `file` of a form.",
        )
    return file


def _refuse_other_parts(parts: Mapping[str, Any]) -> None:
    """A form has a file and, of a browser, the token of its session. What else it says would be ignored."""
    for name in parts:
        if name not in _PARTS:
            raise unknown_name("part", name, ["file"])


def upload_name(file: TemporaryUploadedFile) -> str:
    """The name that the file had at home."""
    return unquote(str(file.name or UNNAMED))[-255:]


def upload_encoding(request: Request, file: TemporaryUploadedFile) -> str | None:
    """The encoding that the part, or the body, says that it has; None where nothing is said."""
    kind, parameters = parse_header_parameters(request.headers.get("Content-Type", ""))
    return file.charset if kind.startswith("multipart/") else parameters.get("charset")
