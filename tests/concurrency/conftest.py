"""The database and the engine in memory of the random histories serve concurrent ones too."""

from tests.stories.conftest import database, memory_engine

__all__ = ["database", "memory_engine"]
