# SPDX-License-Identifier: MIT OR Apache-2.0
"""What `cwnd kernel` refuses, and how it says why: foreign objects, names, folders of others, numbers that are none."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import PROGRAM, Cli, New, refused
from in_kernel import PATIENCE_S, crate_with_object, kernel, registered
from needs import needs, skip_without

from cwnd import ScenarioError, _native
from cwnd.plugin import crate as plugin

BPFFS = Path("/sys/fs/bpf")
PINS = BPFFS / "cwnd"

#: A program that no congestion control has, beside nothing or beside a whole algorithm.
FOREIGN = """
#define SEC(name) __attribute__((section(name), used))
SEC("license") char license_text[] = "GPL";
SEC("tracepoint/syscalls/sys_enter_getpid") int other(void *context) { return 0; }
"""


def alone(script: str, **options: object) -> subprocess.CompletedProcess[str]:
    """Runs a script in a mount namespace of its own, where it may hide files from the program `$CWND`."""
    env = {**os.environ, "CWND": str(PROGRAM)}
    command = ["unshare", "--mount", "--propagation", "private", "sh", "-ec", script]
    return subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE_S, check=False, env=env, **options)  # type: ignore[call-overload,no-any-return]


def clang() -> str:
    """A clang for BPF; the test is skipped where there is none, but not in CI."""
    clang = shutil.which("clang") or next(
        (str(path) for path in sorted(Path("/usr/lib").glob("llvm-*/bin/clang"))), None
    )
    if clang is None:
        skip_without("bpf")
    assert clang is not None
    return clang


@pytest.fixture
def foreign(tmp_path: Path) -> Path:
    """An object of somebody else's."""
    source, file = tmp_path / "foreign.c", tmp_path / "foreign.o"
    source.write_text(FOREIGN)
    subprocess.run([clang(), "-O2", "-g", "-target", "bpfel", "-c", str(source), "-o", str(file)], check=True)
    return file


@kernel
def test_an_algorithm_that_reads_the_tick_rate_loads_where_the_kernels_configuration_is_not_published() -> None:
    hidden = (
        "for file in /proc/config.gz /boot/config-$(uname -r); do [ ! -e $file ] || mount --bind /dev/null $file; done"
    )
    done = alone(f"{hidden}; exec $CWND kernel use cubic -- true")
    assert (done.returncode, done.stderr) == (0, "")
    # Loaded, and attached; no connection has port 9.
    for what in ("--cc kernel/cubic", ""):
        done = alone(f"{hidden}; exec $CWND kernel trace {what} --port 9 --duration 0.1")
        assert done.returncode == 1 and done.stderr.startswith("error: nothing was recorded"), done.stderr
    done = alone(f"{hidden}; exec $CWND kernel doctor")
    assert done.returncode == 0 and "tick rate" not in done.stdout


@kernel
def test_a_load_error_names_the_first_no_of_the_doctor() -> None:
    done = alone("mount -t tmpfs none /sys/kernel/btf; exec $CWND kernel load reno")
    assert done.returncode == 1
    last = done.stderr.splitlines()[-1]
    assert last.startswith("error: ") and "no /sys/kernel/btf/vmlinux" in last and "CONFIG_DEBUG_INFO_BTF" in last, last
    # Another command of the same machine, with another thing amiss.
    command = ["setpriv", "--inh-caps=-all", "--bounding-set=-all", str(PROGRAM), "kernel", "load", "reno"]
    poor = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE_S, check=False)
    last = poor.stderr.splitlines()[-1]
    assert poor.returncode == 1 and "without CAP_BPF" in last and "sudo" in last, last


@kernel
def test_an_error_of_a_switch_names_the_doctors_first_no() -> None:
    done = alone("mount -t tmpfs none /sys/kernel/btf; exec $CWND kernel switch --port 1 kernel/reno")
    assert done.returncode == 1 and "no /sys/kernel/btf/vmlinux" in done.stderr.splitlines()[-1]


def without_bpffs(script: str) -> subprocess.CompletedProcess[str]:
    """The same where no file system for pins is mounted; what the machine has mounted stays so for everybody else."""
    return alone(f"while umount {BPFFS} 2>/dev/null; do :; done; {script}")


@kernel
def test_bpffs_is_mounted_for_root_alone() -> None:
    done = without_bpffs(
        "$CWND kernel load htcp --as cwnd_t_bpffs --pin; stat -c '%U %a' /sys/fs/bpf /sys/fs/bpf/cwnd;"
        "$CWND kernel unload cwnd_t_bpffs"
    )
    assert done.returncode == 0 and "\nroot 1700\nroot 700\n" in done.stdout, done.stdout + done.stderr
    assert "cwnd_t_bpffs" not in registered()


@kernel
@pytest.mark.parametrize(
    ("script", "words"),
    [
        ("mkdir /sys/fs/bpf/cwnd; chown 65534 /sys/fs/bpf/cwnd", "user 65534"),
        ("mkdir -m 777 /sys/fs/bpf/cwnd; chmod 777 /sys/fs/bpf/cwnd", "others may write"),
        ("mkdir /sys/fs/bpf/real; ln -s /sys/fs/bpf/real /sys/fs/bpf/cwnd", "not a folder"),
    ],
    ids=["another owner", "writable", "a link"],
)
def test_a_pin_is_refused_a_folder_that_is_not_roots_alone(script: str, words: str) -> None:
    done = without_bpffs(
        f"mount -t bpf bpf /sys/fs/bpf; {script}; $CWND kernel load htcp --as cwnd_t_folder --pin || code=$?;"
        "ls -A /sys/fs/bpf/cwnd/; exit $code"
    )
    assert (done.returncode, done.stdout) == (1, ""), done.stdout + done.stderr
    assert "/sys/fs/bpf/cwnd" in done.stderr and words in done.stderr and done.stderr.count("\n") == 1, done.stderr
    assert "cwnd_t_folder" not in registered()


