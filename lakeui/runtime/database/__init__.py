"""PostgreSQL as Django's database, with a plain answer where no address is set."""
