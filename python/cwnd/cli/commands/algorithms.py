# SPDX-License-Identifier: MIT OR Apache-2.0
"""`cwnd algorithms`: the algorithms with their parameter sets, and the real stacks with theirs."""

from __future__ import annotations

import json

from cwnd import _native
from cwnd._internal.terminal import Printer
from cwnd.cli.options import Json, Plugins
from cwnd.stacks import names as stack_names


def command(plugins: Plugins = None, as_json: Json = False) -> None:
    """List the algorithms and their parameter sets, and the real stacks with their own algorithms."""
    known = _native.algorithms()
    if as_json:
        print(json.dumps([*known, *stack_names.stock_algorithms().values()]))
        return
    printer = Printer()
    column = max(len(parameter_set["name"]) for algorithm in known for parameter_set in algorithm["sets"]) + 4
    for algorithm in known:
        printer.paragraph(f"{algorithm['name']}: {algorithm['summary']}")
        for parameter_set in algorithm["sets"]:
            printer.entry(
                parameter_set["name"], f"{parameter_set['summary']} ({parameter_set['source']})", column=column
            )
    stack_names.print_list(printer, column)
