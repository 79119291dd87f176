# SPDX-License-Identifier: MIT OR Apache-2.0
"""Pictures of studies: what is read back from a figure is what the tables of the study have."""

from __future__ import annotations

import math
from pathlib import Path
from statistics import mean

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Ellipse

import cwnd
from cwnd.metrics.confidence_intervals import mean_interval
from cwnd.plot import cdf, delay_throughput, fairness, heatmap, response
from cwnd.plot.studies.ellipse import Spread
from cwnd.plot.studies.label_places import Room, apart

SMALL = {"rate": "20Mbit/s", "duration": "4s"}


@pytest.fixture(scope="module")
def study() -> cwnd.Study:
    """Two β of CUBIC, each beside Reno, at two round trip times and three buffers."""
    return cwnd.sweep(
        ["cubic@beta={0.7,0.85}", "reno"], **SMALL, rtt=["10ms", "40ms"], buffer="0.5..2bdp/3log", seeds=4
    )


@pytest.fixture(scope="module")
def algorithms() -> cwnd.Study:
    return cwnd.sweep(["{cubic,reno,vegas}"], **SMALL, rtt="40ms", buffer="0.2bdp", loss="random:0.001", seeds=4)


def line(axes: Axes, name: str) -> tuple[list[float], list[float]]:
    """The points of the line that is called so."""
    (found,) = [each for each in axes.lines if each.get_gid() == name]
    return list(map(float, found.get_xdata())), list(map(float, found.get_ydata()))


def values(study: cwnd.Study, table: str = "means", **wanted: object) -> list[dict[str, object]]:
    """The rows of a table that have these values."""
    rows = getattr(study, table).to_pylist()
    return [row for row in rows if all(row[key] == value for key, value in wanted.items())]


def caption(figure: Figure) -> str:
    return " ".join(str(figure.get_supxlabel()).split())


def texts(axes: Axes) -> set[str]:
    return {text.get_text() for text in axes.texts}


def shown(figure: Figure) -> list[Axes]:
    return [axes for axes in figure.axes if axes.get_visible()]


# Means 0; sums of squares over four points: across (4 + 4)/4 = 2, up (1 + 1)/4 = ½, products 0. So the half axes are √2 and √½.
# Turned by 30 degrees about (10, 5) the eigenvalues stay, and the angle is 30.
def test_an_ellipse_has_the_axes_of_the_covariance() -> None:
    upright = Spread.of([(2, 0), (-2, 0), (0, 1), (0, -1)])
    assert (upright.long, upright.short, upright.angle) == pytest.approx((math.sqrt(2), math.sqrt(0.5), 0))
    cosine, sine = math.cos(math.pi / 6), math.sin(math.pi / 6)
    turned = Spread.of(
        [(10 + x * cosine - y * sine, 5 + x * sine + y * cosine) for x, y in [(2, 0), (-2, 0), (0, 1), (0, -1)]]
    )
    assert (turned.x, turned.y, turned.long, turned.short, turned.angle, turned.n) == pytest.approx(
        (10, 5, math.sqrt(2), math.sqrt(0.5), 30, 4)
    )
    # Across: √(2 · cos² 30° + ½ · sin² 30°) = √(1.5 + 0.125).
    assert turned.reach[0] == pytest.approx(10 + math.sqrt(1.625))
    assert all(math.isclose(((x - 0) ** 2) / 2 + (y**2) / 0.5, 1) for x, y in upright.border(7))
    assert (Spread.of([(3, 4)]).long, Spread.of([(3, 4)]).n) == (0, 1)


def test_a_response_has_the_means_and_intervals_of_the_table(study: cwnd.Study) -> None:
    figure = response(study, where={"rtt": "40ms"})
    (axes,) = shown(figure)
    assert axes.get_xscale() == "log" and [tick.get_text() for tick in axes.get_xticklabels()] == ["0.5", "1", "2"]
    for name, wanted in {
        "cubic beta=0.85": {"name": "cubic", "beta": 0.85},
        "reno (beta=0.7)": {"name": "reno", "beta": 0.7},
    }.items():
        x, y = line(axes, name)
        begin, end = axes.get_xlim()
        assert 0.4 < begin < 0.5 and 2 < end < 2.5, "the axis is that of the levels"
        rows = values(study, measure="throughput_mbps", of="group", rtt="40ms", **wanted)
        assert x == [0.5, 1, 2] and y == [row["value"] for row in rows]
        bars = [segment for each in axes.collections for segment in each.get_segments()]
        for row in rows:
            assert any(
                np.allclose(segment, [[row["buffer_bdp"], row["low"]], [row["buffer_bdp"], row["high"]]])
                for segment in bars
            )
    names = {"cubic beta=0.7", "cubic beta=0.85", "reno (beta=0.7)", "reno (beta=0.85)"}
    assert names <= texts(axes), "each line is named where it ends"
    assert (
        caption(figure)
        == "20 Mbit/s, cubic + reno together, 4 s, measured from 0.8 to 4 s, RTT 40ms. Means over 4 seeds; bars: 95 % intervals."
    )


