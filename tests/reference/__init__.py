"""The merge of branches by lineage, executable: facts, stamps, version vectors, and the laws that a merge keeps.

`merge.merge` takes two states and answers the merged one, or is refused with verdict codes; it is the oracle of the
tests. Rules are named R1 to R12, laws and paragraphs (§) as in the contract of merging by lineage.
"""
