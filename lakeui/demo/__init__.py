"""The demo lake: the flights that left New York City in 2013, with branches to try."""
