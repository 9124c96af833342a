"""``make bench``: prints a table and writes JSON.

Ratios and medians of one run are what counts: machines are noisy. Nothing here is timed in continuous integration.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
from dataclasses import asdict
from pathlib import Path

from tests.benchmarks import (
    agents,
    audit,
    branches,
    checks,
    cluster,
    compare,
    history,
    iceberg,
    keyed_merges,
    layouts,
    lineage,
    lineage_merges,
    metadata,
    nested_columns,
    partitions,
    pipelines,
    policies,
    requests,
    resources,
    row_merges,
    row_snapshots,
    small,
    stamps,
    store_writes,
    tpch,
)
from tests.benchmarks.lake import postgres

PARTS = (
    "history",
    "lineage",
    "metadata",
    "resources",
    "compare",
    "requests",
    "merges",
    "keyed",
    "snapshots",
    "stamps",
    "stores",
    "pipelines",
    "nested",
    "partitions",
    "layouts",
    "checks",
    "branches",
    "small",
    "iceberg",
    "cluster",
    "tpch",
    "agents",
    "audit",
    "policies",
)


def main() -> None:
    parser = argparse.ArgumentParser(prog="make bench", description=__doc__)
    parser.add_argument("--large", type=int, default=1_000_000, help="segments of the large catalog")
    parser.add_argument("--changed", type=int, default=100_000, help="segments that a merge brings")
    parser.add_argument("--rows", type=int, default=10_000_000, help="rows of the table that is merged into")
    parser.add_argument("--keyed-rows", type=int, default=1_000_000, help="rows of the largest Parquet data set")
    parser.add_argument("--nested-rows", type=int, default=1_000_000, help="rows of the table with fields inside")
    parser.add_argument("--scale", type=float, default=1.0, help="the scale factor of TPC-H")
    parser.add_argument("--warehouses", type=int, default=5, help="warehouses of the tables that branches are made of")
    parser.add_argument("--share", type=float, default=1.0, help="the share of its steps that work on branches takes")
    parser.add_argument("--agents", type=int, default=100, help="agents that work at once")
    parser.add_argument("--records", type=int, default=1_000_000, help="records of the audit that is verified")
    parser.add_argument("--only", nargs="+", choices=PARTS, default=PARTS, help="parts to measure")
    parser.add_argument("--json", type=Path, default=Path("var/bench.json"))
    options = parser.parse_args()
    with postgres():
        parts = {
            "history": history.figures,
            "metadata": lambda: metadata.figures(large=options.large, changed=options.changed),
            "lineage": lambda: (*lineage.figures(rows=options.rows), *lineage_merges.figures(rows=options.rows)),
            "resources": resources.figures,
            "merges": lambda: row_merges.figures(rows=options.rows),
            "pipelines": lambda: pipelines.figures(rows=options.rows),
            "keyed": lambda: keyed_merges.figures(largest=options.keyed_rows),
            "snapshots": lambda: row_snapshots.figures(rows=options.rows),
            "stamps": lambda: stamps.figures(rows=options.rows),
            "nested": lambda: nested_columns.figures(rows=options.nested_rows),
            "tpch": lambda: tpch.figures(scale=options.scale),
            "partitions": lambda: partitions.figures(rows=options.rows),
            "layouts": lambda: layouts.figures(rows=options.rows),
            "checks": lambda: checks.figures(rows=options.rows),
            "branches": lambda: branches.figures(warehouses=options.warehouses, share=options.share),
            "cluster": lambda: cluster.figures(rows=options.rows),
            "small": small.figures,
            "iceberg": iceberg.figures,
            "agents": lambda: agents.figures(agents=options.agents),
            "audit": lambda: audit.figures(records=options.records),
            "policies": policies.figures,
            "compare": compare.figures,
            "requests": requests.figures,
            "stores": store_writes.figures,
        }
        found = [figure for name, figures in parts.items() if name in options.only for figure in figures()]
    machine = f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}"
    options.json.parent.mkdir(parents=True, exist_ok=True)
    options.json.write_text(json.dumps({"machine": machine, "figures": [asdict(item) for item in found]}, indent=2))
    lines = [f"{item.what:60} {item.value:12,.2f}  {item.verdict}".rstrip() for item in found]
    print("\n".join([machine, *lines]))  # noqa: T201 - the table is what the command is for


if __name__ == "__main__":
    main()
