"""Macros of the adapter."""

from pathlib import Path

PACKAGE_PATH = str(Path(__file__).parent)
