"""How the OpenAPI document names the two ways to sign in."""

from __future__ import annotations

from typing import Any

from drf_spectacular.extensions import OpenApiAuthenticationExtension


class BearerScheme(OpenApiAuthenticationExtension):
    target_class = "lakeui.access.authentication.BearerAuthentication"
    name = "Bearer"

    def get_security_definition(self, auto_schema: Any) -> dict[str, str]:
        return {"type": "http", "scheme": "bearer", "description": "A token that `manage.py token USER` printed."}


class BrowserScheme(OpenApiAuthenticationExtension):
    target_class = "lakeui.access.authentication.BrowserAuthentication"
    name = "Browser"

    def get_security_definition(self, auto_schema: Any) -> dict[str, str]:
        return {
            "type": "apiKey",
            "in": "cookie",
            "name": "sessionid",
            "description": "The session of a signed-in browser; unsafe methods need the header X-CSRFToken too.",
        }
