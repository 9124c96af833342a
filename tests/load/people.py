"""The people of ``make load``, run by locust: readers of pages, writers, mergers, and clients that mean harm.

Names of requests are the lines of the table. ``LAKEUI_LOAD`` names the file that says who they are and where.
"""

from __future__ import annotations

import itertools
import json
import os
import random
import socket
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import gevent
from locust import FastHttpUser, between, constant_pacing, task

PLAN: dict[str, Any] = json.loads(Path(os.environ["LAKEUI_LOAD"]).read_text())
CATALOG = PLAN["catalog"]
HOME = f"/api/v1/catalogs/{CATALOG}"
MAIN = f"{HOME}/branches/main"
ENDLESS = "SELECT sum(a.id * b.id * c.id) FROM d.big a, d.big b, d.big c"
COMMITS = Path(PLAN["written"])
"""One file per writer: a line for each row, before it is sent and when it is acknowledged."""


def _each(role: str) -> Iterator[tuple[int, str]]:
    return iter(enumerate(PLAN["tokens"][role]))


class Person(FastHttpUser):
    abstract = True
    role = ""
    network_timeout = 120.0
    connection_timeout = 30.0

    def on_start(self) -> None:
        self.number, token = next(TURNS[self.role])
        self.headers = {"Authorization": f"Bearer {token}"}

    def get(self, what: str, path: str) -> None:
        self.client.get(path, headers=self.headers, name=what)

    def sql(self, what: str, statement: str, *, branch: str = "main", expected: tuple[int, ...] = (200,)) -> bool:
        """Run a statement; answer whether it was acknowledged."""
        body = {"catalog": CATALOG, "branch": branch, "statement": statement}
        headers = {**self.headers, "Prefer": "wait=30"}
        with self.client.post("/api/v1/sql/", json=body, headers=headers, name=what, catch_response=True) as answer:
            status, text = self.ended(answer)
            if status in expected:
                answer.success()
            else:
                answer.failure(f"{status} {text[:120]}")
            return status == 200

    def ended(self, answer: Any) -> tuple[int, str]:
        """Status and text of an answer; of a task that still runs, those of its end."""
        if answer.status_code != 202:
            return answer.status_code, answer.text or ""
        address = urlsplit(answer.headers["Location"]).path
        while True:
            task = self.client.get(address, headers={**self.headers, "Prefer": "wait=20"}, name="a task").json()
            if task["state"] not in ("queued", "running"):
                return (200 if task["state"] == "succeeded" else task["error"]["status"]), json.dumps(task["error"])
            time.sleep(1)


class Reader(Person):
    """Opens a page, looks at it, opens the next."""

    role = "reader"
    fixed_count = PLAN["readers"]
    wait_time = between(5, 15)

    @task(2)
    def catalogs(self) -> None:
        self.get("page: catalogs", "/api/v1/catalogs/")

    @task(3)
    def tables(self) -> None:
        self.get("page: tables of a branch", f"{MAIN}/databases/d/tables/")

    @task(3)
    def table(self) -> None:
        table = f"{MAIN}/databases/d/tables/t{random.randrange(PLAN['writers'])}/"
        self.get("page: a table", table)
        self.get("page: history of a table", f"{table}history/")

    @task(2)
    def rows(self) -> None:
        self.get("page: rows of a table", f"{MAIN}/databases/d/tables/big/rows/")

    @task(2)
    def graph(self) -> None:
        self.get("page: graph", f"{HOME}/graph/")

    @task(3)
    def compare(self) -> None:
        self.get("page: compare", f"{HOME}/compare/dev...main/")

    @task(2)
    def merges(self) -> None:
        self.get("page: merges", f"/api/v1/merges/?catalog={CATALOG}")

    @task(1)
    def history(self) -> None:
        self.get("page: history of a branch", f"{MAIN}/history/")

    @task(1)
    def requests(self) -> None:
        self.get("page: merge requests", f"{HOME}/merge-requests/")


