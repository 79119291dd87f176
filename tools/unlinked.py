# SPDX-License-Identifier: MIT OR Apache-2.0
"""Options of cargo for a check that links nothing: `python3 -m tools.unlinked` prints them.

The build scripts of three packages compile a library in C, for a minute of processor time. clippy and rustdoc need no library: the options
say what the scripts say about the configuration, and cargo does not run them.
"""

from __future__ import annotations

import json
import shlex
import subprocess

from tools import ROOT


def host() -> str:
    """This machine's target."""
    return subprocess.run(["rustc", "--print", "host-tuple"], capture_output=True, text=True, check=True).stdout.strip()


def options(target: str | None = None) -> list[str]:
    """The options for a target, this machine's by default, with the libraries' names as Cargo.lock's packages have them."""
    cargo = ["cargo", "metadata", "--locked", "--all-features", "--format-version", "1"]
    packages = json.loads(subprocess.run(cargo, cwd=ROOT, capture_output=True, text=True, check=True).stdout)[
        "packages"
    ]
    target = target or host()
    said: dict[str, dict[str, object]] = {
        # aws-lc-rs hands on the folder of headers, and insists on one.
        "aws-lc-sys": {"rustc-cfg": [target.replace("-", "_")], "include": "/nowhere"},
        "libbpf-sys": {"include": "/nowhere"},
        "ring": {"rustc-cfg": []},
    }
    return [
        f"--config=target.{target}.{package['links']}.{key}={json.dumps(value, separators=(',', ':'))}"
        for package in packages
        for key, value in said.get(package["name"], {}).items()
    ]


if __name__ == "__main__":
    print(shlex.join(options()))
