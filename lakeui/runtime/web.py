"""The web server's command line, its port, and whether everything behind it works."""

from __future__ import annotations

import contextlib
import errno
import json
import socket
import sys
import urllib.error
import urllib.request

import psutil

from lakeui.runtime.problems import RuntimeProblem
from lakeui.runtime.redis_server import LOOPBACK

WEB_PATIENCE_SECONDS = 90
OTHER_PORT = 8001
END_SECONDS = 5


def web_command(port: int) -> list[str]:
    """Gunicorn as ``web_options`` says; it finds them by the module's name."""
    options = ["--config=python:lakeui.runtime.web_options", f"--bind={LOOPBACK}:{port}"]
    # A person who ends ``up`` waits for it.
    options.append(f"--graceful-timeout={END_SECONDS}")
    return [sys.executable, "-m", "gunicorn", *options, "lakeui.wsgi:application"]


def port_require(port: int) -> None:
    """Raises ``RuntimeProblem`` when the web server could not listen on that port of the loopback interface."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((LOOPBACK, port))
        except OSError as problem:
            if problem.errno == errno.EACCES:
                message = f"Port {port} may not be used by this user."
            else:
                message = f"Port {port} is in use{_by_whom(port)}."
            remedy = f"Choose another one: LAKEUI_PORT={OTHER_PORT if port != OTHER_PORT else OTHER_PORT + 1} make up"
            raise RuntimeProblem(message, remedy=remedy) from None


def ready_parts(port: int) -> str:
    """Empty when ``/readyz`` says that every part works, else which do not."""
    address = f"http://{LOOPBACK}:{port}/readyz"
    try:
        with urllib.request.urlopen(address, timeout=10):
            return ""
    except urllib.error.HTTPError as answer:
        with answer, contextlib.suppress(ValueError, KeyError, AttributeError):
            parts = json.load(answer)["parts"]
            return ", ".join(f"{name}: {state}" for name, state in parts.items() if state != "ok")
        return f"/readyz answers {answer.code}"
    except OSError:
        return "the web server does not answer"


def _by_whom(port: int) -> str:
    """The process that listens there, where the system lets us see it."""
    with contextlib.suppress(psutil.Error, OSError):
        for connection in psutil.net_connections("tcp"):
            if connection.laddr and connection.laddr.port == port and connection.status == psutil.CONN_LISTEN:
                if connection.pid:
                    return f" by {psutil.Process(connection.pid).name()} (process {connection.pid})"
                break
    return ""
