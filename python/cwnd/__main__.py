# SPDX-License-Identifier: MIT OR Apache-2.0
"""Where the program starts: Ctrl-C is heard while the rest of it is still being imported."""

from __future__ import annotations

import sys
from typing import NoReturn


def main() -> NoReturn:
    """Runs `cwnd.cli.app.main`."""
    try:
        from cwnd.cli.app import main as run
    except KeyboardInterrupt:
        print("stopped", file=sys.stderr)
        sys.exit(130)
    run()


if __name__ == "__main__":
    main()
