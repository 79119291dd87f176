# SPDX-License-Identifier: MIT OR Apache-2.0
"""Plugins: algorithms in crates outside our tree. Makes, builds and loads them, and builds kernel objects of them."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import subprocess
import tempfile
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TypedDict

from cwnd import _native
from cwnd._internal.input_errors import path_of, refused
from cwnd._internal.partial_folders import make_beside
from cwnd._internal.temporary_files import replacing
from cwnd._native import ScenarioError
from cwnd.scenario.builders import dumbbell
from cwnd.scenario.flowspec import parse

TEMPLATES = Path(__file__).with_name("templates")
# The kernel's name is `cwnd_` and this one, up to 15 letters.
NAME_MAX = 10
NAME_FORM = f"1 to {NAME_MAX} lower-case letters, digits and _, a letter first"
#: SHA-256 of the library of each plugin that this process has loaded, by name.
LOADED: dict[str, str] = {}
#: The path of each library, and the folder of its crate if it was loaded from there.
LIBRARIES: dict[str, Path] = {}
CRATES: dict[str, Path] = {}


class CrateError(ScenarioError):
    """A name, a folder or a crate was refused; the message is one line, `log` the compiler's output."""

    def __init__(self, field: str, value: object, expected: str, log: str = "") -> None:
        super().__init__(f'{field}: "{value}" is not accepted; expected {expected}')
        self.field, self.value, self.expected, self.log = field, str(value), expected, log

    def __reduce__(self) -> tuple[type[CrateError], tuple[str, object, str, str]]:
        # By default an exception is unpickled from its message alone.
        return type(self), (self.field, self.value, self.expected, self.log)


def source() -> Path:
    """The folder with `crates/cwnd` that belongs to this package: that of CWND_SOURCE, the checkout that the package was built from,
    or that of the wheel."""
    named = os.environ.get("CWND_SOURCE")
    package = Path(__file__).parents[1]
    candidates = [Path(named)] if named else [package.parents[1], package / "source"]
    for folder in candidates:
        if (folder / "crates" / "cwnd" / "Cargo.toml").is_file():
            return folder.resolve()
    raise CrateError("CWND_SOURCE", named or "", "the folder of cwnd's sources, with crates/cwnd in it")


def check_name(name: str) -> None:
    """Refuses a name that cannot be that of a crate, a type, a flow's `cc` and an algorithm in the kernel."""
    if not re.fullmatch(rf"[a-z][a-z0-9_]{{0,{NAME_MAX - 1}}}", name) or name.endswith("_") or "__" in name:
        raise CrateError("NAME", name, NAME_FORM)
    lines = (TEMPLATES / "taken.txt").read_text(encoding="utf-8").splitlines()
    if name in {word for line in lines if not line.startswith("#") for word in line.split()}:
        raise CrateError("NAME", name, f"{NAME_FORM}, not used by Rust or the core")
    built_in = [algorithm for algorithm in _native.algorithms() if algorithm["name"] not in LOADED]
    if name in (parameter_set["name"] for algorithm in built_in for parameter_set in algorithm["sets"]):
        raise CrateError("NAME", name, "a name that no algorithm has; cwnd algorithms lists them")


def new(name: str, folder: str | Path | None = None) -> Path:
    """Makes a crate with the algorithm `name` in `folder` (`./NAME`), which must not exist; returns the folder.

    Everything is written to a temporary folder, which takes the name when it is complete. Raises `CrateError`.
    """
    check_name(name)
    folder = Path(name) if folder is None else path_of("folder", folder)
    if folder.exists() or folder.is_symlink():
        raise CrateError("folder" if folder == Path(name) else "--path", folder, "a new folder")
    replacements = {"lull": name, "Lull": "".join(word.capitalize() for word in name.split("_"))}
    core = source()
    folder.parent.mkdir(parents=True, exist_ok=True)
    beside = make_beside(folder)
    try:
        render(TEMPLATES / "crate", beside, {**replacements, "@SOURCE@": quoted(core)})
        beside.rename(folder)
    finally:
        shutil.rmtree(beside, ignore_errors=True)
    return folder


def render(template: Path, folder: Path, replacements: Mapping[str, str]) -> None:
    """Writes a template's files with some words replaced. A file that does not change is not written, so that cargo does not rebuild."""
    for path in sorted(template.rglob("*")):
        if not path.is_file():
            continue
        # Source distributions leave out files whose names begin with a dot.
        target = str(path.relative_to(template)).replace("dot.", ".")
        text = path.read_text(encoding="utf-8")
        for word, new in replacements.items():
            target, text = target.replace(word, new), text.replace(word, new)
        file = folder / target
        if file.exists() and file.read_text(encoding="utf-8") == text:
            continue
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")


def quoted(path: Path) -> str:
    """A path, escaped for a string of TOML or Rust."""
    return json.dumps(str(path), ensure_ascii=False)[1:-1]


class Crate(TypedDict):
    """What a wrapper crate needs to know of a crate: its package, and where the core is."""

    package: str
    core: Path


def crate_info(field: str, crate: Path) -> Crate:
    """A crate's Cargo.toml; refused unless it depends on the core that this program has been built from."""
    try:
        document = tomllib.loads((crate / "Cargo.toml").read_text(encoding="utf-8"))
        package, dependency = document["package"]["name"], document["dependencies"]["cwnd"]["path"]
    except (OSError, ValueError, KeyError, TypeError):
        raise CrateError(
            field, crate, "the folder of a crate with a path dependency on cwnd, such as cwnd new makes"
        ) from None
    core = source() / "crates" / "cwnd"
    if (crate / dependency).resolve() != core.resolve():
        raise CrateError(f"cwnd in {crate / 'Cargo.toml'}", dependency, f"the core of the installed cwnd, {core}")
    assert isinstance(package, str)
    return {"package": package, "core": source()}


