import arena


class Greedy(arena.Player):
    """Take as many pieces as possible."""

    def choose(self, game: arena.Game) -> arena.Move:
        return max(game.board.legal_moves, key=lambda move: len(move.captures))


@arena.hookimpl
def register_players() -> dict[str, type[arena.Player]]:
    return {"greedy": Greedy}
