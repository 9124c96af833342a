"""A batch of a pipeline on its way into a table."""
