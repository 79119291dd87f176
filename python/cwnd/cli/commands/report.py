# SPDX-License-Identifier: MIT OR Apache-2.0
"""`cwnd report`: a reproduction's report again."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from cwnd._internal.escapes import one_line
from cwnd.cli.commands.reproduce import HERE


def command(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="A folder that cwnd reproduce wrote.")] = HERE,
) -> None:
    """Write the results of `cwnd reproduce` to one self-contained page, DIR/report.html."""
    from cwnd.reproduce.html_report import write_page

    print(one_line(str(write_page(folder))))
