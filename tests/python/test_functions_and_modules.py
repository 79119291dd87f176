# SPDX-License-Identifier: MIT OR Apache-2.0
"""Functions of the package that have the name of a module in it, such as `cwnd.diff`."""

from __future__ import annotations

import subprocess
import sys


# Python sets a module as an attribute of its package when it is imported, also by another module.
def test_functions_keep_their_names_when_modules_of_the_same_names_are_imported() -> None:
    code = (
        "import cwnd.load, cwnd.compare, cwnd.diff.compute, cwnd.qlog.file, cwnd.fidelity.runner\n"
        "import types, cwnd, cwnd.diff as diff\n"
        "from cwnd.diff import compute\n"
        "names = ('load', 'compare', 'diff', 'qlog', 'fidelity')\n"
        "assert all(isinstance(getattr(cwnd, name), types.FunctionType) for name in names)\n"
        "assert diff is cwnd.diff and isinstance(compute, types.ModuleType) and isinstance(cwnd.metrics, types.ModuleType)\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
