"""``.ci/choose-python``, which says of which Python the virtual environment is made."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

CHOOSE = Path(__file__).parents[2] / ".ci" / "choose-python"


def python(folder: Path, name: str, *, micros: int | None, is_new_enough: bool = True) -> str:
    """One that needs so long, or that cannot make a virtual environment."""
    folder.mkdir(exist_ok=True)
    path = folder / name
    measured = f"echo {micros}" if micros else "exit 1"
    path.write_text(f"#!/bin/sh\ncase $2 in *version_info*) exit {int(not is_new_enough)} ;; *) {measured} ;; esac\n")
    path.chmod(0o755)
    return str(path)


def chosen(*names: str, path: str = "") -> subprocess.CompletedProcess[str]:
    command = ["/bin/sh", str(CHOOSE), *names]
    return subprocess.run(command, env={"PATH": path}, capture_output=True, text=True, check=False, timeout=20)


@pytest.fixture
def folders(tmp_path: Path) -> tuple[Path, Path]:
    return tmp_path / "a", tmp_path / "b"


def test_first_name_is_taken_unless_another_clearly_quicker(folders: tuple[Path, Path]) -> None:
    first = python(folders[0], "python3.11", micros=1000)
    python(folders[1], "python3.11", micros=850)
    python(folders[1], "python3.12", micros=850)
    assert chosen("python3.11", "python3.12", path=f"{folders[0]}:{folders[1]}").stdout == f"{first}\n"


def test_a_clearly_quicker_later_one_is_taken(folders: tuple[Path, Path]) -> None:
    python(folders[0], "python3.11", micros=1000)
    quick = python(folders[1], "python3.11", micros=700)
    assert chosen("python3.11", path=f"{folders[0]}:{folders[1]}").stdout == f"{quick}\n"


def test_old_or_unfit_pythons_are_not_taken(folders: tuple[Path, Path]) -> None:
    python(folders[0], "python3.11", micros=None)
    python(folders[0], "python3", micros=100, is_new_enough=False)
    fits = python(folders[1], "python3", micros=1000)
    assert chosen("python3.11", "python3", path=f"{folders[0]}:{folders[1]}").stdout == f"{fits}\n"


def test_without_virtual_environments_the_first_names_missing_parts(folders: tuple[Path, Path]) -> None:
    first = python(folders[0], "python3.11", micros=None)
    assert chosen("python3.11", path=str(folders[0])).stdout == f"{first}\n"


def test_a_path_is_taken_as_it_is(folders: tuple[Path, Path]) -> None:
    python(folders[0], "python3.11", micros=100)
    named = python(folders[1], "own", micros=1000)
    assert chosen(named, path=str(folders[0])).stdout == f"{named}\n"


def test_no_python_is_no_answer(folders: tuple[Path, Path]) -> None:
    python(folders[0], "python3", micros=100, is_new_enough=False)
    none = chosen("python3", path=str(folders[0]))
    assert (none.returncode, none.stdout) == (1, "")


def test_this_python_fits() -> None:
    assert chosen(sys.executable).stdout == f"{sys.executable}\n"
