"""``frontend/npm.sh``, which builds the pages: Node from PATH where it is new enough, else that of a wheel."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

NPM = Path(__file__).parents[2] / "frontend" / "npm.sh"
NEW_ENOUGH, TOO_OLD = "exit 0", "exit 1"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """What PATH names: nothing of this machine but what the script itself calls."""
    found = shutil.which("dirname")
    assert found is not None
    (tmp_path / "dirname").symlink_to(found)
    return tmp_path


def command(path: Path, script: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)


def wheel(folder: Path, *, is_installed: bool) -> None:
    """A Python that knows of a wheel of Node, or installs it when pip is asked for."""
    command(folder / "wheel" / "bin" / "node", 'echo "the wheel ran $*"')
    mark = folder / "installed"
    if is_installed:
        mark.touch()
    command(folder / "python", f'[ "$1" = -m ] && : > {mark} || {{ [ -e {mark} ] && echo {folder}/wheel; }}')


def run(folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["/bin/sh", str(NPM), str(folder / "python"), "run", "build"],
        env={"PATH": str(folder)},
        capture_output=True,
        text=True,
        check=True,
        timeout=20,
    )


def test_node_on_path_is_used_if_new_enough(folder: Path) -> None:
    command(folder / "node", NEW_ENOUGH)
    command(folder / "npm", 'echo "npm of PATH: $*"')
    assert run(folder).stdout == "npm of PATH: run build\n"


@pytest.mark.parametrize("node", [TOO_OLD, None])
def test_else_that_of_the_wheel_is_used(folder: Path, node: str | None) -> None:
    if node is not None:
        command(folder / "node", node)
        command(folder / "npm", "exit 1")
    wheel(folder, is_installed=True)
    ran = run(folder)
    assert ran.stdout == f"the wheel ran {folder}/wheel/lib/node_modules/npm/bin/npm-cli.js run build\n"
    assert ran.stderr == ""


def test_which_is_installed_when_it_is_first_needed(folder: Path) -> None:
    wheel(folder, is_installed=False)
    ran = run(folder)
    assert ran.stdout.startswith("the wheel ran ")
    assert "installing one with pip" in ran.stderr
