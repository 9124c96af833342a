"""``docker/pin-digests``: which lines it writes, and that it writes none without an answer. skopeo's part is played."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

DOCKER = Path(__file__).resolve().parents[2] / "docker"
FILES = ("Dockerfile", "compose.yaml")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the files, and a skopeo whose manifest of an image is its address and what ``moved`` holds."""
    for name in (*FILES, "pin-digests"):
        shutil.copy(DOCKER / name, tmp_path / name)
    programs = tmp_path / "bin"
    programs.mkdir()
    refuses = f'case $3 in *"$(cat {tmp_path}/unknown)"*) exit 1 ;; esac'
    (programs / "skopeo").write_text(f'#!/bin/sh\n{refuses}\nprintf %s "$3"\ncat {tmp_path}/moved\n')
    (programs / "skopeo").chmod(0o755)
    (tmp_path / "moved").write_text("")
    (tmp_path / "unknown").write_text("none")
    monkeypatch.setenv("PATH", f"{programs}:{os.environ['PATH']}")
    return tmp_path


def pin(folder: Path, *options: str) -> tuple[int, str]:
    done = subprocess.run(["sh", folder / "pin-digests", *options], capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


def texts(folder: Path) -> str:
    return "".join((folder / name).read_text() for name in FILES)


def test_each_tag_gets_its_digest(folder: Path) -> None:
    before = texts(folder)
    assert pin(folder, "--check")[0] == 1
    assert texts(folder) == before
    assert pin(folder)[0] == 0
    pinned = re.findall(r"(\w+:[\w.-]+)@sha256:(\w+)", texts(folder))
    assert [name.partition(":")[0] for name, _ in pinned] == ["node", "python", "python", "postgres", "redis"]
    for name, digest in pinned:
        assert digest == hashlib.sha256(f"docker://{name}".encode()).hexdigest()
    assert re.sub(r"@sha256:\w+", "", texts(folder)) == re.sub(r"@sha256:\w+", "", before)
    assert pin(folder, "--check")[0] == 0


def test_a_moved_tag_is_found_and_written(folder: Path) -> None:
    pin(folder)
    before = texts(folder)
    (folder / "moved").write_text("anew")
    assert pin(folder, "--check")[0] == 1
    pin(folder)
    assert texts(folder) != before
    assert pin(folder, "--check")[0] == 0
    assert texts(folder).count("@sha256:") == 5


def test_without_an_answer_nothing_is_written(folder: Path) -> None:
    before = texts(folder)
    (folder / "unknown").write_text("redis")
    status, said = pin(folder)
    assert (status, texts(folder)) == (1, before)
    assert "does not give redis:" in said
