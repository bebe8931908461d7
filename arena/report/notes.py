"""Explanations of the columns and signs in tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

from arena.report.columns import NO_VALUE

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    import pandas as pd

_UNITS = {"davidson": "Elo units, 0 on average"}
"""The unit of the ratings of each system; the name of the system stands for others."""
_MARKS = {
    "!": "!: the player won all its games or lost all of them, so nobody knows how much better or worse it is.",
    "[": "[1], [2]: only ratings with the same number in brackets can be compared. Between players with different "
    "numbers there were no games, or one side got all the points.",
    NO_VALUE: f"{NO_VALUE}: the player has no rating, because all its games were forfeited or it has none.",
}
"""Explanations of the signs beside ratings."""
OF_EXPERIMENT = (
    "score %: interquartile mean over seeds and opponents, with a bootstrap interval if there are five seeds or more.",
    "worst: mean score of the worst seed over the opponents. area: mean score while learning. games to 75 %: median "
    "over the seeds.",
    "better %: probability that a run of the first learner scores more. p: permutation test over the seeds, adjusted "
    "for all pairs (Holm). *: below 0.05.",
)
"""Explanations of the tables of an experiment."""


def marks(components: pd.DataFrame) -> dict[str, str]:
    """Return the sign beside each player's rating: how far the games support it."""
    perfect = components["note"].isin(["only wins", "only losses"])
    groups = components[~perfect].groupby("component")["strong_component"].nunique()
    several = components["component"].nunique() > 1
    signs = {}
    for row, alone in zip(components.to_dict("records"), perfect, strict=True):
        numbers = [row["component"]] if several else []
        if not alone and groups.get(row["component"], 0) > 1:
            numbers.append(row["strong_component"])
        brackets = f"[{'.'.join(map(str, numbers))}]" if numbers else ""
        signs[row["player"]] = NO_VALUE if row["note"] == "no rated games" else brackets + "!" * alone
    return signs


def of_tournament(system: str, signs: Collection[str], compared: bool) -> Iterator[str]:
    """Yield the explanations of the tables of a tournament.

    ``system``: spec of the rating system; empty: no ratings. ``signs``: those beside ratings. ``compared``: whether a
    table shows the likelihood of superiority.
    """
    yield "win %: games won, with Wilson's 95 % interval. score %: games won and half of the games drawn."
    if system:
        yield f"rating: {_UNITS.get(system, system)}, with a 95 % interval. Forfeited games do not count in it."
    used = "".join(signs)
    yield from (note for sign, note in _MARKS.items() if sign in used)
    if compared:
        yield (
            "likelihood of superiority: from pairs of games that share an opening, without a forfeit. "
            "*: the difference is significant at 5 % for the table as a whole."
        )
