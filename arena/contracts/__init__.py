"""What players, evaluators, learners, openings and ratings must offer, and what they exchange."""
