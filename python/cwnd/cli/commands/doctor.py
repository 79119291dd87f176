# SPDX-License-Identifier: MIT OR Apache-2.0
"""`cwnd doctor`: the optional parts of cwnd, which of them this machine has, and the command that installs each."""

from __future__ import annotations

import json
import os
import re
import shutil
import sys
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

import typer

from cwnd._internal import bpf_compilers, debian_packages, live_part
from cwnd.cli import without_pandas
from cwnd.cli.options import Json

#: The clone that this package is imported from, if it is one.
CLONE = Path(__file__).resolve().parents[4]
#: The oldest Rust that builds cwnd: `rust-version` of Cargo.toml.
RUST = (1, 89)
NOT_BUILT = "not built into this cwnd"
RUSTUP = "curl --proto '=https' --tlsv1.2 -sSf https://sh.rustup.rs | sh"


@dataclass(frozen=True, slots=True)
class OptionalPart:
    """An optional part of cwnd."""

    #: its name, which `cwnd doctor NAME` takes
    name: str
    #: what it is
    title: str
    #: what needs it
    needed_for: str
    #: whether this machine and this installation have it
    present: bool
    #: what was found, or what is missing
    detail: str
    #: the command that installs it; empty if it is present
    remedy: str


@dataclass(frozen=True, slots=True)
class Known:
    """A part that can be checked. `probe` returns whether it is present and what was found, `remedy` the command that installs it."""

    title: str
    needed_for: str
    probe: Callable[[], tuple[bool, str]]
    remedy: Callable[[], str]
    #: whether only the tests and tools of a clone need it
    for_clone: bool = False


def is_clone() -> bool:
    """Whether this package is that of a clone, where `make` builds it."""
    return (CLONE / "Makefile").is_file() and (CLONE / "crates" / "cwnd-python").is_dir()


def make(target: str) -> Callable[[], str]:
    """A target of the clone, or of one that has to be made: a wheel has all parts that are built."""

    def command() -> str:
        if is_clone():
            return f"make {target}" if Path.cwd() == CLONE else f"make -C {CLONE} {target}"
        return f"{sys.executable} -m pip install --force-reinstall WHEEL, a wheel that `make wheel` built in a clone of cwnd"

    return command


def extra(name: str) -> Callable[[], str]:
    """An extra of the package."""
    return lambda: f"{sys.executable} -m pip install 'cwnd[{name}]'"


def debian(part: str) -> Callable[[], str]:
    """Debian's packages."""
    return lambda: debian_packages.command([part])


def modules(*names: str) -> Callable[[], tuple[bool, str]]:
    """Python's packages."""

    def probe() -> tuple[bool, str]:
        lacks = [name for name in names if find_spec(name) is None]
        return not lacks, f"without {', '.join(lacks)}" if lacks else ", ".join(names)

    return probe


def program(*names: str) -> Callable[[], tuple[bool, str]]:
    """A program under one of its names."""

    def probe() -> tuple[bool, str]:
        found = next(filter(None, map(shutil.which, names)), None)
        return found is not None, found or f"no {' or '.join(names)} on the path"

    return probe


def all_programs(*names: str) -> Callable[[], tuple[bool, str]]:
    """Several programs."""

    def probe() -> tuple[bool, str]:
        lacks = [name for name in names if shutil.which(name) is None]
        return not lacks, f"no {' and no '.join(lacks)} on the path" if lacks else ", ".join(names)

    return probe


def kernel_part() -> tuple[bool, str]:
    from cwnd.kernel import native

    return (True, "built in") if native.is_there() else (False, NOT_BUILT)


def first_obstacle() -> dict[str, str]:
    """The first check of `cwnd kernel doctor` that prevents loading; empty where nothing does."""
    from cwnd.kernel import native
    from cwnd.kernel.doctor import VITAL

    if not native.is_there():
        return {"detail": "this cwnd has no kernel part", "advice": make("kernel")()}
    for check in native.kernel_doctor():
        if check["answer"] is False and check["needed_for"] in VITAL:
            return {"detail": f"{check['name']}: {check['detail']}", "advice": check["advice"]}
    return {}


def may_load() -> tuple[bool, str]:
    obstacle = first_obstacle()
    return (False, obstacle["detail"]) if obstacle else (True, "this kernel and your permissions allow it")


def as_root() -> str:
    """The program with the rights of root."""
    return f"sudo {Path(sys.executable).with_name('cwnd')} ..."


def how_to_load() -> str:
    return first_obstacle()["advice"] if os.geteuid() == 0 else as_root()


