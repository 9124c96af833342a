"""Where lakeui lies: in its repository, or installed from a wheel."""

from __future__ import annotations

from pathlib import Path

import pytest

from lakeui.runtime.discovery import home_directory


@pytest.mark.parametrize(
    ("environment", "expected"),
    [
        ({}, "~/.local/share/lakeui"),
        ({"XDG_DATA_HOME": "/data"}, "/data/lakeui"),
        ({"LAKEUI_HOME": "/srv/lake", "XDG_DATA_HOME": "/data"}, "/srv/lake"),
        ({"LAKEUI_HOME": "lake"}, "lake"),
    ],
)
def test_the_home_of_an_installed_program(environment: dict[str, str], expected: str) -> None:
    assert home_directory(environment, None) == Path(expected).expanduser().absolute()


def test_the_home_in_the_repository(tmp_path: Path) -> None:
    assert home_directory({}, tmp_path) == tmp_path / "var"
    assert home_directory({"LAKEUI_HOME": "lake"}, tmp_path) == tmp_path / "lake"
