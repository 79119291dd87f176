# SPDX-License-Identifier: MIT OR Apache-2.0
"""Results, replicates and studies as frames of pandas and polars and as datasets of xarray: the same numbers everywhere."""

from __future__ import annotations

import subprocess
import sys
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import cwnd
from cwnd.study.dataset import dataset_of

SMALL = {"rate": "20Mbit/s", "duration": "4s"}
FLOWS = ["cubic@beta={0.7,0.85}", "reno"]


@cache
def crossed() -> cwnd.Study:
    return cwnd.sweep(FLOWS, **SMALL, rtt=["40ms", "10ms"], seeds=3)


@cache
def replicates() -> cwnd.Replicates:
    return cwnd.compare(["cubic:2", "reno"], **SMALL, seeds=3)


def test_frames_have_the_rows_of_the_tables() -> None:
    study = crossed()
    for table, arrow in (("means", study.means), ("runs", study.runs)):
        frame, other = study.to_pandas(table), study.to_polars(table)
        assert isinstance(frame, pd.DataFrame) and isinstance(other, pl.DataFrame)
        assert list(frame.columns) == other.columns == arrow.column_names
        assert len(frame) == other.height == arrow.num_rows
        assert other.to_arrow().select(["value"]).equals(arrow.select(["value"]))
        assert frame["value"].sum() == pytest.approx(np.nansum(arrow["value"].to_numpy()))
    assert study.to_pandas().equals(study.to_pandas("means"))
    with pytest.raises(cwnd.ScenarioError, match='table: "mean" is not accepted; expected "means" or "runs"'):
        study.to_pandas("mean")  # type: ignore[arg-type]


# Four points, three seeds: the mean over the seeds of what the runs' frame has is the value in that of the means.
@pytest.mark.parametrize("made", [crossed, replicates])
def test_the_mean_over_the_seeds_of_the_runs_is_that_of_the_means(made: object) -> None:
    found = made()  # type: ignore[operator]
    factors = list(getattr(found, "factors", []))
    keys = [*factors, "of", "name", "measure"]
    runs, means = found.to_pandas("runs"), found.to_pandas("means")
    means = means[means["centre"] == "mean"].set_index(keys).sort_index()
    own = runs.groupby(keys)["value"].mean().reindex(means.index)
    assert len(own) > 50
    pd.testing.assert_series_equal(own, means["value"], check_names=False)
    assert set(means["n"]) <= {0, 3} and set(runs["seed"]) == {1, 2, 3}


def test_replicates_have_the_numbers_of_their_document() -> None:
    found = replicates()
    assert found.document is not None
    means = found.to_pandas().set_index(["of", "name", "measure"])
    for group in found.document["groups"]:
        row = means.loc["group", group["name"], "throughput_mbps"]
        interval = group["throughput_mbps"]
        assert (row["value"], row["low"], row["high"], row["unit"]) == (interval["mean"], interval["low"], interval["high"], "Mbit/s")  # fmt: skip
    link = means.loc["link", "link", "queue_p95_ms"]
    assert link["value"] == found.document["link"]["measures"]["queue_p95_ms"]["mean"] and link["unit"] == "ms"
    assert cwnd.Replicates(None, 2, 0, 0, True).to_pandas().empty


def test_a_result_has_the_rows_of_a_studys_run() -> None:
    study = crossed()
    alone = cwnd.compare(["cubic@beta=0.85", "reno"], **SMALL, rtt="10ms", seed=2)
    frame = alone.to_pandas()
    runs = study.to_pandas("runs")
    of_run = runs[(runs["beta"] == 0.85) & (runs["rtt"] == "10ms") & (runs["seed"] == 2)]
    columns = ["seed", "of", "name", "measure", "value", "unit", "why"]
    pd.testing.assert_frame_equal(frame[columns], of_run[columns].reset_index(drop=True))
    assert alone.to_polars().height == len(frame)
    share = frame[(frame["measure"] == "share") & (frame["name"] == "cubic")]["value"].item()
    assert share == alone.summary["flows"][0]["share"]
    data = alone.to_xarray()
    assert data.sizes == {"subject": 4} and int(data["seed"]) == 2
    assert float(data["share"].sel(subject="cubic")) == share


def test_a_dataset_has_factors_and_seeds_as_dimensions_and_measures_with_units() -> None:
    study = crossed()
    runs, means = study.to_xarray("runs"), study.to_xarray()
    assert dict(runs.sizes) == {"beta": 2, "rtt": 2, "seed": 3, "subject": 4}
    assert runs["beta"].values.tolist() == [0.7, 0.85] and runs["rtt"].values.tolist() == ["40ms", "10ms"]
    assert runs["rtt_ms"].dims == ("rtt",) and runs["rtt_ms"].values.tolist() == [40.0, 10.0]
    assert runs["subject"].values.tolist() == ["all flows", "cubic", "reno", "link"]
    assert runs["of"].values.tolist() == ["all", "group", "group", "link"]
    assert runs["throughput_mbps"].attrs["units"] == "Mbit/s" and runs["jain"].attrs["units"] == "1"
    assert runs["queue_p95_ms"].attrs["units"] == "ms"
    assert np.isnan(runs["throughput_mbps"].sel(subject="link")).all()
    np.testing.assert_allclose(runs["share"].mean("seed"), means["share"])
    for row in study.runs.to_pylist():
        value = runs[row["measure"]].sel(beta=row["beta"], rtt=row["rtt"], seed=row["seed"], subject=row["name"])
        assert float(value) == row["value"] or (np.isnan(value) and row["value"] is None)
    for row in study.means.to_pylist():
        at = means.sel(beta=row["beta"], rtt=row["rtt"], subject=row["name"])
        for column in ("low", "high", "n"):
            value = float(at[f"{row['measure']}_{column}"])
            assert value == row[column] or (np.isnan(value) and row[column] is None)


