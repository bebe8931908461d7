"""The pages: one module for each kind. Each has ``routes``."""
