"""Every column of every table, recomputed from the records in plain Python. Positions are in test_positions.py."""

from __future__ import annotations

import math
from collections import Counter
from datetime import UTC, datetime
from itertools import combinations
from statistics import NormalDist
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import pytest
from pandas.testing import assert_frame_equal

from arena.errors import StoreError, UsageError
from arena.store import PlayerIdentity, Results, Store
from arena.store.database import Database
from databases import read_frame
from tables import by_schedule, plain

if TYPE_CHECKING:
    from collections.abc import Callable

    from arena.contracts.record import GameRecord
    from databases import Db

STANDINGS = [
    *["rank", "player", "rating", "rating_error", "games", "wins", "draws", "losses", "forfeits"],
    *["win_pct", "win_low", "win_high", "score_pct"],
]
GAMES = [
    *["game", "name", "tournament", "pairing", "round", "opening", "black", "white", "result", "winner"],
    *["termination", "forfeited_by", "reason", "plies", "seed", "moves", "black_code", "white_code"],
]
RATINGS = ["player", "system", "rating", "error", "games"]
HEAD_TO_HEAD = ["player", "opponent", "games", "wins", "draws", "losses", "win_pct", "score_pct"]
LMS_AND_RANDOM = [PlayerIdentity(spec, spec, "checkers-arena", "0.1.0") for spec in ("lms", "random")]
SEASONS = pytest.mark.parametrize("season", ["spring", "autumn"])


def close(left: list[tuple[Any, ...]], right: list[tuple[Any, ...]]) -> bool:
    """Whether the rows are equal, floats up to rounding."""
    return len(left) == len(right) and all(
        len(a) == len(b)
        and all(x == (pytest.approx(y) if isinstance(y, float) else y) for x, y in zip(a, b, strict=True))
        for a, b in zip(left, right, strict=True)
    )


def outcomes(records: list[GameRecord], player: str, opponent: str | None = None) -> Counter[str]:
    """Count wins, draws, losses and forfeits of ``player``, against one opponent or all."""
    counts: Counter[str] = Counter()
    for record in records:
        if player in (record.black, record.white) and opponent in (None, record.black, record.white):
            side = "black" if player == record.black else "white"
            winner = {"1-0": "black", "0-1": "white"}.get(record.result)
            counts["draws" if winner is None else "wins" if winner == side else "losses"] += 1
            counts["forfeits"] += record.forfeited_by == side
    return counts


def wilson(wins: int, games: int) -> tuple[float, float]:
    """Return the bounds of Wilson's interval in percent, from the textbook form with centre and half width."""
    z, p = 1.959963984540054, wins / games
    centre = (p + z * z / (2 * games)) / (1 + z * z / games)
    half = z / (1 + z * z / games) * math.sqrt(p * (1 - p) / games + z * z / (4 * games * games))
    return 100 * (centre - half), 100 * (centre + half)


def named(filled: Any, season: str) -> dict[int, str]:
    """Return the names of games by id: numbered by pairing (alphabetically) and round, games not played included."""
    width = {"spring": 20, "autumn": 31}[season]
    specs = [player.spec for player in filled.tournaments[season].players]
    pairings = sorted(" vs ".join(sorted(pair)) for pair in combinations(specs, 2))
    return {
        record.seed: f"{season}/{width * pairings.index(record.pairing) + record.round + 1}"
        for record in filled.records[season]
    }


def expected_standings(filled: Any, season: str) -> list[tuple[Any, ...]]:
    ratings = {rating.player: rating for rating in filled.ratings[season]}
    rows = []
    for identity in filled.tournaments[season].players:
        player = identity.spec
        counts = outcomes(filled.records[season], player)
        wins, draws, losses = counts["wins"], counts["draws"], counts["losses"]
        games = wins + draws + losses
        rated = (ratings[player].rating, ratings[player].error) if player in ratings else (None, None)
        shares = (100 * wins / games, *wilson(wins, games), 100 * (wins + draws / 2) / games) if games else (None,) * 4
        rows.append((player, *rated, games, wins, draws, losses, counts["forfeits"], *shares))
    scores = [-1.0 if row[-1] is None else row[-1] for row in rows]
    ranked = [(1 + sum(other > score for other in scores), *row) for row, score in zip(rows, scores, strict=True)]
    return sorted(ranked, key=lambda row: row[:2])


