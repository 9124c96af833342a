"""What pages call a decision, as the data that they are built with."""

from __future__ import annotations

import json
from collections.abc import Mapping

from merge_app.planning.decision_phrases import PHRASES
from merge_app.planning.merge_plan import Decision

LABELS: Mapping[Decision, str] = {
    Decision.TAKE_SOURCE: "Keep {source}",
    Decision.TAKE_DESTINATION: "Keep {target}",
    # It does what taking the target does.
    Decision.LEAVE_OUT: "Keep {target}",
    Decision.RENAME: "Rename …",
    Decision.BOTH: "Keep both",
    Decision.RERUN: "Keep both, and run again on new rows",
    Decision.LARGER: "Keep the larger value",
    Decision.NEWEST: "Keep the newer row …",
    Decision.EDITED: "Edit …",
}
"""On the button of each decision that has a phrase. Braces stand for the name of a branch."""


def decision_labels() -> str:
    """JSON: by its value in REST, each decision's label, in the order of the phrases of SQL."""
    return json.dumps({decision.value: LABELS[decision] for decision in PHRASES}, ensure_ascii=False, indent=2) + "\n"
