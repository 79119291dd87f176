# SPDX-License-Identifier: MIT OR Apache-2.0
"""The generated pages and pictures of docs/."""
