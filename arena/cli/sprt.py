"""Sequential tests: as people ask for them, and what they have shown."""

from __future__ import annotations

from typing import TYPE_CHECKING

from arena.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from arena.statistics.sprt import SPRT
    from arena.store import StoredTournament


def parse(sprt: str, logistic: bool = False, alpha: float = 0.05, beta: float = 0.05) -> SPRT:
    """The test of ``ELO0,ELO1``, in logistic or normalized Elo. Raises UsageError."""
    from arena.statistics.sprt import SPRT, WIDEST, WIDEST_LOGISTIC

    try:
        low, high = (float(part) for part in sprt.split(","))
    except ValueError:
        raise UsageError(f"sprt takes two differences, for example 0,20, not {sprt!r}") from None
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


def verdict(tournament: StoredTournament, points: Mapping[int, float | None]) -> str:
    """What the test of a match has shown; ``points`` of the first player by round, None for a forfeit."""
    from arena.statistics.sprt import SPRT
    from arena.tournament.sequential import Sequential, replay

    player, opponent = (each.spec for each in tournament.players)
    test = SPRT(**tournament.settings["sprt"])
    result = Sequential(test, player)
    replay(result, points)
    kind = "normalized" if test.normalized else "logistic"
    verdicts = {
        "H0": f"the difference is {test.elo0:g} rather than {test.elo1:g}",
        "H1": f"the difference is {test.elo1:g} rather than {test.elo0:g}",
        "open": "undecided: more games would tell",
    }
    lines = [f"{player} against {opponent}: {verdicts[result.verdict]} ({kind} Elo)", str(result)]
    pairs, score = sum(result.counts), result.match.score
    if pairs in result.counts and pairs:
        lines.append(f"score {100 * score().value:.2f} % in every pair: that tells no error and no Elo difference")
    elif pairs:
        lines.append(
            f"score {100 * score().value:.2f} ± {100 * score().error:.2f} %, Elo {result.match.elo()}, "
            f"normalized Elo {result.match.normalized_elo()}, likelihood of superiority {100 * result.match.los:.2f} %"
        )
    return "\n".join(lines)
