"""The store of the merge by lineage: facts of both sides are loaded, steps are carried out. The rules are elsewhere."""
