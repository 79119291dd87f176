# SPDX-License-Identifier: MIT OR Apache-2.0
"""cwnd's algorithms in real QUIC stacks, compared with the stacks' own and with cwnd's TCP: runs, and their page.

python -m tools.stacks           runs what docs/results/stacks.json.xz does not have yet, and writes docs/results/stacks.md
python -m tools.stacks --page    writes the page from the runs on record
python -m tools.stacks --fresh   runs everything anew
"""