COMPONENTS = ["player", "games", "component", "strong_component", "note"]


def test_components(db: Db, record: Callable[..., GameRecord]) -> None:
    players = [PlayerIdentity(spec, spec, "test", "1") for spec in ("z", "a", "b", "c", "idle")]
    played = [("a", "b", "1-0"), ("b", "a", "1/2-1/2"), ("z", "c", "1-0"), ("z", "c", "1-0"), ("c", "a", "0-1")]
    with Store.open(db) as store:
        for name in ("one", "two"):
            tournament = store.create_tournament(name, 1, {}, players)
            with store.recorder(tournament.id) as recorder:
                for number, (black, white, result) in enumerate(played):
                    forfeited_by = "black" if name == "one" and (black, white) == ("c", "a") else None
                    recorder.add(record(number, black=black, white=white, result=result, forfeited_by=forfeited_by))
    with Results(db) as results:
        one, both = results.components("one"), results.components()
    assert one.columns.tolist() == COMPONENTS
    assert plain(one) == [
        ("z", 2, 1, 2, "only wins"),
        ("a", 2, 2, 1, None),
        ("b", 2, 2, 1, None),
        ("c", 2, 1, 3, "only losses"),
        ("idle", 0, None, None, "no rated games"),
    ]
    assert one.dtypes.astype(str).tolist()[1:4] == ["int64", "Int64", "Int64"]
    assert plain(both.loc["one"]) == plain(one)
    assert both.loc["two"].component.tolist()[:4] == [1, 1, 1, 1]


@SEASONS
def test_standings(filled: Any, results: Results, season: str) -> None:
    table = results.standings(season)
    assert table.columns.tolist() == STANDINGS
    assert close(plain(table), expected_standings(filled, season))


def test_standings_of_all_tournaments_follow_one_another(results: Results) -> None:
    table = results.standings()
    assert table.columns.tolist() == STANDINGS
    assert table.index.name == "tournament"
    assert table.index.tolist() == ["spring"] * 4 + ["autumn"] * 3
    for season in ("spring", "autumn"):
        assert_frame_equal(results.standings(season), table[table.index == season].reset_index(drop=True))


@pytest.mark.parametrize(
    ("wins", "games", "bounds"),
    [(81, 263, (25.53, 36.62)), (0, 20, (0, 16.11)), (20, 20, (83.89, 100)), (0, 0, None)],
)
def test_wilson_interval(
    db: Db,
    record: Callable[..., GameRecord],
    wins: int,
    games: int,
    bounds: tuple[float, float] | None,
) -> None:
    with Store.open(db) as store:
        tournament = store.create_tournament("oracle", 1, {}, LMS_AND_RANDOM)
        with store.recorder(tournament.id) as recorder:
            for number in range(games):
                result = "1-0" if number < wins else "1/2-1/2"
                recorder.add(record(number, result=result, forfeited_by=None, reason=None))
    with Results(db) as results:
        row = results.standings("oracle").set_index("player").loc["lms"]
    if bounds:
        assert (round(row["win_low"], 2), round(row["win_high"], 2)) == bounds
        assert 0 <= row["win_low"] <= row["win_pct"] <= row["win_high"] <= 100
        assert (row["win_low"] == 0) == (wins == 0)
        assert (row["win_high"] == 100) == (wins == games)
    else:
        assert row[["win_pct", "win_low", "win_high", "score_pct"]].isna().all()


@SEASONS
def test_games(filled: Any, results: Results, season: str) -> None:
    table = results.games(season)
    assert table.columns.tolist() == GAMES
    names = named(filled, season)
    assert plain(table) == [
        (
            *(
                record.seed,
                names[record.seed],
                season,
                record.pairing,
                record.round,
                record.opening,
                record.black,
                record.white,
            ),
            record.result,
            {"1-0": record.black, "0-1": record.white}.get(record.result),
            record.termination,
            {"black": record.black, "white": record.white, None: None}[record.forfeited_by],
            *(record.reason, len(record.moves), record.seed, " ".join(record.moves), None, None),
        )
        for record in by_schedule(filled.records[season])
    ]


