"""What rote memory and what learned weights are worth, by phase of the game."""

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
"""Pieces on the board in each phase (the texts name the phases and give no numbers; these are ours)."""
EXPLORE = 0.1
"""Share of random moves in the games that the boards are taken from."""


def rote(
    learner: Learner = "td",
    games: Annotated[int, typer.Option(min=1, help="Games against itself to learn from.")] = 2000,
    boards: Annotated[int, typer.Option(min=1, help="Boards of each phase; each is played with both colours.")] = 200,
    source: Annotated[
        Literal["later", "memory"], typer.Option(help="Where boards come from: later games of its own, or its memory.")
    ] = "later",
    depth: Annotated[int, typer.Option(min=1, max=64, help="Plies of search when measured.")] = 3,
    against: Annotated[str, typer.Option(help="Spec of the opponent.")] = "m2",
    seed: Seed = 1,
    out: Plot = None,
    json: Json = False,
    csv: Csv = False,
) -> None:
    """Is rote memory best in endings, and are learned weights best in the middle game?

    The claim of Melicher (2009) and of those he cites. The same learned model plays by memory alone (boards not held
    are worth 0), by its weights alone, and by both, from openings of 20 to 24 pieces, middle games of 9 to 19 and
    endings of up to 8. "neither" is the search alone, which sees wins and losses and values all other boards 0: what
    the boards themselves are worth. known_pct: how many of these boards memory holds.
    """
    from functools import partial

    import pandas as pd

    from arena import commands
    from arena.commands import chosen, print_frame
    from arena.training import duel
    from arena_evaluators.memory import RoteMemory
    from arena_evaluators.rote import Use
    from arena_players.td import TD as TDPlayer

    form = chosen(json, csv)
    check_plot(out)
    spec = commands.parse("learner", learner)
    opponent = opponent_of(against)
    instance = spec.create()
    instance.begin(seed)
    instance.self_play(games)
    model = instance.model()
    if model.kind != "td":
        raise arena.UsageError(f"{spec.text} has no rote memory; td has")
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
    """The same model with nothing in its memory."""

    empty = {name: model.tensors[name][:0] for name in ("boards", "values", "visits", "tried")}
    return arena.Model(model.kind, {**model.tensors, **empty})


def _of_memory(memory: RoteMemory, seed: int, number: int) -> Mapping[str, list[arena.Board]]:
    """Up to ``number`` boards of each phase that memory holds, drawn by lot; a phase of which it holds none is left
    out."""

    found: dict[str, list[arena.Board]] = {phase: [] for phase in PHASES}
    for masks in np.random.default_rng(seed).permutation(memory.tensors()["boards"]).tolist():
        board = arena.Board.seen_by(arena.SIDES[0], *masks)
        boards = found[_phase(board)]
        if board.legal_moves and len(boards) < number:
            boards.append(board)
    return {phase: boards for phase, boards in found.items() if boards}


def _of_games(player: arena.Player, seed: int, first: int, number: int) -> Mapping[str, list[arena.Board]]:
    """``number`` boards of each phase from games ``first`` and on, no two of one phase from the same game."""
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
