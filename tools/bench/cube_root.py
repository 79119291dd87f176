# SPDX-License-Identifier: MIT OR Apache-2.0
"""The four integer cube roots: their cost in clocks, and their error, over all arguments of 64 bits.

Everything comes from runs of the core's own functions (bench/cube-root). --page writes the results as a page of the docs
with its picture.
"""

from __future__ import annotations

import argparse
import csv
import math
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

from tools import ROOT
from tools.dates import today

CRATE = ROOT / "bench" / "cube-root"
CUBE_FACTOR = 2_681_735_677

NAMES = {
    "bisection": "bisection, 22 steps",
    "newton": "Newton–Raphson until convergence",
    "table": "table and one step (Linux)",
    "cbrt": "six Newton–Raphson steps (`cubic`)",
    "f64": "`f64::cbrt` of Rust's library, conversions included",
}
# Clocks of the paper's table 1.
PAPER = {"bisection": "1032", "table": "79"}


@dataclass(frozen=True)
class Row:
    """A row of a table of the benchmark."""

    method: str
    numbers: dict[str, float]

    def __getitem__(self, name: str) -> float:
        return self.numbers[name]


Rows = list[Row]


def run(table_name: str) -> Rows:
    """One table of the benchmark."""
    command = ["cargo", "run", "--quiet", "--locked", "--release", "--", table_name]
    done = subprocess.run(command, cwd=CRATE, capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(command)} failed:\n{done.stderr}")
    rows = csv.DictReader(done.stdout.splitlines())
    return [Row(row.pop("method"), {key: float(text) for key, text in row.items()}) for row in rows]


def machine() -> str:
    """The processor's name and the counter's rate, as the system knows them."""
    info = Path("/proc/cpuinfo")
    text = info.read_text() if info.exists() else ""
    name = re.search(r"^model name\s*: (.*)", text, re.MULTILINE)
    rate = re.search(r"^bogomips\s*: (.*)", text, re.MULTILINE)
    return f"{name[1] if name else 'unknown'}" + (f", {float(rate[1]) / 2000:.1f} GHz" if rate else "")


def table(head: list[str], rows: list[list[str]]) -> list[str]:
    """A Markdown table."""
    return ["| " + " | ".join(line) + " |" for line in [head, ["---"] * len(head), *rows]]


def cost(clocks: Rows) -> list[str]:
    rows = [
        [NAMES[row.method], f"{row['clocks']:.0f}", f"{row['deviation']:.0f}", PAPER.get(row.method, "")]
        for row in clocks
    ]
    return table(["method", "clocks", "standard deviation", "`ha2008`, table 1"], rows)


def percent(error: float) -> str:
    return "0" if error == 0 else f"{100 * error:+.3g} %"


def worst(errors: Rows, method: str, begin: float, end: float) -> tuple[float, float, float]:
    """Least, mean absolute and largest relative error of a method between two arguments."""
    rows = [row for row in errors if row.method == method and begin <= row["from"] < end]
    mean = sum(row["mean"] for row in rows) / len(rows)
    return min(row["least"] for row in rows), mean, max(row["largest"] for row in rows)


# Powers of two between which the page tells errors apart. From 2^31 on CUBIC asks.
RANGES = ((0, 6), (6, 12), (12, 20), (20, 31), (31, 42), (42, 53), (53, 64))


def accuracy(errors: Rows) -> list[str]:
    rows = []
    for begin, end in RANGES:
        line = [f"2^{begin} … 2^{end}"]
        for method in ("table", "cbrt"):
            least, mean, largest = worst(errors, method, 2**begin, 2**end)
            line += [f"{percent(least)} … {percent(largest)}", percent(mean).lstrip("+")]
        rows.append(line)
    head = ["argument", "table and one step", "mean of the size", "the other three", "mean of the size"]
    return table(head, rows)


def picture(errors: Rows, path: Path) -> None:
    """The errors of the roots over all arguments."""
    import matplotlib as mpl

    mpl.use("Agg")
    mpl.rcParams.update({"font.size": 13})
    import matplotlib.pyplot as plt

    figure, (size, signed) = plt.subplots(2, 1, figsize=(10, 9.5), layout="constrained")
    # Okabe and Ito's colours, which the colour-blind can tell apart; the lines differ in dashes too.
    blue, vermilion = "#0072B2", "#D55E00"
    for method, colour, dash, name in (
        ("table", vermilion, "-", "table and one step (Linux)"),
        ("cbrt", blue, (0, (5, 1.5)), "bisection, Newton–Raphson, cubic's: rounded down"),
    ):
        rows = [row for row in errors if row.method == method]
        bits = [math.log2(row["from"]) for row in rows] + [64]
        least, largest = ([100 * row[bound] for row in [*rows, rows[-1]]] for bound in ("least", "largest"))
        far = [max(abs(low), abs(high)) or math.nan for low, high in zip(least, largest)]
        size.plot(bits, far, color=colour, ls=dash, lw=2, drawstyle="steps-post", label=name)
        signed.fill_between(bits, least, largest, step="post", color=colour, alpha=0.3, lw=0, label=name)
        for bound in (least, largest):
            signed.plot(bits, bound, color=colour, ls=dash, lw=1.5, drawstyle="steps-post")
    for axes in (size, signed):
        axes.axvspan(math.log2(CUBE_FACTOR), 64, color="#000000", alpha=0.06, lw=0)
        axes.grid(alpha=0.3)
        axes.legend(loc="upper right")
        axes.set_xlabel("argument (power of two)")
    size.set(yscale="log", xlim=(0, 64), xticks=range(0, 65, 8), ylabel="largest error (% of the root)")
    size.set_title("Size of the largest error, all arguments (grey: those that CUBIC has)")
    signed.set(xlim=(30, 64), ylim=(-0.2, 0.3), xticks=range(32, 65, 4), ylabel="error (% of the root)")
    signed.set_title("From the least to the largest error, CUBIC's arguments")
    path.parent.mkdir(exist_ok=True)
    figure.savefig(path, dpi=110, metadata={"Software": None})
    plt.close(figure)


