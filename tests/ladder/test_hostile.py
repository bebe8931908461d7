"""A ladder with hand-ins that fail or cheat: it ends, blames the right ones, and changes no game of others."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

import pandas as pd
import pytest

import arena
from arena.cli import app
from arena.tournament import hand_ins
from hostile_hand_ins import FORFEITS, HARMLESS, LEFT_OUT, code, sound
from launchers import module_launcher, shared_launcher

if TYPE_CHECKING:
    from collections.abc import Collection
    from pathlib import Path

__all__ = ["module_launcher", "shared_launcher"]
FEW = {"two", "exits", "patches-board", "forges"}
"""Hand-ins of the quick test."""


def hand_in(folder: Path, chosen: Collection[str], sound_players: int) -> set[str]:
    """Write hand-ins into a folder, and return the names of the sound ones."""
    folder.mkdir(parents=True)
    texts = {name: text for name, (text, _) in {**LEFT_OUT, **FORFEITS}.items()} | HARMLESS
    for name in chosen:
        (folder / f"{name}.py").write_text(code(texts[name]))
    names = {f"s{number}" for number in range(sound_players)}
    for name in names:
        (folder / f"{name}.py").write_text(sound(int(name[1:])))
    return names


def play(folder: Path) -> None:
    words = ("class", "--against", "random", "--games", "2", "--seed", "7", "--move-timeout", "4", "--memory", "800")
    with contextlib.chdir(folder):
        app.run(["ladder", *words, "--positions", "0", "--quiet"])


def games(folder: Path) -> pd.DataFrame:
    with arena.Results(folder / "results" / "arena.sqlite") as results:
        return results.games("ladder").set_index(["pairing", "round"])


@pytest.mark.usefixtures("shared_launcher")
@pytest.mark.parametrize(
    ("chosen", "sound_players"),
    [
        pytest.param(FEW, 1, id="few"),
        pytest.param({*LEFT_OUT, *FORFEITS, *HARMLESS}, 13, id="thirty", marks=pytest.mark.long),
    ],
)
def test_hostile_hand_ins_harm_only_themselves(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    chosen: set[str],
    sound_players: int,
) -> None:
    monkeypatch.setattr(hand_ins, "IMPORT_TIMEOUT", 5.0)
    names = hand_in(tmp_path / "all" / "class", chosen, sound_players)
    hand_in(tmp_path / "sound" / "class", (), sound_players)
    play(tmp_path / "all")
    printed, problems = capfd.readouterr()
    play(tmp_path / "sound")
    played, alone = games(tmp_path / "all"), games(tmp_path / "sound")

    for name in chosen & LEFT_OUT.keys():
        [line] = [line for line in problems.splitlines() if line.startswith(f"left out: {name}: ")]
        assert LEFT_OUT[name][1] in line
        assert (tmp_path / "all" / "ladder" / "students" / f"{name}.html").exists()
    playing = {"random", *names, *(chosen - LEFT_OUT.keys())}
    assert {*played["black"], *played["white"]} == playing
    assert len(played) == len(playing) * (len(playing) - 1)

    by = played[played["forfeited_by"].notna()].groupby("forfeited_by")["termination"].agg(set)
    assert set(by.index) <= chosen & FORFEITS.keys() | {"patches-board"}
    for name in chosen & FORFEITS.keys():
        assert FORFEITS[name][1] in by[name] <= {FORFEITS[name][1], "timeout"}
    harmless = played[~played["forfeited_by"].isin({*FORFEITS, "patches-board"})]
    assert harmless["forfeited_by"].isna().all()

    columns = ["game", "black", "white", "result", "termination", "moves"]
    pd.testing.assert_frame_equal(played.loc[alone.index, columns], alone[columns])
    assert len(printed) < 10_000
