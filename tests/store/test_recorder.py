"""Recording games: each once, in batches, also if an exception, interrupt or signal ends it."""

from __future__ import annotations

import signal
import struct
import subprocess
import sys
import time
from typing import TYPE_CHECKING, Any

import pytest

from arena.contracts.columns import DEPTHS, NODES, SCORES, SECONDS
from arena.contracts.record import PlyInfo
from arena.errors import StoreError
from arena.store import Results, Store, StoredTournament
from databases import extra_files, opened

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from arena.contracts.record import GameRecord
    from arena.store import PlayerIdentity
    from databases import Db

    Make = Callable[..., GameRecord]


@pytest.fixture
def store(db: Db) -> Iterator[Store]:
    with Store.open(db) as store:
        yield store


@pytest.fixture
def tournament(store: Store, identities: tuple[PlayerIdentity, ...]) -> StoredTournament:
    return store.create_tournament("spring", 1, {}, identities)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The recorder's clock, a list whose only item is the time in seconds."""
    now = [100.0]
    monkeypatch.setattr("arena.store.recorder.time.monotonic", lambda: now[0])
    return now


def recorded(db: Db) -> list[int]:
    """Return the recorded rounds, as another program sees them."""
    with opened(db) as connection:
        return [number for (number,) in connection.execute("SELECT round FROM games ORDER BY round")]


def test_each_field_is_in_its_column(store: Store, tournament: StoredTournament, db: Db, record: Make) -> None:
    game = record(
        3,
        boards=struct.pack("<9I", *range(9)),
        first="white",
        movetext="22-18 9x18",
        result="0-1",
        forfeited_by="black",
        termination="exception",
        reason="ValueError: \ud800",
        ply_info=PlyInfo.packed(
            scores=SCORES.array_of((None, 1.5)),
            depths=DEPTHS.array_of((7, None)),
            nodes=NODES.array_of((None, None)),
            seconds=SECONDS.array_of((0.25, 0.5)),
            pvs=("", "9-13 22-18"),
        ),
        started=1.25,
    )
    with store.recorder(tournament.id) as recorder:
        recorder.add(game)
    with opened(db) as connection:
        cursor = connection.execute("SELECT * FROM games")
        row = dict(zip([column[0] for column in cursor.description], cursor.fetchone(), strict=True))
        specs = dict(connection.execute("SELECT id, spec FROM players").fetchall())
    assert (specs[row.pop("black_id")], specs[row.pop("white_id")]) == ("lms", "random")
    assert row == {
        "tournament_id": tournament.id,
        "id": game.seed,
        "pairing": "lms vs random",
        "round": 3,
        "opening": game.opening,
        "result": "0-1",
        "termination": "exception",
        "forfeited_by": "black",
        "reason": "ValueError: ?",
        "changes": None,
        "first": "white",
        "plies": 2,
        "moves": "22-18 9x18",
        "boards": game.boards,
        "scores": struct.pack("<2f", float("nan"), 1.5),
        "depths": struct.pack("<2h", 7, -1),
        "nodes": None,
        "seconds": struct.pack("<2f", 0.25, 0.5),
        "pvs": "\n9-13 22-18",
        "started": 1.25,
    }


@pytest.mark.usefixtures("clock")
def test_a_transaction_holds_a_hundred_games(store: Store, tournament: StoredTournament, db: Db, record: Make) -> None:
    with store.recorder(tournament.id) as recorder:
        for number in range(199):
            recorder.add(record(number))
            assert len(recorded(db)) == (100 if number >= 99 else 0)
    assert recorded(db) == list(range(199))


def test_games_are_committed_after_a_second(
    store: Store, tournament: StoredTournament, db: Db, record: Make, clock: list[float]
) -> None:
    with store.recorder(tournament.id) as recorder:
        recorder.add(record(0))
        clock[0] += 0.9
        recorder.tick()
        assert recorded(db) == []
        clock[0] += 0.2
        recorder.tick()
        assert recorded(db) == [0]
        clock[0] += 5
        recorder.add(record(1))
        assert recorded(db) == [0, 1]
        recorder.add(record(2))
        assert recorded(db) == [0, 1]


@pytest.mark.parametrize("reason", [ValueError, KeyboardInterrupt, SystemExit])
def test_exception_commits_pending_games(
    store: Store, tournament: StoredTournament, db: Db, record: Make, reason: type[BaseException]
) -> None:
    with pytest.raises(reason), store.recorder(tournament.id) as recorder:
        for number in range(7):
            recorder.add(record(number))
        raise reason
    assert recorded(db) == list(range(7))


