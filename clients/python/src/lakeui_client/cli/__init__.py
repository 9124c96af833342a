"""The command ``lake``. Nothing is imported here: a call of it has to start at once."""
