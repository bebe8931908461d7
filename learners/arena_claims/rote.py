"""The claim that rote memory plays endings best and learned weights the middle game."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Literal, get_args

import numpy as np
import typer

import arena
from arena_claims.output import Csv, Json, Learner, Plot, Seed, check_plot, columns, opponent_of, plot

if TYPE_CHECKING:
    from collections.abc import Mapping

    from arena_evaluators.memory import RoteMemory

PHASES = {"opening": range(20, 25), "middle game": range(9, 20), "ending": range(9)}
"""Pieces on the board in each phase. The texts name the phases; the numbers are ours."""
EXPLORE = 0.1
"""Share of random moves in the games from which boards are taken."""


def rote(
    learner: Learner = "td",
    games: Annotated[int, typer.Option(min=1, help="Games of self-play to learn from.")] = 2000,
    boards: Annotated[int, typer.Option(min=1, help="Boards of each phase, each played with both colours.")] = 200,
    source: Annotated[
        Literal["later", "memory"],
        typer.Option(help="Source of the boards: later games of the learner, or its memory."),
    ] = "later",
    depth: Annotated[int, typer.Option(min=1, max=64, help="Plies of search in measurements.")] = 3,
    against: Annotated[str, typer.Option(help="Spec of the opponent.")] = "m2",
    seed: Seed = 1,
    out: Plot = None,
    json: Json = False,
    csv: Csv = False,
) -> None:
    """Test rote memory and learned weights in each phase.

    Melicher (2009) and the authors he cites claim that rote memory is best in endings, and learned weights are best in
    the middle game. One learned model plays with memory alone (unknown boards are worth 0), with its weights alone, and
    with both. Openings have 20 to 24 pieces, middle games 9 to 19 and endings up to 8. "neither" is the search alone,
    which sees wins and losses and values all other boards 0. It shows the worth of the boards themselves.
    known_pct: percentage of these boards in the memory.
    """
    from functools import partial

    import pandas as pd

    from arena import commands
    from arena.commands import layout_of, print_frame
    from arena.training import duel
    from arena_evaluators.memory import RoteMemory
    from arena_evaluators.rote import Use
    from arena_players.td import TD as TDPlayer

    form = layout_of(json, csv)
    check_plot(out)
    spec = commands.parse("learner", learner)
    opponent = opponent_of(against)
    instance = spec.create()
    instance.begin(seed)
    instance.self_play(games)
    model = instance.model()
    if model.kind != "td":
        raise arena.UsageError(f"{spec.text} has no rote memory; use td")
    memory = RoteMemory.of(model.tensors)
    phases = (
        _of_memory(memory, seed, boards) if source == "memory" else _of_games(instance.player(), seed, games, boards)
    )
    players = {use: partial(TDPlayer, model, depth, use) for use in get_args(Use)}
    players["neither"] = partial(TDPlayer, _forgetful(model), depth, "rote")
    rows = []
    for phase, starts in phases.items():
        known = 100 * sum(board in memory for board in starts) / len(starts)
        for use, make in players.items():
            score = duel.duel_from(make, opponent.create, starts, seed)
            rows.append({"phase": phase, "use": use, "known_pct": known, **columns(score)})
    frame = pd.DataFrame(rows)
    print_frame(frame, form)
    plot(frame, "phase", ["score_pct"], out, of="use")


def _forgetful(model: arena.Model) -> arena.Model:
    """Return the same model with an empty memory."""

    empty = {name: model.tensors[name][:0] for name in ("boards", "values", "visits", "tried")}
    return arena.Model(model.kind, {**model.tensors, **empty})


def _of_memory(memory: RoteMemory, seed: int, number: int) -> Mapping[str, list[arena.Board]]:
    """Return up to ``number`` random boards of each phase from the memory, without phases that have none."""

    found: dict[str, list[arena.Board]] = {phase: [] for phase in PHASES}
    for masks in np.random.default_rng(seed).permutation(memory.tensors()["boards"]).tolist():
        board = arena.Board.seen_by(arena.SIDES[0], *masks)
        boards = found[_phase(board)]
        if board.legal_moves and len(boards) < number:
            boards.append(board)
    return {phase: boards for phase, boards in found.items() if boards}


def _of_games(player: arena.Player, seed: int, first: int, number: int) -> Mapping[str, list[arena.Board]]:
    """Return ``number`` boards of each phase from games ``first`` and later, at most one of a phase from a game."""
    from arena.checkers.splitmix64 import SplitMix64
    from arena.search.selfplay import Games

    black, white = (replace(compiled, explore=EXPLORE) for side in arena.SIDES if (compiled := player.compiled(side)))
    generator = Games(black, white)
    found: dict[str, list[arena.Board]] = {phase: [] for phase in PHASES}
    game = first
    while any(len(boards) < number for boards in found.values()):
        episode = generator.play(seed, game)
        met: dict[str, list[arena.Board]] = {}
        for board in map(episode.board, range(episode.plies)):
            met.setdefault(_phase(board), []).append(board)
        for place, (phase, boards) in enumerate(found.items()):
            if phase in met and len(boards) < number:
                boards.append(met[phase][SplitMix64(seed, len(PHASES) * game + place).below(len(met[phase]))])
        game += 1
    return found


def _phase(board: arena.Board) -> str:
    pieces = (board.black | board.white).bit_count()
    return next(phase for phase, numbers in PHASES.items() if pieces in numbers)
