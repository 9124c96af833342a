"""The database and the engine in memory of the random histories serve single statements too."""

from tests.stories.conftest import database

__all__ = ["database"]
