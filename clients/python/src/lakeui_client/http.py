"""Requests to one server over the standard library: a client that starts in a tenth of a second needs no other.

A request is sent again only where that changes nothing more: one that reads, or one with an Idempotency-Key, which the
server answers as it did the first time.
"""

from __future__ import annotations

import http.client
import json
import os
import select
import socket
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import SplitResult, quote, urlencode, urlsplit

from lakeui_client.errors import ConnectionFailed, error_of, failed

ATTEMPTS = 4
CONNECT_SECONDS = 10
WAIT_SECONDS = 30
"""How long one request waits for work at the server; longer work is asked for again."""
_LATER = (429, 502, 503, 504)
_OPEN = ("queued", "running")


class Answer(NamedTuple):
    status: int
    headers: Mapping[str, str]
    content: bytes

    @property
    def json(self) -> Any:
        """Raises LakeError where something else was sent, as a page to sign in at a server in between is."""
        if not self.content:
            return None
        if self.status >= 300 or "json" not in self.headers.get("content-type", ""):
            raise error_of(_problem(self))
        found = _json_read(self.content)
        if found is _NO_JSON:
            raise error_of(_problem(self))
        return found


Watcher = Callable[[dict[str, Any]], None]
"""Is called with a task each time that it is looked at, until it is finished."""


class Http:
    """The interface of one server, as whoever the token belongs to."""

    def __init__(self, url: str, token: str, *, timeout: float = 300, watch: Watcher | None = None) -> None:
        parts = _address(url)
        token = token.strip()
        if not (token.isascii() and token.isprintable()):
            raise failed("The access token has characters that no token has.", "Set it anew.", code="UNAUTHENTICATED")
        self.url = f"{parts.scheme}://{parts.netloc}{parts.path.rstrip('/')}"
        self._parts = parts
        self._token = token
        self._timeout = timeout
        self._connection: http.client.HTTPConnection | None = None
        self.watch = watch

    def get(self, path: str, **query: Any) -> Any:
        """The JSON of a resource."""
        return self.send("GET", path, query=query).json

    def pages(self, path: str, *, limit: int | None = None, **query: Any) -> list[dict[str, Any]]:
        """The entries of a list, at most ``limit`` of them, through all of its pages."""
        size = 200 if limit is None else max(1, min(limit, 200))
        page, found = self.get(path, limit=size, **query), []
        while True:
            found += page["results"]
            if not page["next"] or (limit is not None and len(found) >= limit):
                return found if limit is None else found[:limit]
            page = self.follow(page["next"])

    def follow(self, address: str) -> Any:
        """The next page of a list. Only path and query count: the token goes to no other server."""
        following = urlsplit(address)
        path = following.path.removeprefix(self._parts.path.rstrip("/"))
        return self.get(f"{path}?{following.query}")

    def write(self, method: str, path: str, body: Any = None, *, has_key: bool = True, **query: Any) -> Any:
        """The JSON of a write, which happens once: it is sent again under its key, or, where the operation takes none,
        not at all. Waits for the task that it became.
        """
        headers = {"Prefer": self.preference} | ({"Idempotency-Key": key_make()} if has_key else {})
        return self.finished(self.send(method, path, query=query, body=body, headers=headers).json)

    def send_file(self, path: str, file: str | Path) -> Any:
        """The JSON that a resource answers which takes a file; sending the same file twice must do no more."""
        source = Path(file)
        headers = {
            "Content-Type": "application/octet-stream",
            "Content-Disposition": f"attachment; filename*=UTF-8''{quote(source.name)}",
        }
        return self.send("POST", path, data=source.read_bytes(), headers=headers, is_repeatable=True).json

    @property
    def preference(self) -> str:
        """How long a request waits for its work: whoever watches wants to see the task itself."""
        return "respond-async" if self.watch else f"wait={WAIT_SECONDS}"

    def finished(self, answer: Any) -> Any:
        """The result of the task in ``answer``, or ``answer`` where it is no task. Raises LakeError."""
        while _is_task(answer) and answer["state"] in _OPEN:
            if self.watch:
                self.watch(answer)
            wait = 1 if self.watch else WAIT_SECONDS
            answer = self.send("GET", f"/api/v1/tasks/{answer['id']}/", headers={"Prefer": f"wait={wait}"}).json
        if _is_task(answer):
            if self.watch:
                self.watch(answer)
            if answer["state"] != "succeeded":
                raise error_of({"code": answer["state"].upper(), **(answer["error"] or {}), "task": answer["id"]})
            return answer["result"]
        return answer

    def send(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, Any] | None = None,
        body: Any = None,
        data: bytes | None = None,
        headers: Mapping[str, str] | None = None,
        is_repeatable: bool = False,
    ) -> Answer:
        """The answer of a success. Raises LakeError with the problem document of a refusal. ``is_repeatable``: it may
        be sent again though it is a POST without a key, as a query may.
        """
        given = {"Authorization": f"Bearer {self._token}", "Accept": "application/json", **(headers or {})}
        content = data
        if body is not None:
            content = json.dumps(body).encode()
            given["Content-Type"] = "application/json"
        target = f"{self._parts.path.rstrip('/')}{path}"
        if chosen := _query(query or {}):
            target += ("&" if "?" in target else "?") + chosen
        repeats = ATTEMPTS if is_repeatable or method in ("GET", "HEAD") or "Idempotency-Key" in given else 1
        for attempt in range(repeats):
            is_last = attempt + 1 == repeats
            try:
                answer = self._send(method, target, content, given)
            except (OSError, http.client.HTTPException) as error:
                self.close()
                if is_last:
                    raise self.no_answer(error) from error
                time.sleep(0.2 * 2**attempt)
                continue
            if answer.status not in _LATER or is_last:
                break
            time.sleep(_pause(answer, attempt))
        if answer.status >= 300:
            raise error_of(_problem(answer))
        return answer

    @contextmanager
    def opened(self, path: str, accept: str, **query: Any) -> Iterator[http.client.HTTPResponse]:
        """An answer that is read piece by piece, over a connection of its own: others go on meanwhile. Raises LakeError
        with the problem document of a refusal.
        """
        target = f"{self._parts.path.rstrip('/')}{path}"
        if chosen := _query(query):
            target += f"?{chosen}"
        headers = {"Authorization": f"Bearer {self._token}", "Accept": f"{accept}, application/problem+json"}
        for attempt in range(ATTEMPTS):
            connection = self._connect()
            try:
                connection.request("GET", target, headers=headers)
                response = connection.getresponse()
                if response.status < 300:
                    yield response
                    return
                answer = _answer(response)
            finally:
                connection.close()
            if answer.status not in _LATER or attempt + 1 == ATTEMPTS:
                raise error_of(_problem(answer))
            time.sleep(_pause(answer, attempt))

    def _connect(self) -> http.client.HTTPConnection:
        kind = http.client.HTTPSConnection if self._parts.scheme == "https" else http.client.HTTPConnection
        connection = kind(self._parts.hostname or "", self._parts.port, timeout=min(CONNECT_SECONDS, self._timeout))
        connection.connect()
        connection.sock.settimeout(self._timeout)
        return connection

    def _send(self, method: str, target: str, content: bytes | None, headers: Mapping[str, str]) -> Answer:
        if self._connection is not None and _is_ended(self._connection):
            # A server ends connections that say nothing for some seconds. What is sent there gets no answer, and only
            # some requests may be sent again.
            self.close()
        if self._connection is None:
            self._connection = self._connect()
        self._connection.request(method, target, content, dict(headers))
        response = self._connection.getresponse()
        answer = _answer(response)
        if response.will_close:
            self.close()
        return answer

    def no_answer(self, error: Exception) -> ConnectionFailed:
        why = str(error) or type(error).__name__
        return ConnectionFailed(
            {
                "code": "CONNECTION_FAILED",
                "detail": f"The server at {self.url} did not answer: {why}.",
                "remedy": "Look whether it runs, and whether LAKEUI_URL is its address.",
            }
        )

    def __del__(self) -> None:
        # What is made in one line and thrown away leaves no connection open.
        if hasattr(self, "_connection"):
            self.close()

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None


