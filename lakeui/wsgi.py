"""WSGI entry point of the web server."""

from __future__ import annotations

import gc
import os

from django.core.wsgi import get_wsgi_application
from django.urls import get_resolver

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "lakeui.settings")

application = get_wsgi_application()

# What is loaded at the start, the addresses with their views included, stays as long as the process: the collector,
# which would look through all of it in the middle of requests, need not.
get_resolver().url_patterns  # noqa: B018 - asked for once, so that they are loaded
gc.collect()
gc.freeze()
