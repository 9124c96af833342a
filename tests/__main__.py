"""All tests, those that need Spark beside all others: each half has servers of its own, and mostly waits for them."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path


def main() -> int:
    """Show the half with Spark while it runs, then what the other half printed; 0 when both passed."""
    if os.environ.get("DATABASE_URL") or os.environ.get("REDIS_URL"):
        # Two halves would be in each other's way on the same servers.
        return subprocess.run([sys.executable, "-m", "pytest"], check=False).returncode
    with tempfile.TemporaryDirectory(prefix="lakeui-pytest-") as made:
        home = Path(made)
        said = home / "said"
        with said.open("wb") as sink:
            others = subprocess.Popen(_command("not spark", home / "others"), stdout=sink, stderr=subprocess.STDOUT)
        sys.stdout.write("== With Spark. All others run beside it and are shown when both are done.\n")
        sys.stdout.flush()
        try:
            failed = subprocess.run(_command("spark", home / "spark"), check=False).returncode != 0
        finally:
            failed_too = others.wait() != 0
            sys.stdout.write(f"== Without Spark\n{said.read_text(errors='replace')}\n")
    return 1 if failed or failed_too else 0


def _command(chosen: str, temporary: Path) -> list[str]:
    return [sys.executable, "-m", "pytest", "-m", chosen, f"--basetemp={temporary}", "--durations=15"]


if __name__ == "__main__":
    sys.exit(main())
