# SPDX-License-Identifier: MIT OR Apache-2.0
"""Pictures say what they show: the set-up in the title, a mark where something leaves the panel, nothing cut at the edge."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest
from test_docs import DOCS
from test_results import LOT

import cwnd as package
from cwnd import Flow, dumbbell
from tools.docs import generate

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# Standard slow start leaves a panel that is as high as what comes later needs; HyStart++ does not.
STARTS = [Flow("cubic", 2, slow_start=how) for how in ("standard", "hystart++")]


@pytest.fixture(scope="module")
def starts() -> package.Result:
    return package.run(
        dumbbell(STARTS, rate="200Mbit/s", rtt="40ms", buffer="2bdp", duration="60s", measure=("12s", "60s"), seed=3)
    )


@pytest.fixture(autouse=True)
def closed() -> Iterator[None]:
    """Closes what a test has drawn."""
    yield
    import matplotlib.pyplot as plt

    plt.close("all")


def figures(result: package.Result, folder: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Figure]:
    """Every picture of a run, before it goes to disk."""
    draw = importlib.import_module("cwnd.plot.draw")
    saved: dict[str, Figure] = {}
    monkeypatch.setattr(draw, "save", lambda figure, path, digest: saved.__setitem__(path.name, figure))
    draw.draw(result, folder)
    return saved


@pytest.mark.slow
def test_the_readmes_picture_is_the_one_that_make_demo_draws(tmp_path: Path) -> None:
    from matplotlib.image import imread

    assert generate.demo()[:2] == ["compare", "cubic-2.2:4"] and "--seed" in generate.demo()
    generate.picture(tmp_path / "fig6.png")
    shown, drawn = imread(DOCS / "pictures" / "fig6.png"), imread(tmp_path / "fig6.png")
    # Every pixel, not the file: another zlib compresses otherwise. The drawing library is pinned in requirements.lock.
    assert shown.shape == drawn.shape and np.array_equal(shown, drawn), "run python -m tools.docs.generate --only fig6"
    readme = (DOCS.parent / "README.md").read_text()
    assert "](docs/pictures/fig6.png)" in readme and "`make demo`" in readme


def test_a_long_loss_leaves_rate_round_trip_buffer_and_seed_in_the_title() -> None:
    from cwnd.plot.data import RunData
    from cwnd.plot.draw import heading

    drops = ",".join(str(number) for number in range(100, 4100, 100))
    scenario = dumbbell("cubic", rate="20Mbit/s", rtt="20ms", loss=f"at:{drops}", duration="2s", seed=4711)
    run = RunData(package.run(scenario))
    for width in (80, 110):
        line = heading(run, width).splitlines()[-1]
        assert len(line) <= width, line
        assert line.startswith("20 Mbit/s, RTT 20 ms, buffer 1 BDP, loss at:100,200,"), line
        assert line.endswith(",…, seed 4711"), line


def test_what_leaves_the_window_panel_is_marked_with_its_largest_value(starts: package.Result) -> None:
    import matplotlib.pyplot as plt

    from cwnd.plot.data import RunData
    from cwnd.plot.draw import windows

    figure, axes = plt.subplots()
    windows(RunData(starts), axes)
    top = axes.get_ylim()[1]
    # A window falls when its flow changes its state, which the table of events has with the window of that time.
    tables = (starts.cwnd, starts.events)
    flow, cwnd, time = (
        np.concatenate([table[name].to_numpy() for table in tables]) for name in ("flow", "cwnd", "time_s")
    )
    highest = {label: int(cwnd[np.isin(flow, flows)].max()) for label, flows in RunData(starts).flows_of.items()}
    standard, hystart = highest["cubic slow_start=standard"], highest["cubic slow_start=hystart++"]
    assert standard > top >= hystart
    # Of the two flows with this label the mark names the one that had that window.
    names = [each["name"] for each in starts.summary["flows"]]
    assert [text.get_text() for text in axes.texts] in (
        [f"{names[number]}: largest recorded {standard}"] for number in flow[cwnd == standard]
    )
    marks = [line for line in axes.lines if line.get_marker() == "^"]
    assert [tuple(np.ravel(line.get_ydata())) for line in marks] == [(top,)]
    (at,) = np.ravel(marks[0].get_xdata())
    assert standard in cwnd[time == at]
    plt.close(figure)


# Slow start ends between two samples: at 100 ms Hybla gains 15 segments with each acknowledgement.
def test_the_mark_has_the_largest_window_that_there_was_between_samples_too() -> None:
    import matplotlib.pyplot as plt

    from cwnd.plot.data import RunData
    from cwnd.plot.draw import windows

    keys = {"rate": "50Mbit/s", "rtt": "60ms", "duration": "30s"}
    sampled, acks = (package.run(dumbbell({"hybla-growth": 2}, per_ack=every, **keys)) for every in (False, True))  # type: ignore[arg-type]
    largest, seen = (result.cwnd["cwnd"].to_numpy().max() for result in (acks, sampled))
    assert largest > 1.5 * seen
    figure, axes = plt.subplots()
    windows(RunData(sampled), axes)
    assert [text.get_text() for text in axes.texts] == [f"hybla-growth 1: largest recorded {largest}"]
    plt.close(figure)


def test_the_picture_of_the_windows_shows_slow_start_whole(
    starts: package.Result, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    slow, later = figures(starts, tmp_path, monkeypatch)["cwnd"].axes
    assert slow.get_title() == "slow start, by samples" and slow.get_xlim()[1] < 0.2 * later.get_xlim()[1]
    drawn = [np.asarray(line.get_ydata()) for line in slow.lines]
    assert len(drawn) == 4 and max(part.max() for part in drawn) == starts.cwnd["cwnd"].to_numpy().max()
    assert slow.get_ylim()[1] > max(part.max() for part in drawn) > later.get_ylim()[1]
    # The two ways differ in it.
    assert max(part.max() for part in drawn[:2]) > 1.2 * max(part.max() for part in drawn[2:])

    plain = package.run(dumbbell({"reno": 1}, rate="5Mbit/s", rtt="20ms", duration="20s"))
    assert len(figures(plain, tmp_path, monkeypatch)["cwnd"].axes) == 1


def test_every_picture_says_rate_round_trip_buffer_and_seed(
    starts: package.Result, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, figure in figures(starts, tmp_path, monkeypatch).items():
        lines = figure.get_suptitle().splitlines()
        assert lines[-1] == "200 Mbit/s, RTT 40 ms, buffer 2 BDP, seed 3", name
        # It has no name: what is in it stands for one.
        assert lines[0] == "cubic slow_start=standard (2), cubic slow_start=hystart++ (2)", name
    lot = package.run(package.Scenario.from_toml(LOT))
    headings = {figure.get_suptitle() for figure in figures(lot, tmp_path, monkeypatch).values()}
    # Six links of 20 Mbit/s, of which an action lowers one to 10; round trips of 30 ms and of 10 ms.
    assert headings == {"three bottlenecks\n6 links, 10 to 20 Mbit/s, RTT 10 to 30 ms, buffer 1 BDP, seed 1"}
    udp = '[[traffic]]\nmodel = "udp"\nrate = "12Mbit/s"\n'
    queue = 'queue = { kind = "red", limit = "150kB", min = "10packets", max = "30packets" }'
    text = f'duration = "2s"\nseed = 7\n[link]\nrate = "10Mbit/s"\nrtt = "20ms"\nloss = "every:1000"\n{queue}\n{udp}'
    alone = figures(package.run(package.Scenario.from_toml(text)), tmp_path, monkeypatch)
    assert {figure.get_suptitle() for figure in alone.values()} == {
        "udp\n10 Mbit/s, RTT 20 ms, buffer 150 kB, RED, loss every:1000, seed 7"
    }


def test_no_text_leaves_a_picture(starts: package.Result, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from matplotlib.text import Text

    long = [Flow("cubic", 7, label="x" * 40, stop="3s"), Flow("cubic", 7, label="W" * 40, start="2s"), Flow("sack")]
    wide = package.run(dumbbell(long, rate="20Mbit/s", rtt="20ms", duration="5s", name="n" * 300))
    for result in (starts, wide):
        for name, figure in figures(result, tmp_path, monkeypatch).items():
            figure.canvas.draw()
            width, height = figure.bbox.size
            for text in figure.findobj(Text):
                if not (text.get_visible() and text.get_text()):
                    continue
                box = text.get_window_extent()
                if text.axes is not None and text in text.axes.texts:
                    assert box.x0 >= -1 and box.x1 <= width + 1, (name, text.get_text())
                elif not text.get_text().replace(".", "").isdigit():  # ticks beyond an axis are not drawn
                    assert box.x0 >= -1 and box.x1 <= width + 1, (name, text.get_text())
                    assert box.y0 >= -1 and box.y1 <= height + 1, (name, text.get_text())
