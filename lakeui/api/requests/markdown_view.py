"""``/api/v1/markdown/``: how a text that somebody is writing would be shown."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from lakeui.api.http.answers import BAD_REQUEST
from lakeui.api.http.base import ApiView
from lakeui.api.http.strict import body_checked
from lakeui.api.requests.serializers import Markdown
from merge_app.review.markdown import markdown_render


class MarkdownText(serializers.Serializer[Any]):
    text = Markdown(allow_blank=True)


class MarkdownAnswer(serializers.Serializer[Any]):
    html = serializers.CharField(help_text="Safe to be shown as it is.")


class MarkdownView(ApiView):
    @extend_schema(
        operation_id="markdown_preview",
        summary="Show a text before it is sent",
        description="What descriptions, reviews and comments of merge requests become. Nothing is kept.",
        tags=["merge requests"],
        request=MarkdownText,
        responses={200: MarkdownAnswer, **BAD_REQUEST},
    )
    def post(self, request: Request) -> Response:
        body = body_checked(MarkdownText, request)
        return Response({"html": markdown_render(body["text"])})
