# SPDX-License-Identifier: MIT OR Apache-2.0
"""Files that another user may have made or may read: symbolic links in a folder, permissions of records, temporary names."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pyarrow as pa
import pytest
from conftest import Cli, refused
from needs import needs, needs_root

import cwnd as package
from cwnd._internal.partial_folders import remove_leftovers
from cwnd.kernel.result import Manifest
from cwnd.kernel.trace_folder import hand_over, trace_writer
from cwnd.page.html import PAGE
from cwnd.reproduce import html_report
from cwnd.result.packets import capture_file
from cwnd.result.store import MANIFEST, TRACE
from tools.fuzz.seeds import traced

PRECIOUS = "not to be changed\n"
#: Names that earlier versions wrote to before a file took its name.
EARLIER = (".manifest.json.part", ".report.html", ".data.parquet")


def with_links(folder: Path, victim: Path, names: list[str]) -> None:
    """Puts a symbolic link to the victim in place of each of these files."""
    victim.write_text(PRECIOUS)
    for name in names:
        (folder / name).unlink(missing_ok=True)
        (folder / name).symlink_to(victim)


@pytest.fixture
def run_folder(tmp_path: Path) -> Path:
    """The folder of a short run, with its pictures."""
    package.run(package.dumbbell("cubic", rate="5Mbit/s", rtt="20ms", duration="1s"), folder=tmp_path / "run")
    return tmp_path / "run"


# An archive can hold links: `windows.png -> ~/.bashrc`. A command that draws into the folder has to replace the link.
@pytest.mark.slow
def test_plot_replaces_links_in_the_folder_of_a_run(run_folder: Path, tmp_path: Path, cwnd: Cli) -> None:
    victim = tmp_path / "victim"
    pictures = [path.name for path in run_folder.iterdir() if path.suffix in (".png", ".svg")]
    assert len(pictures) == 10
    with_links(run_folder, victim, [*pictures, "windows.png", *EARLIER])
    assert cwnd("plot", run_folder).returncode == 0
    assert cwnd("plot", run_folder, "--kind", "windows").returncode == 0
    assert victim.read_text() == PRECIOUS
    assert not any((run_folder / name).is_symlink() for name in [*pictures, "windows.png"])


def test_report_replaces_links_in_its_folder(tmp_path: Path, cwnd: Cli) -> None:
    folder, victim = tmp_path / "reproduced", tmp_path / "victim"
    folder.mkdir()
    (folder / MANIFEST).write_text('{"kind": "cwnd reproduce"}')
    (folder / "verdicts.json").write_text("[]")
    with_links(folder, victim, [html_report.PAGE, html_report.LAB, html_report.THIS, html_report.BEFORE, *EARLIER])
    assert cwnd("report", folder).returncode == 0
    assert victim.read_text() == PRECIOUS
    assert not (folder / html_report.PAGE).is_symlink()


def test_a_sweep_replaces_links_in_its_folder(tmp_path: Path, cwnd: Cli) -> None:
    folder, victim = tmp_path / "study", tmp_path / "victim"
    sweep = ("sweep", "cubic", "--axis", "rtt=10ms,20ms", "--rate", "5Mbit/s", "--duration", "1s", "-o", folder)
    assert cwnd(*sweep).returncode == 0
    tables = ["means.csv", "means.parquet", "runs.parquet"]
    with_links(folder, victim, [*tables, "failed.json", "response.png", *EARLIER])
    assert cwnd(*sweep, "--seeds", "2").returncode == 0
    assert cwnd("plot", folder).returncode == 0
    assert victim.read_text() == PRECIOUS
    assert not any((folder / name).is_symlink() for name in [*tables, "response.png"])


# The runs of a study are in folders inside it: through a link they would be written into another one, and old files there removed.
@pytest.mark.parametrize("link", ["points", "points/00"])
def test_a_sweep_writes_no_runs_through_a_link(link: str, tmp_path: Path, cwnd: Cli) -> None:
    folder, victim = tmp_path / "study", tmp_path / "victim"
    sweep = ("sweep", "cubic", "--axis", "rtt=10ms,20ms", "--rate", "5Mbit/s", "--duration", "1s", "-o", folder)
    assert cwnd(*sweep).returncode == 0
    victim.mkdir()
    path = folder / link
    if path.is_dir():
        shutil.rmtree(path)
    path.symlink_to(victim)
    for command in ((*sweep, "--seeds", "2"), (*sweep, "--shard", "1/2"), ("merge", folder, "-o", folder)):
        done = cwnd(*command)
        refused(done, f"{link} is a link, which is not followed")
    assert not any(victim.iterdir())


@needs("page")
def test_a_page_replaces_no_file_through_a_link(tmp_path: Path, cwnd: Cli) -> None:
    victim, page = tmp_path / "victim", tmp_path / "page.html"
    shutil.copy(PAGE, victim)
    before = victim.read_bytes()
    page.symlink_to(victim)
    assert cwnd("lab", "-o", page).returncode == 0
    assert victim.read_bytes() == before
    assert not page.is_symlink()


# The name is not known before, and a file that has it all the same is not opened: O_EXCL.
def test_a_temporary_file_is_always_a_new_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from cwnd._internal import temporary_files

    victim, target = tmp_path / "victim", tmp_path / "summary.json"
    victim.write_text(PRECIOUS)
    part = temporary_files.temporary_name(target)
    part.symlink_to(victim)
    monkeypatch.setattr(temporary_files, "temporary_name", lambda _: part)
    with pytest.raises(FileExistsError), temporary_files.replacing(target) as taken:
        taken.write_text("{}")
    assert victim.read_text() == PRECIOUS
    assert not target.exists()


# Of what a machine sends, and of who was connected to whom, nothing is for other users; the rest is as the user's umask says.
@pytest.mark.slow
def test_records_are_readable_as_their_user_says(tmp_path: Path, program: Cli) -> None:
    scenario = ("compare", "cubic", "--rate", "5Mbit/s", "--rtt", "20ms", "--duration", "1s")
    for umask, folder_mode, file_mode in ((0o077, 0o700, 0o600), (0o022, 0o755, 0o644)):
        folder, capture = tmp_path / f"run-{umask}", tmp_path / f"{umask}.pcapng"
        done = program(*scenario, "-o", folder, "--pcap", capture, umask=umask)
        assert done.returncode == 0, done.stderr
        assert folder.stat().st_mode & 0o777 == folder_mode
        assert {path.stat().st_mode & 0o777 for path in (capture, *folder.iterdir())} == {file_mode}


# From the begin: who has opened a file before its permissions change reads all that is written later.
def test_a_capture_of_real_packets_is_its_users_alone(tmp_path: Path) -> None:
    umask = os.umask(0)
    try:
        with capture_file(tmp_path / "out.pcapng", private=True) as keep:
            (part,) = tmp_path.iterdir()
            assert part.stat().st_mode & 0o777 == 0o600
            keep("", b"\n\r\r\n")
    finally:
        os.umask(umask)
    assert (tmp_path / "out.pcapng").stat().st_mode & 0o777 == 0o600


# `sudo cwnd shell --pcap` in a folder of another user, who puts a link where the temporary file was.
def test_a_capture_is_not_written_through_a_link_that_replaces_it(tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    victim.write_text(PRECIOUS)
    with capture_file(tmp_path / "out.pcapng", private=True) as keep:
        (part,) = (path for path in tmp_path.iterdir() if path != victim)
        part.unlink()
        part.symlink_to(victim)
        keep("", b"\n\r\r\n")
    assert victim.read_text() == PRECIOUS and victim.stat().st_mode & 0o777 != 0o600


@needs_root
def test_a_kernel_trace_is_for_the_user_who_asked_for_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SUDO_UID", "12345")
    monkeypatch.setenv("SUDO_GID", "12346")
    with trace_writer(tmp_path / "trace") as writer:
        assert writer is not None
        writer.finish(pa.record_batch({"flow": pa.array([0], pa.uint32())}), {}, pictures=False)  # type: ignore[typeddict-item]
    folder = tmp_path / "trace"
    assert folder.stat().st_mode & 0o777 == 0o700
    assert {(path.stat().st_uid, path.stat().st_gid) for path in (folder, *folder.iterdir())} == {(12345, 12346)}


# The user who has called `sudo` owns the folder around the trace: a folder of that user's in its place could hold hard links to files of root's.
@needs_root
def test_a_folder_that_another_user_has_put_in_its_place_is_not_handed_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    victim, folder = tmp_path / "victim", tmp_path / "trace"
    victim.write_text(PRECIOUS)
    folder.mkdir(0o700)
    (folder / "manifest.json").hardlink_to(victim)
    os.chown(folder, 12345, 12346)
    monkeypatch.setenv("SUDO_UID", "12345")
    monkeypatch.setenv("SUDO_GID", "12346")
    with pytest.raises(PermissionError, match="another user has put a folder in its place"):
        hand_over(folder)
    assert victim.stat().st_uid == 0
    (tmp_path / "link").symlink_to(folder)
    with pytest.raises(NotADirectoryError):
        hand_over(tmp_path / "link")


ABOUT: Manifest = {
    **{
        "kind": TRACE,
        "lane": "kernel",
        "files": [],
        "algorithm": "cubic",
        "seconds": 1.0,
        "connections": 1,
        "calls": 2,
    },
    **{"lost": 0, "differences": None, "first": None, "versions": {}},
}  # type: ignore[typeddict-item]
FLOWS = {"flow": pa.array([0], pa.uint32())}


# That user gives the name of the temporary folder to another one, with links in it, while root writes.
@pytest.mark.parametrize("name", ["manifest.json", "flows.parquet", "trace.svg"])
def test_a_trace_is_not_written_through_a_folder_that_replaces_its_own(name: str, tmp_path: Path) -> None:
    victim, folder = tmp_path / "victim", tmp_path / "parent" / "trace"
    victim.write_text(PRECIOUS)
    folder.parent.mkdir()
    with (
        pytest.raises(PermissionError, match="another user has put a folder in its place"),
        trace_writer(folder) as writer,
    ):
        assert writer is not None
        writer.partial.rename(folder.parent / "aside")
        writer.partial.mkdir()
        (writer.partial / name).symlink_to(victim)
        writer.write("cwnd", traced("cwnd").to_batches()[0])
        writer.finish(pa.record_batch(FLOWS), ABOUT, pictures=True)
    assert victim.read_text() == PRECIOUS and not folder.exists()


def test_a_trace_is_written_only_into_a_folder_that_is_new(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    theirs = tmp_path / "theirs"
    theirs.mkdir(0o700)
    (theirs / "manifest.json").symlink_to(tmp_path / "victim")
    monkeypatch.setattr("cwnd._internal.partial_folders.make_beside", lambda *_: theirs)
    with pytest.raises(PermissionError, match="another user"), trace_writer(tmp_path / "trace"):
        pytest.fail("a folder with something in it")


# In /tmp a user can make what looks like a folder that a killed run of another user has left, with a result beside it to be "restored".
@needs_root
def test_what_another_user_has_left_is_not_taken_up(run_folder: Path, tmp_path: Path) -> None:
    part, old = tmp_path / ".out.0123abcd", tmp_path / ".out.0123abcd.old"
    part.mkdir()
    run_folder.rename(old)
    for path in (part, old):
        os.chown(path, 12345, 12345)
    assert remove_leftovers(tmp_path / "out", lambda _: True) == []
    assert part.is_dir() and old.is_dir() and not (tmp_path / "out").exists()
