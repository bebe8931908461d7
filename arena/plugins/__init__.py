"""Finding plugins, and the specs and options that name what they provide."""
