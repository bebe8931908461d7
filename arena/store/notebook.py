"""DataFrames that a notebook shows with as many digits as are meaningful."""

from __future__ import annotations

from functools import partial

import pandas as pd

DECIMALS = {
    **dict.fromkeys(("rating", "rating_error", "error", "elo", "elo_error", "reached_games", "moves"), 0),
    **dict.fromkeys(("loss_pct", "loss_error"), 2),
    "p_value": 3,
}
"""Decimals of columns with fractions. Other such columns, most of them percentages, have one."""


class NotebookFrame(pd.DataFrame):
    """A DataFrame that Jupyter shows with rounded numbers and without missing values.

    The values themselves are not rounded. All operations return plain DataFrames.
    """

    @property
    def _constructor(self) -> type[pd.DataFrame]:
        return pd.DataFrame

    def _repr_html_(self) -> str:
        fractions = self.select_dtypes("float").columns
        formatters = {name: partial(_rounded, decimals=DECIMALS.get(str(name), 1)) for name in fractions}
        html: str = pd.DataFrame(self).to_html(
            formatters=formatters,
            na_rep="",
            index=self.index.name is not None,
            max_rows=pd.get_option("display.max_rows"),
            max_cols=pd.get_option("display.max_columns"),
            show_dimensions=pd.get_option("display.show_dimensions") is True,
            notebook=True,
        )
        return html


def _rounded(value: float, decimals: int) -> str:
    return "" if pd.isna(value) else f"{value:.{decimals}f}"
