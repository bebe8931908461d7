"""The environments, checked by the libraries that they are for and by the arena's own rules."""

import gymnasium
import numpy as np
import pettingzoo
import pytest
from gymnasium.utils.env_checker import check_env
from pettingzoo.test import api_test, seed_test

import arena.rl
from arena.checkers.game import DrawRules
from arena.checkers.move import Side
from arena.errors import UnknownName, UsageError


def two_seats(**options):
    return pettingzoo.make("aec", arena.rl.TWO_SEATS, **options)


def one_seat(**options):
    return gymnasium.make(arena.rl.ONE_SEAT, **options)


def random_game(environment, random):
    """Play a game of random actions; return the total rewards and all actions by agent."""
    totals, actions = dict.fromkeys(environment.agents, 0.0), []
    for agent in environment.agent_iter():
        observation, reward, terminated, truncated, _ = environment.last()
        totals[agent] += reward
        action = None
        if not (terminated or truncated):
            action = int(random.choice(np.flatnonzero(observation["action_mask"])))
            actions.append((agent, action))
        environment.step(action)
    return totals, actions


@pytest.mark.filterwarnings("ignore:Observation:UserWarning")  # it has a list of the environments with an action mask
def test_pettingzoos_api_test():
    api_test(two_seats(), num_cycles=1000)


def test_pettingzoos_seed_test():
    seed_test(lambda: two_seats(openings="3move"), num_cycles=200)


def test_gymnasiums_checker():
    check_env(one_seat().unwrapped, skip_render_check=True)


@pytest.mark.parametrize("seed", range(5))
def test_one_agent_wins_what_the_other_loses(seed):
    environment = two_seats()
    environment.reset(seed=seed)
    totals, _ = random_game(environment, np.random.default_rng(seed))
    assert sorted(totals.values()) in ([-1.0, 1.0], [0.0, 0.0])


def test_the_same_agent_acts_again_during_a_capture():
    environment = two_seats()
    environment.reset(options={"fen": "B:B1,4:W6,15,32"})
    [action] = np.flatnonzero(environment.observe("black_0")["action_mask"])
    environment.step(int(action))
    assert environment.agent_selection == "black_0"
    assert not environment.observe("white_0")["action_mask"].any()
    [action] = np.flatnonzero(environment.observe("black_0")["action_mask"])
    environment.step(int(action))
    assert environment.agent_selection == "white_0"


def test_the_loser_has_no_move_left():
    environment = two_seats(render_mode="ansi")
    environment.reset(options={"fen": "B:B1:W6"})
    environment.step(int(np.flatnonzero(environment.observe("black_0")["action_mask"])[0]))
    assert environment.rewards == {"black_0": 1.0, "white_0": -1.0}
    assert environment.infos["black_0"] == {"termination": "no moves"}
    assert "b" in environment.render()


def test_an_illegal_action_loses():
    environment = two_seats()
    environment.reset()
    environment.step(0)
    assert environment.rewards == {"black_0": -1.0, "white_0": 1.0}
    assert environment.infos["white_0"] == {"termination": "illegal move"}


def test_the_cap_on_plies_truncates():
    environment = two_seats(rules=DrawRules(ply_cap=2))
    environment.reset()
    _, actions = random_game(environment, np.random.default_rng(0))
    assert len(actions) == 2
    assert all(environment.truncations.values()) or not environment.agents


@pytest.mark.parametrize("opponent", ["random", "m1", "lms"])
def test_one_seat_plays_whole_games_against_any_player(opponent):
    environment = one_seat(opponent=opponent).unwrapped
    random = np.random.default_rng(1)
    for game in range(4):
        _, info = environment.reset(seed=game)
        done, reward = False, 0.0
        while not done:
            _, reward, terminated, truncated, last = environment.step(
                int(random.choice(np.flatnonzero(environment.action_masks())))
            )
            done = terminated or truncated
        assert reward in (-1.0, 0.0, 1.0)
        assert last["termination"] in ("no moves", "repetition", "quiet plies")
        assert info["side"] in ("black", "white")


def test_the_same_seed_gives_the_same_game():
    def game(seed):
        environment = one_seat(openings="3move").unwrapped
        observation, _ = environment.reset(seed=seed)
        seen = [observation]
        done = False
        while not done:
            observation, _, terminated, truncated, _ = environment.step(int(np.argmax(environment.action_masks())))
            seen.append(observation)
            done = terminated or truncated
        return np.array(seen)

    assert np.array_equal(game(3), game(3))
    assert not np.array_equal(game(3)[:3], game(4)[:3])


def test_the_agent_plays_the_side_that_it_asks_for():
    environment = one_seat(side="white").unwrapped
    _, info = environment.reset(seed=0)
    assert info == {"side": "white"}
    assert environment._position.side is Side.WHITE
    assert environment._position.game.ply == 1  # the opponent has moved


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"opponent": "nobody"}, UnknownName, "no player named 'nobody'"),
        ({"side": "red"}, UsageError, "side is black, white or both, not 'red'"),
    ],
)
def test_bad_options_are_refused(options, error, message):
    with pytest.raises(error, match=message):
        one_seat(**options)
