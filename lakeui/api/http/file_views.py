"""What endpoints share to which people send a file: raw, or as the part ``file`` of a form."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import OpenApiParameter
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request

from lakeui.api.http.base import ApiView
from lakeui.api.http.serializers import ProblemDocument
from lakeui.api.http.uploads import RawFileParser, upload_prepare

TOO_LARGE: dict[Any, Any] = {(413, "application/problem+json"): ProblemDocument}
DISPOSITION = OpenApiParameter(
    "Content-Disposition",
    str,
    OpenApiParameter.HEADER,
    description="Of a raw body: `attachment; filename*=UTF-8''delays.csv` gives the file's name.",
)


class FileView(ApiView):
    """A body that is too long is refused before it is read."""

    parser_classes = [MultiPartParser, RawFileParser]

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        # Even signing in reads a form, for its CSRF token.
        upload_prepare(request)
        super().initial(request, *args, **kwargs)
