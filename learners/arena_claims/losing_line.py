"""The claim that a losing line is not repeated."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

import arena
from arena_claims.output import Csv, Json, Learner, Seed, opponent_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from arena.commands import Spec

_TRIED = 100
"""Maximum number of lines to play for each lost line."""


def losing_line(
    learner: Learner = "td",
    against: Annotated[str, typer.Option(help="Spec of the opponent, which does not learn.")] = "m2",
    lines: Annotated[int, typer.Option(min=1, help="Lost games to learn from.")] = 10,
    tries: Annotated[int, typer.Option(min=1, help="Maximum number of times to learn from each line.")] = 20,
    practice: Annotated[
        int | None, typer.Option(min=0, help="Games of self-play before the first line; the default is about 100.")
    ] = None,
    seed: Seed = 1,
    json: Json = False,
    csv: Csv = False,
) -> None:
    """Test whether a losing line is repeated after learning.

    The learner learns from each lost game of a line. Each line has a different opening. Its games against the opponent
    use the same random numbers, so the game is the same until the learner chooses another move. Lines that are not lost
    are skipped. repeated: how often the first game was repeated at once. lost: number of games lost before one was not.
    saved: whether one was not lost.
    """
    import pandas as pd

    from arena import commands
    from arena.commands import layout_of, print_frame

    form = layout_of(json, csv)
    spec = commands.parse("learner", learner)
    opponent = opponent_of(against)
    instance = spec.create()
    instance.begin(seed)
    if practice != 0:
        instance.self_play(instance.whole_steps(practice, 100))
    rows = []
    for number, games in _lost_lines(instance, opponent, seed, lines, tries):
        first = games[0].boards.tobytes()
        others = [tried for tried, game in enumerate(games) if game.boards.tobytes() != first]
        saved = [tried for tried, game in enumerate(games) if game.result(game.learners[0]) >= 0]
        rows.append(
            {
                "line": number,
                "plies": games[0].plies,
                "repeated": others[0] - 1 if others else len(games) - 1,
                "lost": saved[0] if saved else len(games),
                "saved": bool(saved),
            }
        )
    if not rows:
        raise arena.ArenaError(f"none of {_TRIED * lines} lines was lost to {opponent.text}; name a stronger opponent")
    print_frame(pd.DataFrame(rows), form)


def _lost_lines(
    learner: arena.Learner, opponent: Spec, seed: int, lines: int, tries: int
) -> Iterator[tuple[int, list[arena.Episode]]]:
    """Yield the number and the games of each lost line, up to the first game that was not lost."""
    from dataclasses import replace

    from arena.training import duel
    from arena.training.play import played

    found = 0
    for number, board in enumerate(duel.openings(seed, _TRIED * lines)):
        mine = arena.SIDES[number % 2]
        games: list[arena.Episode] = []
        while len(games) <= tries:
            learned, other = learner.sparring(), opponent.create()
            players = (learned, other) if mine is arena.SIDES[0] else (other, learned)
            games.append(replace(played(players, seed, number, board=board), learners=(mine,)))
            if games[-1].result(mine) >= 0:
                break
            learner.learn_from(games[-1:])
        if len(games) > 1:
            yield number, games
            found += 1
        if found == lines:
            return
