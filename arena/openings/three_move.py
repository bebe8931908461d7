"""The official three-move ballots."""

from __future__ import annotations

from importlib.resources import files

from arena.contracts.opening import Opening, OpeningBook


class ThreeMove(OpeningBook):
    """The 156 official three-move ballots.

    They are the 144 ballots of crossboard play and the 12 that mail play added in 2003. The 18 barred ballots of the
    American Checker Federation's deck of 174 are left out.
    """

    def openings(self) -> tuple[Opening, ...]:
        """Return the ballots in the order of the deck, each named by its moves."""
        lines = (files(__package__) / "three_move.tsv").read_text("utf-8").splitlines()
        ballots = (line.split("\t")[1] for line in lines[1:])
        return tuple(Opening(moves, tuple(moves.split())) for moves in ballots)
