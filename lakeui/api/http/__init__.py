"""What all addresses share: views, bodies, pages, preconditions, refusals, documents, probes."""
