"""ASGI entry point of the web server."""

from __future__ import annotations

import os

from django.core.asgi import get_asgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "lakeui.settings")

application = get_asgi_application()
