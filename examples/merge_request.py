"""Opens a merge request, has it approved, and merges it: over HTTP, with the access tokens of two people.

    LAKEUI_TOKEN=lake_… LAKEUI_REVIEWER_TOKEN=lake_… \
        python examples/merge_request.py http://127.0.0.1:8000 demo feature main "Delays by carrier"

The first token opens and merges (scopes write and merge), the second approves (scope merge): no one approves their own
request. A conflict, or a branch that moves in between, ends it with what the server says. Standard library only.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from typing import Any
from urllib.error import HTTPError
from urllib.parse import quote
from urllib.request import Request, urlopen
from uuid import uuid4

PATIENCE_SECONDS = 30


class TaskFailed(Exception):
    """The work of a task came to nothing; the argument is its problem document."""


class Client:
    """The interface of one server, as one person."""

    def __init__(self, server: str, token: str) -> None:
        self._server = server.rstrip("/")
        self._token = token

    def send(self, method: str, path: str, body: Any = None, **headers: str) -> Any:
        """The JSON of the answer. Raises HTTPError, whose body is a problem document (RFC 9457)."""
        request = Request(
            self._server + path,
            method=method,
            data=None if body is None else json.dumps(body).encode(),
            headers={"Authorization": f"Bearer {self._token}", "Content-Type": "application/json", **headers},
        )
        with urlopen(request, timeout=PATIENCE_SECONDS + 10) as response:
            return json.load(response)

    def finished(self, answer: Any) -> Any:
        """The result of the task in ``answer``, or ``answer`` where it is no task. Raises TaskFailed."""
        while answer.get("state") in ("queued", "running"):
            answer = self.send("GET", f"/api/v1/tasks/{answer['id']}/", Prefer=f"wait={PATIENCE_SECONDS}")
        if answer.get("state") in ("failed", "cancelled", "lost"):
            raise TaskFailed(answer["error"])
        return answer["result"] if answer.get("state") == "succeeded" else answer


def merge_reviewed(
    author: Client, reviewer: Client, *, catalog: str, source: str, destination: str, title: str
) -> dict[str, Any]:
    """Open, approve and merge; answers what the merge answered."""
    address = f"/api/v1/catalogs/{quote(catalog, safe='')}"
    wanted = {"source": source, "destination": destination, "title": title}
    # Under a key of its own a request that was sent twice, after a timeout, is opened once.
    opened = author.send("POST", f"{address}/merge-requests/", wanted, **{"Idempotency-Key": str(uuid4())})
    request = f"{address}/merge-requests/{opened['number']}"
    print(f"opened merge request #{opened['number']}: {source} into {destination}")

    # What is approved is this very plan: the approval counts for its fingerprint, and so does the merge.
    pair = f"{quote(source, safe='')}...{quote(destination, safe='')}"
    seen = reviewer.send("GET", f"{address}/compare/{pair}/")
    for entry in seen["results"]:
        print(f"  {entry['verdict']:<9} {entry['name']}")
    reviewer.send("POST", f"{request}/reviews/", {"verdict": "approve", "fingerprint": seen["fingerprint"]})
    print("approved")

    merge = {"fingerprint": seen["fingerprint"]}
    headers = {"Prefer": f"wait={PATIENCE_SECONDS}", "Idempotency-Key": str(uuid4())}
    merged: dict[str, Any] = author.finished(author.send("POST", f"{request}/merge/", merge, **headers))
    print(f"merged as version {merged['version']} of {destination}, audit record {merged['merge_id']}")
    return merged


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name in ("server", "catalog", "source", "destination", "title"):
        parser.add_argument(name)
    wanted = vars(parser.parse_args())
    server = wanted.pop("server")
    try:
        author, reviewer = (Client(server, os.environ[name]) for name in ("LAKEUI_TOKEN", "LAKEUI_REVIEWER_TOKEN"))
    except KeyError as missing:
        print(f"Set {missing.args[0]} to an access token.", file=sys.stderr)
        return 2
    try:
        merge_reviewed(author, reviewer, **wanted)
    except (HTTPError, TaskFailed) as refusal:
        problem = json.load(refusal) if isinstance(refusal, HTTPError) else refusal.args[0]
        print(f"{problem['code']}: {problem['detail']} {problem.get('remedy', '')}".rstrip(), file=sys.stderr)
        for conflict in problem.get("conflicts", []):
            print(f"  - {conflict['message']}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
