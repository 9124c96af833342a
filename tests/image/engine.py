"""The programs that build and run images: buildah and podman."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Sequence

PROGRAMS = ("buildah", "podman")
KEPT_LINES = 20


class Failed(Exception):
    """A step did not do what it has to; the message is what a person reads."""


def programs_require(*names: str) -> None:
    """Raises Failed where a program is missing."""
    missing = [name for name in names if shutil.which(name) is None]
    if missing:
        raise Failed(
            f"There is no {' and no '.join(missing)} on PATH. Debian and Ubuntu: apt install {' '.join(missing)}"
        )


def ran(*command: str, given: str = "") -> str:
    """What the command wrote, errors included. Raises Failed with its last lines where it fails."""
    done = tried(*command, given=given)
    if done.returncode:
        last = "\n".join(done.stdout.splitlines()[-KEPT_LINES:])
        raise Failed(f"{' '.join(command[:4])} … ended with {done.returncode}:\n{last}")
    return done.stdout.strip()


def tried(*command: str, given: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command, input=given, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", check=False
    )


def removed(*commands: Sequence[str]) -> None:
    """Each is run, and may fail: what it removes may not be there."""
    for command in commands:
        tried(*command)
