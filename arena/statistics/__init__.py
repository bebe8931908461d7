"""How sure one can be: intervals, Elo differences from pairs of games, sequential tests."""