def live() -> tuple[bool, str]:
    from cwnd.cli.user_namespace import TUN, may_make_networks

    if without := live_part.why_not():
        return False, NOT_BUILT if sys.platform == "linux" else without
    if not may_make_networks():
        return False, "this process may not create network namespaces"
    if not os.access(TUN, os.R_OK | os.W_OK):
        return False, f"no {TUN}"
    return True, "network namespaces and TUN devices"


def how_to_live() -> str:
    if live_part.why_not():
        return make("wheel")() if sys.platform == "linux" else "a machine with Linux"
    return "modprobe tun" if os.geteuid() == 0 else as_root()


def shell() -> tuple[bool, str]:
    from cwnd.cli.user_namespace import why_not

    if live()[0] or live_part.why_not():
        return live()
    why = why_not()
    return why is None, why or "user namespaces and TUN devices"


def linux() -> tuple[bool, str]:
    from cwnd.linux import requirements, sources
    from cwnd.linux.engine import parts_that_lack
    from cwnd.linux.kernels import STALE, kernels

    if not (why := requirements.why_not_here()) and not requirements.may_trace():
        why = "this machine or container forbids ptrace"
    if why:
        return False, why
    if parts_that_lack():
        return False, NOT_BUILT
    built = kernels()
    if usable := [kernel.name for kernel in built if not kernel.stale]:
        return True, f"kernels {', '.join(usable)}"
    if lacks := requirements.lacking():
        return False, f"without {', '.join(lacks)}"
    if not built and not sources.usable():
        return False, "no kernel is built, and no source of Linux is installed"
    return False, f"{built[0].name} was {STALE}" if built else "no kernel is built"


def how_to_linux() -> str:
    from cwnd.linux import requirements, sources
    from cwnd.linux.engine import parts_that_lack

    if requirements.why_not_here():
        return "a machine with Linux on x86_64"
    if not requirements.may_trace():
        return "a machine or container that allows ptrace"
    if parts_that_lack():
        return make("linux")()
    if requirements.lacking() or not sources.usable():
        return f"{debian_packages.command(['linux'])} && cwnd linux build"
    return "cwnd linux build"


def page() -> tuple[bool, str]:
    from cwnd.page.html import PAGE

    return PAGE.exists(), str(PAGE) if PAGE.exists() else NOT_BUILT


def rust() -> tuple[bool, str]:
    words = bpf_compilers.printed("cargo", "--version") or ""
    found = re.search(r"(\d+)\.(\d+)", words)
    if found is None:
        return False, "no cargo on the path"
    return (int(found[1]), int(found[2])) >= RUST, words.strip()


def compilers() -> tuple[bool, str]:
    lacks = bpf_compilers.missing()
    return not lacks, f"without {', '.join(lacks)}" if lacks else "rustc, clang and LLVM for BPF"


def wasm() -> tuple[bool, str]:
    """As .ci/wasm looks for it: rustup's standard library, or Debian's source of one and a linker."""
    root = (bpf_compilers.printed("rustc", "--print", "sysroot") or "/").strip()
    library = Path(root) / "lib/rustlib/wasm32-unknown-unknown/lib"
    source = Path("/usr/lib/rustlib/src/rust/library/std/Cargo.toml")
    if library.is_dir():
        return True, str(library)
    if source.exists() and list(Path("/usr/bin").glob("wasm-ld*")):
        return True, str(source.parent)
    return False, "no standard library for WebAssembly"


def ns3() -> tuple[bool, str]:
    header = Path("/usr/include/ns3/core-module.h")
    return header.is_file(), str(header) if header.is_file() else "no ns-3"


def go() -> tuple[bool, str]:
    return program("go", "/usr/local/go/bin/go")()


