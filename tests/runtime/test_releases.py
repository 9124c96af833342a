"""``make release``: version, section of CHANGELOG.md, commit and tag."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from lakeui import __version__

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = ROOT / ".ci" / "release"
PLACES = re.findall(r'^    "([^"]+)",$', SCRIPT.read_text(), re.MULTILINE)
CHANGES = "# Changes\n\n## 9.8.0, not released yet\n\n- News.\n\n## 0.0.1, 2020-01-01\n\n- Old.\n"


@pytest.fixture
def clone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository with the files that name the version."""
    for place in PLACES:
        (tmp_path / place).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / place, tmp_path / place)
    (tmp_path / "CHANGELOG.md").write_text(CHANGES)
    monkeypatch.chdir(tmp_path)
    for name in ("AUTHOR", "COMMITTER"):
        monkeypatch.setenv(f"GIT_{name}_NAME", "a")
        monkeypatch.setenv(f"GIT_{name}_EMAIL", "a@example.org")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    git("init", "--quiet")
    git("add", ".")
    git("commit", "--quiet", "--message", "begin")
    return tmp_path


def git(*words: str) -> str:
    return subprocess.run(["git", *words], check=True, capture_output=True, text=True).stdout.strip()


def release(*versions: str) -> tuple[int, str]:
    done = subprocess.run([sys.executable, SCRIPT, *versions], capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


def test_a_release_names_its_version_everywhere(clone: Path) -> None:
    assert release("9.8.7")[0] == 0
    assert git("show", "--no-patch", "--format=%s", "v9.8.7^{commit}") == "release: 9.8.7"
    assert git("status", "--porcelain") == ""
    changes = (clone / "CHANGELOG.md").read_text()
    assert re.search(r"^## 9\.8\.7, \d{4}-\d\d-\d\d\n\n- News\.\n\n## 0\.0\.1, 2020-01-01$", changes, re.MULTILINE)
    for place in PLACES:
        text = (clone / place).read_text()
        assert "9.8.7" in text
        assert not re.search(rf"(?<![\d.]){re.escape(__version__)}(?![\d.]*\d)", text)


def test_a_wrong_release_changes_nothing(clone: Path) -> None:
    begun = git("rev-parse", "HEAD")
    assert "make release VERSION" in release("new")[1]
    assert "is older" in release("0.0.9")[1]
    (clone / "CHANGELOG.md").write_text("# Changes\n\n## 9.8.0, not released yet\n")
    assert "not committed" in release("9.8.7")[1]
    git("commit", "--quiet", "--all", "--message", "no news")
    assert "says nothing" in release("9.8.7")[1]
    assert (git("rev-parse", "HEAD^"), git("tag"), git("status", "--porcelain")) == (begun, "", "")


def test_a_release_that_was_cut_off_is_ended(clone: Path) -> None:
    release("9.8.7")
    assert "released already" in release("9.8.7")[1]
    git("tag", "--delete", "v9.8.7")
    released = git("rev-parse", "HEAD")
    assert release("9.8.7")[0] == 0
    assert git("rev-parse", "HEAD", "v9.8.7^{commit}").split() == [released, released]


def test_all_places_name_the_present_version() -> None:
    assert [place for place in PLACES if __version__ not in (ROOT / place).read_text()] == []
