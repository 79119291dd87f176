# SPDX-License-Identifier: MIT OR Apache-2.0
"""A table of numbers as a dataset of xarray: factors, seeds and subjects are dimensions, measures are variables."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from cwnd._internal.extras import imported
from cwnd.study.tables import number_columns
from cwnd.study.values import meaning

if TYPE_CHECKING:
    import pyarrow as pa
    import xarray as xr

Codes = NDArray[np.int64]
#: Columns of a table of means that become separate variables, by the suffix of the measure's name.
SUFFIXES = {"value": "", "low": "_low", "high": "_high", "n": "_n"}


def encoded(column: pa.ChunkedArray) -> tuple[Codes, list[object]]:
    """Each row's value by its number among the different ones, and these in the order in which they come."""
    coded = column.combine_chunks().dictionary_encode()
    return np.asarray(coded.indices.to_numpy(zero_copy_only=False), np.int64), coded.dictionary.to_pylist()


def combined(codes: Sequence[Codes], rows: int) -> tuple[Codes, Codes]:
    """Each row's combination by its number among the different ones, and the first row of each, in the order in which they come."""
    if not codes:
        return np.zeros(rows, np.int64), np.zeros(min(1, rows), np.int64)
    _, first, inverse = np.unique(np.stack(codes, axis=1), axis=0, return_index=True, return_inverse=True)
    order = np.argsort(first)
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    return rank[inverse.reshape(-1)], first[order]


def repeated(codes: Sequence[Codes]) -> Codes:
    """How many earlier rows have the same codes."""
    group, _ = combined(codes, len(codes[0]))
    order = np.argsort(group, kind="stable")
    begins = np.searchsorted(group[order], np.arange(group.max(initial=-1) + 1))
    times = np.empty_like(group)
    times[order] = np.arange(len(group)) - begins[group[order]]
    return times


def dataset_of(table: pa.Table, varied: Sequence[str] = (), failed: Sequence[Mapping[str, object]] = ()) -> xr.Dataset:
    """The dataset of a table of runs or means; `varied` are its factors, `failed` those of points that have no rows."""
    xarray = imported("xarray", "frames")
    names, rows = table.column_names, table.num_rows
    is_runs = "seed" in names
    levels = {name: encoded(table[name]) for name in names[: names.index("seed" if is_runs else "of")]}
    beside = number_columns(names, varied)
    factors = {name: column for name, column in levels.items() if name not in beside}
    points, first_rows = combined([codes for codes, _ in factors.values()], rows)
    sizes = [len(values) for _, values in factors.values()]
    missed = {tuple(map(meaning, point.values())) for point in failed if is_among(point, factors)}
    is_grid = math.prod(sizes) == len(first_rows) + len(missed)
    dims: dict[str, tuple[Codes, int]] = {}
    coords: dict[str, tuple[str, list[object]]] = {}
    if is_grid:
        for name, (codes, values) in factors.items():
            dims[name] = (codes, len(values))
            coords[name] = (name, values)
        for name, factor in beside.items():
            firsts = [int(np.flatnonzero(factors[factor][0] == code)[0]) for code in range(len(factors[factor][1]))]
            coords[name] = (factor, table[name].take(firsts).to_pylist())
    else:
        dims["point"] = (points, len(first_rows))
        for name in levels:
            coords[name] = ("point", table[name].take(first_rows).to_pylist())
    if is_runs:
        codes, values = encoded(table["seed"])
        dims["seed"] = (codes, len(values))
        coords["seed"] = ("seed", values)
    subjects, subject_names, kinds = subjects_of(table, [codes for codes, _ in dims.values()])
    dims["subject"] = (subjects, len(subject_names))
    coords["subject"] = ("subject", subject_names)
    coords["of"] = ("subject", kinds)
    measures, measure_names = encoded(table["measure"])
    shape, index = tuple(size for _, size in dims.values()), tuple(codes for codes, _ in dims.values())
    variables = {}
    units = table["unit"].to_pylist()
    for number, measure in enumerate(measure_names):
        chosen = np.flatnonzero(measures == number)
        for column, suffix in SUFFIXES.items() if not is_runs else [("value", "")]:
            array = np.full(shape, np.nan)
            array[tuple(codes[chosen] for codes in index)] = np.asarray(
                table[column].take(chosen).to_numpy(), np.float64
            )
            unit = "" if suffix == "_n" else units[int(chosen[0])]
            variables[f"{measure}{suffix}"] = (tuple(dims), array, {"units": unit or "1"})
    return xarray.Dataset(variables, coords=coords)


def is_among(point: Mapping[str, object], factors: Mapping[str, tuple[Codes, list[object]]]) -> bool:
    """Whether all values of a point are values that other points have."""
    return all(name in factors and meaning(value) in map(meaning, factors[name][1]) for name, value in point.items())


def subjects_of(table: pa.Table, others: Sequence[Codes]) -> tuple[Codes, list[object], list[object]]:
    """Each row's subject number, the subjects' unique names, and the kind of each."""
    kinds, kind_names = encoded(table["of"])
    called, names = encoded(table["name"])
    measures, _ = encoded(table["measure"])
    times = repeated([*others, kinds, called, measures])
    subjects, first = combined([kinds, called, times], table.num_rows)
    plain = [str(names[called[row]]) for row in first]
    shown: list[object] = []
    for row, name in zip(first, plain, strict=True):
        kind, nth = kind_names[kinds[row]], int(times[row])
        ambiguous = len({int(kinds[other]) for other in first if names[called[other]] == name}) > 1
        shown.append((f"{kind} {name}" if ambiguous else name) + (f" ({nth + 1})" if nth else ""))
    return subjects, shown, [kind_names[kinds[row]] for row in first]
