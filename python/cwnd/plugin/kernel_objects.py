# SPDX-License-Identifier: MIT OR Apache-2.0
"""The kernel objects of plugins that a live run uses: built when first needed, and kept with the crate's other builds."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from cwnd import _native
from cwnd.plugin.crate import CRATES, LOADED, CrateError, build_kernel


def kernel_objects(sets: Iterable[str]) -> dict[str, Path]:
    """The kernel object of each of these parameter sets that is a plugin's, by set. Raises `CrateError`, and `OSError` when a compiler is missing."""
    of_plugins = plugin_sets()
    return {cc: kernel_object(of_plugins[cc], cc) for cc in sets if cc in of_plugins}


def plugin_sets() -> dict[str, str]:
    """The parameter sets of the plugins that are loaded, with their algorithms."""
    return {
        parameter_set["name"]: algorithm["name"]
        for algorithm in _native.algorithms()
        if algorithm["name"] in LOADED
        for parameter_set in algorithm["sets"]
    }


def kernel_object(algorithm: str, cc: str) -> Path:
    """The kernel object of a plugin's parameter set, of the build that is loaded.

    One that `cwnd build-kernel` has left in the crate is taken where a compiler is missing.
    """
    crate = CRATES.get(algorithm)
    if crate is None:
        raise CrateError(
            "plugin",
            algorithm,
            "the folder of its crate, not a library: lane live builds its kernel object from the folder",
        )
    # A change of the crate changes the digest of its library.
    folder = crate / "target" / "cwnd" / "live" / LOADED[algorithm][:16]
    object_file = folder / f"{cc}.bpf.o"
    if object_file.exists():
        return object_file
    folder.mkdir(parents=True, exist_ok=True)
    try:
        return build_kernel(crate, object_file, cc=cc)
    except OSError:
        made = crate / f"{algorithm}.bpf.o"
        if made.exists():
            return made
        raise
