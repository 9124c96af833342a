"""Make a catalog of 10,000 tables, all changed on branch ``dev``, in the lake that runs here; prints its name.

For ``frontend/scripts/large-lake.mjs``, which measures the pages on it.
"""

from __future__ import annotations

import argparse
import os


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.changed_lake", description=__doc__)
    parser.add_argument("--tables", type=int, default=10_000)
    parser.add_argument("--columns", type=int, default=20, help="of each table")
    options = parser.parse_args()
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "lakeui.settings")
    import django

    django.setup()
    from tests.benchmarks.compare import ChangedLake

    print(ChangedLake(options.tables, options.columns).catalog)  # noqa: T201 - the name is what the command is for


if __name__ == "__main__":
    main()
