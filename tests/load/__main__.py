"""``make load``: 200 readers, 20 writers, 10 merges a minute and 5 bad clients at an instance of its own.

Prints the times per page and statement, and the memory of each part. Ends with 1 where a write is lost, a page fails,
an invariant breaks, or memory grows.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import platform
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tests.load.instance import ROOT, Instance

CATALOG = "load"
MINUTE = 60
GROWTH = 1.10
"""Memory at the end, as a part of what it is after warming up."""
MOST_SECONDS = {"page": 1.0}
"""The 95th percentile that is asked of pages."""
ROWS_AT_ONCE = 5_000
"""Half of what one answer holds, so that rows which are there twice are seen."""
Problems = list[str]


def main() -> int:
    parser = argparse.ArgumentParser(prog="make load", description=__doc__)
    parser.add_argument("--seconds", type=int, default=300, help="how long people come, after warming up")
    parser.add_argument(
        "--warm-up", type=int, default=300, help="seconds until caches are full; memory is compared with that"
    )
    parser.add_argument("--readers", type=int, default=200)
    parser.add_argument("--writers", type=int, default=20)
    parser.add_argument("--merges", type=int, default=10, help="merges a minute")
    parser.add_argument("--without-bad", action="store_true", help="no bad clients")
    parser.add_argument("--logs", type=Path, default=Path("var/load"), help="where the logs of all parts go")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="lakeui-load-") as made:
        Path(made).chmod(0o711)
        instance = Instance(Path(made) / "home", {"LAKEUI_STATEMENT_SECONDS": "20"})
        try:
            instance.start()
            problems = run(instance, Path(made), options)
        finally:
            instance.stop()
            instance.logs_keep(options.logs)
    print("\n".join(["", *problems]) if problems else "\nAll in order.")
    return 1 if problems else 0


def run(instance: Instance, folder: Path, options: argparse.Namespace) -> Problems:
    roles = {"reader": "viewer", "writer": "contributor", "merger": "contributor", "bad": "viewer"}
    mergers = max(1, options.merges // 5)
    numbers = {"reader": options.readers, "writer": options.writers, "merger": mergers}
    numbers["bad"] = 0 if options.without_bad else 5
    owner = instance.accounts(CATALOG, {"owner": ""})["owner"]
    lake_fill(instance, owner, writers=options.writers, mergers=mergers)
    people = {f"{role}{number}": roles[role] for role, count in numbers.items() for number in range(count)}
    tokens = instance.accounts(CATALOG, people)
    written = folder / "written"
    written.mkdir()
    plan = {
        "catalog": CATALOG,
        "written": str(written),
        "readers": options.readers,
        "writers": options.writers,
        "mergers": mergers,
        "merges_per_minute": options.merges,
        "bad": numbers["bad"],
        "tokens": {role: [tokens[f"{role}{n}"] for n in range(count)] for role, count in numbers.items()},
    }
    (folder / "plan.json").write_text(json.dumps(plan))
    memory = MemoryByMinute(instance)
    memory.start()
    load_run(instance, folder, seconds=options.warm_up + options.seconds, people=sum(numbers.values()))
    # Answers that are under way still take memory.
    time.sleep(5)
    memory.stop()
    problems = times_print(folder / "load_stats.csv", folder / "load_failures.csv")
    problems += memory_print(memory.found, options.warm_up // MINUTE, instance.memory())
    problems += restarts(instance)
    problems += lost_writes(instance, owner, written)
    problems += in_order(instance)
    return problems


class MemoryByMinute(threading.Thread):
    """``found``: MiB of each part, each minute since the start."""

    def __init__(self, instance: Instance) -> None:
        super().__init__(daemon=True)
        self.found: list[dict[str, float]] = []
        self._instance = instance
        self._stopped = threading.Event()

    def run(self) -> None:
        begun = time.monotonic()
        while not self._stopped.wait(max(0, begun + MINUTE * len(self.found) - time.monotonic())):
            self.found.append(self._instance.memory())

    def stop(self) -> None:
        self._stopped.set()
        self.join()


def lake_fill(instance: Instance, owner: str, *, writers: int, mergers: int) -> None:
    """A table for each writer and merger, one that all share, one of 100,000 rows, and a branch that differs."""
    instance.sql(owner, f"CREATE CATALOG {CATALOG}", catalog=CATALOG)
    small = "SELECT -id AS id, CAST(id AS STRING) AS v FROM range(1, 1001)"
    statements = ["CREATE DATABASE d", "CREATE TABLE d.shared (id BIGINT, v STRING)"]
    statements += [f"CREATE TABLE d.t{number} AS {small}" for number in range(writers)]
    statements += [f"CREATE TABLE d.u{number} (id BIGINT, v STRING)" for number in range(mergers)]
    statements.append("CREATE TABLE d.big AS SELECT id, CAST(id % 1000 AS STRING) AS v FROM range(100000)")
    statements.append("CREATE BRANCH dev")
    for statement in statements:
        instance.sql(owner, statement, catalog=CATALOG)
    for number in range(0, writers, 2):
        instance.sql(owner, f"INSERT INTO d.t{number} VALUES (-2000, 'dev')", catalog=CATALOG, branch="dev")


def load_run(instance: Instance, folder: Path, *, seconds: int, people: int) -> None:
    command = [sys.executable, "-m", "locust", "--locustfile=tests/load/people.py", "--headless"]
    command += [f"--host={instance.address}", f"--users={people}", "--spawn-rate=20", f"--run-time={seconds}s"]
    command += ["--stop-timeout=110", f"--csv={folder / 'load'}", "--only-summary", "--loglevel=WARNING"]
    environment = {**os.environ, "LAKEUI_LOAD": str(folder / "plan.json")}
    with (folder / "locust.log").open("wb") as sink:
        subprocess.run(command, cwd=ROOT, env=environment, stdout=sink, stderr=sink, check=False)
    if not (folder / "load_stats.csv").exists():
        raise RuntimeError((folder / "locust.log").read_text()[-4000:])


def times_print(stats: Path, failures: Path) -> Problems:
    """The table of milliseconds by page and statement; what failed, and pages that are too slow."""
    print(f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}")
    print(f"{'':48}{'requests':>9}{'failed':>8}{'p50':>8}{'p95':>8}{'p99':>8}  ms")
    problems = []
    for row in rows_read(stats):
        if row["Name"] == "Aggregated":
            continue
        times = [float(row[share]) for share in ("50%", "95%", "99%")]
        columns = "".join(f"{value:8,.0f}" for value in times)
        print(f"{row['Name']:48}{int(row['Request Count']):9,}{int(row['Failure Count']):8,}{columns}")
        most = MOST_SECONDS.get(row["Name"].partition(":")[0])
        if most is not None and times[1] > 1000 * most:
            problems.append(f"{row['Name']}: p95 is {times[1] / 1000:.1f} s, asked for is {most:g} s.")
    for row in rows_read(failures):
        line = f"{row['Name']}: {row['Occurrences']} x {row['Error']}"
        print(line)
        problems.append(line)
    return problems


def rows_read(file: Path) -> Sequence[Mapping[str, str]]:
    with file.open() as source:
        return list(csv.DictReader(source))


def memory_print(
    minutes: Sequence[Mapping[str, float]], minutes_to_warm_up: int, after: Mapping[str, float]
) -> Problems:
    """Print the memory of each part, minute by minute, and judge whether it grew after the warm-up (as load tests do:
    caches and heaps fill until then).
    """
    print(f"\n{'MiB, by minute':16}{'end / warm-up':>14}")
    # The first entry is that of the start, so the number of minutes is the place.
    before = minutes[minutes_to_warm_up]
    for part, now in sorted(after.items()):
        # A part that was not there then has nothing to be compared with.
        ratio = f"{now / before[part]:14.2f}" if part in before else f"{'':14}"
        print(f"{part:16}{ratio}{_curve([found.get(part, 0) for found in minutes], now)}")
    totals = [sum(found.values()) for found in minutes]
    first, total = totals[minutes_to_warm_up], sum(after.values())
    print(f"{'all':16}{total / first:14.2f}{_curve(totals, total)}")
    return [f"Memory grew from {first:,.0f} to {total:,.0f} MiB."] if total > GROWTH * first else []


def _curve(minutes: Sequence[float], end: float) -> str:
    return "".join(f"{size:7,.0f}" for size in [*minutes, end])


def restarts(instance: Instance) -> Problems:
    """Parts that ended by themselves."""
    return [line for line in instance.log.read_text().splitlines() if "has ended by itself" in line]


def lost_writes(instance: Instance, owner: str, written: Path) -> Problems:
    """Acknowledged rows that are not there once, and others that are there more than once."""
    acknowledged: Counter[tuple[str, int]] = Counter()
    sent: Counter[tuple[str, int]] = Counter()
    for file in sorted(written.glob("*.jsonl")):
        for line in file.read_text().splitlines():
            said: dict[str, Any] = json.loads(line)
            (acknowledged if said["acknowledged"] else sent)[said["table"], said["id"]] += 1
    problems = []
    for table in sorted({table for table, _ in sent}):
        found: Counter[int] = Counter()
        parts = 1 + sum(name == table for name, _ in sent) // ROWS_AT_ONCE
        for rest in range(parts):
            text = f"SELECT id FROM {table} WHERE id >= 0 AND id % {parts} = {rest}"
            answer = instance.sql(owner, text, catalog=CATALOG)
            assert not answer.get("truncated"), "more rows than one answer holds"
            found.update(row[0] for row in answer["rows"])
        lost = [key for key in acknowledged if key[0] == table and found[key[1]] == 0]
        doubled = [identifier for identifier, count in found.items() if count > 1]
        unknown = [identifier for identifier in found if (table, identifier) not in sent]
        for what, rows in (("lost", lost), ("doubled", doubled), ("that no writer sent", unknown)):
            if rows:
                problems.append(f"{table}: {len(rows)} rows {what}: {rows[:5]}")
    print(f"\n{sum(sent.values()):,} rows sent, {sum(acknowledged.values()):,} acknowledged.")
    return problems


def in_order(instance: Instance) -> Problems:
    problems = []
    for command in (["check_catalog", "--rows"], ["verify_audit"]):
        answer = instance.manage(*command)
        print(" ".join(command), "->", answer.stdout.strip() or answer.stderr.strip())
        if answer.returncode:
            problems.append(f"{' '.join(command)}: {answer.stdout}{answer.stderr}")
    return problems


if __name__ == "__main__":
    sys.exit(main())
