"""PostgreSQL as Django's database, with a plain answer when nobody said where it is."""
