"""Lakes on PostgreSQL whose rows lie in memory; ``make soak`` runs the same tests on Spark."""
