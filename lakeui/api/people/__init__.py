"""People, groups, agents and their tokens over HTTP."""
