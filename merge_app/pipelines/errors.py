"""What can go wrong with a pipeline besides its texts and its rows."""

from __future__ import annotations

from lakeui.common.errors import LakeError


class CheckFailed(LakeError):
    """What a run wrote aside is not what its table must be; nothing was published. Details: ``checks``, of each that
    failed its ``condition`` and the number of ``rows`` for which it is not true.
    """

    code, status, title = "CHECK_FAILED", 422, "A check failed"


class PipelineBusy(LakeError):
    """One run of a pipeline at a time. Details: ``task``, the run that is not finished."""

    code, status, title = "PIPELINE_BUSY", 409, "The pipeline runs already"