def wrapper(kind: str, crate: Path, about: Crate, name: str = "") -> Path:
    """Writes the wrapper crate, in the target folder of `crate`, that makes a library (`simulator`) or hooks (`kernel`) of it."""
    folder = crate / "target" / "cwnd" / kind
    replacements = {
        "@SOURCE@": quoted(about["core"]),
        "@CRATE@": quoted(crate),
        "@PACKAGE@": about["package"],
        "@NAME@": name,
    }
    render(TEMPLATES / kind, folder, replacements)
    return folder


def build(crate: str | Path, field: str = "plugin", profile: str = "release") -> Path:
    """Builds the library of a crate, if anything has changed; returns it. Raises `CrateError` with the compiler's output.

    The profile `checked` has overflow checks and assertions on.
    """
    crate = path_of(field, crate).resolve()
    folder = wrapper("simulator", crate, crate_info(field, crate))
    target = crate / "target" / "cwnd"
    command = ["cargo", "build", "--profile", profile, "--message-format=json-render-diagnostics"]
    command += ["--manifest-path", str(folder / "Cargo.toml"), "--target-dir", str(target / "build")]
    try:
        done = subprocess.run(command, capture_output=True, encoding="utf-8", check=False)
    except FileNotFoundError:
        raise OSError("cargo is not installed: an algorithm of your own needs Rust 1.89 or newer") from None
    if done.returncode != 0:
        raise CrateError(field, crate, "a crate that builds; see the compiler's output above", done.stderr)
    messages = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    built = next(
        Path(file)
        for message in messages
        if message.get("reason") == "compiler-artifact" and "cdylib" in message["target"]["kind"]
        for file in message["filenames"]
    )
    # Named by its content: a process that has loaded one build can load the next.
    target /= profile
    target.mkdir(exist_ok=True)
    library = target / f"{hashlib.sha256(built.read_bytes()).hexdigest()}{built.suffix}"
    if not library.exists():
        for old in target.glob(f"*{built.suffix}"):
            old.unlink(missing_ok=True)
        with replacing(library) as part:
            shutil.copyfile(built, part)
    return library


def load_plugin(path: str | Path) -> str:
    """Adds the algorithm of a crate (built first) or of a library that `build` created; returns its name.

    Afterwards this process can use the name like those of the built-in algorithms. If it is loaded again after a change, the new build
    replaces the old one for everything that starts afterwards. Raises `CrateError` or `ScenarioError`.
    """
    path = path_of("plugin", path)
    library = build(path) if path.is_dir() else path
    if not library.is_file():
        raise CrateError("plugin", path, "the folder of a crate that cwnd new made, or a library that cwnd built")
    name = _native.load_plugin(str(library.resolve()))
    LOADED[name] = hashlib.sha256(library.read_bytes()).hexdigest()
    LIBRARIES[name] = library.resolve()
    if path.is_dir():
        CRATES[name] = path.resolve()
    return name


def library_again(name: str, why: str) -> bytes:
    """The library of a loaded plugin, read again. Raises `ScenarioError` with `why` it is needed if the file has changed since it was loaded."""
    library = b""
    with suppress(OSError):
        library = LIBRARIES[name].read_bytes()
    if hashlib.sha256(library).hexdigest() != LOADED[name]:
        raise refused("plugin", name, f"a library that is unchanged since it was loaded, because {why}")
    return library


def build_kernel(
    crate: str | Path, out: str | Path | None = None, *, cc: str | None = None, settings: Sequence[str] = ()
) -> Path:
    """Builds the kernel object of a crate's algorithm into `out` (`NAME.bpf.o` in the crate); returns its path.

    The object has the settings of the parameter set `cc` (the first) and of `settings`, as `KEY=VALUE`. Raises `CrateError`
    or `ScenarioError`, and `OSError` when a compiler is missing.
    """
    crate = path_of("crate", crate).resolve()
    about = crate_info("crate", crate)
    name = load_plugin(crate)
    sets = next([each["name"] for each in known["sets"]] for known in _native.algorithms() if known["name"] == name)
    if cc is not None and cc not in sets:
        raise CrateError("--cc", cc, f"a parameter set of {name}: {', '.join(sets)}")
    params = list(parameters(cc or name, settings))
    folder = wrapper("kernel", crate, about, name)
    out = crate / f"{name}.bpf.o" if out is None else path_of("out", out)
    sources = str(about["core"] / "crates" / "cwnd-bpf")
    with tempfile.TemporaryDirectory(prefix="cwnd-") as scratch:
        try:
            built = _native.build_kernel_object(cc or name, params, sources, str(folder), scratch)
        except ValueError as error:
            words = str(error)
            places = [line for line in words.splitlines() if re.match(r"src/\S+:\d+: ", line)]
            if places:
                more = f" ({len(places)} places, above)" if len(places) > 1 else ""
                log = "".join(f"{line}\n" for line in places) if more else ""
                raise CrateError("crate", crate, f"code that the kernel accepts{more}: {places[0]}", log) from None
            if words.count("\n") > 2:
                raise CrateError("crate", crate, "one that builds for the kernel; see above", words + "\n") from None
            raise CrateError("crate", crate, f"one that the kernel accepts: {words}") from None
        with replacing(out) as part:
            shutil.copyfile(built, part)
    return out


def parameters(cc: str, settings: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Settings as names and values, validated as those of a flow are."""
    for setting in settings:
        key, _, value = setting.partition("=")
        if key in _native.flow_keys():
            raise CrateError(
                "--param", setting, "a parameter of the algorithm; the keys of a flow do not apply to a connection"
            )
        dumbbell([parse(f"{cc}@{setting}")], rate="100Mbit/s", rtt="40ms")
        yield key, value
