"""How many games a worker is given ahead, and how long the arena may rest."""

from __future__ import annotations

import pytest

from arena.tournament.pace import FEWEST, MOST, REST, Pace

Clock = list[float]


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    """Its only entry is the time."""
    now = [100.0]
    monkeypatch.setattr("arena.tournament.pace.time.monotonic", lambda: now[0])
    return now


def paced(clock: Clock, workers: int, seconds: float) -> Pace:
    """The pace of so many workers each of which plays a game in so many seconds."""
    pace = Pace(workers)
    pace.count()
    for _ in range(50):
        clock[0] += seconds / workers
        pace.count()
    return pace


@pytest.mark.parametrize("games", [0, 1])
def test_before_two_games_have_ended_nothing_is_known(clock: Clock, games: int) -> None:
    pace = Pace(2)
    for _ in range(games):
        pace.count()
        clock[0] += 0.001
    assert (pace.ahead, pace.rest(pace.ahead)) == (FEWEST, 0)


@pytest.mark.parametrize("workers", [1, 2, 7])
@pytest.mark.parametrize(
    ("seconds", "ahead"), [(3600.0, FEWEST), (1.0, FEWEST), (0.2, 4), (0.04, 12), (0.01, 42), (0.001, MOST)]
)
def test_a_worker_holds_what_lasts_for_two_rests(clock: Clock, workers: int, seconds: float, ahead: int) -> None:
    assert paced(clock, workers, seconds).ahead == pytest.approx(ahead, abs=1)


@pytest.mark.parametrize("seconds", [10.0, 0.02, 0.003, 0.0005])
@pytest.mark.parametrize("tasks", range(MOST + 1))
def test_no_worker_runs_out_of_tasks_during_a_rest(clock: Clock, seconds: float, tasks: int) -> None:
    pace = paced(clock, 2, seconds)
    rest = pace.rest(tasks)
    assert 0 <= rest <= REST
    assert rest <= max(tasks - 1, 0) * seconds / 2 * 1.001
    assert (rest > 0) == (tasks > 2)


def test_games_that_all_end_at_once_take_no_time(clock: Clock) -> None:
    pace = paced(clock, 2, 0.0)
    assert pace.ahead == MOST
    assert pace.rest(MOST) == 0
