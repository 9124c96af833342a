"""What workers run: one module a kind of task. Each also holds what its task is asked for with."""
