"""How gunicorn serves lakeui: ``gunicorn --config=python:lakeui.runtime.web_options lakeui.wsgi:application``."""

from __future__ import annotations

from lakeui.runtime.calling import settings_require

settings_require()

workers = 2
threads = 44
"""Of each process. At most 8 run queries, 8 read rows, 16 wait for tasks and 4 send results: 8 are left for pages."""
worker_class = "lakeui.runtime.web_worker.WebWorker"
graceful_timeout = 5
control_socket_disable = True
limit_request_line = 8190
limit_request_field_size = 8190
# The kernel ends a send that a client does not take; sendfile would wait on without end.
sendfile = False
