"""The hook that contributors install refuses subjects of another form."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.docs.pages import ROOT

HOOK = ROOT / ".githooks" / "commit-msg"


@pytest.mark.parametrize(
    ("subject", "is_taken"),
    [
        ("docs: pages by what a reader wants", True),
        ("Merge branch 'docs'", True),
        ("docs: " + "x" * 66, True),
        ("docs: " + "x" * 67, False),
        ("Pages by what a reader wants", False),
        ("docs: pages.", False),
    ],
)
def test_subjects(tmp_path: Path, subject: str, is_taken: bool) -> None:
    message = tmp_path / "message"
    message.write_text(f"{subject}\n\nWhy.\n# a comment\n")
    done = subprocess.run(["sh", str(HOOK), str(message)], capture_output=True, text=True, check=False)
    assert (done.returncode == 0) is is_taken
    assert is_taken or subject in done.stderr
