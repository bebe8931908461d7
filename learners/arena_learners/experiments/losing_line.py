"""Whether a line of play that lost is played again."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from arena.errors import ArenaError
from arena_learners.experiments.output import Csv, Json, Learner, Seed, opponent_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from arena.episode import Episode
    from arena.learner import Learner as Pupil
    from arena.specs import Spec

_TRIED = 100
"""Lines that are tried for each that is to be lost."""


def losing_line(
    learner: Learner = "td",
    against: Annotated[str, typer.Option(help="Spec of the opponent, which never changes its mind.")] = "m2",
    lines: Annotated[int, typer.Option(min=1, help="Lost games to learn from.")] = 10,
    tries: Annotated[int, typer.Option(min=1, help="How often each line may be learned from.")] = 20,
    practice: Annotated[int, typer.Option(min=0, help="Games against itself to begin with.")] = 100,
    seed: Seed = 1,
    json: Json = False,
    csv: Csv = False,
) -> None:
    """Is a losing line repeated after it was learned from?

    Each line begins with an opening of its own and is played against the opponent with chance fixed, so that it
    is the same game until the learner chooses otherwise. Lines that are not lost are passed over.
    """
    import pandas as pd

    from arena import specs
    from arena.cli.output import chosen, print_frame

    form = chosen(json, csv)
    spec = specs.parse("learner", learner)
    opponent = opponent_of(against)
    pupil = spec.create()
    pupil.begin(seed)
    if practice:
        pupil.practise(max(practice, pupil.step))
    rows = []
    for number, games in _lost_lines(pupil, opponent, seed, lines, tries):
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
        raise ArenaError(f"no line of {_TRIED * lines} was lost to {opponent.text}, so there is none to repeat")
    print_frame(pd.DataFrame(rows), form)


def _lost_lines(pupil: Pupil, opponent: Spec, seed: int, lines: int, tries: int) -> Iterator[tuple[int, list[Episode]]]:
    """For each line that was lost its games, until one was not lost: one more than it was learned from."""
    from dataclasses import replace

    from arena.checkers.move import SIDES
    from arena.experiment import duel
    from arena.experiment.play import played

    found = 0
    for number, board in enumerate(duel.openings(seed, _TRIED * lines)):
        mine = SIDES[number % 2]
        games: list[Episode] = []
        while len(games) <= tries:
            learned, other = pupil.sparring(), opponent.create()
            players = (learned, other) if mine is SIDES[0] else (other, learned)
            games.append(replace(played(players, seed, number, board=board), learners=(mine,)))
            if games[-1].result(mine) >= 0:
                break
            pupil.study(games[-1:])
        if len(games) > 1:
            yield number, games
            found += 1
        if found == lines:
            return
