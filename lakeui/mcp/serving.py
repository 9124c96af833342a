"""One request of the protocol, answered by the official SDK.

The SDK speaks ASGI and the web server WSGI, so each request gets an event loop of its own. The tools run on the
thread of the request, where its database connection is. No session is kept: any process may answer.
"""

from __future__ import annotations

import json
import logging
from typing import Any

import anyio
from asgiref.sync import async_to_sync, sync_to_async
from django.conf import settings
from django.http import HttpResponse
from mcp.server.lowlevel import Server
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp_types import CallToolResult, ListToolsResult, TextContent, ToolAnnotations
from mcp_types import Tool as OfferedTool
from pydantic import ValidationError
from rest_framework.exceptions import APIException
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request

from lakeui.api.http.errors import exception_response
from lakeui.common.errors import InvalidValue, LakeError
from lakeui.mcp.tools import TOOLS, Tool, ToolFailed

logger = logging.getLogger(__name__)
# It logs the start and the end of each request.
logging.getLogger("mcp").setLevel(logging.WARNING)

INSTRUCTIONS = (
    "Tables of a data lake with branches. Open a branch of your own and write there. Look at the diff and at the dry"
    " run of the merge. Then open a merge request, which people merge. Every refusal says what to do instead."
)


def answer(request: Request) -> HttpResponse:
    """The answer to one POST."""
    return async_to_sync(_answer)(request)


async def _answer(request: Request) -> HttpResponse:
    manager = StreamableHTTPSessionManager(_server(request), json_response=True, stateless=True)
    response = HttpResponse()
    parts: list[bytes] = []
    waiting = [{"type": "http.request", "body": request.body, "more_body": False}]

    async def receive() -> dict[str, Any]:
        if waiting:
            return waiting.pop()
        # The client stays as long as this request is worked on.
        await anyio.sleep_forever()
        raise AssertionError

    async def send(message: Any) -> None:
        if message["type"] == "http.response.start":
            response.status_code = message["status"]
            for name, value in message.get("headers", ()):
                if name.lower() not in (b"content-length", b"connection"):
                    response[name.decode("latin-1")] = value.decode("latin-1")
        elif message["type"] == "http.response.body":
            parts.append(message.get("body", b""))

    async with manager.run():
        await manager.handle_request(_scope(request), receive, send)
    response.content = b"".join(parts)
    return response


def _scope(request: Request) -> dict[str, Any]:
    # The token stays here: the SDK neither asks for it nor logs it.
    left_out = ("authorization", "cookie")
    headers = [
        (name.lower().encode("latin-1"), value.encode("latin-1", "replace"))
        for name, value in request.headers.items()
        if name.lower() not in left_out
    ]
    return {
        "type": "http",
        "asgi": {"version": "3.0", "spec_version": "2.4"},
        "http_version": "1.1",
        "method": request.method,
        "scheme": request.scheme,
        "path": request.path,
        "raw_path": request.path.encode(),
        "query_string": b"",
        "root_path": "",
        "headers": headers,
    }


def _server(request: Request) -> Server[Any]:
    """The tools, as whoever sent the request may use them."""

    async def list_tools(_: Any, __: Any) -> ListToolsResult:
        return ListToolsResult(tools=[_offered(tool) for tool in TOOLS.values()])

    async def call_tool(_: Any, asked: Any) -> CallToolResult:
        return await sync_to_async(_call, thread_sensitive=True)(request, asked.name, asked.arguments or {})

    return Server(
        "lakeui",
        version=str(settings.SPECTACULAR_SETTINGS["VERSION"]),
        instructions=INSTRUCTIONS,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
    )


def _offered(tool: Tool) -> OfferedTool:
    hints = ToolAnnotations(read_only_hint=tool.reads, destructive_hint=False, open_world_hint=False)
    schema = tool.takes.model_json_schema()
    return OfferedTool(name=tool.name, description=tool.description, input_schema=schema, annotations=hints)


def _call(request: Request, name: str, arguments: dict[str, Any]) -> CallToolResult:
    """What the tool answers, or the problem document of its refusal, which the model reads."""
    try:
        tool = TOOLS.get(name)
        if tool is None:
            raise InvalidValue(f"There is no tool {name}.", remedy=f"There are {', '.join(TOOLS)}.", field="name")
        return _result(tool.run(request, tool.takes.model_validate(arguments)))
    except ValidationError as error:
        wrong = error.errors(include_url=False, include_input=False, include_context=False)[0]
        field = ".".join(str(part) for part in wrong["loc"])
        refusal = InvalidValue(f"{field}: {wrong['msg']}.", remedy="The tool's schema says what it takes.", field=field)
        return _result(refusal.as_problem(), is_error=True)
    except ToolFailed as failed:
        return _result(json.loads(failed.response.content), is_error=True)
    except (LakeError, APIException) as error:
        response: Any = exception_response(error, {"request": request, "view": None})
        return _result(json.loads(response.content), is_error=True)
    except Exception:
        # The protocol has no status 500: a tool answers its failure, and the SDK would show the exception's text.
        logger.exception("tool %s failed", name)
        failed_inside = {"code": "INTERNAL_ERROR", "detail": "Something failed inside lakeui. The log says what."}
        return _result(failed_inside, is_error=True)


def _result(content: Any, *, is_error: bool = False) -> CallToolResult:
    text = JSONRenderer().render(content).decode()
    return CallToolResult(content=[TextContent(type="text", text=text)], is_error=is_error)
