# SPDX-License-Identifier: MIT OR Apache-2.0
"""What the essay says beside its figures: numbers of the papers and of this project's own experiments. `web/test/essay.mjs` has the rest."""

from __future__ import annotations

import re
from pathlib import Path

from conftest import Cli

from tools.docs.verdicts import on_record

ROOT = Path(__file__).resolve().parents[3]
TEXT = (ROOT / "web/src/essay.html").read_text(encoding="utf-8")


def test_figure_8_has_the_papers_number_and_the_verdict_on_it() -> None:
    rows = [row for experiment in on_record("full") for row in experiment["claims"]]
    (cubic,), (sack,) = (
        [row for row in rows if row["id"] == f"ha2008/fig6/{name}-share"] for name in ("cubic", "sack")
    )
    assert f"<b>{100 * cubic['paper']:.0f} %</b>" in TEXT and f"SACK {100 * sack['paper']:.0f} %" in TEXT
    assert not cubic["holds"] and cubic["seeds"] == 10
    said = re.search(r"gives CUBIC (\d+) %: it does not confirm the paper's number", TEXT)
    assert said is not None and int(said[1]) == round(100 * cubic["measured"])


# 10 Gbit/s in 100 ms are 1e9 bits: 100,000 packets of 1250 bytes. Half of them, one a round trip: 50,000 · 0.1 s = 5000 s.
def test_figure_3_has_the_example_of_the_papers_introduction() -> None:
    packets = 10e9 * 0.1 / (1250 * 8)
    minutes = packets / 2 * 0.1 / 60
    assert (
        f"{packets:,.0f} packets, {packets / 2:,.0f} round trips of 100 ms, {minutes // 60:.0f} h {minutes % 60:.0f} min"
        in TEXT
    )


def test_the_command_that_loads_it_is_one(cwnd: Cli) -> None:
    (command,) = re.findall(r"<code>sudo cwnd (kernel use) ([\w-]+) -- ", TEXT)
    assert cwnd("show", command[1]).returncode == 0
    usage = cwnd("kernel", "use", "--help").stdout
    assert "NAME[:SET]" in usage and "after --" in usage


def test_lab_opens_at_the_essay(cwnd: Cli, tmp_path: Path) -> None:
    refused = cwnd("lab", "x.toml", "--essay", "--no-open", cwd=tmp_path)
    assert refused.returncode == 2 and refused.stderr.startswith("error: --essay: not accepted with x.toml"), (
        refused.stderr
    )
    opened = cwnd("lab", "--essay", "--no-open")
    assert opened.returncode != 0 or opened.stdout.strip().endswith("lab.html#essay")
