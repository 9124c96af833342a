"""Random histories of everything together, played by SQL on the product in memory, and the laws that they keep."""
