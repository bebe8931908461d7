"""The claim that a won line is played more often."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated

import numpy as np
import typer

import arena
from arena_claims.measuring import seed_columns
from arena_claims.output import Csv, Json, Learner, Seed, opponent_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from arena.commands import Spec

RESULTS = {1: "won", -1: "lost"}
_TRIED = 50
"""Maximum number of games to play for each line."""
_CHOICES = 2**40
"""First number of the random streams of the choices; the games have smaller numbers."""


@dataclass(frozen=True, slots=True)
class Line:
    """The effect of learning from one game."""

    boards: int
    """Boards on which the learner had a choice."""
    before: float
    """Share of choices of the game's moves before learning from the game: 0 to 1, mean over the boards."""
    after: float
    """The same share after learning."""


def winning_line(
    learner: Learner = "td",
    against: Annotated[str, typer.Option(help="Spec of the opponent.")] = "m2",
    lines: Annotated[int, typer.Option(min=1, help="Won games, and as many lost games, of each seed.")] = 20,
    temperature: Annotated[
        float, typer.Option(min=0, help="Temperature of softmax, in units of the learned function; 0: the best move.")
    ] = 1.0,
    choices: Annotated[int, typer.Option(min=1, help="Random choices for each board.")] = 100,
    practice: Annotated[int, typer.Option(min=0, help="Games of self-play before the first line.")] = 100,
    seed: Seed = 1,
    seeds: Annotated[int, typer.Option(min=1, help="Number of training seeds; an interval needs three.")] = 5,
    json: Json = False,
    csv: Csv = False,
) -> None:
    """Test whether a won line is played more often.

    The claim is that a won line is played more often after learning from it, and a lost line less often. Each line is
    one game against the opponent from a different opening, in which the learner draws its moves by softmax. On every
    board of the game with a choice, the learner chooses again many times, before and after it has learned from this
    game alone. Each line begins with the state after the practice. There is a row for won games and one for lost games.
    boards: mean number of such boards. chosen_before_pct, chosen_after_pct: percentage of choices of the game's moves.
    risen, fallen: lines in which this percentage rose or fell. change: mean difference in percentage points, with its
    95 % t interval over the seeds.
    """
    import pandas as pd

    from arena import commands
    from arena.commands import layout_of, print_frame

    form = layout_of(json, csv)
    spec, opponent = commands.parse("learner", learner), opponent_of(against)
    lines_of: dict[int, list[list[Line]]] = {result: [] for result in RESULTS}
    for number in range(seed, seed + seeds):
        for result, of_seed in _lines(spec, opponent, number, lines, temperature, choices, practice).items():
            lines_of[result].append(of_seed)
    rows = [{"result": RESULTS[result], **_columns(of_seeds)} for result, of_seeds in lines_of.items() if any(of_seeds)]
    if not rows:
        raise arena.ArenaError(f"no game against {opponent.text} was won or lost; name another opponent")
    print_frame(pd.DataFrame(rows), form)


def _columns(of_seeds: list[list[Line]]) -> dict[str, float]:
    every = [line for lines in of_seeds for line in lines]
    changes = [np.mean([100 * (line.after - line.before) for line in lines]) for lines in of_seeds if lines]
    return {
        "lines": len(every),
        "boards": float(np.mean([line.boards for line in every])),
        "chosen_before_pct": 100 * float(np.mean([line.before for line in every])),
        "chosen_after_pct": 100 * float(np.mean([line.after for line in every])),
        "risen": sum(line.after > line.before for line in every),
        "fallen": sum(line.after < line.before for line in every),
        **seed_columns("change", list(map(float, changes))),
    }


def _lines(
    spec: Spec, opponent: Spec, seed: int, lines: int, temperature: float, choices: int, practice: int
) -> Mapping[int, list[Line]]:
    """Return the lines of up to ``lines`` won and as many lost games of one seed."""
    from arena.search.selfplay import Games
    from arena.training import duel

    learner: arena.Learner = spec.create()
    learner.begin(seed)
    if practice:
        learner.self_play(-(-practice // learner.step) * learner.step)
    state = {name: array.copy() for name, array in learner.state().items()}
    lines_of: dict[int, list[Line]] = {result: [] for result in RESULTS}
    for number, board in enumerate(duel.openings(seed, _TRIED * lines)):
        mine = arena.SIDES[number % 2]
        black, white = (
            _softmax_player(learner, side, temperature) if side is mine else _opposing(opponent, side)
            for side in arena.SIDES
        )
        game = replace(Games(black, white).play(seed, number, board), learners=(mine,))
        result = game.result(mine)
        if result not in lines_of or len(lines_of[result]) == lines:
            continue
        boards, before = _frequency(learner, game, mine, temperature, choices, seed)
        if not boards:
            continue
        learner.learn_from([game])
        _, after = _frequency(learner, game, mine, temperature, choices, seed)
        lines_of[result].append(Line(boards, before, after))
        learner = spec.create()
        learner.begin(seed)
        learner.restore({name: array.copy() for name, array in state.items()})
        if all(len(of_result) == lines for of_result in lines_of.values()):
            break
    return lines_of


def _frequency(
    instance: arena.Learner, game: arena.Episode, mine: arena.Side, temperature: float, choices: int, seed: int
) -> tuple[int, float]:
    """Return the number of boards with a choice, and the mean share of choices of the game's moves there."""
    from arena.search.selfplay import Games

    black, white = (_softmax_player(instance, side, temperature) for side in arena.SIDES)
    one_move = Games(black, white, arena.DrawRules(repetitions=None, quiet_plies=None, ply_cap=1))
    shares = []
    for ply in range(game.plies):
        board = game.board(ply)
        if board.side is mine and len(board.legal_moves) > 1:
            played = game.boards[ply + 1]
            numbers = range(_CHOICES + choices * ply, _CHOICES + choices * (ply + 1))
            again = [np.array_equal(one_move.play(seed, number, board).boards[1], played) for number in numbers]
            shares.append(np.mean(again))
    return len(shares), float(np.mean(shares)) if shares else 0.0


def _softmax_player(learner: arena.Learner, side: arena.Side, temperature: float) -> arena.CompiledPlayer:
    player = learner.sparring().compiled(side)
    if player is None:
        raise arena.UsageError(
            f"the player of {type(learner).__name__} has no compiled form; name another learner, for example td"
        )
    return replace(player, temperature=temperature)


def _opposing(opponent: Spec, side: arena.Side) -> arena.CompiledPlayer:
    player: arena.CompiledPlayer | None = opponent.create().compiled(side)
    if player is None:
        raise arena.UsageError(f"{opponent.text} has no compiled form; name another opponent, for example m2")
    return player
