"""Which files and options a Spark server gets."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from lakeui.runtime.spark import LEFT_OFF, PAGES, EmbeddedSpark, _distribution, java_require, page_bytes
from tests.support.servers import spark_for_tests

INSTALLED = sorted(jar.name for jar in (_distribution() / "jars").glob("*.jar"))


@pytest.mark.parametrize("beginning", LEFT_OFF)
def test_left_off_files_are_among_the_installed(beginning: str) -> None:
    """A new version of Spark names its files otherwise: what was left off would come back in silence."""
    assert any(name.startswith(beginning) for name in INSTALLED)


def test_each_start_links_only_the_installed_files(tmp_path_factory: pytest.TempPathFactory) -> None:
    server: EmbeddedSpark = spark_for_tests(tmp_path_factory.mktemp("spark"))
    made = server._distribution_link()
    (made / "jars" / "of-an-earlier-version.jar").touch()
    made = server._distribution_link()
    linked = sorted(jar.name for jar in (made / "jars").iterdir())
    assert linked == [name for name in INSTALLED if not name.startswith(LEFT_OFF)]
    assert 100 < len(linked) < 200
    assert all(jar.is_file() for jar in (made / "jars").iterdir())
    assert (made / "bin" / "spark-submit").is_file()


@pytest.mark.parametrize(
    ("memory", "mib"), [("800m", 2), ("4g", 2), ("16G", 2), ("64g", 8), ("1t", 128), ("64gb", 8), ("much", 2)]
)
def test_the_pages_of_a_task_hold_the_heap(memory: str, mib: int) -> None:
    """A task that needs one page more than it may have fails, where it should spill."""
    assert page_bytes(memory) == mib * 1024**2
    assert PAGES == 8192, "Spark's own bound"


def test_a_server_keeps_the_code_that_it_generated(tmp_path_factory: pytest.TempPathFactory) -> None:
    server = spark_for_tests(tmp_path_factory.mktemp("spark"))
    server._configure(server.home / "scratch")
    said = (server.home / "conf" / "spark-defaults.conf").read_text().splitlines()
    assert "spark.sql.codegen.cache.maxEntries 1000" in said


def test_second_compiler_of_java_takes_code_later(tmp_path: Path) -> None:
    """By default it takes a third of what a server computes until its first answer."""
    server = EmbeddedSpark(tmp_path, tmp_path / "log")
    command = [str(java_require()), *server.java_options.split(), "-XX:+PrintFlagsFinal", "-version"]
    said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    found = {name: int(value) for name, value in re.findall(r"Tier4(\w+)Threshold += (\d+)", said)}
    later = {"Invocation": 50_000, "MinInvocation": 6_000, "Compile": 150_000, "BackEdge": 400_000}
    assert {name: found[name] for name in later} == later
