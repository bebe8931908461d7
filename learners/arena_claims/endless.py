"""The claim that games of a player against itself go on for ever."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any

import typer

import arena
from arena_claims.output import Csv, Json, Seed, opponent_of
from arena_claims.variants import Games, Repeats, learned, learners_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


_ENDS = {
    "won_pct": arena.Termination.NO_MOVES,
    "repetition_pct": arena.Termination.REPETITION,
    "quiet_pct": arena.Termination.QUIET,
    "cap_pct": arena.Termination.PLY_CAP,
}


def endless(
    players: Annotated[str, typer.Option(help="Specs of players that do not learn, separated by commas.")] = (
        "random,m1,minimax:depth=2,minimax"
    ),
    learners: Annotated[
        str, typer.Option("--learners", "--learner", help="Specs of learners, separated by commas.")
    ] = ("lms,td,qmodel,qmodel:draw_reward=-1"),
    games: Games = 2000,
    explore: Annotated[str, typer.Option(help="Shares of random moves, separated by commas.")] = "0,0.1",
    test_games: Annotated[int, typer.Option(min=1, help="Games of each player against itself, for each seed.")] = 200,
    plies: Annotated[int, typer.Option(min=1, help="Plies after which a game counts as endless.")] = 1000,
    seed: Seed = 1,
    seeds: Repeats = 5,
    json: Json = False,
    csv: Csv = False,
) -> None:
    """Test whether games of a player against itself end.

    The student's report on a checkers bot says that both sides of its bot moved their pieces around without end. A row
    is a player, or a learner after its games, against itself with a share of random moves (explore). won_pct: games
    with a winner. repetition_pct, quiet_pct, cap_pct: games drawn by the third occurrence of a position, by 80
    plies without a capture or a man's move, and by 400 plies in all. plies: mean length. endless_pct: of games without
    these rules, those that are not over after --plies. endless_low, endless_high: Wilson's 95 % interval. The numbers
    include the games of all seeds. Each seed has different openings, half official three-move ballots, half random
    plies.
    """
    import pandas as pd

    from arena import commands
    from arena.commands import layout_of, print_frame, progress_bar

    form = layout_of(json, csv)
    shares = [_share(text) for text in explore.split(",")]
    fixed = [opponent_of(text) for text in (commands.split("player", players) if players else ())]
    learning = learners_of(learners, games) if learners else []
    numbers = range(seed, seed + seeds)
    rows: list[dict[str, Any]] = []
    with progress_bar("playing") as tell:
        for done, spec in enumerate([*fixed, *learning]):
            learns = spec in learning
            made = [learned(spec, number, games) if learns else spec.create() for number in numbers]
            for share in shares:
                ruled: list[arena.Episode] = []
                unruled: list[arena.Episode] = []
                for player, number in zip(made, numbers, strict=True):
                    both = _compiled(player, spec.text, share)
                    ruled += _games(both, arena.DEFAULT_RULES, number, test_games)
                    unruled += _games(both, arena.DrawRules(None, None, plies), number, test_games)
                row = {"player": spec.text, "games": games if learns else None, "explore": share}
                rows.append(row | _endings(ruled) | _unending(unruled))
            tell(done + 1, 0, len(fixed) + len(learning), spec.text)
    print_frame(pd.DataFrame(rows), form)


def _share(text: str) -> float:
    try:
        share = float(text)
    except ValueError:
        share = -1.0
    if not 0 <= share <= 1:
        raise arena.UsageError(f"--explore takes numbers from 0 to 1, separated by commas; {text.strip()!r} is not one")
    return share


def _compiled(player: arena.Player, name: str, share: float) -> tuple[arena.CompiledPlayer, arena.CompiledPlayer]:
    """Return both sides of a player against itself with random moves. Raises UsageError without a compiled form."""

    black, white = (player.compiled(side) for side in arena.SIDES)
    if black is None or white is None:
        raise arena.UsageError(f"{name} has no compiled form; name a player that has one, for example m1")
    return replace(black, explore=max(black.explore, share)), replace(white, explore=max(white.explore, share))


def _endings(episodes: Sequence[arena.Episode]) -> dict[str, float]:
    """Return the percentages of the ways in which games ended, and their mean length."""
    ends = [episode.termination for episode in episodes]
    shares = {column: 100 * ends.count(end) / len(ends) for column, end in _ENDS.items()}
    return shares | {"plies": sum(episode.plies for episode in episodes) / len(ends)}


def _unending(episodes: Sequence[arena.Episode]) -> dict[str, float]:
    """Return the percentage of games that reached the last ply, with its interval."""

    count = sum(episode.termination is arena.Termination.PLY_CAP for episode in episodes)
    low, high = arena.wilson(count, len(episodes))
    return {"endless_pct": 100 * count / len(episodes), "endless_low": 100 * low, "endless_high": 100 * high}


def _games(
    players: tuple[arena.CompiledPlayer, arena.CompiledPlayer], rules: arena.DrawRules, seed: int, number: int
) -> Iterator[arena.Episode]:
    from arena.search.selfplay import Games as Compiled
    from arena.training import duel

    games = Compiled(*players, rules)
    openings = duel.openings(duel.baseline_seed(seed), number)
    return (games.play(seed, place, board) for place, board in enumerate(openings))