@SEASONS
def test_games_are_found_by_name_and_by_id(filled: Any, results: Results, season: str) -> None:
    names = named(filled, season)
    for record in filled.records[season][::7]:
        for which in (record.seed, str(record.seed), names[record.seed]):
            assert results.game(which).seed == record.seed
            assert results.games(game=which)["game"].tolist() == [record.seed]
            assert set(results.positions(game=which)["game"]) == {record.seed}
            assert len(list(results.pdn(game=which))) == 1
        assert results.tournament_of(names[record.seed]) == filled.tournaments[season].id
    last = max(filled.records[season], key=lambda record: record.started)
    assert results.game(f"{season}/last").seed == results.game("last", season).seed == last.seed


def test_last_names_the_last_game_of_the_last_tournament(filled: Any, results: Results) -> None:
    last = max(filled.records["autumn"], key=lambda record: record.started)
    assert results.game("last").seed == results.game("last/last").seed == last.seed
    assert results.game("last/5").seed == results.game("autumn/5").seed


@pytest.mark.parametrize(
    ("which", "tournament", "line"),
    [
        ("spring/1", None, "holds no game spring/1; arena results games lists them"),
        ("spring/121", None, "holds no game spring/121"),
        ("winter/1", None, "holds no tournament 'winter'"),
        ("spring/1", "spring", "'spring/1' names its tournament"),
        ("first", None, "a game is named by its id, as TOURNAMENT/NUMBER"),
        ("spring/x", None, "a game is named by its id, as TOURNAMENT/NUMBER"),
        ("-1", None, "a game is named by its id, as TOURNAMENT/NUMBER"),
        (str(2**63), None, "ids and numbers are smaller"),
    ],
)
def test_missing_games_are_one_line_errors(results: Results, which: str, tournament: str | None, line: str) -> None:
    with pytest.raises((StoreError, UsageError), match=line):
        results.game(which, tournament)


@SEASONS
def test_forfeits_are_grouped_by_player_termination_and_last_line(filled: Any, results: Results, season: str) -> None:
    names, expected = named(filled, season), dict[str, list[str]]()
    for record in by_schedule(filled.records[season]):
        if record.forfeited_by:
            player = record.black if record.forfeited_by == "black" else record.white
            expected.setdefault(player, []).append(names[record.seed])
    table = results.forfeits(season)
    assert table["games"].is_monotonic_decreasing
    assert sorted(plain(table)) == sorted(
        (player, "exception", "in choose", len(games), games[0]) for player, games in expected.items()
    )


def test_versions_count_the_games_of_each_player(filled: Any, results: Results) -> None:
    both = results.versions()
    for season in ("spring", "autumn"):
        table = results.versions(season)
        counts = Counter(player for record in filled.records[season] for player in (record.black, record.white))
        assert dict(zip(table["player"], table["games"], strict=True)) == counts
        assert set(table["version"]) == {"checkers-arena 0.1.0"}
        assert table["code"].isna().all()
        assert_frame_equal(both.loc[season].reset_index(drop=True), table)


def test_games_of_all_tournaments(results: Results) -> None:
    both = pd.concat([results.games("spring"), results.games("autumn")], ignore_index=True)
    assert_frame_equal(results.games(), both)


@SEASONS
def test_head_to_head(filled: Any, results: Results, season: str) -> None:
    table = results.head_to_head(season)
    assert table.columns.tolist() == HEAD_TO_HEAD
    expected = []
    specs = sorted(player.spec for player in filled.tournaments[season].players)
    for player in specs:
        for opponent in specs:
            counts = outcomes(filled.records[season], player, opponent)
            wins, draws, losses = counts["wins"], counts["draws"], counts["losses"]
            games = wins + draws + losses
            if games and player != opponent:
                shares = (100 * wins / games, 100 * (wins + draws / 2) / games)
                expected.append((player, opponent, games, wins, draws, losses, *shares))
    assert close(plain(table), expected)


@SEASONS
def test_ratings(filled: Any, results: Results, season: str) -> None:
    table = results.ratings(season)
    assert table.columns.tolist() == RATINGS
    best_first = sorted(filled.ratings[season], key=lambda rating: -rating.rating)
    expected = [(rating.player, "davidson", rating.rating, rating.error, rating.games) for rating in best_first]
    assert plain(table) == [*expected, ("lms", "other", 1500.0, 1.0, 1)]


