"""The read-only REST catalog of Apache Iceberg: one for each branch, tag or version of a catalog."""