class Writer(Person):
    """Writes to a table of its own, and to one that all share. Each row has an id that is used once."""

    role = "writer"
    fixed_count = PLAN["writers"]
    wait_time = constant_pacing(10)

    def on_start(self) -> None:
        super().on_start()
        self.table = f"d.t{self.number}"
        self.ids = itertools.count(self.number * 1_000_000)
        self.file = (COMMITS / f"writer-{self.number}.jsonl").open("a", buffering=1)

    def note(self, **said: Any) -> None:
        self.file.write(json.dumps(said) + "\n")

    def insert(self, what: str, table: str) -> None:
        identifier = next(self.ids)
        self.note(table=table, id=identifier, acknowledged=False)
        if self.sql(what, f"INSERT INTO {table} VALUES ({identifier}, 'new')"):
            self.note(table=table, id=identifier, acknowledged=True)

    @task(4)
    def insert_own(self) -> None:
        self.insert("INSERT of a row", self.table)

    @task(2)
    def insert_shared(self) -> None:
        self.insert("INSERT of a row, all at one table", "d.shared")

    @task(2)
    def update(self) -> None:
        self.sql("UPDATE of a row in 1,000", f"UPDATE {self.table} SET v = '{time.time()}' WHERE id = -1")

    @task(1)
    def merge(self) -> None:
        source = f"(SELECT {-random.randrange(1, 900)} AS id, '{time.time()}' AS v)"
        on = f"MERGE INTO {self.table} t USING {source} s ON t.id = s.id"
        self.sql("MERGE INTO of a row", f"{on} WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *")

    @task(1)
    def count(self) -> None:
        self.sql("SELECT count(*)", f"SELECT count(*) FROM {self.table}")


class Merger(Person):
    """Branches, writes there, merges, drops the branch."""

    role = "merger"
    fixed_count = PLAN["mergers"]
    wait_time = constant_pacing(60 * PLAN["mergers"] / PLAN["merges_per_minute"])

    def on_start(self) -> None:
        super().on_start()
        self.rounds = itertools.count()

    @task
    def merge(self) -> None:
        branch, table = f"m{self.number}_{next(self.rounds)}", f"d.u{self.number}"
        if not self.sql("CREATE BRANCH", f"CREATE BRANCH {branch}"):
            return
        self.sql("INSERT on a branch", f"INSERT INTO {table} VALUES ({random.randrange(10**9)}, 'b')", branch=branch)
        self.sql("MERGE BRANCH", f"MERGE BRANCH {branch} TO main")
        self.sql("DROP BRANCH", f"DROP BRANCH {branch}")


class Bad(Person):
    """Five people who try to stop the server, each in a way of its own."""

    role = "bad"
    # Else the client opens ten connections, and holds the other requests back itself.
    concurrency = 40
    fixed_count = PLAN["bad"]
    wait_time = constant_pacing(5)

    @task
    def harm(self) -> None:
        ways = (self.half_open, self.blown_up, self.endless, self.long_polls, self.deep)
        ways[self.number % len(ways)]()

    def half_open(self) -> None:
        """80 connections that never end their request."""
        address = urlsplit(self.host or "")
        opened = []
        for _ in range(80):
            connection = socket.create_connection((address.hostname, address.port), timeout=5)
            connection.sendall(b"GET /api/v1/catalogs/ HTTP/1.1\r\nHost: localhost\r\nX-Slow: ")
            opened.append(connection)
        time.sleep(4)
        for connection in opened:
            connection.close()

    def blown_up(self) -> None:
        text = "SELECT repeat(repeat('x', 16000000), 125), repeat('x', 2000000000)"
        self.sql("bad: repeat of 2 GB", text, expected=(400, 422, 429))

    def endless(self) -> None:
        self.sql("bad: an endless query", ENDLESS, expected=(429, 504))

    def long_polls(self) -> None:
        """A query without end as a task, and 40 requests that wait for it."""
        headers = {**self.headers, "Prefer": "respond-async"}
        body = {"catalog": CATALOG, "branch": "main", "statement": ENDLESS}
        with self.client.post(
            "/api/v1/sql/", json=body, headers=headers, name="bad: an endless task", catch_response=True
        ) as asked:
            # It has as many queries that wait or run as it may.
            if asked.status_code in (202, 429):
                asked.success()
        if asked.status_code == 202:
            polled = [gevent.spawn(self.poll, urlsplit(asked.headers["Location"]).path) for _ in range(40)]
            gevent.joinall(polled)

    def poll(self, path: str) -> None:
        self.client.get(path, headers={**self.headers, "Prefer": "wait=30"}, name="bad: 40 long polls")

    def deep(self) -> None:
        terms = " OR ".join(f"id = {number}" for number in range(10_000))
        self.sql("bad: 10,000 terms", f"SELECT * FROM d.big WHERE {terms}", expected=(400, 422, 429))
        self.sql("bad: 5,000 brackets", f"SELECT {'(' * 5000}1{')' * 5000}", expected=(400, 422, 429))


TURNS = {role: _each(role) for role in PLAN["tokens"]}
