"""``arena compare``: is one player better than another?"""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING, Annotated

import typer

from arena.cli.results import Db
from arena.cli.tournament import New, naming, progress
from arena.errors import UsageError
from arena.library import DEFAULT_DB

if TYPE_CHECKING:
    from arena.statistics.sprt import SPRT
    from arena.tournament.sequential import Sequential


def compare(
    first: Annotated[str, typer.Argument(help="Spec of a player.")],
    second: Annotated[str, typer.Argument(help="Spec of the player that it is compared with.")],
    sprt: Annotated[
        str, typer.Option(help="ELO0,ELO1: is the first better by ELO1 rather than by ELO0? In normalized Elo.")
    ] = "0,20",
    logistic: Annotated[bool, typer.Option("--logistic", help="The differences are in logistic Elo.")] = False,
    alpha: Annotated[float, typer.Option(help="How likely ELO1 may be accepted where ELO0 is true.")] = 0.05,
    beta: Annotated[float, typer.Option(help="How likely ELO0 may be accepted where ELO1 is true.")] = 0.05,
    games: Annotated[int, typer.Option(help="Games at most; even.")] = 4000,
    openings: Annotated[str, typer.Option(help="Opening book; each opening is played with both colours.")] = "11man",
    seed: Annotated[
        int | None, typer.Option(min=0, max=2**63 - 1, help="Seed of all chance; a fresh one if not given.")
    ] = None,
    workers: Annotated[int | None, typer.Option(min=1, help="Processes; one for each processor if not given.")] = None,
    db: Db = DEFAULT_DB,
    name: Annotated[str | None, typer.Option(help="Name of the match; t1, t2, ... if not given.")] = None,
    new: New = False,
) -> None:
    """Play two players against each other until it is clear enough which hypothesis holds, or games run out.

    The games are recorded as a tournament, which arena tournament --resume takes up again, in the order of its schedule
    and up to the decision: the same ones for any number of workers.
    """
    from arena import library, specs
    from arena.cli.output import say
    from arena.store import Store
    from arena.tournament import runner, sequential

    test = _test(sprt, logistic, alpha, beta)
    library.use(db)
    settings = runner.TournamentSettings(
        seed=secrets.randbits(63) if seed is None else seed, games=games, openings=openings, sprt=test
    )
    plan = runner.Plan(settings, [specs.parse("player", first), specs.parse("player", second)])
    with Store.open(db) as store:
        with progress(store.location, settings.seed) as show:
            tournament = runner.run(naming(name, new), plan, store, workers=workers, progress=show, say=say)
        result = sequential.Sequential(test, plan.players[0].text)
        sequential.replay(result, store.points(tournament.id, result.player))
        print(describe(result, plan.players[1].text))
        print(f"recorded in {store.location} as tournament {tournament.name!r}")


def describe(result: Sequential, opponent: str) -> str:
    """What a test has shown so far."""
    test, player = result.test, result.player
    kind = "normalized" if test.normalized else "logistic"
    verdicts = {
        "H0": f"the difference is {test.elo0:g} rather than {test.elo1:g}",
        "H1": f"the difference is {test.elo1:g} rather than {test.elo0:g}",
        "open": "undecided: more games would tell",
    }
    lines = [f"{player} against {opponent}: {verdicts[result.verdict]} ({kind} Elo)", str(result)]
    if sum(result.counts):
        match = result.match
        score = match.score()
        lines.append(
            f"score {100 * score.value:.2f} ± {100 * score.error:.2f} %, Elo {match.elo()}, "
            f"normalized Elo {match.normalized_elo()}, likelihood of superiority {100 * match.los:.2f} %"
        )
    return "\n".join(lines)


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(compare)


def _test(sprt: str, logistic: bool, alpha: float, beta: float) -> SPRT:
    from arena.statistics.sprt import SPRT, WIDEST, WIDEST_LOGISTIC

    try:
        low, high = (float(part) for part in sprt.split(","))
    except ValueError:
        raise UsageError(f"--sprt takes two differences, for example 0,20, not {sprt!r}") from None
    if not low < high:
        raise UsageError(f"the first difference must be the smaller one, not {sprt}")
    widest = WIDEST_LOGISTIC if logistic else WIDEST
    if low < -widest or high > widest:
        raise UsageError(
            f"differences lie between -{widest} and {widest} {'logistic' if logistic else 'normalized'} Elo"
        )
    if not (0 < alpha < 0.5 and 0 < beta < 0.5):
        raise UsageError("alpha and beta lie between 0 and 0.5")
    return SPRT(low, high, alpha, beta, normalized=not logistic)
