"""A part that ends again and again stops everything, with the reason."""

from __future__ import annotations

import errno
import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

from lakeui.runtime import restarts
from lakeui.runtime.environment import variables_read
from lakeui.runtime.problems import Interrupted, RuntimeProblem
from lakeui.runtime.processes import ProcessRecord, is_alive
from lakeui.runtime.restarts import MOST_ENDS
from lakeui.runtime.supervisor import Started, Supervisor, UpOptions

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def said() -> list[str]:
    return []


@pytest.fixture
def supervisor(tmp_path: Path, said: list[str], monkeypatch: pytest.MonkeyPatch) -> Supervisor:
    monkeypatch.setattr(restarts, "FIRST_DELAY_SECONDS", 0.01)
    monkeypatch.setattr("lakeui.runtime.supervisor.LOOK_SECONDS", 0.01)
    options = UpOptions(
        base=tmp_path,
        home=tmp_path,
        port=1,
        demo=False,
        admin_password="",
        admin_password_is_ours=True,
        variables=variables_read({}),
        environment={},
    )
    return Supervisor(options, said.append)


def test_part_that_ends_too_often_is_given_up(supervisor: Supervisor, said: list[str], tmp_path: Path) -> None:
    last_words = "import sys; print('no such queue'); sys.exit(3)"
    child = supervisor._start("worker", [sys.executable, "-c", last_words], restarts=True)
    with pytest.raises(RuntimeProblem) as given_up:
        supervisor._watch()
    assert f"worker has ended by itself (exit status 3). That is end {MOST_ENDS} within 5 minutes" in str(
        given_up.value
    )
    assert "no such queue" in str(given_up.value)
    assert str(tmp_path) in given_up.value.remedy
    assert len([line for line in said if "was started again" in line]) == MOST_ENDS - 1
    assert not is_alive(child.record)


@pytest.mark.parametrize("part", ["spark", "spark_queries"])
def test_neither_spark_is_given_up(
    part: str, supervisor: Supervisor, said: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Or a person with a few statements could stop everything."""
    monkeypatch.setattr("lakeui.runtime.supervisor.LONGEST_DELAY_SECONDS", 0.02)
    supervisor._start(part, [sys.executable, "-c", "raise SystemExit(3)"], restarts=True)

    def stop_in_the_end(line: str) -> None:
        said.append(line)
        supervisor._asked_to_stop = len(said) > 4 * MOST_ENDS

    supervisor._say = stop_in_the_end
    with pytest.raises(Interrupted):
        supervisor._watch()
    assert len([line for line in said if "was started again" in line]) > MOST_ENDS


def test_part_whose_start_meets_full_disk_starts_later(supervisor: Supervisor, said: list[str]) -> None:
    """It would have stopped every other part."""
    child = supervisor._start("spark", [sys.executable, "-c", "raise SystemExit(3)"], restarts=True)
    start, failures = child.again, [OSError(errno.ENOSPC, "No space left on device")] * 2
    assert start is not None

    def again() -> Started:
        if failures:
            raise failures.pop()
        supervisor._asked_to_stop = True
        return start()

    child.again = again
    with pytest.raises(Interrupted):
        supervisor._watch()
    child.process.wait(20)
    assert [line for line in said if "spark could not be started: [Errno 28] No space left" in line]
    assert [line for line in said if "spark was started again" in line]


SAYS = """
import sys
from lakeui.runtime.management.commands.up import Command
command = Command(no_color=True)
command._say("before")
sys.stdin.readline()
command._say("after")
print("still runs", file=sys.stderr)
"""


def test_parts_are_stopped_though_the_terminal_is_closed() -> None:
    """Each line that `up` says stands before a stop; an error there would leave the parts behind."""
    terminal, shown = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-c", SAYS], stdin=subprocess.PIPE, stdout=shown, stderr=subprocess.PIPE, cwd=ROOT, text=True
    )
    os.close(shown)
    assert b"before" in os.read(terminal, 100)
    os.close(terminal)
    answer = process.communicate("\n", timeout=60)
    assert answer[1].endswith("still runs\n")
    assert process.returncode == 0


def test_all_parts_stop_where_nothing_can_be_written(
    supervisor: Supervisor, said: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else the parts after the first would run on without anyone to stop them."""
    # Parts that run until they are stopped: the test ends them at once, and nothing waits for the minute.
    command = [sys.executable, "-c", "import time; time.sleep(60)"]
    parts = [supervisor._start(name, command, restarts=True) for name in ("worker", "web")]

    def refuse(_home: Path, _records: list[ProcessRecord]) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("lakeui.runtime.supervisor.processes_write", refuse)
    supervisor._stop_all()
    assert not any(is_alive(part.record) for part in parts)
    assert any("could not be written down" in line for line in said)