def test_tournaments(filled: Any, results: Results) -> None:
    table = results.tournaments()
    assert table.columns.tolist() == ["id", "name", "seed", "players", "games", "planned", "started"]
    expected = [
        (stored.id, name, stored.seed, len(stored.players), len(filled.records[name]), stored.planned)
        for name, stored in filled.tournaments.items()
    ]
    assert plain(table.drop(columns="started")) == expected
    for moment, stored in zip(table["started"], filled.tournaments.values(), strict=True):
        assert abs(moment - datetime.fromtimestamp(stored.started, UTC)).total_seconds() < 1e-3


@pytest.mark.parametrize("table", ["standings", "games", "positions", "ratings", "head_to_head"])
def test_tournament_argument_is_a_name_an_id_or_last(filled: Any, results: Results, table: str) -> None:
    method = getattr(results, table)
    for name, stored in filled.tournaments.items():
        assert_frame_equal(method(stored.id), method(tournament=name))
    assert_frame_equal(method("last"), method("autumn"))
    with pytest.raises(StoreError, match=r"holds no tournament 'winter'; it holds spring \(1\), autumn \(2\)$"):
        method("winter")


@pytest.mark.parametrize("table", ["tournaments", "standings", "games", "positions", "ratings", "head_to_head"])
def test_empty_database_gives_empty_tables(db: Db, results: Results, table: str) -> None:
    Database(db, write=True).engine.dispose()
    with Results(db) as empty:
        frame = getattr(empty, table)()
    assert frame.empty
    assert frame.columns.tolist() == getattr(results, table)().columns.tolist()


def test_committed_games_can_be_read_while_a_store_writes(db: Db, record: Any) -> None:
    with Store.open(db) as store:
        tournament = store.create_tournament("spring", 1, {}, LMS_AND_RANDOM)
        with store.recorder(tournament.id) as recorder, Results(db) as results:
            recorder.add(record(0))
            recorder.flush()
            assert len(results.games("last")) == 1


@pytest.mark.parametrize(
    ("view", "method"),
    [("v_standings", "standings"), ("v_games", "games"), ("v_head_to_head", "head_to_head")],
)
def test_views_equal_the_dataframes(filled: Any, results: Results, view: str, method: str) -> None:
    frame = read_frame(filled.path, f"SELECT * FROM {view} WHERE tournament = 'autumn'")
    table = getattr(results, method)("autumn")
    if method == "games":
        frame = frame.sort_values(["pairing", "round"], ignore_index=True)
        assert frame.columns.tolist() == [*GAMES, "number", "tournament_id"]
    else:
        assert frame.columns.tolist() == [*table.columns, "tournament", "tournament_id"]
    assert plain(frame[table.columns]) == plain(table)


@SEASONS
def test_view_of_superiority_has_the_counts_that_the_method_computes_from(
    filled: Any, results: Results, season: str
) -> None:
    view = read_frame(filled.path, f"SELECT * FROM v_superiority WHERE tournament = '{season}'")
    table = results.superiority(season)
    assert len(table) > 0
    assert plain(view[["player", "opponent", "pairs"]]) == plain(table[["player", "opponent", "pairs"]])
    counts = view[["pairs_0", "pairs_05", "pairs_1", "pairs_15", "pairs_2"]].to_numpy()
    assert (counts.sum(axis=1) == view["pairs"]).all()
    shares = counts @ [0, 0.25, 0.5, 0.75, 1] / view["pairs"]
    assert np.allclose(100 * shares, table["score_pct"])
    assert np.allclose(view["score_pct"], table["score_pct"])
    assert np.allclose(view["score_error"], table["score_error"])
    assert np.allclose([100 * NormalDist().cdf(z) for z in view["z"]], table["los"])


def test_tables_can_be_read_with_plain_sql(filled: Any) -> None:
    query = """
        SELECT black.spec AS black, games.result, games.boards, games.plies
        FROM games JOIN players AS black ON black.id = games.black_id
        JOIN tournaments ON tournaments.id = games.tournament_id
        WHERE tournaments.name = 'spring' ORDER BY pairing, round
    """
    frame = read_frame(filled.path, query)
    assert plain(frame) == [
        (record.black, record.result, record.boards, record.plies) for record in by_schedule(filled.records["spring"])
    ]
