"""Training runs of learners."""
