"""Results in notebooks: rounded numbers on the screen, plain DataFrames in programs."""

from __future__ import annotations

import pickle
from typing import TYPE_CHECKING

import pandas as pd
import pytest

from arena.store.notebook import NotebookFrame
from pages import Reader

if TYPE_CHECKING:
    from arena.store import Results

VALUES = pd.DataFrame(
    {
        "player": ["<b>lms</b>", "td"],
        "rating": [-663.4567, float("nan")],
        "games": [120, 3],
        "win_pct": [56.6666, 0.0],
        "p_value": [0.01234, 1.0],
    }
)


def shown(frame: pd.DataFrame) -> list[list[str]]:
    html = str(frame._repr_html_())  # type: ignore[operator]
    table = html[html.index("<thead>") : html.index("</table>")]
    return Reader(f"<table id='shown'>{table}</table>").tables["shown"]


def test_a_notebook_shows_rounded_numbers_and_no_missing_values() -> None:
    assert shown(NotebookFrame(VALUES)) == [
        ["player", "rating", "games", "win_pct", "p_value"],
        ["<b>lms</b>", "-663", "120", "56.7", "0.012"],
        ["td", "", "3", "0.0", "1.000"],
    ]


def test_the_values_are_not_rounded_and_operations_return_plain_frames() -> None:
    frame = NotebookFrame(VALUES)
    assert isinstance(frame, pd.DataFrame)
    pd.testing.assert_frame_equal(pd.DataFrame(frame), VALUES)
    for each in (frame.copy(), frame[["player"]], frame[frame["games"] > 3], frame.assign(x=1), pd.concat([frame] * 2)):
        assert type(each) is pd.DataFrame
    pd.testing.assert_frame_equal(pickle.loads(pickle.dumps(frame)), frame)
    assert str(frame) == str(VALUES)


def test_a_named_index_is_shown_and_long_tables_are_cut() -> None:
    frame = NotebookFrame(VALUES.set_index("player"))
    assert "lms" in frame._repr_html_()
    with pd.option_context("display.max_rows", 4):
        assert NotebookFrame(pd.concat([VALUES] * 9))._repr_html_().count("<tr") == 1 + 4 + 1


@pytest.mark.parametrize("method", ["standings", "head_to_head", "superiority", "ratings", "forfeits", "tournaments"])
def test_tables_of_tournaments(results: Results, method: str) -> None:
    assert type(getattr(results, method)()) is NotebookFrame
