"""Values of partition columns with NUL are refused before anything is registered."""

from __future__ import annotations

import pytest

from catalog_app.domain.files import NewDataFile
from catalog_app.services.files import data_files_register
from lakeui.common.errors import InvalidValue


def test_a_partition_value_with_nul_is_refused() -> None:
    with pytest.raises(InvalidValue, match="NUL"):
        data_files_register(1, [NewDataFile("p", 0, 1, 1, partition=(None, "a\x00"))])
