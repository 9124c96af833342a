"""``python -m lakeui COMMAND``."""

from __future__ import annotations

from lakeui.command import main

main()
