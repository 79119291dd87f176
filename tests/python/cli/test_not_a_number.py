# SPDX-License-Identifier: MIT OR Apache-2.0
"""`nan` and `inf` are no durations, and no other numbers either: wherever the command line or a file takes one."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import Cli, refused

OPTIONS = ("--duration", "--rtt", "--rate", "--buffer", "--interval", "--packet-size", "--jitter", "--seed", "--seeds")


@pytest.mark.parametrize("text", ["nan", "inf", "-inf", "infs", "nanms"])
def test_no_option_of_compare_takes_it(cwnd: Cli, text: str) -> None:
    for option in OPTIONS:
        done = cwnd("compare", "cubic", f"{option}={text}")
        refused(done, text)


@pytest.mark.parametrize(
    ("arguments", "field"),
    [
        (("--measure", "nan..10s"), "measure"),
        (("--measure", "0s..inf"), "measure"),
        (("--red", "nan..inf"), "queue.min"),
        (("--loss", "random:nan"), "loss"),
        (("--traffic", 'model = "udp", rate = nan'), "traffic[0].rate"),
        (("--traffic", 'model = "udp", rate = -inf'), "traffic[0].rate"),
    ],
)
def test_no_pair_list_or_table_takes_it(cwnd: Cli, arguments: tuple[str, ...], field: str) -> None:
    done = cwnd("compare", "cubic", *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert field in done.stderr and ("nan" in done.stderr or "inf" in done.stderr), done.stderr
    assert done.stderr.count("\n") == 1 and "JSON" not in done.stderr, done.stderr


@pytest.mark.parametrize("text", ["nan", "inf", "-inf"])
def test_no_file_takes_it_and_the_refusal_shows_it(cwnd: Cli, tmp_path: Path, text: str) -> None:
    file = tmp_path / "scenario.toml"
    link = '[link]\nrate = "10Mbit/s"\nrtt = "40ms"\nqueue = { kind = "droptail", limit = "9packets" }\n'
    whole = f'duration = "5s"\nmeasure = ["1s", "3s"]\n{link}[[flow]]\ncc = "cubic"\nbeta = 0.8\n'
    for value, field, shown in (
        ('"5s"', "duration", f'"{text}"'),
        ('"10Mbit/s"', "link.rate", f'"{text}"'),
        ("0.8", "flow[0].beta", f'"{text}"'),
        ('"1s"', "measure", f'["{text}","3s"]'),
    ):
        assert whole.count(value) == 1
        file.write_text(whole.replace(value, text))
        done = cwnd("run", file)
        assert (done.returncode, done.stdout) == (2, "")
        assert done.stderr.startswith(f"error: {field}: {shown} is not accepted"), done.stderr
        assert done.stderr.count("\n") == 1