def test_interrupt_takes_effect_after_the_commit(
    store: Store, tournament: StoredTournament, db: Db, record: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    connection: Any = store._connection
    insert = connection.exec_driver_sql

    def interrupted(*arguments: Any, **options: Any) -> None:
        signal.raise_signal(signal.SIGINT)
        insert(*arguments, **options)
        signal.raise_signal(signal.SIGINT)

    with store.recorder(tournament.id) as recorder:
        for number in range(3):
            recorder.add(record(number))
        monkeypatch.setattr(connection, "exec_driver_sql", interrupted)
        with pytest.raises(KeyboardInterrupt):
            recorder.flush()
        assert recorded(db) == [0, 1, 2]
    assert recorded(db) == [0, 1, 2]


def test_same_game_is_refused(store: Store, tournament: StoredTournament, db: Db, record: Make) -> None:
    with store.recorder(tournament.id) as recorder:
        recorder.add(record(0, opening="first"))
    refused = pytest.raises(StoreError, match=r"rejects a row as invalid or duplicate: (?i:.*unique.*games)")
    with refused, store.recorder(tournament.id) as recorder:
        recorder.add(record(0, opening="second"))
    assert recorded(db) == [0]
    with opened(db) as connection:
        assert connection.execute("SELECT opening FROM games WHERE round = 0").fetchall() == [("first",)]


def test_same_round_with_another_id_is_refused(store: Store, tournament: StoredTournament, record: Make) -> None:
    with (
        pytest.raises(StoreError, match=r"games\.pairing, games\.round|games_tournament_id_pairing_round_key"),
        store.recorder(tournament.id) as recorder,
    ):
        recorder.add(record(0, seed=1))
        recorder.add(record(0, seed=2))


def test_two_tournaments_may_hold_the_same_game(
    store: Store, tournament: StoredTournament, identities: tuple[PlayerIdentity, ...], record: Make
) -> None:
    again = store.create_tournament("autumn", 1, {}, identities)
    for key in (tournament.id, again.id):
        with store.recorder(key) as recorder:
            recorder.add(record(0))
    assert store.finished(tournament.id) == store.finished(again.id) == {("lms vs random", 0)}


def test_game_of_an_unknown_player_is_refused(store: Store, tournament: StoredTournament, db: Db, record: Make) -> None:
    with store.recorder(tournament.id) as recorder:
        with pytest.raises(StoreError, match="stranger does not play in this tournament"):
            recorder.add(record(0, black="stranger"))
        recorder.add(record(1))
    assert recorded(db) == [1]


@pytest.mark.parametrize(
    "wrong",
    [
        {"boards": b"12 bytes, yes"},
        {"result": "2-0"},
        {"forfeited_by": "nobody"},
        {"ply_info": PlyInfo(depths=bytes(198))},
    ],
    ids=["boards", "result", "forfeited_by", "depths"],
)
def test_inconsistent_record_is_refused(
    store: Store, tournament: StoredTournament, db: Db, record: Make, wrong: dict[str, Any]
) -> None:
    with pytest.raises(StoreError, match=r"(?i)check constraint"), store.recorder(tournament.id) as recorder:
        recorder.add(record(0, **wrong))
    assert recorded(db) == []


SCRIPT = """
import sys
from arena.contracts.record import GameRecord
from arena.store import PlayerIdentity, Store

with Store.open(sys.argv[1]) as store:
    players = [PlayerIdentity(spec, spec, "test", "1") for spec in ("lms", "random")]
    tournament = store.create_tournament("spring", 1, {}, players)
    try:
        with store.recorder(tournament.id) as recorder:
            for number in range(10**6):
                recorder.add(GameRecord(
                    pairing="lms vs random", round=number, seed=number, opening="", black="lms",
                    white="random", first="black", boards=bytes(12), movetext="", result="1-0",
                    termination="no moves",
                ))
                if number % 100 == 99:
                    print(number + 1, flush=True)
    except KeyboardInterrupt:
        print("stopped", flush=True)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="sends POSIX signals")
@pytest.mark.parametrize("pause", [0.0, 0.0013, 0.0101])
@pytest.mark.parametrize("how", ["SIGINT", "SIGKILL"])
def test_stopped_process_loses_no_committed_game(db: Db, how: str, pause: float) -> None:
    with subprocess.Popen([sys.executable, "-c", SCRIPT, str(db)], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        for _ in range(20):
            confirmed = int(process.stdout.readline())
        time.sleep(pause)
        process.send_signal(getattr(signal, how))
        lines = process.stdout.read().split()
    confirmed = max([confirmed, *(int(line) for line in lines if line.isdecimal())])
    if how == "SIGINT":
        assert lines[-1] == "stopped"
        assert process.returncode == 0
    with Results(db) as results:
        rounds = results.games("last")["round"].tolist()
    assert len(rounds) >= confirmed
    assert rounds == list(range(len(rounds)))
    with Store.open(db) as store:
        assert len(store.finished(store.tournament("last").id)) == len(rounds)
    assert extra_files(db) == []
