"""One game between two players, from its task to its record."""
