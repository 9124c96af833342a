"""WSGI entry point of the web server."""

from __future__ import annotations

import os

from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "lakeui.settings")

application = get_wsgi_application()
