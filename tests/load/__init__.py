"""``make load``: many people, some of them bad, at one instance that it starts."""
