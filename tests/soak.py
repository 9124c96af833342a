"""Whether this is ``make soak``, the long form of the tests."""

import os

IS_SOAK = os.environ.get("LAKEUI_SOAK") == "1"
