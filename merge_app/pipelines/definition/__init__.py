"""What a pipeline says: configuration, annotations and templates. Pure."""
