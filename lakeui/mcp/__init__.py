"""The endpoint of the Model Context Protocol: ten tools, which go through the front door as everything else does."""
