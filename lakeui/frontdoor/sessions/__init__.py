"""What a session keeps between statements."""