# Of two seeds Student's t is 12.7: an interval of 12.7 standard errors hides the means that it is about.
def test_intervals_far_above_the_means_are_cut_and_that_is_said() -> None:
    from cwnd.plot.studies.response import top_of

    row = {
        "name": "a",
        "label": "a",
        "centre": "mean",
        "n": 2,
        "undefined": 0,
        "factors": {},
        "value": 10.0,
        "low": -5.0,
    }
    assert top_of([{**row, "high": 25.0}]) == (20.0, True)  # type: ignore[typeddict-item]
    assert top_of([{**row, "high": 15.0}]) == (pytest.approx(15.75), False)  # type: ignore[typeddict-item]


def test_a_factor_that_is_on_no_axis_has_panels(study: cwnd.Study) -> None:
    panels = shown(response(study))
    assert [axes.get_title(loc="left") for axes in panels] == ["rtt=10ms", "rtt=40ms"]
    by_rtt = shown(response(study, x="buffer", by="rtt"))
    assert [axes.get_title(loc="left") for axes in by_rtt] == [
        *("cubic beta=0.7", "reno (beta=0.7)", "cubic beta=0.85", "reno (beta=0.85)")
    ]
    assert line(by_rtt[2], "rtt=10ms") == line(panels[0], "cubic beta=0.85")
    along_beta = shown(response(study, x="beta", where={"rtt": "10ms", "buffer": "1bdp"}))[0]
    assert line(along_beta, "cubic")[0] == [0.7, 0.85], "what is on the axis is not in the name"
    of_link = shown(response(study, measure="queue_p95_ms", where={"rtt": "10ms"}))[0]
    found = values(study, measure="queue_p95_ms", of="link", rtt="10ms", beta=0.7)
    assert line(of_link, "beta=0.7")[1] == [row["value"] for row in found]


def test_evenly_spaced_levels_have_an_even_axis_and_texts_have_places() -> None:
    even = cwnd.sweep(["cubic"], **SMALL, rtt="10..50ms/3")
    (axes,) = shown(response(even))
    assert axes.get_xscale() == "linear" and axes.get_xlabel() == "round trip time (ms)"
    named = cwnd.sweep(["cubic", "reno"], {"link.queue.kind": ["droptail", "codel"]}, **SMALL, rtt="10ms")
    (axes,) = shown(response(named))
    assert [tick.get_text() for tick in axes.get_xticklabels()] == ["droptail", "codel"]
    x, y = line(axes, "reno")
    assert [round(at) for at in x] == [0, 1], "beside those of CUBIC"
    assert y == [row["value"] for row in values(named, measure="throughput_mbps", of="group", name="reno")]


def test_points_of_a_latin_hypercube_stand_at_their_own_values() -> None:
    drawn = cwnd.sweep(["cubic", "reno"], rate="5..50Mbit/s", rtt="10..40ms", latin=8, duration="1s", seeds=2)
    figure = response(drawn, x="rate", width="column")
    axes = shown(figure)[0]
    to_data = axes.transData.inverted()
    for line in (each for each in axes.lines if each.get_gid() in ("cubic", "reno")):
        places = [to_data.transform(line.get_transform().transform(point))[0] for point in line.get_xydata()]
        assert sorted(places) == pytest.approx(sorted({row["rate_mbps"] for row in values(drawn, "means", of="link")}))


def test_algorithms_alone_have_a_row_each_with_their_seeds(algorithms: cwnd.Study) -> None:
    figure = response(algorithms)
    (axes,) = shown(figure)
    assert [tick.get_text() for tick in axes.get_yticklabels()] == ["cubic", "reno", "vegas"]
    rows = values(algorithms, "runs", measure="throughput_mbps", of="group", label="vegas")
    assert line(axes, "vegas")[0] == [pytest.approx(mean(row["value"] for row in rows))]
    seeds = [each for each in axes.lines if each.get_gid() == "seeds"]
    assert list(seeds[2].get_xdata()) == [row["value"] for row in rows]
    assert "a dot per seed" in caption(figure).lower() and "RTT 40 ms, buffer 0.2 BDP" in caption(figure)


