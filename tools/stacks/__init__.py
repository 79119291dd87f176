# SPDX-License-Identifier: MIT OR Apache-2.0
"""Our algorithms in real QUIC stacks, beside the stacks' own and beside our TCP: runs, and the page of them.

python -m tools.stacks           runs what docs/results/stacks.json.xz does not have yet, and writes docs/results/stacks.md
python -m tools.stacks --page    writes the page from the runs on record
python -m tools.stacks --fresh   runs everything anew
"""
