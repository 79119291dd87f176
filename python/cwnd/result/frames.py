# SPDX-License-Identifier: MIT OR Apache-2.0
"""Tables of numbers as frames of pandas and polars and as datasets of xarray, which are imported when they are asked for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Literal

from cwnd._internal.extras import imported
from cwnd._internal.input_errors import refused

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl
    import pyarrow as pa
    import xarray as xr

#: Which of the two tables of several runs: a row per number and run, or per number, with its mean and interval over the seeds.
Which = Literal["means", "runs"]


def pandas_of(table: pa.Table) -> pd.DataFrame:
    """The table as a frame of pandas."""
    imported("pandas", "frames")
    return table.to_pandas()


def polars_of(table: pa.Table) -> pl.DataFrame:
    """The table as a frame of polars."""
    return imported("polars", "frames").from_arrow(table)


class RunsAndMeans:
    """What has two tables of numbers, `runs` and `means`, as frames. They need the extra `frames`: `pip install 'cwnd[frames]'`."""

    __slots__ = ()

    if TYPE_CHECKING:

        @property
        def runs(self) -> pa.Table: ...
        @property
        def means(self) -> pa.Table: ...

    def _varied(self) -> Sequence[str]:
        """The columns that say what was varied."""
        return ()

    def _failed_points(self) -> Sequence[Mapping[str, object]]:
        """The factors of the points that have no runs."""
        return ()

    def _table(self, table: Which) -> pa.Table:
        if table not in ("means", "runs"):
            raise refused("table", table, '"means" or "runs"')
        return self.means if table == "means" else self.runs

    def to_pandas(self, table: Which = "means") -> pd.DataFrame:
        """A frame of pandas with the rows and columns of `table`: `"means"` over the seeds, or `"runs"`. Without a value: NaN."""
        return pandas_of(self._table(table))

    def to_polars(self, table: Which = "means") -> pl.DataFrame:
        """A frame of polars with the rows and columns of `table`: `"means"` over the seeds, or `"runs"`. Without a value: null."""
        return polars_of(self._table(table))

    def to_xarray(self, table: Which = "means") -> xr.Dataset:
        """A dataset of xarray: a variable per measure with its `units`, over the factors and `subject`, and of `"runs"` over `seed`.

        `subject` is what a number is of: `all flows`, a group of flows, a link, traffic; a variable is NaN where it has no value. Of
        `"means"`, `share_low` and `share_high` are the ends of the 95 % interval of `share`, `share_n` the seeds that have a value.
        Factors with units also have a numeric coordinate: `rtt_ms` over `rtt`. Where not all combinations of the factors were asked
        for (zipped axes, a Latin hypercube, a part of a study), the only dimension of theirs is `point`.
        """
        from cwnd.study.dataset import dataset_of

        return dataset_of(self._table(table), self._varied(), self._failed_points())
