"""Entry point of the web server."""

import gc
import os

from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "lakeui.settings")

application = get_wsgi_application()

# Loaded now rather than by the first request.
import lakeui.urls  # noqa: E402,F401

# What is there by now stays as long as the process: the collector, which would look through all of it in the middle of
# requests, need not.
gc.collect()
gc.freeze()