def page(clocks: Rows, errors: Rows) -> str:
    """docs/results/cube-root.md."""
    clock = {row.method: row["clocks"] for row in clocks}
    spread = {row.method: row["deviation"] for row in clocks}
    least, mean, largest = worst(errors, "table", 2**31, 2**64)
    return "\n".join(
        [
            "# The cube root",
            "",
            "CUBIC computes one cube root at the start of every epoch: K, the time until the window reaches its value at the last loss again.",
            "The kernel cannot use floating point for it.",
            "Linux first used bisection, then Newton–Raphson iterations.",
            "Since CUBIC 2.2 it looks up the six leading bits in a table and makes one Newton–Raphson step.",
            "This page compares all three with the root that our `cubic` uses (`crates/cwnd/src/math/cube_root.rs`).",
            "",
            "## Cost",
            "",
            f"Measured by `make docs` on {today()}, on an {machine()}.",
            "The table gives clocks of the time stamp counter per root, where each root waits for the previous one.",
            "Arguments are those that CUBIC has (1 to 10⁶ missing segments, equally many in each octave), and none occurs twice.",
            "The last column is from Ha, Rhee and Xu 2008, table 1.",
            "",
            *cost(clocks),
            "",
            f"* In the paper, Newton–Raphson with a table is 13 times as fast as bisection; here it is {clock['bisection'] / clock['table']:.1f} times as fast.",
            "  A current processor multiplies 64 bits in three or four cycles, so the 22 steps of bisection are cheap except for their unpredictable branches.",
            "  The table is still the cheapest.",
            "* The cost of bisection and of Newton–Raphson until convergence varies with the argument "
            f"(standard deviation {spread['bisection']:.0f} and {spread['newton']:.0f} clocks).",
            f"  The two methods with a fixed number of steps do not vary: their standard deviation of {spread['table']:.0f} and {spread['cbrt']:.0f} clocks is the counter's resolution.",
            f"* The exact root of `cubic` costs {clock['cbrt'] - clock['table']:.0f} clocks more than the table's, once in an epoch of seconds.",
            "  Its six steps are fixed because the kernel's verifier walks every path of a loop that depends on data.",
            "",
            "## Error",
            "",
            "![Relative error of the table's root, and of the three that round down, over all arguments of 64 bits](../pictures/cube-root.png)",
            "",
            "Each eighth of an octave was tested with 4096 random arguments (or all), its ends, and both sides of 64 cubes.",
            "Three roots are exact and rounded down: their error is below one unit, so the relative error vanishes as the root grows.",
            f"The table's relative error does not vanish: it is {percent(least)} to {percent(largest)} for every argument that CUBIC has, and {percent(mean).lstrip('+')} in the mean.",
            "",
            *accuracy(errors),
            "",
            "For K after a loss at 10 000 segments, the table gives 20 031/1024 s instead of 20 044/1024 s: a difference of 13 ms in 20 s.",
            "",
            "## Agreement with Linux",
            "",
            "The table's root equals Linux's, as a test on a running Linux 6.18 showed.",
            "A BPF `struct_ops` program set the `last_max_cwnd` of the built-in module a distance above the window, called `cubictcp_cong_avoid`, and read K.",
            "The roots are equal for every distance from 1 to 2²⁰ − 1 and for 200 000 between 2¹⁹ and 2³² − 11; `tools/bench/kernel_cube_root.py` repeats the test (as root).",
            "The 56 starting values come from these results: each is the only one between 65 and 320 that gives them.",
            "Tests check this for each value (`every_entry_is_the_only_one_that_gives_linuxs_answer`; `vectors/cubic/linux-cube-root.toml` has 271 of the results).",
            "The results also show that the step divides by x (x − 1), and that it uses 341/1024 for a third, which alone makes a root 0.1 % too small.",
            "The starting values are above the root to compensate for this.",
            "CUBIC has no arguments below 64, so the kernel's root cannot be observed there; ours rounds to nearest.",
            "",
        ]
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--page", type=Path, help="write the results as a page of Markdown, its picture to ../pictures")
    args = parser.parse_args()
    clocks = run("clocks")
    errors = run("errors")
    print("\n".join([*cost(clocks), "", *accuracy(errors)]))
    if args.page is not None:
        args.page.write_text(page(clocks, errors))
        picture(errors, args.page.parent / "../pictures/cube-root.png")


if __name__ == "__main__":
    main()
