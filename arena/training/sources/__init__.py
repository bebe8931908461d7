"""Sources of experience for a learner, besides games against itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

from arena.contracts.opening import USUAL_START, Starts
from arena.errors import UsageError
from arena.training.sources.annotators import NUMBERS, Annotators
from arena.training.sources.opponents import Opponents
from arena.training.sources.options import refuse_idle
from arena.training.sources.recorded_games import RecordedGames
from arena.training.sources.starts import hash_of, starts
from arena.training.sources.teachers import Tables, Taught, Teacher, Tutor

if TYPE_CHECKING:
    from collections.abc import Sequence

    from arena.plugins.models import ModelResolver
    from arena.plugins.specs import Spec
    from arena.training.sources.source import Source

__all__ = [
    "NUMBERS",
    "Annotators",
    "Opponents",
    "RecordedGames",
    "Tables",
    "Taught",
    "Tutor",
    "hash_of",
    "parse",
    "starts",
]


def parse(
    learner: Spec,
    seed: int,
    against: str | None,
    names: Sequence[str],
    teacher: str | None,
    models: ModelResolver,
    starts: Starts = USUAL_START,
) -> Source | None:
    """Return the source of experience of a run; None: games of the learner against itself, without a teacher.

    ``against``: opponents, see :class:`Opponents`.
    ``names``: recorded games, see :class:`RecordedGames`.
    ``teacher``: ``tables``, ``annotations`` or the spec of a player. Without opponents or recorded games, it teaches
    games of the learner against itself, and ``annotations`` all annotated games of the database.
    ``models``: finds the models of the database that holds the recorded games.
    ``starts``: first boards of the games that the run plays.

    Raises UsageError if the combination is invalid or an option of the learner has no effect on such games, and the
    errors of reading the sources.
    """
    if against is not None and names:
        raise UsageError("a run learns either against opponents or from recorded games: start a run for each")
    if starts.boards and names:
        raise UsageError("recorded games have openings of their own: leave out --openings or --from")
    source: Source | None = None
    if names:
        refuse_idle(learner, "from")
        source = RecordedGames(names, models.database)
    elif teacher == "annotations":
        if against is not None or starts.boards:
            raise UsageError("annotations belong to recorded games: leave out --against and --openings")
        refuse_idle(learner, "from")
        source = RecordedGames.annotated(models.database)
    elif against is not None or teacher is not None:
        source = Opponents.of(learner, against or "self", seed, starts, models)
    else:
        refuse_idle(learner, "self")
    return source if teacher is None or source is None else Taught(source, _teacher(teacher, source, seed, models))


def _teacher(text: str, source: Source, seed: int, models: ModelResolver) -> Teacher:
    if text == "tables":
        return Tables()
    if text == "annotations":
        assert isinstance(source, RecordedGames)
        return Annotators(source)
    return Tutor(text, seed, models)
