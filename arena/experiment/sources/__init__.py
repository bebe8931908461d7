"""Where a learner's experience comes from, besides games against itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

from arena.errors import UsageError
from arena.experiment.sources.opponents import Opponents
from arena.experiment.sources.recorded import Recorded
from arena.experiment.sources.teachers import Annotators, Tables, Taught, Teacher, Tutor

if TYPE_CHECKING:
    import os
    from collections.abc import Sequence

    from arena.experiment.sources.source import Source

__all__ = ["Annotators", "Opponents", "Recorded", "Tables", "Taught", "Tutor", "parse"]


def parse(
    seed: int,
    against: str | None,
    names: Sequence[str],
    teacher: str | None,
    db: str | os.PathLike[str],
) -> Source | None:
    """The source that the words of a command name; None for games of the learner against itself.

    ``against``: see :class:`Opponents`. ``names``: see :class:`Recorded`. ``teacher``: ``tables``, ``annotations``, or
    the spec of a player; without other games it teaches games of the learner against itself. Raises UsageError and
    what reading the sources raises.
    """
    if against is not None and names:
        raise UsageError("learn either against opponents or from recorded games, one run after the other")
    source: Source | None = None
    if names:
        source = Recorded(names, db)
    elif against is not None or teacher is not None:
        source = Opponents(against or "self", seed)
    return source if teacher is None or source is None else Taught(source, _teacher(teacher, source, seed))


def _teacher(text: str, source: Source, seed: int) -> Teacher:
    if text == "tables":
        return Tables()
    if text == "annotations":
        if not isinstance(source, Recorded):
            raise UsageError("annotations are those of recorded games: name them with --from")
        return Annotators(source)
    return Tutor(text, seed)
