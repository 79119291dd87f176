# SPDX-License-Identifier: MIT OR Apache-2.0
"""The command line: what it prints, what it refuses, what it leaves behind."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import PROGRAM, SHORT, Cli
from in_kernel import until
from needs import needs_root
from watched import Watched

HEAVY = ("pyarrow", "numpy", "matplotlib", "pydantic")


def test_json_is_one_document_with_every_promised_key(cwnd: Cli) -> None:
    done = cwnd(*SHORT, "--seed", 3, "--json")
    assert (done.returncode, done.stderr) == (0, "")
    document = json.loads(done.stdout)
    assert document["lane"] == "sim"
    assert document["seed"] == 3
    assert document["duration_s"] == 3.0
    assert document["measured_s"] == [0.6, 3.0]  # without its first fifth
    assert {"utilization", "drops_queue", "drops_loss", "queue_mean_ms", "queue_max_ms"} <= set(document["link"])
    assert {"cpu_s", "packets", "packets_per_s"} <= set(document["perf"])
    assert [flow["name"] for flow in document["flows"]] == ["cubic 1", "cubic 2", "sack"]
    for flow in document["flows"]:
        keys = "name cc recovery rtt_ms throughput_mbps goodput_mbps share cwnd_mean retransmits timeouts"
        assert set(keys.split()) <= set(flow)
    total = sum(flow["share"] for flow in document["flows"])
    assert total == pytest.approx(document["link"]["utilization"], abs=1e-9)


def test_flows_carry_their_own_settings_and_parameters(cwnd: Cli) -> None:
    flow = "cubic:2@rtt=160ms,start=1s,beta=0.8,fast_convergence=false,initial_cwnd=70,initial_ssthresh=70,ack_every=1"
    done = cwnd("compare", flow, "sack@recovery=tahoe", "--duration", "4s", "--json")
    flows = json.loads(done.stdout)["flows"]
    assert [(flow["rtt_ms"], flow["recovery"]) for flow in flows] == [(160.0, "linux")] * 2 + [(40.0, "tahoe")]
    assert flows[0]["start_s"] == 1.0


def test_losses_are_the_ones_asked_for(cwnd: Cli) -> None:
    for loss, count in (("every:100", None), ("at:50,60", 2)):
        done = cwnd("compare", "reno", "--duration", "5s", "--loss", loss, "--measure", "0s..5s", "--json")
        document = json.loads(done.stdout)
        expected = document["flows"][0]["packets_sent"] // 100 if count is None else count
        assert document["link"]["drops_loss"] == expected


REFUSED = [
    (("compare", "cubik"), ("flow[0].cc", "cubik", "cubic")),
    (("compare", "cubic", "--rate", "0Mbit/s"), ("link.rate", "0Mbit/s", "above 0")),
    (("compare", "cubic", "--red", "20packets"), ("--red", "20packets", "MIN..MAX")),
    (("compare", "cubic", "--red", "20packets..9packets"), ("link.queue.max", "9packets", "more than min")),
    (("compare", "cubic@overhead=300"), ("flow[0].overhead", "300", "at most 1s")),
    (("compare", "cubic@host_clock=2MHz"), ("flow[0].host_clock", "2MHz", "1MHz")),
    (("compare", "cubic", "--rate", "100"), ("link.rate", "100", "unit")),
    (("compare", "cubic", "--buffer", "1400B"), ("link.queue.limit", "1400B", "at least one packet")),
    (("compare", "cubic@start=-3s"), ("flow[0].start", "-3s", "0 or more")),
    (("compare", "cubic@beta=1.5"), ("flow[0].beta", "1.5", "0.1 to 0.99")),
    (("compare", "cubic@bata=0.5"), ("flow[0].bata", "0.5", "beta")),
    (("compare", "cubic@beta"), ("flow", "beta", "KEY=VALUE")),
    (("compare", "cubic:x"), ("flow", "cubic:x", "COUNT")),
    (("compare", "cubic@beta=0.8,beta=0.7"), ("flow", "beta", "once")),
    (("compare", "cubic:0"), ("flow[0].count", "0", "from 1")),
    (("compare", "cubic", "--seed", "-1"), ("seed", "-1", "whole number")),
    (("compare", "cubic", "--seed", "one"), ("seed", "one", "whole number")),
    (("compare", "cubic", "--duration", "0s"), ("duration", "0s", "above 0")),
    (("compare", "cubic", "--measure", "5s"), ("--measure", "5s", "FROM..TO")),
    (("compare", "cubic", "--measure", "5s..99s"), ("measure", "99s", "within the duration")),
    (("compare", "cubic", "--loss", "random:2"), ("link.loss", "random:2", "0 < P < 1")),
    (("compare",), ("FLOW", "", "Missing")),
    (("compare", "cubic", "--rat", "1"), ("--rat", "", "--rate")),
    (("compare", "cubic", "--rate", "1Mbit/s", "--rate", "2Mbit/s"), ("--rate", "twice", "once")),
    (("compare", "cubic:\nx"), ("flow", "cubic:\\nx", "COUNT")),
    (("show", "cubik"), ("NAME", "cubik", "cubic")),
    # Hybla has no set that is the whole paper: its growth rules alone, and the kernel's module.
    (("show", "hybla"), ("NAME", "hybla", "(did you mean hybla-growth or hybla-linux?)")),
    (("show", "bbr"), ("NAME", "bbr", "an algorithm, a slow start, a host or a stack (did you mean stock-bbr?)")),
    (("show", "BBR"), ("NAME", "BBR", "(did you mean stock-bbr?)")),
    (("show", "cubic@stack=quinn"), ("NAME", "cubic@stack=quinn", "expected a name alone: cubic or quinn")),
    (("show", "cubicc@stack=quin"), ("NAME", "cubicc@stack=quin", "expected a name alone: cubic")),
    (("show", "zzzzzz@x"), ("NAME", "zzzzzz@x", "expected a name alone, without settings")),
    (("show", "CUBIC"), ("NAME", "CUBIC", "(did you mean cubic?)")),
    (("show", "tcp"), ("NAME", "tcp", "stack=tcp, the simulator's own TCP, means none")),
    (("compare", "hybla"), ("flow[0].cc", "hybla", "(did you mean hybla-growth or hybla-linux?)")),
    (("run", "missing.toml"), ("SCENARIO.toml", "missing.toml", "exists")),
    (("nonsense",), ("nonsense", "", "command")),
]


@pytest.mark.parametrize(("arguments", "words"), REFUSED, ids=[" ".join(arguments) for arguments, _ in REFUSED])
def test_bad_input_is_one_line_that_names_field_value_and_expectation(
    cwnd: Cli, tmp_path: Path, arguments: tuple[str, ...], words: tuple[str, ...]
) -> None:
    writes = ["-o", "out"] if arguments[0] == "compare" else []
    done = cwnd(*arguments, *writes, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("error: ") and done.stderr.count("\n") == 1, done.stderr
    for word in words:
        assert word in done.stderr
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('duration = "5s"\ncolour = "red"', ("link", "missing")),
        (
            'duration = "5s"\n[link]\nrate = "1Mbit/s"\nrtt = "40ms"\ncolor = 1\n[[flow]]\ncc = "cubic"',
            ("link.color", "1"),
        ),
        ("duration = ", ("scenario", "TOML")),
        ("\xff", ("SCENARIO.toml", "UTF-8")),
    ],
)
def test_a_bad_scenario_file_is_refused(cwnd: Cli, tmp_path: Path, text: str, words: tuple[str, ...]) -> None:
    (tmp_path / "bad.toml").write_bytes(text.encode("latin-1"))
    done = cwnd("run", "bad.toml", cwd=tmp_path)
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1 and all(word in done.stderr for word in words), done.stderr


def test_a_folder_that_is_not_ours_is_left_alone(cwnd: Cli, tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("years of work")
    done = cwnd(*SHORT, "-o", tmp_path)
    assert done.returncode == 2 and str(tmp_path) in done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.tex"]
    file = tmp_path / "thesis.tex"
    assert cwnd(*SHORT, "-o", file).returncode == 2
    assert file.read_text() == "years of work"


def test_an_earlier_result_with_somebodys_notes_in_it_is_left_alone(cwnd: Cli, tmp_path: Path) -> None:
    assert cwnd(*SHORT, "--no-plots", "-o", tmp_path / "out").returncode == 0
    (tmp_path / "out" / "notes.md").write_text("look here")
    done = cwnd(*SHORT, "--no-plots", "-o", tmp_path / "out")
    assert done.returncode == 2 and "nothing else" in done.stderr
    assert (tmp_path / "out" / "notes.md").read_text() == "look here"


def test_the_current_folder_is_no_place_for_a_result(cwnd: Cli, tmp_path: Path) -> None:
    done = cwnd(*SHORT, "-o", ".", cwd=tmp_path)
    assert done.returncode == 2 and "current one" in done.stderr


def test_a_run_shorter_than_the_usual_spread_of_starts_works(cwnd: Cli) -> None:
    flows = json.loads(cwnd("compare", "cubic:3", "--duration", "50ms", "--json").stdout)["flows"]
    assert all(0 <= flow["start_s"] < 0.005 for flow in flows)


def test_an_earlier_result_is_replaced_and_an_empty_folder_filled(cwnd: Cli, tmp_path: Path) -> None:
    out = tmp_path / "out"
    out.mkdir()
    for seed in (1, 2):
        assert cwnd(*SHORT, "--seed", seed, "--no-plots", "-o", out).returncode == 0
    assert json.loads((out / "manifest.json").read_text())["seed"] == 2
    assert [path.name for path in tmp_path.iterdir()] == ["out"], "nothing is left beside it"


@needs_root
def test_a_full_disk_is_one_line_and_leaves_nothing(cwnd: Cli, tmp_path: Path) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(disk)], check=True)
    try:
        done = cwnd(*SHORT, "-o", disk / "out")
        left = list(disk.iterdir())
    finally:
        subprocess.run(["umount", str(disk)], check=True)
    assert done.returncode == 1
    assert "No space left" in done.stderr and "Traceback" not in done.stderr and done.stderr.count("\n") == 1, (
        done.stderr
    )
    assert left == []


def test_a_full_standard_output_is_an_error(cwnd: Cli) -> None:
    with Path("/dev/full").open("w") as full:
        command = [str(PROGRAM), *SHORT, "--json"]
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 1 and "No space left" in done.stderr and "Traceback" not in done.stderr


def test_a_reader_that_goes_away_is_no_fault(cwnd: Cli) -> None:
    done = subprocess.run(f"{PROGRAM} algorithms | head -n 1", shell=True, capture_output=True, text=True, check=False)
    assert done.stdout.count("\n") == 1 and done.stderr == ""


@pytest.mark.parametrize("phase", ["simulating", "saving"])
def test_ctrl_c_stops_at_once_and_leaves_nothing(tmp_path: Path, phase: str) -> None:
    if phase == "simulating":
        # 10⁹ packets: most of a minute of work.
        run = Watched(["compare", "cubic", "--rate", "10Gbit/s", "--duration", "1200s", "-o", "out"], cwd=tmp_path)
        run.until_said("packets/s")
    else:
        # Four million rows: seconds of writing after a short simulation.
        flow = ["cubic@ack_every=1", "--rate", "400Mbit/s", "--duration", "120s", "--per-ack"]
        run = Watched(["compare", *flow, "-o", "out"], cwd=tmp_path)
        until(lambda: any(tmp_path.glob(".out.*/*.parquet")))
    code, output, errors, cpu_s = run.interrupt()
    assert (code, output, errors[-1]) == (130, "", "stopped"), errors
    assert list(tmp_path.iterdir()) == []
    # Of its own work; a busy machine may take longer to give it that.
    assert cpu_s < 1, cpu_s


@pytest.mark.parametrize(
    "arguments", [["--help"], ["compare", "--help"], ["show", "cubic"], ["algorithms"], [*SHORT, "--json"]]
)
def test_what_must_start_quickly_imports_nothing_heavy(arguments: list[str]) -> None:
    code = (
        "import sys\n"
        f"sys.argv = ['cwnd', *{arguments!r}]\n"
        "from cwnd.cli.app import main\n"
        "try: main()\n"
        "except SystemExit: pass\n"
        f"print([name for name in {HEAVY!r} if name in sys.modules], file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stderr == "[]\n"


@pytest.mark.parametrize("closed", [">&-", "2>&-", ">&- 2>&-"])
def test_a_closed_standard_output_or_error_is_no_fault(tmp_path: Path, closed: str) -> None:
    line = f"exec {PROGRAM} {' '.join(SHORT)} -o {tmp_path}/out --no-plots {closed}"
    done = subprocess.run(["bash", "-c", line], capture_output=True, text=True, check=False)
    assert done.returncode == 0 and "Traceback" not in done.stderr, done.stderr
    assert (tmp_path / "out" / "cwnd.parquet").exists()


def test_progress_goes_to_a_terminals_standard_error_only(cwnd: Cli) -> None:
    assert cwnd(*SHORT).stderr == ""
    script = f"script -qec '{PROGRAM} {' '.join(SHORT)} --json 2>&1 >/dev/null' /dev/null"
    done = subprocess.run(script, shell=True, capture_output=True, text=True, check=True)
    assert "simulating" in done.stdout


def test_show_explains_the_slow_starts_and_their_settings(cwnd: Cli) -> None:
    text = cwnd("show", "hystart++").stdout
    # RFC 9406 §4.3.
    recommended = {
        "min_rtt_thresh": "4000 us",
        "max_rtt_thresh": "16000 us",
        "min_rtt_divisor": "8",
        "n_rtt_sample": "8 samples",
        "css_growth_divisor": "4",
        "css_rounds": "5 rounds",
        "l": "8 segments",
    }
    for name, value in recommended.items():
        assert f"  {name} = {value}   (" in text
    assert "RFC 9406 §4.3 (CSS_ROUNDS)" in text
    assert "reno, cubic, cubic-linux" in text
    shown = json.loads(cwnd("show", "hystart++", "--json").stdout)
    assert {param["name"] for param in shown["params"]} == set(recommended)
    for name in ("standard", "hystart"):
        assert "no settings" in cwnd("show", name).stdout
    assert "hystart++" in cwnd("show", "hystart+").stderr


def test_show_says_which_settings_are_without_effect(cwnd: Cli) -> None:
    heading = "no effect while slow_start is standard; used with slow_start=hystart++:"
    before, after = cwnd("show", "reno").stdout.split(heading)
    assert "css_rounds = 5" in after
    assert "css_rounds" not in before
    assert "without effect while slow_start" not in cwnd("show", "cubic").stdout


def test_a_slow_starts_settings_are_a_flows(cwnd: Cli) -> None:
    link = ("--rate", "20Mbit/s", "--duration", "3s", "--measure", "0s..3s")

    def packets(flow: str) -> float:
        document = json.loads(cwnd("compare", flow, *link, "--json").stdout)
        return float(document["flows"][0]["cwnd_mean"])

    patient, hasty = packets("cubic@css_rounds=255"), packets("cubic@css_rounds=1,css_growth_divisor=255")
    assert patient != hasty
    refused = cwnd("compare", "cubic@css_rounds=0", *link).stderr
    assert "css_rounds" in refused
    assert "1 to 255" in refused


def test_algorithms_and_show_describe_the_registry(cwnd: Cli) -> None:
    known = json.loads(cwnd("algorithms", "--json").stdout)
    names = [parameter_set["name"] for algorithm in known for parameter_set in algorithm["sets"]]
    assert {"cubic", "cubic-2.2", "reno", "sack", "newreno", "tahoe"} <= set(names)
    plain = cwnd("algorithms").stdout
    for name in names:
        assert name in plain
        shown, described = json.loads(cwnd("show", name, "--json").stdout), cwnd("show", name).stdout
        for param in shown["params"]:
            assert all(param[key] for key in ("name", "default", "min", "max", "help", "source")), param
            assert f"{param['name']} = {param['default']}" in described
    shown = json.loads(cwnd("show", "cubic-2.2", "--json").stdout)
    assert {param["name"]: param["default"] for param in shown["params"]}["beta"] == "0.8"


def test_without_arguments_the_program_explains_itself(cwnd: Cli) -> None:
    done = cwnd()
    assert done.returncode == 0 and "compare" in done.stdout
