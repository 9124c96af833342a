"""The wheel: packages by pyproject.toml, and beside them the pages as `make frontend` builds them."""

from __future__ import annotations

import shutil
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py
from setuptools.errors import SetupError

PAGES = Path("frontend", "dist")


class BuildWithPages(build_py):
    """Puts the pages into the package."""

    def run(self) -> None:
        super().run()
        if self.editable_mode:
            return
        if not (PAGES / "manifest.json").is_file():
            raise SetupError(f"{PAGES} holds no pages. Build them first: make frontend")
        target = Path(self.build_lib, "lakeui", "pages")
        shutil.rmtree(target, ignore_errors=True)
        shutil.copytree(PAGES, target)


setup(cmdclass={"build_py": BuildWithPages})
