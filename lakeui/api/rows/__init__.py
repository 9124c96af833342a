"""Files of rows over HTTP: imports, and merges by key."""
