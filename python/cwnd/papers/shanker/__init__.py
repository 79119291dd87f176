# SPDX-License-Identifier: MIT OR Apache-2.0
"""Shanker, "Congestion control II: CUBIC", a post with measurements in Mahimahi, of senders in Python over UDP."""