def test_points_that_failed_are_gaps_and_are_counted() -> None:
    # An access link of 20 ms each way is more than a round trip of 10 ms.
    delays = {"flow[0].access_delay": ["0ms", "2ms", "20ms"]}
    part = cwnd.sweep(["cubic", "reno"], delays, **SMALL, rtt=["10ms", "100ms", "200ms"])
    assert [failed["factors"] for failed in part.failed] == [{"rtt": "10ms", "access_delay": "20ms"}]
    figure = response(part, x="access_delay", where={"rtt": ["10ms", "100ms"]})
    small, large = shown(figure)
    assert [math.isnan(y) for y in line(small, "reno")[1]] == [False, False, True]
    assert not any(map(math.isnan, line(large, "reno")[1]))
    assert "1 point with runs that failed" in caption(figure)
    assert "failed" not in caption(response(part, x="access_delay", where={"rtt": "200ms"}))
    figure = heatmap(part, x="access_delay", y="rtt", where={"label": "reno"})
    assert len(shown(figure)[0].texts) == 3 * 3 - 1 and "1 point with runs that failed" in caption(figure)


def test_factors_that_change_together_need_no_panels() -> None:
    zipped = cwnd.sweep(
        ["cubic"],
        zip=[("rtt", "rate")],
        rtt=["10ms", "20ms", "40ms"],
        rate=["40Mbit/s", "20Mbit/s", "10Mbit/s"],
        duration="2s",
    )
    figure = response(zipped, x="rtt")
    assert len(shown(figure)) == 1 and "rate together with rtt" in caption(figure)
    drawn = cwnd.sweep(["cubic", "reno"], latin=6, rtt="10..100ms", rate="5..50Mbit/s", duration="2s")
    figure = response(drawn, x="rtt")
    (axes,) = shown(figure)
    (points,) = [each for each in axes.lines if each.get_gid() == "cubic"]
    assert points.get_linestyle() == "None" and "rate different from point to point" in caption(figure)


def test_a_map_has_the_means_in_its_cells(study: cwnd.Study) -> None:
    panels = shown(heatmap(study))[:4]
    assert [axes.get_title(loc="left") for axes in panels][:2] == ["cubic beta=0.7", "reno (beta=0.7)"]
    for place, (buffer, rtt) in {(0, 0): ("0.5bdp", "10ms"), (2, 1): ("2bdp", "40ms")}.items():
        (row,) = values(study, measure="throughput_mbps", name="reno", beta=0.7, buffer=buffer, rtt=rtt)
        assert panels[1].images[0].get_array()[place[1], place[0]] == row["value"]
        (text,) = [each for each in panels[1].texts if each.get_gid() == f"{buffer}, {rtt}"]
        assert text.get_text() == f"{row['value']:.1f}"


def test_the_difference_of_two_variants_is_paired_by_seed_and_undecided_where_its_interval_has_zero(
    study: cwnd.Study,
) -> None:
    figure = heatmap(study, of="reno (beta=0.85)", against="reno (beta=0.7)", measure="loss_rate")
    axes = shown(figure)[0]
    hatched = {tuple(patch.get_xy()) for patch in axes.patches if patch.get_hatch()}
    for x, buffer in enumerate(["0.5bdp", "1bdp", "2bdp"]):
        for y, rtt in enumerate(["10ms", "40ms"]):
            ours, theirs = (
                [
                    100 * row["value"]
                    for row in values(
                        study, "runs", measure="loss_rate", of="group", name="reno", beta=beta, buffer=buffer, rtt=rtt
                    )
                ]
                for beta in (0.85, 0.7)
            )
            interval = mean_interval([a - b for a, b in zip(ours, theirs, strict=True)])
            assert axes.images[0].get_array()[y, x] == pytest.approx(interval.centre)
            assert ((x - 0.5, y - 0.5) in hatched) == (interval.low <= 0 <= interval.high)
            (text,) = [each.get_text() for each in axes.texts if each.get_gid() == f"{buffer}, {rtt}"]
            assert text.startswith("(") == ((x - 0.5, y - 0.5) in hatched) and text.strip("(")[0] in "+−"
    assert hatched and "hatched" in caption(figure).lower()
    low, high = axes.images[0].norm.vmin, axes.images[0].norm.vmax
    assert low == -high, "none is in the middle of the colours"