PARTS = {
    "kernel": Known("the kernel part", "cwnd kernel, lane live with cwnd's algorithms", kernel_part, make("kernel")),
    "load": Known("loading into the kernel", "cwnd kernel load, use, switch, trace", may_load, how_to_load),
    "bpf": Known("compilers for BPF", "cwnd build-kernel, make kernel", compilers, debian("kernel")),
    "live": Known("lane live", "--lane live", live, how_to_live),
    "shell": Known("links for programs", "cwnd shell", shell, how_to_live),
    "linux": Known("lane linux", "--lane linux, cwnd linux", linux, how_to_linux),
    "page": Known("the web page", "cwnd lab, --page", page, make("page")),
    "rust": Known(
        f"Rust {RUST[0]}.{RUST[1]} or newer", "cwnd new, check, --plugin, build-kernel", rust, lambda: RUSTUP
    ),
    "frames": Known(
        "data frames", "to_pandas, to_polars, to_xarray", modules("pandas", "polars", "xarray"), extra("frames")
    ),
    "dask": Known("studies on a cluster", "sweep --dask", modules("dask", "distributed"), extra("dask")),
    "notebooks": Known(
        "notebooks",
        "notebooks/*.ipynb",
        modules("ipykernel", "ipywidgets", "nbclient", "nbconvert"),
        extra("notebooks"),
    ),
    "tshark": Known("tshark", "reading the files of --pcap", program("tshark"), debian("tshark")),
    "iperf3": Known("iperf3", "the examples of cwnd shell and cwnd kernel", program("iperf3"), debian("iperf3")),
    "node": Known("Node.js and npm", "make page", program("npm"), debian("node"), for_clone=True),
    "wasm": Known(
        "Rust for WebAssembly", "make page", wasm, lambda: "rustup target add wasm32-unknown-unknown", for_clone=True
    ),
    "chromium": Known(
        "Chromium",
        "tests of the web page",
        program("chromium", "chromium-browser", "google-chrome"),
        debian("chromium"),
        for_clone=True,
    ),
    "firefox": Known("Firefox", "tests of the web page", program("firefox-esr"), debian("firefox"), for_clone=True),
    "ns2": Known("ns-2", "make bench, make compare", program("ns2", "ns"), debian("ns2"), for_clone=True),
    "ns3": Known("ns-3", "make bench, make compare", ns3, debian("ns3"), for_clone=True),
    "valgrind": Known("Valgrind", "make instructions", program("valgrind"), debian("valgrind"), for_clone=True),
    "iproute2": Known("iproute2", "make test-kernel", program("ip"), debian("iproute2"), for_clone=True),
    "zsh": Known("zsh", "tests of completion", program("zsh"), debian("zsh"), for_clone=True),
    "fish": Known("fish", "tests of completion", program("fish"), debian("fish"), for_clone=True),
    "groff": Known("groff", "tests of the manual pages", program("groff"), debian("groff"), for_clone=True),
    "mandoc": Known("mandoc", "tests of the manual pages", program("mandoc"), debian("mandoc"), for_clone=True),
    "bare-root": Known(
        "bubblewrap and debootstrap",
        ".ci/bare-root",
        all_programs("bwrap", "debootstrap"),
        debian("bare-root"),
        for_clone=True,
    ),
    "go": Known("Go 1.26 or newer", "tests with quic-go", go, lambda: "https://go.dev/dl", for_clone=True),
}


def doctor(*names: str) -> list[OptionalPart]:
    """Checks the optional parts of cwnd, or those in `names`: whether each is installed, and the command that installs it.

    In a clone, without `names`, this includes parts that only its tests and tools need. Raises `ScenarioError` for an unknown name.
    """
    from cwnd._internal.input_errors import refused

    for name in names:
        if name not in PARTS:
            raise refused("PART", name, "an optional part", PARTS)
    asked: Iterable[str] = names or [name for name, known in PARTS.items() if is_clone() or not known.for_clone]
    found = []
    for name in asked:
        known = PARTS[name]
        present, detail = known.probe()
        remedy = "" if present else known.remedy()
        found.append(OptionalPart(name, known.title, known.needed_for, present, detail, remedy))
    return found


def command(
    parts: Annotated[
        list[str] | None,
        typer.Argument(metavar="[PART...]", help="Check only these parts; exit code 1 if one is missing."),
    ] = None,
    as_json: Json = False,
) -> None:
    """List the optional parts of cwnd: whether each is installed, what needs it, and the command that installs a missing one.

    `cwnd kernel doctor` says more about the running kernel.
    """
    without_pandas.show()
    found = doctor(*parts or ())
    if as_json:
        print(json.dumps([asdict(part) for part in found]))
    else:
        show(found)
    if parts and not all(part.present for part in found):
        raise typer.Exit(1)


def show(found: list[OptionalPart]) -> None:
    """Prints a line for each part, and below a missing one what is missing and, on a line that can be copied, the command."""
    from cwnd._internal.terminal import Printer

    printer, width = Printer(), max(len(part.name) for part in found)
    for part in found:
        printer.paragraph(f"{'yes' if part.present else 'no':3}  {part.name:{width}}  {part.title}: {part.needed_for}", hang=width + 7)  # fmt: skip
        if not part.present:
            printer.paragraph(part.detail, indent=width + 7, hang=0)
            print(f"{' ' * (width + 7)}{part.remedy}")
