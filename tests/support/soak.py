"""Whether this is ``make soak``, the long form of the tests, and which histories are played."""

import os

IS_SOAK = os.environ.get("LAKEUI_SOAK") == "1"
SEED = os.environ.get("LAKEUI_SEED")
"""The number of other histories than those of every run."""
