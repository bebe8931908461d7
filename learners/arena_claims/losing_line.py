"""Whether a line of play that lost is played again."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

import arena
from arena_claims.output import Csv, Json, Learner, Seed, opponent_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from arena.commands import Spec

_TRIED = 100
"""Lines that are tried for each that is to be lost."""


def losing_line(
    learner: Learner = "td",
    against: Annotated[str, typer.Option(help="Spec of the opponent, which never changes its mind.")] = "m2",
    lines: Annotated[int, typer.Option(min=1, help="Lost games to learn from.")] = 10,
    tries: Annotated[int, typer.Option(min=1, help="How often each line may be learned from.")] = 20,
    practice: Annotated[
        int | None, typer.Option(min=0, help="Games against itself to begin with; about 100 if not given.")
    ] = None,
    seed: Seed = 1,
    json: Json = False,
    csv: Csv = False,
) -> None:
    """Is a losing line repeated after it was learned from?

    Each line begins with an opening of its own and is played against the opponent with chance fixed, so that it
    is the same game until the learner chooses otherwise. Lines that are not lost are passed over.
    """
    import pandas as pd

    from arena import commands
    from arena.commands import chosen, print_frame

    form = chosen(json, csv)
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
        raise arena.ArenaError(f"no line of {_TRIED * lines} was lost to {opponent.text}, so there is none to repeat")
    print_frame(pd.DataFrame(rows), form)


def _lost_lines(
    learner: arena.Learner, opponent: Spec, seed: int, lines: int, tries: int
) -> Iterator[tuple[int, list[arena.Episode]]]:
    """For each line that was lost its games, until one was not lost: one more than it was learned from."""
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
