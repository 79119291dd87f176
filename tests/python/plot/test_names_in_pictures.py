# SPDX-License-Identifier: MIT OR Apache-2.0
"""Names in pictures of many variants, and captions that carry what decides."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

import pytest
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.text import Annotation

import cwnd
from cwnd.plot import cdf, delay_throughput, response, windows
from cwnd.plot.data import RunData
from cwnd.plot.draw import heading
from cwnd.plot.studies.canvas import Look
from cwnd.plot.studies.panels import MOST_LINES

SMALL = {"rate": "20Mbit/s", "duration": "3s"}
TEN = "{reno,fast,vegas,htcp,highspeed,scalable,westwood,cubic,bic,illinois}"


@pytest.fixture(scope="module")
def many() -> cwnd.Study:
    return cwnd.sweep([TEN], **SMALL, rtt=["10ms", "40ms"], buffer="1bdp", seeds=2)


def caption(figure: Figure) -> str:
    return " ".join(figure.get_supxlabel().split())


def names_beside(axes: Axes) -> list[Annotation]:
    return [text for text in axes.texts if isinstance(text, Annotation) and text.xycoords == "axes fraction"]


def samples(figure: Figure) -> list[Line2D]:
    """The lines beside panels, in the order of the names."""
    return [each for each in figure.artists if isinstance(each, Line2D)]


def look_of(line: Line2D) -> tuple[object, object, object]:
    return line.get_color(), line.get_linestyle(), line.get_marker()


# Two lines differ in colour or dash, and in dash or marker: the second for who sees no colours.
def test_the_most_lines_differ_with_and_without_colours() -> None:
    looks = [Look(number) for number in range(MOST_LINES)]
    for one, other in combinations(looks, 2):
        assert (one.colour, one.dash) != (other.colour, other.dash), (one, other)
        assert one.dots["marker"] != other.dots["marker"], (one, other)
    assert len({str(look.dash) for look in looks[:6]}) == 6, "six lines without markers"


@pytest.mark.parametrize("width", ["column", "page"])
def test_many_distributions_have_a_list_with_a_sample_of_each(many: cwnd.Study, width: str) -> None:
    figure = cdf(many, width=width)
    figure.draw_without_rendering()
    shown = [axes for axes in figure.axes if axes.get_visible()]
    (listed,) = [axes for axes in shown if names_beside(axes)]
    names = names_beside(listed)
    assert {name.get_text() for name in names} == set(TEN.strip("{}").split(","))
    for name, sample in zip(names, samples(figure), strict=True):
        (drawn,) = [line for line in listed.lines if line.get_gid() == name.get_text()]
        assert look_of(drawn)[:2] == look_of(sample)[:2], name.get_text()
    boxes = [name.get_window_extent() for name in names]
    assert not any(one.overlaps(other) for one, other in combinations(boxes, 2))
    # No name covers a panel.
    assert not any(box.overlaps(axes.get_window_extent()) for box in boxes for axes in shown)


def test_names_at_the_ends_of_lines_stay_beside_their_panel(many: cwnd.Study) -> None:
    figure = response(many, x="rtt")
    figure.draw_without_rendering()
    (axes,) = figure.axes
    panel = axes.get_window_extent()
    for name, sample in zip(names_beside(axes), samples(figure), strict=True):
        box = name.get_window_extent()
        assert panel.y0 - 1 <= box.y0 and box.y1 <= panel.y1 + 1, name.get_text()
        (drawn,) = [line for line in axes.lines if line.get_gid() == name.get_text()]
        assert look_of(drawn) == look_of(sample), name.get_text()


def test_few_names_stand_at_their_points_and_many_do_not(many: cwnd.Study) -> None:
    figure = delay_throughput(many, where={"label": ["reno", "cubic"]})
    assert not any(names_beside(axes) for axes in figure.axes)
    assert any(names_beside(axes) for axes in delay_throughput(many).axes)


def test_a_long_title_of_several_rows_stands_once() -> None:
    study = cwnd.sweep(["cubic"], **SMALL, rtt=["10ms", "20ms", "40ms"], buffer="0.5..2bdp/3")
    where = {"of": "link"}
    figure = response(study, x="buffer", measure="queue_p95_ms", where=where, width="column")
    assert figure.get_supylabel() == "queueing delay, 95th percentile (ms)"
    assert not any(axes.get_ylabel() for axes in figure.axes)


# What decides such a picture: the queue's parameters, what the flows have of their own, and whether they compete.
def test_captions_carry_queue_parameters_and_competition() -> None:
    settings = {
        **SMALL,
        "rtt": "40ms",
        "buffer": ["1bdp", "2bdp"],
        "codel": {"target": "5ms", "interval": "100ms"},
        "ecn": True,
    }
    flows = ["cubic@beta={0.7,0.85},fast_convergence=false", "reno:2@ecn=false"]
    said = caption(response(cwnd.sweep(flows, **settings)))
    assert "CoDel (target 5 ms, interval 100 ms), marking ECN" in said
    assert "cubic@fast_convergence=false + reno:2@ecn=false together, 3 s" in said
    alone = cwnd.sweep(["{cubic,reno}"], **SMALL, rtt=["10ms", "40ms"])
    assert "the variant alone, 3 s" in caption(response(alone))


def test_captions_of_several_runs_carry_flows_duration_and_seeds() -> None:
    runs = [cwnd.compare(["cubic", "reno"], **SMALL, rtt=rtt, seed=7) for rtt in ("10ms", "40ms")]
    assert "cubic + reno: 20 Mbit/s, RTT 10 ms, buffer 1 BDP, 3 s, seed 7;" in caption(windows(runs))
    assert "Over 0.6 to 3 s." in caption(cdf(runs[0]))


def test_in_axes_of_a_caller_names_stand_inside(many: cwnd.Study) -> None:
    figure = Figure()
    left, right = figure.subplots(1, 2)
    response(many, x="rtt", ax=left)
    cdf(many, where={"rtt": "10ms"}, ax=right)
    figure.draw_without_rendering()
    for axes in (left, right):
        legend = axes.get_legend()
        assert legend is not None
        assert {text.get_text() for text in legend.get_texts()} == set(TEN.strip("{}").split(","))
        assert not names_beside(axes)


# Beside CUBIC a CUBIC of other settings is called by these, beside Reno it is called CUBIC: two lines, which are not of one name.
def test_no_two_lines_have_one_name_and_captions_name_algorithms() -> None:
    settings = {**SMALL, "rtt": ["10ms", "40ms"]}
    figure = response(cwnd.sweep(["{cubic,reno}", "cubic@start=1s,beta=0.5"], **settings))
    names = [name.get_text() for axes in figure.axes for name in names_beside(axes)]
    assert len(names) == len(set(names)) == 4, names
    assert "the variant + cubic@start=1s,beta=0.5 together" in caption(figure)


def test_single_flows_are_lines_however_many_they_are() -> None:
    run = cwnd.compare(TEN.strip("{}").split(",")[:9], rate="20Mbit/s", rtt="40ms", duration="3s")
    figure = windows(run)
    assert "median" not in caption(figure) and len(figure.axes[0].lines) >= 9 and not figure.axes[0].collections[2:]


# All runs fill the link: 19.998 and 20.001 Mbit/s are one value to a reader.
def test_the_axis_of_a_distribution_over_next_to_nothing_is_plain() -> None:
    figure = cdf(
        cwnd.sweep(["cubic@beta={0.7,0.8}"], rate="20Mbit/s", rtt="40ms", duration="4s", buffer="2bdp", seeds=2)
    )
    figure.draw_without_rendering()
    (axes,) = figure.axes
    low, high = axes.get_xlim()
    assert high - low >= 0.01 * high * 0.99
    assert axes.xaxis.get_offset_text().get_text() == "" and low > 0


def test_captions_carry_what_else_the_path_has() -> None:
    udp = {"model": "udp", "rate": "5Mbit/s"}
    settings = {**SMALL, "jitter": "5ms", "packet_size": "576B", "reverse": True, "traffic": [udp]}
    of_run = caption(windows(cwnd.compare(["cubic"], rtt="40ms", **settings)))
    of_study = caption(response(cwnd.sweep(["cubic"], rtt=["10ms", "40ms"], **settings)))
    for said in (of_run, of_study):
        for words in (
            "jitter up to 5 ms",
            "packets of 576 B",
            "a queue in the reverse direction too",
            "udp of 5 Mbit/s",
        ):
            assert words in said, (words, said)


# Acknowledgements meet what the reverse path does: it changes a run as much as the link's own losses.
def test_captions_and_headings_carry_what_happens_on_the_reverse_path(tmp_path: Path) -> None:
    file = tmp_path / "a.toml"
    file.write_text(
        'duration = "2s"\n[link]\nrtt = "60ms"\nrate = "20Mbit/s"\n'
        '[link.reverse]\nnetem = "delay 10ms 5ms loss 5%"\n[[flow]]\ncc = "cubic"\n'
    )
    run = cwnd.run(cwnd.Scenario.from_file(file))
    study = cwnd.sweep(file, axes={"link.rtt": ["60ms", "80ms"]}, seeds=1)
    words = "on the reverse path jitter ± 5 ms with overtaking and loss random:0.05"
    for said in (caption(windows(run)), caption(response(study))):
        assert words in said, said
    assert words in RunData(run).setup(400), RunData(run).setup(400)


# netem's `delay 20ms 5ms` is 15 to 25 ms; a jitter of its own comes on top of the delay.
@pytest.mark.parametrize(
    ("link", "words"),
    [
        (
            {
                "rate": None,
                "delay": "20ms",
                "delay_limit": "300packets",
                "loss": "random:0.01",
                "jitter": {"kind": "uniform", "max": "10ms", "overtaking": True, "centered": True},
            },
            ["jitter ± 5 ms with overtaking"],
        ),
        ({"jitter": "10ms"}, ["jitter up to 10 ms"]),
        (
            {"delay": "9ms", "jitter": {"kind": "normal", "mean": "5ms", "sd": "2ms", "centered": True}},
            ["normal jitter ± 5 ms (sd 2 ms)"],
        ),
        ({"jitter": {"kind": "exponential", "mean": "5ms"}}, ["exponential jitter of 5 ms"]),
        ({"jitter": {"kind": "none", "overtaking": True}}, []),
        ({"reorder": {"share": 0.01, "extra": "2ms"}}, ["1 % of the packets 2 ms late"]),
    ],
)
def test_pictures_of_runs_and_studies_say_the_same_of_jitter(link: dict[str, object], words: list[str]) -> None:
    settings: dict[str, object] = {"rtt": "100ms", "duration": "1s", "rate": "9Mbit/s", **link}
    run = cwnd.compare("cubic@rwnd=9", **settings)  # type: ignore[arg-type]
    study = cwnd.sweep("cubic@rwnd={9,10}", **settings)  # type: ignore[arg-type]
    fixed = [study.fixed[name] for name in ("jitter", "reorder") if name in study.fixed]
    assert fixed == words
    for said in (" ".join(heading(RunData(run), 80).split()), caption(windows(run)), caption(response(study))):
        assert all(said.count(each) == 1 for each in words) and said.count("jitter") == "".join(words).count(
            "jitter"
        ), said
    # The end of a long heading is on a second line.
    assert heading(RunData(run), 80).endswith("seed 1")


# The random starts of `cwnd compare` are in its first 100 ms, in a run of 2 s in more than 2 % of it; a start that is set is marked.
def test_starts_that_nobody_has_set_get_no_mark() -> None:
    run = cwnd.compare(["cubic:9", "reno@start=1s"], rate="9Mbit/s", rtt="10ms", duration="2s")
    assert max(flow["start_s"] for flow in run.summary["flows"][:9]) > 0.04
    assert [mark.text for mark in RunData(run).marks_of()] == ["start reno"]


def test_a_queue_of_which_a_part_is_an_axis_keeps_the_rest_in_the_caption() -> None:
    codel = {"target": "5ms", "interval": "100ms", "ecn": True}
    study = cwnd.sweep(["cubic"], **SMALL, rtt="40ms", codel=codel, axes={"link.queue.target": ["1ms", "5ms", "20ms"]})
    assert "CoDel (interval 100 ms), marking ECN" in caption(response(study))


def test_no_line_of_a_caption_leaves_the_figure() -> None:
    long = ["cubic@beta=0.8,fast_convergence=false,friendliness=off", "cubic-2.6.18-unfixed", "highspeed-linux:3"]
    figure = response(cwnd.sweep(long, **SMALL, rtt=["10ms", "40ms"]), width="column")
    figure.draw_without_rendering()
    box = figure.get_tightbbox()
    assert box.x0 >= -0.02 and box.x1 <= figure.get_figwidth() + 0.02, box
