# SPDX-License-Identifier: MIT OR Apache-2.0
"""Pictures of studies: a measure over a factor, as a map over two, and planes of two measures."""
