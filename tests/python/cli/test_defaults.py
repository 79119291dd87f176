# SPDX-License-Identifier: MIT OR Apache-2.0
"""The user's file of defaults: what it gives, what goes before it, what it is refused for."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import SHORT, Cli

import cwnd as package


def written(folder: Path, text: str) -> dict[str, str]:
    """The environment of somebody who has this file of defaults."""
    path = folder / "config" / "cwnd" / "defaults.toml"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    rest = {name: value for name, value in os.environ.items() if name != "CWND_DEFAULTS"}
    return {**rest, "XDG_CONFIG_HOME": str(folder / "config")}


def test_defaults_are_taken_and_what_is_typed_goes_before_them(cwnd: Cli, tmp_path: Path) -> None:
    env = written(tmp_path, '[compare]\nrate = "5Mbit/s"\nduration = "2s"\nseed = 4\n')
    document = json.loads(cwnd("compare", "cubic", "--json", env=env).stdout)
    assert (document["link"]["capacity_mbps"], document["duration_s"], document["seed"]) == (5.0, 2.0, 4)
    document = json.loads(cwnd("compare", "cubic", "--rate", "10Mbit/s", "--json", env=env).stdout)
    assert (document["link"]["capacity_mbps"], document["duration_s"]) == (10.0, 2.0)


def test_flags_lists_and_commands_of_the_kernel_have_defaults(cwnd: Cli, tmp_path: Path) -> None:
    text = "[compare]\njson = true\nduration = '2s'\ntraffic = ['model = \"udp\", rate = \"1Mbit/s\"']\n[kernel.doctor]\njson = true"
    env = written(tmp_path, text)
    document = json.loads(cwnd("compare", "cubic", env=env).stdout)
    assert document["traffic"][0]["offered_mbps"] == pytest.approx(1.0, rel=0.1)
    assert cwnd("kernel", "doctor", env=env).stdout[:1] in ("[", "")


def test_they_can_be_left_out(cwnd: Cli, tmp_path: Path) -> None:
    env = written(tmp_path, "[algorithms]\njson = true\n")
    assert cwnd("algorithms", env=env).stdout.startswith("[")
    plain = cwnd("algorithms").stdout
    assert not plain.startswith("[")
    assert cwnd("--no-defaults", "algorithms", env=env).stdout == plain
    assert cwnd("algorithms", env={**env, "CWND_DEFAULTS": ""}).stdout == plain


def test_another_file_can_be_named(cwnd: Cli, tmp_path: Path) -> None:
    (tmp_path / "other.toml").write_text("[algorithms]\njson = true")
    env = {**os.environ, "CWND_DEFAULTS": str(tmp_path / "other.toml")}
    assert cwnd("algorithms", env=env).stdout.startswith("[")
    refused = cwnd("algorithms", env={**env, "CWND_DEFAULTS": "nowhere.toml"})
    assert refused.returncode == 2 and all(
        word in refused.stderr for word in ("CWND_DEFAULTS", "nowhere.toml", "exists")
    )


REFUSED = [
    ("[compar]\nrate = '5Mbit/s'", ("defaults.toml: command", '"compar"', "did you mean compare?")),
    ("[compare]\nrat = '5Mbit/s'", ("defaults.toml: compare.rat", "an option of cwnd compare", "did you mean rate")),
    ("[kernel.trace]\nprot = 5", ("defaults.toml: kernel.trace.prot", "did you mean port?")),
    ("[compare]\nno_plots = true", ("compare.no_plots", "did you mean no-plots?")),
    ("[compare]\njson = 'yes'", ("compare.json", '"yes"', "true or false")),
    ("[compare]\nrate = true", ("compare.rate", "True", "a text or a number")),
    ("[compare]\ntraffic = [1]", ("compare.traffic", "[1]", "a list of texts")),
    ("[compare]\nforce = true", ("compare.force", "on the command line only")),
    ("compare = 1", ("defaults.toml: compare", "[compare]", "a table")),
    ("rate = '5Mbit/s'", ("defaults.toml: command", '"rate"', "a command")),
    ("[reproduce]\nseeds = 3", ("reproduce.seeds", "changes no verdict", "jobs")),
    ("[fidelity]\nruns = 3", ("fidelity.runs", "changes no verdict")),
    ("[compare", ("defaults.toml", "TOML")),
]


@pytest.mark.parametrize(("text", "words"), REFUSED, ids=[text.replace("\n", " ") for text, _ in REFUSED])
def test_what_a_file_may_not_say_is_one_line_with_file_key_and_expectation(
    cwnd: Cli, tmp_path: Path, text: str, words: tuple[str, ...]
) -> None:
    done = cwnd("algorithms", env=written(tmp_path, text))
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.count("\n") == 1 and all(word in done.stderr for word in words), done.stderr
    # The way out does not lead through the file.
    assert cwnd("--no-defaults", "algorithms", env=written(tmp_path, text)).returncode == 0


def test_an_error_says_which_defaults_were_taken_and_verbose_says_it_always(cwnd: Cli, tmp_path: Path) -> None:
    env = written(tmp_path, "[compare]\nrate = '5Mbit'\nduration = '2s'")
    refused = cwnd("compare", "cubic", env=env).stderr
    assert "link.rate" in refused and "--rate 5Mbit, --duration 2s; --no-defaults leaves them out" in refused
    assert refused.count("\n") == 1
    said = cwnd("compare", "cubic", "--rate", "5Mbit/s", "-v", env=env).stderr
    assert f"defaults of {tmp_path}/config/cwnd/defaults.toml: --duration 2s\n" in said


def test_a_default_that_does_not_go_with_what_is_given_is_left_out(cwnd: Cli, tmp_path: Path) -> None:
    text = "[compare]\njobs = 2\nsnap-length = '60B'\n[sweep]\nrate = '5Mbit/s'\npoints = 'kept'\n[run]\nseeds = 2\n"
    env = written(tmp_path, text)
    assert cwnd(*SHORT, env=env).returncode == 0
    assert "2 at a time" in cwnd(*SHORT, "--seeds", 2, "-v", env=env).stderr
    (tmp_path / "s.toml").write_text(
        'duration = "1s"\n[link]\nrate = "2Mbit/s"\nrtt = "20ms"\n[[flow]]\ncc = "cubic"\n'
    )
    assert cwnd("run", "s.toml", "--pcap", "x.pcapng", cwd=tmp_path, env=env).returncode == 0
    assert "3 ±" not in cwnd("run", "s.toml", cwd=tmp_path, env=env).stdout
    swept = cwnd("sweep", "s.toml", "--axis", "link.rtt=20ms,30ms", cwd=tmp_path, env=env)
    assert swept.returncode == 0, swept.stderr
    assert not (tmp_path / "kept").exists()


# A row of LEFT_OUT each that no test above has: the default, and the words that it does not go with.
@pytest.mark.parametrize(
    ("default", "words"),
    [
        ("[sweep]\ndask = 'nowhere:1'", ["sweep", "cubic", "--jobs", "1"]),
        ("[sweep]\nuntil = '5%'", ["sweep", "cubic", "--shard", "1/2", "-o", "part"]),
        ("[sweep]\nmost-seeds = 9", ["sweep", "cubic"]),
        ("[sweep]\ncodel = '5ms..100ms'", ["sweep", "cubic", "--red", "5packets..15packets"]),
        ("[compare]\ncodel = '5ms..100ms'", ["compare", "cubic", "--red", "5packets..15packets"]),
        ("[compare]\nred = '5packets..15packets'", ["compare", "cubic", "--codel", "5ms..100ms"]),
        ("[compare]\nlane = 'live'", ["compare", "cubic", "--seeds", "2", "--jobs", "2"]),
    ],
)
def test_each_default_that_does_not_go_with_other_options_is_left_out(
    default: str, words: list[str], cwnd: Cli, tmp_path: Path
) -> None:
    done = cwnd(*words, "--duration", "1s", cwd=tmp_path, env=written(tmp_path, default))
    assert done.returncode == 0, done.stderr


def test_a_condition_s_default_and_that_of_two_sides_in_one_study_are_left_out(cwnd: Cli, tmp_path: Path) -> None:
    for name in ("a", "b"):
        assert cwnd(*SHORT, "--no-plots", "-o", name, cwd=tmp_path).returncode == 0
    env = written(tmp_path, "[diff]\nstrict = true\nbetween = 'beta=0.7,0.85'")
    done = cwnd("diff", "a", "b", cwd=tmp_path, env=env)
    assert done.returncode == 0, done.stderr


@pytest.mark.slow
def test_defaults_of_a_studys_picture_leave_those_of_a_run_as_they_are(cwnd: Cli, tmp_path: Path) -> None:
    env = written(tmp_path, "[plot]\nwidth = 'slide'\nformat = 'pdf'")
    assert cwnd(*SHORT, "--no-plots", "-o", tmp_path / "run").returncode == 0
    drawn = cwnd("plot", tmp_path / "run", env=env)
    assert (drawn.returncode, drawn.stderr) == (0, "") and "cwnd.png" in drawn.stdout
    swept = ("sweep", "cubic", "--rtt", "10ms,20ms", "--seeds", 2, "--duration", "1s", "-o", tmp_path / "study")
    assert cwnd(*swept).returncode == 0
    assert cwnd("plot", tmp_path / "study", env=env).stdout.strip().endswith(".pdf")
    assert cwnd("plot", tmp_path / "study", "-o", tmp_path / "picture.svg", env=env).returncode == 0
    # The picture beside the tables is the study's: the same command still goes on there.
    assert cwnd("plot", tmp_path / "study", env=env).stdout.strip().endswith(".pdf")
    assert cwnd(*swept).returncode == 0 and (tmp_path / "study" / "response.pdf").exists()


def test_quiet_can_be_a_default_and_verbose_on_the_command_line_goes_before_it(cwnd: Cli, tmp_path: Path) -> None:
    env = written(tmp_path, "[compare]\nquiet = true")
    assert cwnd(*SHORT, "--no-plots", "-o", tmp_path / "out", env=env).stderr == ""
    assert "of processor time" in cwnd(*SHORT, "-v", env=env).stderr
    assert "of processor time" in cwnd("-v", *SHORT, env=env).stderr


def test_a_folder_says_what_was_run_whatever_the_defaults_become(cwnd: Cli, tmp_path: Path) -> None:
    env = written(tmp_path, "[compare]\nrate = '5Mbit/s'\nduration = '2s'")
    cwnd("compare", "cubic", "--no-plots", "-o", tmp_path / "out", env=env)
    first = package.load(tmp_path / "out").summary
    env = written(tmp_path, "[compare]\nrate = '9Mbit/s'\n[run]\nseed = 1")
    again = json.loads(cwnd("run", tmp_path / "out" / "scenario.toml", "--json", env=env).stdout)
    assert again["flows"] == json.loads(json.dumps(first["flows"]))


def test_python_does_not_read_the_file(tmp_path: Path) -> None:
    env = written(tmp_path, "[compare]\nrate = '5Mbit/s'\nnonsense")
    code = "import cwnd, sys; r = cwnd.run(cwnd.dumbbell('cubic', rate='100Mbit/s', rtt='40ms', duration='1s')); print(r.summary['link']['capacity_mbps'])"
    done = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True, check=False)
    assert done.stdout == "100.0\n", done.stderr
