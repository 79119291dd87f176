# SPDX-License-Identifier: MIT OR Apache-2.0
"""Beginnings of the recorded traces as text, for the core's own tests (crates/cwnd/tests/golden): a test of the core needs
no Parquet reader.

    python vectors/golden/excerpt.py

A line is a hook call: `hook arg0 arg1 arg2 ret`, the connection's fields that are not what the last line left (`name=value`),
and what the call changed (`>name=value`). A line `words …` gives the module's private words where calls are missing before it,
a line `left …` those that the call before it left.
"""

from __future__ import annotations

import tomllib
from pathlib import Path

import pyarrow.parquet as pq

GOLDEN = Path(__file__).resolve().parent
TARGET = GOLDEN.parents[1] / "crates" / "cwnd" / "tests" / "golden"
# At least this many calls, and those up to the fourth reduction and a while after it.
ROWS = 2000
REDUCTIONS, AFTERWARDS = 4, 300
LEFT_EVERY = 40
WRITABLE = {"w": "cwnd", "s": "ssthresh", "c": "cwnd_cnt"}
FIELDS = {
    "t": "now_us",
    "j": "jiffies_before",
    "u": "snd_una",
    "n": "snd_nxt",
    "r": "srtt_us8",
    "m": "rtt_min_us",
    "o": "packets_out",
    "x": "retrans_out",
    "l": "lost_out",
    "k": "sacked_out",
    "d": "delivered",
    "p": "prior_cwnd",
    "M": "mss",
    "a": "max_packets_out",
    "C": "cwnd_clamp",
    "L": "lsndtime",
    "g": "gso_max_size",
    "S": "ca_state",
    "i": "is_cwnd_limited",
    "P": "pacing_status",
    "R": "pacing_rate",
}
DIFFERENCES = frozenset("tjund")  # written as the difference to the line before, where that is small


def excerpt(path: Path) -> str:
    """The first rows of a trace."""
    rows = pq.read_table(path).slice(0, 6000).to_pylist()
    reductions = [index for index, row in enumerate(rows) if row["hook"] == "ssthresh"][:REDUCTIONS]
    rows = rows[: max(ROWS, reductions[-1] + AFTERWARDS)]
    words = sorted({name[4:6] for name in rows[0] if name.startswith("priv")})
    lines, left, private = [], {}, None
    for row in rows:
        before = [row[f"priv{n}_before"] for n in words]
        if row["hook"] != "init" and before != private and words:
            lines.append("words " + " ".join(f"{int(n)}:{value}" for n, value in zip(words, before) if value))
        private = [row[f"priv{n}_after"] for n in words]
        parts = [row["hook"], *(str(row[name]) for name in ("arg0", "arg1", "arg2", "ret"))]
        state = {key: row[name] for key, name in FIELDS.items()}
        state |= {key: row[f"{name}_before"] for key, name in WRITABLE.items()}
        for key, value in state.items():
            if left.get(key) != value:
                step = value - left.get(key, 0)
                small = key in DIFFERENCES and key in left and 0 < step < 1 << 20
                parts.append(f"{key}+{step}" if small else f"{key}={value}")
        after = {key: row[f"{name}_after"] for key, name in WRITABLE.items()} | {"j": row["jiffies_after"]}
        parts += [f">{key}={value}" for key, value in after.items() if state[key] != value]
        left = state | after
        lines.append(" ".join(parts))
        if words and (row["hook"] == "init" or row["seq"] % LEFT_EVERY == 0):
            lines.append("left " + " ".join(f"{int(n)}:{value}" for n, value in zip(words, private) if value))
    return "\n".join(lines) + "\n"


def main() -> None:
    for trace in tomllib.loads((GOLDEN / "replay.toml").read_text())["trace"]:
        path = GOLDEN / trace["file"]
        if path.parent.name == "linux-6.1":
            head = f"# {trace['cc']}: the first calls of vectors/golden/{trace['file']}, by excerpt.py beside it\n"
            (TARGET / f"{trace['cc']}.txt").write_text(head + excerpt(path))


if __name__ == "__main__":
    main()