# Two seeds with ratios 2 and 8: the geometric mean is √16 = 4.
def test_a_ratio_is_the_geometric_mean_of_the_seeds() -> None:
    from cwnd.plot.studies.heatmap import interval_of, is_decided
    from cwnd.plot.studies.selection import choose

    chosen = choose(cwnd.sweep(["cubic"], **SMALL, rtt="10ms"))
    found = interval_of([(2.0, 1.0), (8.0, 1.0)], "ratio", chosen)
    assert found.centre == pytest.approx(4) and not is_decided(found, "ratio")
    with pytest.raises(cwnd.ScenarioError, match="is 0 in some run, which has no ratio"):
        interval_of([(2.0, 0.0)], "ratio", chosen)


def ellipses(axes: Axes) -> list[Ellipse]:
    return [patch for patch in axes.patches if isinstance(patch, Ellipse)]


def pairs(study: cwnd.Study, first: dict[str, object], second: dict[str, object]) -> list[tuple[float, float]]:
    return [
        (a["value"], b["value"])
        for a, b in zip(values(study, "runs", **first), values(study, "runs", **second), strict=True)
    ]


def test_fairness_has_a_point_with_an_ellipse_per_variant_and_level(study: cwnd.Study) -> None:
    figure = fairness(study, where={"rtt": "40ms"})
    (axes,) = shown(figure)
    at = {"of": "group", "measure": "throughput_mbps", "rtt": "40ms", "buffer": "0.5bdp", "beta": 0.85}
    spread = Spread.of(pairs(study, {**at, "name": "cubic"}, {**at, "name": "reno"}))
    assert any(
        np.allclose([*each.center, each.width, each.height], [spread.x, spread.y, 2 * spread.long, 2 * spread.short])
        for each in ellipses(axes)
    )
    assert len(ellipses(axes)) == 2 * 3
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("cubic: throughput (Mbit/s)", "reno: throughput (Mbit/s)")
    assert line(axes, "full capacity") == (pytest.approx([0, 20]), pytest.approx([20, 0]))
    assert "ellipses: one standard deviation (39 % of a normal distribution)" in caption(figure)
    swapped = shown(fairness(study, of="reno", against="cubic", where={"rtt": "40ms"}))[0]
    assert swapped.get_xlabel() == "reno: throughput (Mbit/s)"


def test_equal_shares_are_those_of_each_flow_and_capacities_that_differ_make_shares() -> None:
    two = cwnd.sweep(["cubic:2", "reno"], rate=["10Mbit/s", "20Mbit/s"], rtt="10ms", duration="4s", seeds=2)
    (axes,) = shown(fairness(two))
    x, y = line(axes, "equal shares")
    assert y[1] / x[1] == pytest.approx(0.5)
    assert axes.get_xlabel() == "cubic: share of the link (%)" and line(axes, "full capacity")[0] == [0, 100]


def test_the_axis_of_the_delay_is_reversed(study: cwnd.Study) -> None:
    figure = delay_throughput(study, "queue_p95_ms", where={"rtt": "10ms"})
    (axes,) = shown(figure)
    left, right = axes.get_xlim()
    assert (
        left > -0.05 * left < right < 0
        and axes.get_xlabel().endswith("(ms), reversed")
        and axes.get_title(loc="right") == "better ↗"
    )
    at = {"rtt": "10ms", "buffer": "2bdp", "beta": 0.7}
    points = pairs(
        study, {**at, "of": "link", "measure": "queue_p95_ms"}, {**at, "name": "cubic", "measure": "throughput_mbps"}
    )
    spread = Spread.of(points)
    assert any(np.allclose([*each.center, each.angle], [spread.x, spread.y, spread.angle]) for each in ellipses(axes))
    assert {"cubic beta=0.7", "reno (beta=0.7)"} <= texts(axes)


def test_a_distribution_is_that_of_the_runs(algorithms: cwnd.Study) -> None:
    (axes,) = shown(cdf(algorithms, "queue_mean_ms"))
    found = sorted(row["value"] for row in values(algorithms, "runs", measure="queue_mean_ms", of="link", cc="reno"))
    x, y = line(axes, "reno")
    assert (x, y) == ([found[0], *found], [0, 0.25, 0.5, 0.75, 1])


