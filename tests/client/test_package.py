"""The client is small: it is put into notebooks and images beside much else."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

from django.conf import settings

SOURCES = Path(settings.BASE_DIR) / "clients/python/src"


def test_the_wheel_is_smaller_than_200_kb() -> None:
    """Its content, packed as a wheel packs it."""
    files = [path for path in SOURCES.rglob("*") if path.is_file() and "__pycache__" not in path.parts]
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as wheel:
        for path in files:
            wheel.write(path, path.relative_to(SOURCES))
    assert len(files) > 10
    assert len(packed.getvalue()) < 200_000