def test_points_of_zipped_axes_and_latin_hypercubes_are_one_dimension() -> None:
    axes = {"rtt": ["10ms", "40ms", "80ms"], "rate": ["10Mbit/s", "20Mbit/s", "5Mbit/s"]}
    zipped = cwnd.sweep("cubic", **axes, zip=[("rtt", "rate")], duration="2s").to_xarray()
    assert zipped.sizes["point"] == 3 and "rtt" not in zipped.sizes
    assert zipped["rtt"].dims == zipped["rate_mbps"].dims == ("point",)
    assert zipped["rtt"].values.tolist() == axes["rtt"] and zipped["rate_mbps"].values.tolist() == [10, 20, 5]
    drawn = cwnd.sweep("cubic", rate="10Mbit/s", rtt="10..80ms", buffer="0.5..2bdp", latin=4, duration="2s", seeds=2)
    assert dict(drawn.to_xarray("runs").sizes) == {"point": 4, "seed": 2, "subject": 3}
    assert not np.isnan(drawn.to_xarray()["share"].sel(subject="cubic")).any()


# A round trip of 0 has no BDP: one of four points is refused.
def test_a_point_that_was_refused_is_nan_in_its_place() -> None:
    study = cwnd.sweep("cubic", rate="10Mbit/s", rtt=["0ms", "10ms"], buffer=["9packets", "1bdp"], duration="2s")
    assert [each["factors"] for each in study.failed] == [{"rtt": "0ms", "buffer": "1bdp"}]
    data = study.to_xarray()
    assert dict(data.sizes) == {"rtt": 2, "buffer": 2, "subject": 3}
    missing = np.isnan(data["share"].sel(subject="cubic"))
    assert missing.values.tolist() == [[False, True], [False, False]]


def test_a_factor_whose_name_begins_with_that_of_another_is_a_dimension() -> None:
    study = cwnd.sweep(["cubic@alpha={0.3,0.6},alpha_one={true,false}", "reno"], **SMALL, rtt=["40ms", "10ms"])
    data = study.to_xarray()
    assert dict(data.sizes) == {"alpha": 2, "alpha_one": 2, "rtt": 2, "subject": 4} and data["rtt_ms"].dims == ("rtt",)
    for row in study.means.to_pylist():
        at = data[row["measure"]].sel({**{name: row[name] for name in study.factors}, "subject": row["name"]})
        assert float(at) == row["value"] or (np.isnan(at) and row["value"] is None)


# 0.70 is 0.7 in the table: the point that was refused is in its place.
def test_a_point_that_was_refused_is_nan_however_its_values_are_written() -> None:
    study = cwnd.sweep("cubic@beta={0.70,0.85}", rate="10Mbit/s", rtt=["0ms", "0.01s"], duration="2s")
    assert len(study.failed) == 2 and study.to_xarray().sizes["beta"] == 2


def test_subjects_of_one_name_stay_apart() -> None:
    columns = {"seed": [1] * 4, "of": ["link", "traffic", "traffic", "all"], "name": ["web", "web", "web", "all flows"]}
    more = {"measure": ["loss"] * 4, "value": [1.0, 2.0, 3.0, None], "unit": [""] * 4}
    data = dataset_of(pa.table({**columns, **more}))
    assert data["subject"].values.tolist() == ["link web", "traffic web", "traffic web (2)", "all flows"]
    assert data["loss"].sel(seed=1).values.tolist()[:3] == [1.0, 2.0, 3.0]


@pytest.mark.parametrize(
    ("package", "method"), [("pandas", "to_pandas"), ("polars", "to_polars"), ("xarray", "to_xarray")]
)
def test_a_package_that_is_missing_is_named_with_how_to_install_it(package: str, method: str) -> None:
    code = f"""
import sys
class Without:
    def find_spec(name, path, target=None):
        if name == {package!r}:
            raise ModuleNotFoundError(name=name)
sys.meta_path.insert(0, Without)
import cwnd
result = cwnd.compare("cubic", rate="5Mbit/s", duration="1s")
try:
    result.{method}()
except ModuleNotFoundError as error:
    print(error)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == f"{package} is not installed; pip install 'cwnd[frames]' installs it\n"


def test_a_difference_is_a_frame_too() -> None:
    study = crossed()
    found = cwnd.diff(study, between="beta=0.7,0.85")
    frame = found.to_pandas()
    assert frame.columns.tolist() == found.table.column_names and len(frame) == found.table.num_rows
    assert found.to_polars().columns == found.table.column_names


# pyarrow imports pandas for a value of Python that it converts: the transfers of a run without any are such a table.
def test_no_command_imports_pandas(tmp_path: Path) -> None:
    code = """
import sys
from cwnd.cli.app import main
try:
    main()
finally:
    print([name for name in sys.modules if name.startswith("pandas")])
"""
    arguments = ["compare", "cubic", "--duration", "1s", "-q", "-o", tmp_path / "out"]
    done = subprocess.run([sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines()[-1] == "[]"


# A cycle of imports shows only in a process that begins with one of its modules.
def test_datasets_can_be_imported_first() -> None:
    for module in ("cwnd.study.dataset", "cwnd.study.tables"):
        subprocess.run([sys.executable, "-c", f"import {module}"], check=True)
