"""What is refused about merge requests besides the general refusals."""

from __future__ import annotations

from lakeui.common.errors import LakeError


class WrongState(LakeError):
    """The request is in a state that does not allow this. Details: ``state``."""

    code, status, title = "WRONG_STATE", 409, "The merge request is in another state"


class SuggestionOutdated(LakeError):
    """A cell has another value than when one was suggested for it, or is gone. Nothing was written."""

    code, status, title = "SUGGESTION_OUTDATED", 409, "The suggestion is outdated"
