"""The merge by lineage: facts, stamps and what follows from them. Pure: no Django, no input or output, no Spark.

``facts`` documents what a caller gives, ``outcomes`` what it gets. ``objects.objects_merge`` merges the attributes,
``tables.table_merge`` the rows of one table. docs/internals/merge.md names the rules.
"""