@kernel
def test_a_file_system_of_pins_that_anybody_may_write_takes_a_folder_of_roots() -> None:
    """It always has the sticky bit: of what lies in it, only the owner can take it away or rename it."""
    done = without_bpffs(
        "mount -t bpf -o mode=0777 bpf /sys/fs/bpf; $CWND kernel load htcp --as cwnd_t_open --pin;"
        "stat -c '%U %a' /sys/fs/bpf/cwnd; exec $CWND kernel unload cwnd_t_open"
    )
    assert done.returncode == 0 and "\nroot 700\n" in done.stdout, done.stdout + done.stderr


@kernel
def test_an_object_of_somebody_else_is_refused_as_what_it_is(cwnd: Cli, foreign: Path) -> None:
    done = cwnd("kernel", "load", foreign)
    refused(done, str(foreign), "cwnd build-kernel")


@needs("kernel")
@pytest.mark.parametrize("kind", ["too long", "pipe", "device"])
def test_a_file_that_is_no_object_is_not_read_to_its_end(kind: str, tmp_path: Path) -> None:
    file = tmp_path / "big.bpf.o"
    if kind == "pipe":
        os.mkfifo(file)
    elif kind == "device":
        file.symlink_to("/dev/zero")
    else:
        with file.open("wb") as opened:
            opened.truncate((16 << 20) + 1)
    with pytest.raises(ScenarioError, match="not a file of at most 16 MiB"):
        _native.KernelModule.from_file(str(file))


@pytest.fixture(scope="module")
def crate(tmp_path_factory: pytest.TempPathFactory, new_crate: New) -> Path:
    return crate_with_object(new_crate, "extra", tmp_path_factory.mktemp("plugin"))


@kernel
@pytest.mark.parametrize(
    ("more", "words"),
    [
        (
            'SEC("tracepoint/syscalls/sys_enter_getpid") int program_more(void *context) { return 0; }',
            "sys_enter_getpid",
        ),
        ('SEC("xdp") int program_more(void *context) { return 2; }', "xdp"),
        (
            'SEC(".struct_ops.link") struct tcp_congestion_ops program_more = { .name = "more" };',
            "more than one struct",
        ),
        ('SEC(".struct_ops") struct tcp_congestion_ops program_more = { .name = "more" };', "more than one struct"),
    ],
    ids=["a tracepoint", "a packet filter", "a second algorithm", "a second algorithm that stays"],
)
def test_an_object_with_another_program_in_it_is_refused_before_anything_is_loaded(
    cwnd: Cli, crate: Path, tmp_path: Path, more: str, words: str
) -> None:
    """The object that `build-kernel` makes, with one thing more in its C source."""
    sources = tmp_path / "cwnd-bpf"
    shutil.copytree(plugin.source() / "crates" / "cwnd-bpf" / "bpf", sources / "bpf")
    with (sources / "bpf" / "glue.bpf.c").open("a") as glue:
        glue.write(more + "\n")
    (tmp_path / "scratch").mkdir()
    hooks = crate / "target" / "cwnd" / "kernel"
    code = (
        f"from cwnd import _native; from cwnd.plugin import crate as plugin; plugin.load_plugin({str(crate)!r});"
        f"print(_native.build_kernel_object('extra', [], {str(sources)!r}, {str(hooks)!r}, {str(tmp_path / 'scratch')!r}))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=PATIENCE_S, check=True)
    built = done.stdout.strip()
    done = cwnd("kernel", "load", built)
    refused(done, "cwnd build-kernel", words)
    assert "cwnd_extra" not in registered()


@kernel
def test_a_file_whose_name_gives_none_for_the_kernel_says_so_and_takes_another(
    cwnd: Cli, crate: Path, tmp_path: Path
) -> None:
    file = tmp_path / "bad-name.bpf.o"
    shutil.copy(crate / "extra.bpf.o", file)
    done = cwnd("kernel", "load", file)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f'error: NAME: "{file}"') and done.stderr.count("\n") == 1, done.stderr
    assert "cwnd_bad-name" in done.stderr and "--as NAME" in done.stderr
    assert cwnd("kernel", "use", file, "--param", "beta=0.5", "--", "true").returncode == 0, "digits are a name"


@kernel
@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("load", "cubic", "--as", "cubic"), ("--as", "cubic", "belongs to the kernel")),
        (("load", "cubic", "--as", "reno"), ("--as", "reno", "belongs to the kernel")),
        (("trace", "--cc", "cubic", "--as", "reno", "--", "true"), ("--as", "reno", "belongs to the kernel")),
        (("trace", "--duration", "nan"), ("--duration", "nan", "seconds")),
        (("trace", "--duration", "inf"), ("--duration", "inf", "seconds")),
        (("trace", "--duration", "-1"), ("--duration", "-1", "seconds")),
        (("trace", "--duration", "-inf"), ("--duration", "-inf", "seconds")),
    ],
    ids=lambda value: " ".join(value),
)
def test_names_and_numbers_that_cannot_be_are_one_line(
    cwnd: Cli, arguments: tuple[str, ...], words: tuple[str, ...]
) -> None:
    done = cwnd("kernel", *arguments)
    refused(done, *words)


@kernel
def test_a_switch_that_matches_nothing_says_so_and_fails(cwnd: Cli) -> None:
    done = cwnd("kernel", "switch", "--port", "1", "--from", "reno", "kernel/reno")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == "error: no connection of this network namespace has port 1 and runs on reno\n"