def _is_ended(connection: http.client.HTTPConnection) -> bool:
    """Whether the server has ended the connection: between two requests it sends nothing else."""
    found: socket.socket | None = connection.sock
    if found is None:
        return False
    try:
        return bool(select.select([found], [], [], 0)[0])
    except (OSError, ValueError):
        return True


def _answer(response: http.client.HTTPResponse) -> Answer:
    return Answer(response.status, {name.lower(): value for name, value in response.getheaders()}, response.read())


def _is_task(answer: Any) -> bool:
    return isinstance(answer, dict) and {"state", "steps", "result"} <= answer.keys()


def _address(url: str) -> SplitResult:
    try:
        parts = urlsplit(url if "://" in url else f"http://{url}")
        is_address = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        is_address = False
    if not is_address:
        raise failed(f"{url!r} is not the address of a server.", "Write it as http://127.0.0.1:8000.")
    return parts


def key_make() -> str:
    """A key that no other request has."""
    return os.urandom(16).hex()


def segment(name: str) -> str:
    """A name as a part of an address."""
    return quote(name, safe="")


def _query(query: Mapping[str, Any]) -> str:
    chosen = {name: value for name, value in query.items() if value is not None}
    sent = {name: str(value).lower() if isinstance(value, bool) else value for name, value in chosen.items()}
    # A list is a parameter that is given several times.
    return urlencode(sent, doseq=True)


def _pause(answer: Answer, attempt: int) -> float:
    try:
        return min(float(answer.headers.get("retry-after", "")), WAIT_SECONDS)
    except ValueError:
        return 0.2 * 2.0**attempt


_NO_JSON = object()


def _json_read(content: bytes) -> Any:
    """What the bytes say, ``_NO_JSON`` where they are cut off or none."""
    try:
        return json.loads(content)
    except ValueError:
        return _NO_JSON


def _problem(answer: Answer) -> dict[str, Any]:
    """The problem document of a refusal; of a server in between, which sends none, what can be said."""
    if "json" in answer.headers.get("content-type", ""):
        found = _json_read(answer.content)
        if isinstance(found, dict) and isinstance(model := found.get("error"), dict):
            # As Iceberg's catalog refuses.
            return {"status": answer.status, "code": str(model.get("type")), "detail": str(model.get("message"))}
        if isinstance(found, dict):
            return {"status": answer.status, **found}
    if 300 <= answer.status < 400:
        return {
            "status": answer.status,
            "code": "MOVED",
            "detail": f"The server is at {answer.headers.get('location', 'another address')}.",
            "remedy": "Use that address: the token goes to no other server by itself.",
        }
    return {
        "status": answer.status,
        "code": "UNEXPECTED_ANSWER",
        "detail": f"The answer has status {answer.status} and no problem document.",
        "remedy": "Look whether the address is that of a lakeui server.",
    }
