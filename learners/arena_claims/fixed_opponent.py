"""The claim that a learner comes to beat an opponent that does not change."""

from __future__ import annotations

from typing import Annotated

import typer

from arena_claims.output import (
    Csv,
    Json,
    Learner,
    Plot,
    Seed,
    Seeds,
    TestGames,
    check_plot,
    columns,
    opponent_of,
    plot,
)


def fixed_opponent(
    learner: Learner = "td",
    against: Annotated[str, typer.Option(help="Spec of the opponent.")] = "m1",
    games: Annotated[int | None, typer.Option(min=1, help="Games to learn from; the default is about 500.")] = None,
    every: Annotated[
        int | None, typer.Option(min=1, help="Games between two measurements; the default is about 100.")
    ] = None,
    test_games: TestGames = 200,
    seed: Seed = 1,
    seeds: Seeds = 1,
    out: Plot = None,
    json: Json = False,
    csv: Csv = False,
) -> None:
    """Test learning against an opponent that does not change.

    Melicher (2009) claims that the learner comes to beat the opponent. Measurements are separate games, in which the
    learner neither learns nor explores.
    """
    import pandas as pd

    from arena import commands
    from arena.commands import layout_of, print_frame, progress_bar
    from arena.training import duel
    from arena.training.sources import Opponents

    form = layout_of(json, csv)
    check_plot(out)
    spec = commands.parse("learner", learner)
    opponent = opponent_of(against)
    rows = []
    instance = spec.create()
    games, every, step = instance.whole_steps(games, 500), instance.whole_steps(every, 100), instance.step
    with progress_bar("learning") as tell:
        for number in range(seeds):
            instance = spec.create()
            instance.begin(seed + number)
            source = Opponents.of(spec, opponent.text, seed + number, resolver=commands.stored_models())
            for done in range(0, games + 1, step):
                if done % every == 0 or done == games:
                    score = duel.duel(instance.player, opponent.create, test_games, duel.baseline_seed(seed + number))
                    rows.append({"seed": seed + number, "games": done, **columns(score)})
                    tell(number * games + done, 0, seeds * games, f"{score.score_pct:.1f} %")
                if done < games:
                    instance.learn_from(source.episodes(instance, done, step))
    frame = pd.DataFrame(rows)
    print_frame(frame, form)
    plot(frame, "games", ["win_pct", "score_pct"], out, of="seed")
