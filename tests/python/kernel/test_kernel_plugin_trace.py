# SPDX-License-Identifier: MIT OR Apache-2.0
"""An algorithm of one's own in the kernel: its object says what it is, takes parameters, is traced, and repeated on the host."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import path_in_kernel
import pyarrow.parquet as pq
import pytest
from conftest import Cli, New
from in_kernel import PATIENCE_S, Loader, crate_with_object, kernel, registered

import cwnd as library

MEGABYTE = 1_000_000


@pytest.fixture(scope="module")
def crate(tmp_path_factory: pytest.TempPathFactory, new_crate: New) -> Path:
    return crate_with_object(new_crate, "mine", tmp_path_factory.mktemp("plugin"))


@pytest.fixture(scope="module")
def pac(tmp_path_factory: pytest.TempPathFactory, new_crate: New) -> Path:
    """A rule that sets its rate itself."""
    rule = Path(__file__).parents[1] / "plugin" / "pac.rs"
    return crate_with_object(new_crate, "pac", tmp_path_factory.mktemp("plugin"), rule)


@pytest.fixture(scope="module")
def network() -> Iterator[path_in_kernel.Path]:
    with path_in_kernel.path("400mbit", 100) as path:
        yield path


def traced(cwnd: Cli, network: path_in_kernel.Path, *arguments: object, drawn: bool = False) -> dict[str, object]:
    """Sends 20 MB under a trace, without pictures unless they are asked for; its summary."""
    with network.receiving() as receiver:
        plots = ("--no-plots",) if "-o" in arguments and not drawn else ()
        done = cwnd("kernel", "trace", "--json", *arguments, *plots, "--", *network.sends(20 * MEGABYTE))
        assert (done.returncode, done.stderr) == (0, ""), done.stderr
        assert receiver.communicate(timeout=PATIENCE_S)[0] == f"{20 * MEGABYTE}\n"
    summary: dict[str, object] = json.loads(done.stdout)
    return summary


@kernel
def test_an_object_is_traced_and_repeated_on_the_host_and_again_from_the_folder(
    cwnd: Cli, crate: Path, network: path_in_kernel.Path, tmp_path: Path
) -> None:
    folder = tmp_path / "trace"
    summary = traced(cwnd, network, "--cc", crate / "mine.bpf.o", "--plugin", crate, "-o", folder)
    assert (summary["algorithm"], summary["lost"], summary["differences"]) == ("cwnd_mine", 0, 0), summary
    again = cwnd("replay", folder, "--plugin", crate)
    assert again.returncode == 0 and f"{summary['calls']:,} calls, 0 differences\n" in again.stdout, again.stderr
    # A replay that could not fail would say nothing.
    assert cwnd("replay", folder, "--plugin", crate, "--param", "beta=0.5").returncode == 1


@kernel
def test_parameters_are_set_on_the_object_and_reach_the_kernel_the_host_and_the_record(
    cwnd: Cli, crate: Path, network: path_in_kernel.Path, tmp_path: Path
) -> None:
    folder = tmp_path / "trace"
    arguments = ("--cc", crate / "mine.bpf.o", "--plugin", crate, "--param", "beta=0.5")
    summary = traced(cwnd, network, *arguments, "-o", folder)
    assert summary["differences"] == 0
    assert json.loads((folder / "manifest.json").read_text())["params"]["beta"] == "0.5"
    assert cwnd("replay", folder, "--plugin", crate).returncode == 0
    assert cwnd("replay", folder, "--plugin", crate, "--param", "beta=0.7").returncode == 1


# The rule sets 10 000 000 bytes/s and 1 000 more for each call that has set it, modulo 8: 10 001 000 in each `init`, then
# 10 002 000 to 10 007 000, 10 000 000, 10 001 000 and so on. No other call, and nothing in the kernel, changes it.
@kernel
def test_the_rate_that_an_algorithm_sets_is_compared_after_every_call(
    cwnd: Cli, pac: Path, network: path_in_kernel.Path, tmp_path: Path
) -> None:
    folder = tmp_path / "trace"
    settings = ("--param", "rate_bytes_per_s=10000000", "--param", "step_bytes_per_s=1000")
    summary = traced(cwnd, network, "--cc", pac / "pac.bpf.o", "--plugin", pac, *settings, "-o", folder)
    assert (summary["lost"], summary["differences"]) == (0, 0), summary
    columns = ["hook", "pacing_rate", "pacing_rate_after"]
    hooks = pq.read_table(folder / "hooks.parquet", columns=columns).to_pylist()
    steps = setting = 0
    for call, hook in enumerate(hooks):
        if hook["hook"] in ("init", "cong_control"):
            # The handshake's acknowledgement comes before `init`, which begins anew.
            steps = 1 if hook["hook"] == "init" else steps + 1
            setting += 1
            assert hook["pacing_rate_after"] == 10_000_000 + steps % 8 * 1_000, (call, hook)
        else:
            assert hook["pacing_rate_after"] == hook["pacing_rate"], (call, hook)
    assert setting > 50 and len(hooks) == summary["calls"]
    # Each call of `cong_control` is a row of the windows over time, as each of `cong_avoid` is of other algorithms.
    moving = ("init", "cong_avoid", "cong_control", "set_state", "undo_cwnd", "cwnd_event")
    rows = pq.read_metadata(folder / "cwnd.parquet").num_rows
    assert rows == sum(hook["hook"] in moving for hook in hooks) > 50
    # One byte a second more in each call that sets it: every one of them differs, in nothing but the rate.
    again = cwnd("replay", folder, "--plugin", pac, "--json")
    assert again.returncode == 0 and json.loads(again.stdout)["differences"] == 0, again.stderr
    other = cwnd("replay", folder, "--plugin", pac, "--param", "rate_bytes_per_s=10000001", "--json")
    outcome = json.loads(other.stdout)
    assert (other.returncode, outcome["differences"], outcome["pacing_compared"]) == (1, setting, len(hooks)), outcome
    assert outcome["first"].endswith("pacing_rate 10001001 instead of 10001000"), outcome


@kernel
def test_without_its_crate_an_object_is_traced_but_not_repeated(
    cwnd: Cli, crate: Path, network: path_in_kernel.Path, tmp_path: Path
) -> None:
    folder = tmp_path / "trace"
    summary = traced(cwnd, network, "--cc", crate / "mine.bpf.o", "-o", folder)
    assert summary["differences"] is None and summary["calls"]
    assert pq.read_metadata(folder / "hooks.parquet").num_rows == summary["calls"]
    refused = cwnd("replay", folder)
    assert refused.returncode == 2 and "--plugin" in refused.stderr and refused.stderr.count("\n") == 1
    assert cwnd("replay", folder, "--plugin", crate).returncode == 0


@kernel
def test_what_is_loaded_is_traced_by_its_name_with_the_settings_that_it_has(
    cwnd: Cli, crate: Path, network: path_in_kernel.Path, load: Callable[..., Loader]
) -> None:
    load(str(crate / "mine.bpf.o"), "--param", "beta=0.6", "--as", "cwnd_t_own")
    summary = traced(cwnd, network, "--cc", "cwnd_t_own", "--plugin", crate)
    assert summary["differences"] == 0 and summary["calls"]
    assert summary["params"] == {"beta": "0.6", "rest_us": "5000"}
    assert "cwnd_t_own" in registered()
    load("htcp", "--as", "cwnd_t_ours")
    summary = traced(cwnd, network, "--cc", "cwnd_t_ours")
    assert summary["differences"] == 0 and summary["calls"]


@kernel
def test_a_loaded_objects_file_that_has_changed_is_not_taken_for_it(
    cwnd: Cli, crate: Path, tmp_path: Path, load: Callable[..., Loader]
) -> None:
    file = tmp_path / "mine.bpf.o"
    file.write_bytes((crate / "mine.bpf.o").read_bytes())
    load(str(file), "--as", "cwnd_t_old")
    assert cwnd("build-kernel", crate, "--param", "beta=0.8", "-o", file).returncode == 0
    done = cwnd("kernel", "trace", "--cc", "cwnd_t_old", "--", "true")
    assert done.returncode == 2 and "cwnd_t_old" in done.stderr and str(file) in done.stderr
    assert "changed" in done.stderr and done.stderr.count("\n") == 1


@kernel
def test_parameters_of_an_object_are_checked_like_those_of_a_set(cwnd: Cli, crate: Path) -> None:
    file = crate / "mine.bpf.o"
    for setting, words in (
        ("beta=2", ("beta", "2", "0.1 to 0.99")),
        ("bata=0.5", ("bata", "did you mean beta")),
        ("rest_us=nan", ("rest_us", "nan", "whole number")),
    ):
        done = cwnd("kernel", "load", file, "--param", setting)
        assert (done.returncode, done.stdout) == (2, "")
        assert done.stderr.count("\n") == 1 and all(word in done.stderr for word in words), done.stderr


@kernel
def test_parameters_of_an_object_work_for_load_use_and_switch(
    cwnd: Cli, crate: Path, load: Callable[..., Loader]
) -> None:
    file = str(crate / "mine.bpf.o")
    loader = load(file, "--param", "beta=0.5")
    name = loader.said.split()[0]
    assert name.startswith("cwnd_") and name != "cwnd_mine", "other settings have another name"
    again = load(file, "--param", "beta=0.5")
    assert "had already loaded" in again.said and "with the same settings" in again.said
    done = cwnd("kernel", "use", file, "--param", "beta=0.5", "--", "true")
    assert (done.returncode, done.stderr) == (0, "")
    listed = json.loads(cwnd("kernel", "list", "--json").stdout)["loaded"]
    assert name in {each["name"] for each in listed}
    done = cwnd("kernel", "switch", "--port", "1", file, "--param", "beta=0.5")
    assert done.returncode == 1 and "no connection" in done.stderr


@kernel
def test_a_crate_that_is_not_the_objects_is_refused(cwnd: Cli, crate: Path, new_crate: New, tmp_path: Path) -> None:
    other = new_crate("other", tmp_path / "other")
    done = cwnd("kernel", "trace", "--cc", crate / "mine.bpf.o", "--plugin", other, "--", "true")
    assert done.returncode == 2 and "--plugin" in done.stderr and "mine" in done.stderr
    assert "cwnd_mine" not in registered()


@kernel
def test_python_reads_a_trace_as_tables_and_shows_it(cwnd: Cli, network: path_in_kernel.Path, tmp_path: Path) -> None:
    folder = tmp_path / "trace"
    summary = traced(cwnd, network, "--cc", "cubic", "-o", folder, drawn=True)
    trace = library.load(folder)
    assert isinstance(trace, library.KernelTrace) and isinstance(trace, library.Result) and trace.lane == "kernel"
    assert trace.summary["calls"] == summary["calls"] == trace.hooks.num_rows == trace.rows("hooks")
    assert {"cwnd", "ssthresh", "srtt_ms", "ca_state"} <= set(trace.cwnd.column_names)
    # The columns are those of the schema, in its order; the private area is ours, and only lane linux records rate samples.
    for table in library._native.record_schema():
        if "kernel" in table["lanes"] and table["name"] != "packets":  # only with --transport
            names = [
                column["name"] for column in table["columns"] if column["only"] is None or "kernel" in column["only"]
            ]
            assert trace.table(table["name"]).column_names == [
                name for name in names if not name.startswith(("priv", "rs_"))
            ]
    assert trace.flows.num_rows == 1 and list(trace.tables) == ["flows", "cwnd", "hooks"]
    assert (
        "cwnd_cubic" in repr(trace) and f"{summary['calls']:,} calls" in repr(trace) and "0 differences" in repr(trace)
    )
    picture = folder / "trace.png"
    assert picture.stat().st_size > 20_000 and (folder / "trace.svg").exists()
    before = picture.read_bytes()
    picture.unlink()
    done = cwnd("plot", folder)
    assert (done.returncode, done.stderr) == (0, "") and str(picture) in done.stdout
    assert picture.read_bytes() == before, "the same trace gives the same bytes"
    # The folder is still one of cwnd's, which -o may take.
    assert set(json.loads((folder / "manifest.json").read_text())["files"]) == {path.name for path in folder.iterdir()}
