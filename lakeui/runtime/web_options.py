"""How gunicorn serves lakeui: ``gunicorn --config=python:lakeui.runtime.web_options lakeui.wsgi:application``.

The first process lives through upgrades, and each web process is its fork. So it keeps nothing that an upgrade
changes: a module of the old version beside new ones ends the process.
"""

from __future__ import annotations

import importlib
import os
import sys
from typing import Any

OURS = {"lakeui", "catalog_app", "merge_app"}


def _settings_require_apart() -> None:
    """End gunicorn with one sentence where the settings are wrong. A fork looks, so no module of it stays here."""
    looks = os.fork()
    if looks == 0:
        from lakeui.runtime.calling import settings_require

        try:
            settings_require()
        except SystemExit as wrong:
            sys.stderr.write(f"{wrong}\n")
            sys.stderr.flush()
            os._exit(1)
        os._exit(0)
    if os.waitstatus_to_exitcode(os.waitpid(looks, 0)[1]):
        sys.exit(1)


def post_fork(server: Any, worker: Any) -> None:
    """A web process loads all of lakeui anew: after a reload, the version that is installed then."""
    for name in [name for name in sys.modules if name.partition(".")[0] in OURS]:
        del sys.modules[name]
    importlib.invalidate_caches()


_settings_require_apart()

workers = 2
threads = 44
"""Of each process. At most 8 run queries, 8 read rows, 16 wait for tasks, 4 for a place of a dry run, 4 send results: 4
are left for pages.
"""
worker_class = "lakeui.runtime.web_worker.WebWorker"
graceful_timeout = 30
"""Seconds that a process which ends has for the requests that it is answering."""
control_socket_disable = True
limit_request_line = 8190
limit_request_field_size = 8190
# The kernel ends a send that a client does not take; sendfile would wait on without end.
sendfile = False