# At no point half of the runs converged, so that no median is there; the distribution is, up to the part that converged.
def test_a_distribution_ends_below_one_where_runs_have_no_value() -> None:
    flows = ["cubic@recovery=sack-prr", "reno@recovery=sack-prr"]
    study = cwnd.sweep(flows, rate="20Mbit/s", rtt=["10ms", "40ms"], seeds=20, duration="30s")
    runs = [row for row in values(study, "runs", measure="convergence_s", of="all") if row["rtt"] == "10ms"]
    there = sorted(row["value"] for row in runs if row["value"] is not None)
    assert 0 < len(there) < len(runs) == 20
    figure = cdf(study, "convergence_s", where={"of": "all", "rtt": "10ms"})
    ((drawn,),) = ([each for each in axes.get_lines() if len(each.get_xdata()) > 2] for axes in shown(figure))
    assert drawn.get_xdata().tolist() == [there[0], *there]  # type: ignore[union-attr]
    assert drawn.get_ydata()[-1] == len(there) / 20  # type: ignore[index]
    assert f"{20 - len(there)} runs have no value" in " ".join(caption(figure).split())


@pytest.mark.parametrize("draw", [response, fairness, delay_throughput, cdf, heatmap])
def test_a_picture_is_drawn_into_axes_that_are_given(study: cwnd.Study, draw: object) -> None:
    figure = Figure()
    axes = figure.subplots()
    before = dict(mpl.rcParams)
    fixed = {"rtt": "40ms", "buffer": "1bdp"} if draw is not heatmap else {"label": "cubic beta=0.7"}
    assert draw(study, where=fixed, ax=axes) is figure  # type: ignore[operator]
    assert axes.has_data() and figure.get_supxlabel() == "" and dict(mpl.rcParams) == before
    if draw is not heatmap:
        with pytest.raises(cwnd.ScenarioError, match="one panel: fix factors with where"):
            draw(study, where={"buffer": "1bdp"} if draw is cdf else {}, ax=axes)  # type: ignore[operator]


@pytest.mark.slow
@pytest.mark.parametrize("width", ["column", "page", "slide"])
def test_text_is_text_and_nothing_is_cut_off(study: cwnd.Study, width: str, tmp_path: Path) -> None:
    from cwnd.cli.actions.plot import write

    for number, figure in enumerate(
        [response(study, width=width), fairness(study, width=width), heatmap(study, width=width)]
    ):  # type: ignore[arg-type]
        write(figure, tmp_path / f"{number}.svg", "svg")
        svg = (tmp_path / f"{number}.svg").read_text()
        assert "<text" in svg and ("cubic beta=0.85" in svg)
        box = figure.get_tightbbox()
        assert box.x0 >= -0.02 and box.x1 <= figure.get_figwidth() + 0.02 and box.y0 >= -0.02


def test_labels_stand_apart_in_the_order_of_what_they_name() -> None:
    whole = (0.0, 1.0)
    assert apart([0.5, 0.5, 0.9], 0.1, whole) == pytest.approx([0.45, 0.55, 0.9])
    assert apart([0.2, 0.1], 0.05, whole) == [0.2, 0.1]
    # Three that touch: 0.30, 0.31 and 0.38 are centred on their mean 0.33.
    assert apart([0.30, 0.31, 0.38], 0.1, whole) == pytest.approx([0.23, 0.33, 0.43])
    # At the top they end half a step below it, and what they touch goes down with them: 0.95, 0.85, 0.75.
    assert apart([1.0, 1.0, 0.8], 0.1, whole) == pytest.approx([0.85, 0.95, 0.75])
    assert apart([0.0, 0.01], 0.1, whole) == pytest.approx([0.05, 0.15])
    # Twelve have no room: from 0.95 on they go down below 0.
    assert apart([0.5] * 12, 0.1, whole) == pytest.approx([0.95 - 0.1 * number for number in range(11, -1, -1)])


# A panel of 100 by 100 with a row of points to the right of (50, 50): the name of 20 by 10 goes elsewhere, and the next one not onto it.
def test_a_name_stands_where_it_covers_nothing() -> None:
    points = np.array([[x, y] for x in range(52, 90, 2) for y in range(50, 80, 2)], dtype=float)
    room = Room((0, 0, 100, 100), 5.0, points, np.ones(len(points)), [])
    first, second = room.place((50, 50), (20, 10)), room.place((50, 50), (20, 10))
    for placed in (first, second):
        left, bottom, right, top = placed.box
        assert min(left, bottom) >= 0 and max(right, top) <= 100
        assert not any(left <= x <= right and bottom <= y <= top for x, y in points)
    assert (
        first.box[2] <= second.box[0]
        or second.box[2] <= first.box[0]
        or first.box[3] <= second.box[1]
        or second.box[3] <= first.box[1]
    )
