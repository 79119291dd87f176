# SPDX-License-Identifier: MIT OR Apache-2.0
"""The project's own programs: measurements (`bench`), comparisons with other simulators (`peers`), response functions (`response`), generated pages (`docs`).

Each runs from the root of the project, as `python -m tools.docs.generate`.
"""

from pathlib import Path

#: The root of the project, and its pages.
ROOT = Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs"
