"""Pages of docs/reference that are made of what they describe; ``python -m lakeui.reference`` writes them anew."""
