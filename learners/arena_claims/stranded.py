"""The claim that a player does not leave men in the centre without support."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import typer

import arena
from arena_claims.output import Csv, Json, Seed, opponent_of
from arena_claims.variants import Games, Repeats, learned, learners_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


BEHIND = {14: (9, 10), 15: (10, 11), 16: (11, 12), 17: (13, 14), 18: (14, 15), 19: (15, 16)}
"""The squares of the two middle rows that are not on the border, each with the squares diagonally behind it, for the
player whose men move towards higher squares."""
_EXPLORE = 0.2
"""Share of random moves in the games from which boards are taken."""


def stranded(
    players: Annotated[str, typer.Option(help="Specs of players that do not learn, separated by commas.")] = (
        "random,m1,minimax,lms,td,qmodel"
    ),
    learners: Annotated[
        str, typer.Option("--learners", "--learner", help="Specs of learners, separated by commas.")
    ] = "qmodel",
    games: Games = 5000,
    boards: Annotated[
        int, typer.Option(min=1, help="Boards on which each player chooses a move, for each seed.")
    ] = 400,
    seed: Seed = 1,
    seeds: Repeats = 5,
    json: Json = False,
    csv: Csv = False,
) -> None:
    """Test whether players support their men in the centre.

    The text of the neural Q-model says of its network that men are not left stranded in the centre but backed up. Here
    a man is stranded if it stands on a square of the two middle rows that is not on the border, and no piece of its
    side stands on the two squares diagonally behind it.

    A row is a player, or a learner before (games 0) and after its games. It chooses a move on boards of games between
    two m1 with 20 % random moves, one board a game. The boards have no capture, and their moves leave different numbers
    of stranded men. stranded: stranded men after the chosen move. chance: the mean over all moves. least: the minimum.
    excess, excess_low, excess_high: stranded - chance, and its 95 % interval. All numbers are means over boards and
    seeds. Each seed has different boards, the same for all players.
    """
    import pandas as pd

    from arena import commands
    from arena.commands import layout_of, print_frame, progress_bar
    from arena_claims.measuring import over_seeds, seed_columns

    form = layout_of(json, csv)
    fixed = [opponent_of(text) for text in (commands.split("player", players) if players else ())]
    learning = learners_of(learners, games) if learners else []
    numbers = range(seed, seed + seeds)
    positions = {number: list(_boards(number, boards)) for number in numbers}
    counts = {number: [after_each_move(board) for board in positions[number]] for number in numbers}
    rows: list[dict[str, Any]] = []
    with progress_bar("choosing") as tell:
        subjects = [(spec, None) for spec in fixed] + [(spec, done) for spec in learning for done in (0, games)]
        for place, (spec, done) in enumerate(subjects):
            choices = []
            for number in numbers:
                player = spec.create() if done is None else learned(spec, number, done)
                choices.append(_choices(player, number, positions[number], counts[number]))
            row: dict[str, Any] = {"player": spec.text, "games": done}
            row |= {name: over_seeds([each[name] for each in choices])[0] for name in ("stranded", "chance", "least")}
            rows.append(row | seed_columns("excess", [each["stranded"] - each["chance"] for each in choices]))
            tell(place + 1, 0, len(subjects), spec.text)
    print_frame(pd.DataFrame(rows), form)


def stranded_men(own: int, kings: int) -> int:
    """Return the number of stranded men of a player; the masks are in the view of this player."""
    men = own & ~kings
    return sum(
        bool(men >> (square - 1) & 1) and not any(own >> (behind - 1) & 1 for behind in squares)
        for square, squares in BEHIND.items()
    )


def after_each_move(board: arena.Board) -> list[int]:
    """Return the number of Black's stranded men after each of its moves."""
    boards = map(board.after, board.legal_moves)
    return [stranded_men(after.black, after.kings & after.black) for after in boards]


def _boards(seed: int, number: int) -> Iterator[arena.Board]:
    """Yield boards with Black to move."""
    from arena.checkers.splitmix64 import SplitMix64
    from arena.training.play import played
    from arena_players.baselines import M1

    game = found = 0
    while found < number:
        episode = played((M1(), M1()), seed, game, explore=(_EXPLORE, _EXPLORE))
        board = arena.Board.seen_by(
            arena.Side.BLACK, *episode.boards[SplitMix64(seed, game).below(episode.plies)].tolist()
        )
        game += 1
        if not board.legal_moves[0].captures and len(set(after_each_move(board))) > 1:
            found += 1
            yield board


def _choices(
    player: arena.Player, seed: int, boards: Sequence[arena.Board], counts: Sequence[list[int]]
) -> dict[str, float]:
    after = []
    for number, (board, count) in enumerate(zip(boards, counts, strict=True)):
        game = arena.Game(board, random=np.random.default_rng([seed, number]))
        player.start(game.copy())
        after.append(count[board.legal_moves.index(player.choose(game))])
    return {
        "stranded": float(np.mean(after)),
        "chance": float(np.mean([np.mean(count) for count in counts])),
        "least": float(np.mean([min(count) for count in counts])),
    }
