"""Which files can hold rows that matter, by their statistics: one pruner for every statement (pure)."""
