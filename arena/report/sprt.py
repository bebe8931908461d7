"""The results of sequential tests in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from arena.errors import UsageError
from arena.tournament.settings import stored_settings

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from arena.store import StoredTournament


def _tally(points: Sequence[float | None]) -> str:
    """Return the results of games in words; ``points`` of the first player, None for a forfeit."""
    won, drawn, lost, forfeited = (points.count(each) for each in (1, 0.5, 0, None))
    text = f"after {len(points)} games: {won} won, {drawn} drawn, {lost} lost"
    return f"{text}, {forfeited} forfeited by either player, which do not count" if forfeited else text


def verdict(tournament: StoredTournament, points: Mapping[int, float | None]) -> str:
    """Return the result of a test, in several lines; ``points`` of the first player by round, None for a forfeit.

    Raises UsageError if the tournament has no test.
    """
    from arena.tournament.sequential import Sequential, replay

    player, opponent = (each.spec for each in tournament.players)
    test = stored_settings(tournament).test
    if test is None:
        raise UsageError(f"tournament {tournament.name!r} has no sequential test")
    result = Sequential(test, player)
    games = replay(result, points)
    low, high = f"{test.elo0:g}", f"{test.elo1:g}"
    elo = f"{'normalized' if test.normalized else 'logistic'} Elo"
    verdicts = {
        "H0": f"H0 is accepted: the difference is {low} rather than {high} {elo}",
        "H1": f"H1 is accepted: the difference is {high} rather than {low} {elo}",
        "open": f"undecided between H0 (a difference of {low}) and H1 ({high} {elo}): more games are needed",
    }
    lines = [
        f"{player} against {opponent}: {verdicts[result.verdict]}",
        _tally([points[number] for number in range(games)]),
        str(result),
    ]
    pairs, score = sum(result.counts), result.match.score
    if pairs in result.counts and pairs:
        lines.append(
            f"score {100 * score().value:.2f} % in every pair of games: all pairs scored alike, so there is no error "
            "bar and no Elo difference"
        )
    elif pairs:
        lines.append(
            f"score {100 * score().value:.2f} ± {100 * score().error:.2f} %, Elo {result.match.elo()}, "
            f"normalized Elo {result.match.normalized_elo()}, likelihood of superiority {100 * result.match.los:.2f} %"
        )
    return "\n".join(lines)
