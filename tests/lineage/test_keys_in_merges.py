"""Which keys of rows are one key to a merge."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from merge_app.execution.lineage.keys import _numbers


@pytest.mark.parametrize("kind", [pa.float32(), pa.float64()])
def test_signed_zeros_are_one_key_and_nans_another(kind: pa.DataType) -> None:
    found = _numbers(pa.array([0.0, -0.0, float("nan"), float("nan"), 1.0, None], type=kind))
    assert np.unique(found, return_inverse=True)[1].tolist() == [1, 1, 2, 2, 3, 0]
