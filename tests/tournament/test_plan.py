"""The tasks that workers get."""

from __future__ import annotations

import pytest

from arena.plugins import specs
from arena.tournament.plan import Plan
from arena.tournament.settings import TournamentSettings

DATABASE = "postgresql://user:secret@host/games"


@pytest.mark.parametrize(("learning", "database"), [(False, None), (True, DATABASE)])
def test_workers_get_the_address_of_the_database_only_if_players_use_stored_models(
    learning: bool, database: str | None
) -> None:
    settings = TournamentSettings(seed=1, games=2, learning=learning)
    plan = Plan(settings, specs.parse_list("player", "lms,random"))
    tasks = list(plan.tasks([("lms", "random")], (), DATABASE))
    assert [task.database for task in tasks] == [database, database]
