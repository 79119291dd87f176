# SPDX-License-Identifier: MIT OR Apache-2.0
"""Pictures of runs: what is drawn is what the tables have; nothing global changes; refusals."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import matplotlib as mpl
import numpy as np
import pytest
from conftest import Cli
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from test_pictures import figures

import cwnd as package
from cwnd import plot
from cwnd.plot.runs.kinds import KINDS


def result(flows: int = 2, seed: int = 1, **more: object) -> package.Result:
    names = [package.Flow(cc, flows // 2 or 1, start={"uniform": ["0s", "100ms"]}) for cc in ("cubic", "reno")]
    settings = {"rate": "20Mbit/s", "rtt": "40ms", "duration": "10s", "measure": ("2s", "10s"), "seed": seed, **more}
    return package.run(package.dumbbell(flows=names, **settings))  # type: ignore[arg-type]


def ecn_run() -> package.Result:
    text = """
duration = "10s"
link = {rate = "20Mbit/s", rtt = "40ms", queue = {kind = "codel", limit = "2bdp", ecn = true}}
flow = [{cc = "cubic", ecn = true}]
"""
    return package.run(package.Scenario.from_toml(text))


@pytest.fixture(scope="module")
def run() -> package.Result:
    return result(loss="random:0.0005")


@pytest.fixture(scope="module")
def seeds() -> list[package.Result]:
    return [result(seed=seed) for seed in range(1, 6)]


def caption_of(figure: Figure) -> str:
    """What stands below a picture, in one line."""
    return " ".join(figure.get_supxlabel().split())


def lines(figure: Figure, name: str) -> list[np.ndarray]:
    """The points of the lines of this name."""
    return [np.column_stack([*line.get_data()]) for line in figure.axes[0].get_lines() if line.get_gid() == name]


def test_windows_are_the_tables(run: package.Result) -> None:
    figure = plot.windows(run)
    rows = run.cwnd.to_pandas()
    for flow, name in enumerate(("cubic", "reno")):
        (drawn,) = lines(figure, name)
        table = rows[rows.flow == flow]
        # All samples, and the largest window at an event where that is above them.
        samples = {(float(time), float(cwnd)) for time, cwnd in zip(table.time_s, table.cwnd)}
        more = {tuple(point) for point in drawn.tolist()} - samples
        events = run.events.to_pandas()
        peak = events[events.flow == flow].cwnd.max()
        assert samples <= {tuple(point) for point in drawn.tolist()} and len(more) <= 1
        assert drawn[:, 1].max() == max(peak, table.cwnd.max())
    # Nothing is clipped away.
    low, high = figure.axes[0].get_ylim()
    assert low == 0 and high >= max(drawn[:, 1].max() for name in ("cubic", "reno") for drawn in lines(figure, name))


def test_losses_are_marked_by_their_causes(run: package.Result) -> None:
    figure = plot.windows(run)
    strips = {strip.get_gid(): len(strip.get_segments()) for strip in figure.axes[0].collections if strip.get_gid()}  # type: ignore[attr-defined]
    kinds = run.events["kind"].to_pylist()
    expected = {"full-queue drops": "drop_queue", "random losses": "drop_loss", "timeouts": "timeout"}
    assert strips == {name: kinds.count(kind) for name, kind in expected.items() if kind in kinds}
    assert strips["random losses"] > 0 and strips["full-queue drops"] > 0
    marked = ecn_run()
    names = {strip.get_gid() for strip in plot.windows(marked).axes[0].collections}
    assert "ECN reductions" in names


def test_an_overshoot_compresses_the_scale_and_hides_nothing() -> None:
    # Slow start into more than a BDP of buffer, then a tenth of the rate: the settled windows are far below the first peak.
    low = result(
        1, rate=[("0s", "20Mbit/s"), ("3s", "2Mbit/s")], buffer="100packets", duration="30s", measure=("20s", "30s")
    )
    figure = plot.windows(low)
    axes = figure.axes[0]
    highest = max(drawn[:, 1].max() for name in ("cubic", "reno") for drawn in lines(figure, name))
    settled = max(drawn[drawn[:, 0] >= 20, 1].max() for name in ("cubic", "reno") for drawn in lines(figure, name))
    figure.draw_without_rendering()
    assert highest > 1.4 * 1.1 * settled and axes.get_ylim()[1] >= highest

    def height(value: float) -> float:
        return float(axes.transAxes.inverted().transform(axes.transData.transform((0, value)))[1])

    # What is settled has 72 % of the height, linear.
    assert height(1.1 * settled) == pytest.approx(0.72, abs=1e-6)
    assert height(0.55 * settled) == pytest.approx(0.36, abs=1e-6)
    assert "scale is compressed" in caption_of(figure)


def test_throughput_adds_up_to_what_was_forwarded(run: package.Result) -> None:
    figure = plot.throughput(run, interval_s=0.5)
    rows = run.cwnd.to_pandas()
    for flow, name in enumerate(("cubic", "reno")):
        (drawn,) = lines(figure, name)
        # Means over half a second, in Mbit/s: their sum is the bits of all packets of 1500 bytes but those before the first edge.
        table = rows[rows.flow == flow]
        at = np.interp([drawn[0, 0] - 0.25, drawn[-1, 0] + 0.25], table.time_s, table.forwarded)
        assert drawn[:, 1].sum() * 0.5e6 == pytest.approx((at[1] - at[0]) * 12_000)


def test_queues_in_packets_and_in_time(run: package.Result) -> None:
    rows = run.queue.to_pandas()
    packets = lines(plot.queue(run, unit="packets"), "")[0]
    assert packets[:, 1].tolist() == rows.packets.tolist() and packets[:, 0].tolist() == rows.time_s.tolist()
    # 20 Mbit/s: 1500 bytes take 0.6 ms.
    assert lines(plot.queue(run), "")[0][:, 1] == pytest.approx(rows.bytes.to_numpy() / 1500 * 0.6)


def test_several_seeds_are_a_median_with_ribbons(seeds: list[package.Result]) -> None:
    figure = plot.queue(seeds, unit="packets")
    (median,) = lines(figure, "")
    at = np.array([each.queue.to_pandas().packets.to_numpy() for each in seeds])
    times = seeds[0].queue.to_pandas().time_s.to_numpy()
    for time, value in median[::40]:
        values = [np.interp(time, times, row) for row in at]
        assert value == pytest.approx(np.median(values))
    caption = caption_of(figure)
    assert "over 5 seeds" in caption and "25 to 75 %" in caption and "seed 1" not in caption
    # The ends of the wider ribbon at one time.
    wide = next(band for band in figure.axes[0].collections if band.get_gid() == " band")
    points = wide.get_paths()[0].vertices
    time = median[200, 0]
    ends = sorted(points[np.isclose(points[:, 0], time), 1])
    values = [np.interp(time, times, row) for row in at]
    assert (ends[0], ends[-1]) == (pytest.approx(np.quantile(values, 0.05)), pytest.approx(np.quantile(values, 0.95)))


def test_many_flows_are_ribbons() -> None:
    figure = plot.windows(result(20))
    assert [line.get_gid() for line in figure.axes[0].get_lines() if line.get_gid()] == ["cubic", "reno"]
    assert "median over 10 flows" in caption_of(figure)


def test_distributions_are_those_of_the_packets(run: package.Result) -> None:
    (drawn,) = lines(plot.cdf(run), "link")
    rows = run.waits.to_pandas()
    # Half of the packets waited at most as long as the summary's median says.
    below = drawn[np.searchsorted(drawn[:, 1], 0.5), 0]
    assert below == run.summary["link"]["queue_p50_ms"]
    assert drawn[-1].tolist() == [rows.wait_ms.max(), 1.0]
    flows = lines(plot.cdf(result(20), "throughput_mbps"), "cubic")[0]
    assert flows.shape == (11, 2) and flows[-1, 1] == 1


def test_a_transfer_that_did_not_end_keeps_the_curve_below_one(tmp_path: Path) -> None:
    (tmp_path / "t.toml").write_text("""
