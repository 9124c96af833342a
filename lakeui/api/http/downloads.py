"""Results as files: what ``Accept`` asks of ``POST /api/v1/sql/``."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Mapping
from contextlib import nullcontext
from pathlib import Path
from typing import Any

from django.conf import settings
from django.http import FileResponse
from rest_framework.renderers import BaseRenderer
from rest_framework.request import Request

from catalog_app.engine.exporting import ExportFormat, ExportTarget
from lakeui import frontdoor
from lakeui.api.http.base import scopes_of
from lakeui.api.http.request_work import query_of
from lakeui.frontdoor.keeping import statement_kept
from lakeui.tasks.statements import statement_session
from merge_app.jobs.context import Context

_UNSAFE = re.compile(r"[^A-Za-z0-9_.-]+")


class FileRenderer(BaseRenderer):
    """Names a media type for content negotiation; the files are written elsewhere."""

    charset = None
    render_style = "binary"

    def render(self, data: Any, accepted_media_type: str | None = None, renderer_context: Any = None) -> bytes:
        raise TypeError("a file is no rendering of a response's data")


class CsvRenderer(FileRenderer):
    media_type = "text/csv"
    format = ExportFormat.CSV.value


class ParquetRenderer(FileRenderer):
    media_type = "application/vnd.apache.parquet"
    format = ExportFormat.PARQUET.value


def is_download(request: Request) -> bool:
    """Whether the client asked for a file."""
    return isinstance(request.accepted_renderer, FileRenderer)


def download_response(request: Request, parameters: Mapping[str, Any]) -> FileResponse:
    """The whole result as a file. It is written before the answer begins: a failure is a problem, not half a file."""
    session = statement_session(parameters, user=request.user, scopes=scopes_of(request))
    kind = ExportFormat(request.accepted_renderer.format)
    # No `with` (SIM115): it outlives this function. The response closes it, and that removes it.
    file = tempfile.NamedTemporaryFile()  # noqa: SIM115
    try:
        target = ExportTarget(
            Path(file.name),
            kind,
            int(settings.LAKEUI["EXPORT_ROWS"]),
            escape_formulas=parameters.get("escape_formulas", False),
        )
        with statement_kept(parameters, request.user) as keeping:
            read = frontdoor.parsed(parameters["statement"], session.parameters)
            # What is no query is refused by the export itself, and takes no place of one.
            with query_of(request, parameters, read) if read.is_query else nullcontext(Context()) as context:
                found = frontdoor.export(read, session, target, context)
            keeping.answers({"row_count": found.row_count, "version": found.version})
    except BaseException:
        file.close()
        raise
    place = [session.catalog, session.branch, f"v{found.version}"] if session.catalog else ["result"]
    name = "-".join(_UNSAFE.sub("-", str(part)) for part in place)
    response = FileResponse(
        file, as_attachment=True, filename=f"{name}.{kind.value}", content_type=request.accepted_renderer.media_type
    )
    response["Cache-Control"] = "private, no-store"
    response["Lakeui-Rows"] = str(found.row_count)
    return response
