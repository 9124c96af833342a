"""Tables that lie outside of the warehouse: what they hold, read from their own metadata and footers."""
