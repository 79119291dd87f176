# SPDX-License-Identifier: MIT OR Apache-2.0
"""Five documents about CUBIC: a folder each, with its claims, a file per figure that reproduces it, and the reasons why a claim does not hold here.

`claims.toml` has the claims with their numbers and tolerances, `<figure>.py` an experiment (`fig2_modules.py` is `…/fig2-modules`), `setups.py`
or `setups/` what several of them share, `reasons.toml` the reasons. docs/guide/experiment.md says how to write one. `cwnd.reproduce.list_of_papers` lists the folders.
"""
