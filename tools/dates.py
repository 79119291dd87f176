# SPDX-License-Identifier: MIT OR Apache-2.0
"""Days as the pages of docs/results write them."""

from __future__ import annotations

from datetime import UTC, date, datetime


def in_words(day: date) -> str:
    """A day in words: 23 November 2026."""
    return f"{day.day} {day:%B %Y}"


def today() -> str:
    """Today in words, for a tool that measures and writes its page in one run."""
    return in_words(datetime.now(UTC).date())