duration = "4s"
measure = ["1s", "3900ms"]
[link]
rate = "20Mbit/s"
rtt = "40ms"
queue = { kind = "droptail", limit = "1bdp" }
[[flow]]
cc = "cubic"
[[traffic]]
name = "pages"
model = "sessions"
sessions = 40
gap = { kind = "exponential", mean = "1s" }
size = { kind = "pareto", shape = 1.2, mean = "300packets" }
""")
    run = package.run(tmp_path / "t.toml")
    rows = [row for row in run.transfers.to_pylist() if 1 <= row["start_s"] < 3.9]
    took = sorted(row["end_s"] - row["start_s"] for row in rows if row["end_s"] is not None)
    assert 0 < len(took) < len(rows) < run.transfers.num_rows
    figure = plot.cdf(run, "completion_s")
    (drawn,) = lines(figure, "pages")
    assert drawn[1:, 0].tolist() == pytest.approx(took) and drawn[-1, 1] == pytest.approx(len(took) / len(rows))
    assert f"{len(rows) - len(took)} of {len(rows)} transfers did not end" in " ".join(caption_of(figure).split())


def test_pictures_change_nothing_global_and_take_the_callers_axes(run: package.Result) -> None:
    before, backend = dict(mpl.rcParams), mpl.get_backend()
    mine = Figure(figsize=(4, 3))
    FigureCanvasAgg(mine)
    left, right = mine.subplots(1, 2)
    assert plot.windows(run, ax=left) is mine and plot.queue(run, ax=right) is mine
    assert left.get_lines() and right.get_lines() and mine.get_size_inches().tolist() == [4, 3]
    assert dict(mpl.rcParams) == before and mpl.get_backend() == backend


@pytest.mark.parametrize("width", ["column", "page", "slide"])
def test_nothing_is_written_over_another_or_outside(
    run: package.Result, seeds: list[package.Result], width: str
) -> None:
    for figure in (
        plot.windows(run, width=width),
        plot.throughput(seeds, width=width),
        plot.windows(result(20), width=width),
    ):  # type: ignore[arg-type]
        figure.draw_without_rendering()
        renderer = figure.canvas.get_renderer()  # type: ignore[attr-defined]
        axes = figure.axes[0]
        boxes = [text.get_window_extent(renderer) for text in axes.texts if text.get_text()]
        titles = [axes.xaxis.label.get_window_extent(renderer), axes.yaxis.label.get_window_extent(renderer)]
        for number, box in enumerate([*boxes, *titles]):
            assert not any(box.overlaps(other) for other in [*boxes, *titles][:number]), axes.texts
            assert box.x1 <= figure.bbox.x1 + 1 and box.y1 <= figure.bbox.y1 + 1 and box.x0 >= -1 and box.y0 >= -1


@pytest.mark.slow
def test_the_command_draws_runs_and_replicates_beside_each_other(tmp_path: Path, cwnd: Cli) -> None:
    for name, buffer in (("small", "0.5bdp"), ("large", "2bdp")):
        done = cwnd(
            "compare",
            "cubic",
            "reno",
            "--rate",
            "20Mbit/s",
            "--duration",
            "5s",
            "--buffer",
            buffer,
            "--seeds",
            3,
            "-o",
            tmp_path / name,
        )
        assert done.returncode == 0, done.stderr
    target = tmp_path / "both.svg"
    done = cwnd("plot", tmp_path / "small", tmp_path / "large", "--kind", "queue", "-o", target, "--width", "column")
    assert (done.returncode, done.stdout) == (0, f"{target}\n"), done.stderr
    text = target.read_text().replace("\xa0", " ")
    # Text is text: the names of both, and the caption.
    assert ">small<" in text and ">large<" in text
    assert "Set-up: small: cubic + reno" in text and "3 seeds; large" in " ".join(text.split())
    again = tmp_path / "again.svg"
    cwnd("plot", tmp_path / "small", tmp_path / "large", "--kind", "queue", "-o", again, "--width", "column")
    assert again.read_bytes() == target.read_bytes()
    assert cwnd("plot", tmp_path / "small").stdout == f"{tmp_path / 'small' / 'windows.png'}\n"
    one = tmp_path / "small" / "seed-0001"
    assert cwnd("plot", one, "--kind", "cdf", "--format", "pdf").stdout == f"{one / 'cdf.pdf'}\n"
    for arguments, says in (
        (["--kind", "windowz"], "--kind: \"windowz\" is not accepted; expected a kind of picture for this result (did you mean windows?)"),
        (["--kind", "cdf", "--measure", "queue_m"], "expected a measure of a run (did you mean queue_ms?)"),
        (["--kind", "queue", "--link", "l"], "--link: \"l\" is not accepted; expected a link: link"),
        (["--kind", "queue", "--x", "rtt"], "--x: \"rtt\" is not accepted"),
        (["--kind", "queue", "--width", "wide"], "--width: \"wide\" is not accepted"),
        (["--kind", "queue", "--where", "rtt=40ms"], "--where: \"rtt=40ms\" is not accepted; expected it with a study"),
        (["--kind", "queue", "-o", "picture.gif"], "expected a name that ends in .png, .svg or .pdf"),
    ):  # fmt: skip
        done = cwnd("plot", tmp_path / "small", *arguments)
        assert done.returncode == 2 and says in done.stderr and done.stderr.count("\n") == 1, done.stderr


@pytest.mark.slow
def test_a_folder_with_pictures_is_still_that_of_its_result(tmp_path: Path, cwnd: Cli) -> None:
    short = ("compare", "cubic", "--rate", "20Mbit/s", "--duration", "2s")
    for name, more in (("run", []), ("seeds", ["--seeds", 2])):
        assert cwnd(*short, *more, "-o", tmp_path / name).returncode == 0
        # Of every kind, so that a new one is thought of where folders are checked.
        for kind in KINDS:
            assert cwnd("plot", tmp_path / name, "--kind", kind).returncode == 0, kind
    assert cwnd(*short, "-o", tmp_path / "run").returncode == 0
    done = cwnd(*short, "--seeds", 3, "-o", tmp_path / "seeds")
    assert done.returncode == 0 and "2 of them reused" in done.stderr, done.stderr


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda run: plot.windows(3), "runs: 3 is not accepted"),  # type: ignore[arg-type]
        (lambda run: plot.windows([]), "runs: "),
        (lambda run: plot.throughput(run, interval_s=-1), "interval_s: -1"),
        (lambda run: plot.queue(run, link="b"), 'link: "b"'),
        (lambda run: plot.queue(run, unit="s"), 'unit: "s"'),
        (lambda run: plot.cdf(run, by="rtt"), 'by: "rtt"'),
        (lambda run: plot.windows(run, width="wide"), 'width: "wide"'),
    ],
)
def test_what_cannot_be_drawn_is_refused(run: package.Result, call: object, says: str) -> None:
    with pytest.raises(package.ScenarioError) as error:
        call(run)  # type: ignore[operator]
    assert str(error.value).startswith(says)


def test_a_notebook_shows_a_picture_without_a_backend(run: package.Result) -> None:
    from IPython.core.formatters import PNGFormatter

    shown = PNGFormatter()(plot.queue(run))
    assert shown is not None and shown.startswith(b"\x89PNG")


def test_runs_beside_each_other_have_the_names_of_their_scenarios() -> None:
    small, large = (
        result(buffer=buffer, name=buffer, duration="3s", measure=("1s", "3s")) for buffer in ("0.5bdp", "2bdp")
    )
    names = [line.get_gid() for line in plot.queue([small, large]).axes[0].get_lines() if line.get_gid()]
    assert names == ["0.5bdp", "2bdp"]


def test_importing_the_pictures_chooses_no_backend() -> None:
    code = "import cwnd.plot, matplotlib; print(matplotlib.rcParams._get_backend_or_none())"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "None\n"


# At 1 Gbit/s, 40 ms quinn's own slow start ends its connection before 1 s; the flow of TCP begins after that.
@pytest.fixture(scope="module")
def ended() -> package.Result:
    flows = [
        package.Flow("stock-cubic", stack="quinn", start="0s", rwnd=1_000_000_000),
        package.Flow("cubic", start="700ms"),
    ]
    return package.run(package.dumbbell(flows=flows, rate="1Gbit/s", rtt="40ms", duration="3s"))


def crosses(figure: Figure) -> list[list[tuple[float, float]]]:
    """The crosses of each panel."""
    return [
        [tuple(line.get_xydata()[0]) for line in axes.get_lines() if line.get_gid() == "connection ended"]
        for axes in figure.axes
    ]


def test_a_window_line_ends_with_its_connection_in_a_cross(ended: package.Result) -> None:
    figure = plot.windows(ended)
    (event,) = [row for row in ended.events.to_pylist() if row["kind"] == "failure"]
    end = (event["time_s"], event["cwnd"])
    assert 0.4 < end[0] < 0.7 and end[1] > 1000
    assert crosses(figure)[0] == [end]
    (line,) = lines(figure, "stock-cubic")
    assert tuple(line[-1]) == end and line[:, 1].min() > 0
    # The other flow's line goes to the end of the run.
    (other,) = lines(figure, "cubic")
    assert other[-1, 0] > 2.8
    strips = {strip.get_gid(): len(strip.get_segments()) for strip in figure.axes[0].collections if strip.get_gid()}  # type: ignore[attr-defined]
    assert strips["connections ended"] == 1
    cross = next(line for line in figure.axes[0].get_lines() if line.get_gid() == "connection ended")
    drawn = next(line for line in figure.axes[0].get_lines() if line.get_gid() == "stock-cubic")
    assert cross.get_color() == drawn.get_color()


def test_the_pictures_of_a_folder_have_the_cross_and_one_entry_of_the_legend(
    ended: package.Result, run: package.Result, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn = figures(ended, tmp_path, monkeypatch)
    entries = {
        name: [text.get_text() for text in each.legends[0].get_texts()] for name, each in drawn.items() if each.legends
    }
    flows = ["stock-cubic", "cubic"]
    assert entries == {
        "cwnd": [*flows, "connection ended"],
        "throughput": flows,
        "overview": [*flows, "connection ended"],
    }
    shown = {name: [len(marks) for marks in crosses(each)] for name, each in drawn.items()}
    # Slow start has a panel of its own, with the same end.
    assert shown["cwnd"] == [1, 1] and sum(shown["overview"]) == 1 and sum(shown["throughput"]) == 0
    # Where none has ended, nothing is said of it.
    whole = figures(run, tmp_path, monkeypatch)["overview"]
    assert [text.get_text() for text in whole.legends[0].get_texts()] == ["cubic", "reno"]
    assert sum(map(len, crosses(whole))) == 0
