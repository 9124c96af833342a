"""What can go wrong with a pipeline besides its texts and its rows."""

from __future__ import annotations

from lakeui.common.errors import LakeError


class PipelineBusy(LakeError):
    """One run of a pipeline at a time. Details: ``task``, the run that is not finished."""

    code, status, title = "PIPELINE_BUSY", 409, "The pipeline runs already"
