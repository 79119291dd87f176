# SPDX-License-Identifier: MIT OR Apache-2.0
"""Makes a release, all but the upload: `python -m tools.release` (docs/release.md).

A step is a function that gets the `Release`, writes into its folder, and returns a line that says what it did.
"""
