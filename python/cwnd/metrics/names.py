# SPDX-License-Identifier: MIT OR Apache-2.0
"""What measures are called: the one table behind `--measures`, `--measure`, `--until`, `--fail-if` and the captions of pictures.

A measure is named as the tables name it (`queue_p95_ms`), the same without its unit (`queue_p95`), or in words (`p95 queueing delay`).
Upper case, hyphens and underscores make no difference.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

from cwnd._internal.drop_causes import USUAL
from cwnd._internal.input_errors import refused
from cwnd._native import nearest
from cwnd.metrics.transfers import SIZE_CLASSES

#: How a statistic is said after what it is of, in a caption, and before it, in words.
STATISTICS: dict[str, tuple[str, tuple[str, ...]]] = {
    "mean": ("mean {}", ("", "mean", "average")),
    "p50": ("median {}", ("median", "p50")),
    "p95": ("{}, 95th percentile", ("p95", "95th percentile")),
    "p99": ("{}, 99th percentile", ("p99", "99th percentile")),
    "max": ("largest {}", ("largest", "max", "maximum")),
}
#: What statistics are taken of, by the beginning and the end of the measures' names.
QUANTITIES = {("queue", "ms"): "queueing delay", ("completion", "s"): "completion time"}
#: The words for a measure: first those of a caption.
WORDS: dict[str, tuple[str, ...]] = {
    "throughput_mbps": ("throughput",),
    "goodput_mbps": ("goodput",),
    "share": ("share of the link",),
    "utilization": ("utilisation", "use of the link"),
    "loss_rate": ("loss rate", "loss"),
    "retransmits": ("retransmits", "retransmissions"),
    "jain": ("Jain's index", "fairness"),
    "convergence_s": ("time to converge", "convergence time"),
    "cwnd_mean": ("mean window", "window"),
    "carried_mbps": ("carried load",),
    "offered_mbps": ("offered load",),
    # Of runs the distribution itself is drawn.
    "queue_ms": ("queueing delay",),
    "completion_s": ("completion time",),
}
#: What reports call a measure where that is none of its words: headings and printed lines.
PRINTED: dict[str, tuple[str, ...]] = {
    "throughput_mbps": ("Mbit/s",),
    "share": ("share %",),
    "utilization": ("used", "used %"),
    "loss_rate": ("lost", "lost %", "loss %"),
    "jain": ("Jain index", "Jain"),
    "min_max_ratio": ("min/max",),
    "convergence_s": ("converged s",),
    "synchronisation": ("synchronised",),
    "drop_run": ("run of drops",),
    "drop_dispersion": ("dispersion",),
    "cwnd_mean": ("mean cwnd",),
    "drops": ("dropped",),
    **{cause["column"]: (cause["heading"],) for cause in USUAL},
    "marks": ("marked",),
    "finished": ("ended",),
    "failures": ("failed",),
    "queue_mean_ms": ("delay ms",),
    "queue_p50_ms": ("delay ms p50",),
    "completion_mean_s": ("took s: mean",),
}
UNITS = ("mbps", "ms", "s")
#: Most names that a refusal lists where none is near.
MOST_LISTED = 8


def without_unit(name: str) -> str:
    """A name of the tables without the unit at its end."""
    stem, _, last = name.rpartition("_")
    return stem if stem and last in UNITS else name


@cache
def words_for(name: str) -> tuple[str, ...]:
    """The words for a measure; the first are those of a caption."""
    if name in WORDS:
        return WORDS[name]
    for _, size in SIZE_CLASSES:
        if name != (whole := name.replace(f"_{size}_", "_")):
            return tuple(f"{words} of {size}" for words in words_for(whole))
    for (begin, unit), quantity in QUANTITIES.items():
        statistic = name.removeprefix(f"{begin}_").removesuffix(f"_{unit}")
        if name == f"{begin}_{statistic}_{unit}" and statistic in STATISTICS:
            caption, before = STATISTICS[statistic]
            spoken = (f"{word} {quantity}".strip() for word in before)
            return (caption.format(quantity), *spoken, *(f"{quantity} {word}" for word in before if word))
    return (without_unit(name).replace("_", " "),)


def measure_noun(name: str) -> str:
    """A measure in the words of a caption."""
    return words_for(name)[0]


def plain(text: str) -> str:
    """A name or words as they are compared."""
    return " ".join(text.lower().replace("_", " ").replace("-", " ").replace("’", "'").split())


@cache
def spellings(name: str) -> frozenset[str]:
    """All that means a measure, as it is compared."""
    return frozenset(map(plain, (name, without_unit(name), *words_for(name), *PRINTED.get(name, ()))))


def meant(text: str, known: Iterable[str]) -> str | None:
    """The measure among `known` that a text means; none if there is none."""
    known = list(known)
    if text in known:
        return text
    wanted = plain(text)
    return next((name for name in known if wanted in spellings(name)), None)


def measure_named(field: str, text: object, known: Iterable[str], expected: str = "a measure") -> str:
    """The measure among `known` that a text means; `ScenarioError` if there is none, with the nearest names or, where none is near, with examples."""
    known = list(known)
    name = meant(text, known) if isinstance(text, str) else None
    if name is None:
        spoken = (word for each in known for word in words_for(each) if plain(word) != plain(each))
        names = list(dict.fromkeys([*known, *spoken]))
        if nearest(str(text).encode(errors="replace").decode(), names):
            raise refused(field, text, expected, names)
        if len(known) <= MOST_LISTED:
            raise refused(field, text, expected, known)
        raise refused(
            field, text, f"{expected}, such as {', '.join(examples(known))}; docs/guide/studies.md explains the names"
        )
    return name


def examples(known: Iterable[str]) -> list[str]:
    """The kinds of these measures in words, without their statistics and classes of sizes."""
    known = list(known)
    with_statistics = [f"p95 {noun}" for (begin, unit), noun in QUANTITIES.items() if f"{begin}_p95_{unit}" in known]
    return [*(words[0] for name, words in WORDS.items() if name in known), *with_statistics]


def measures_in(field: str, text: str, known: Iterable[str]) -> list[str]:
    """The measures of a list with commas, each once; the words of a caption may have a comma."""
    known = list(known)
    parts = [part.strip() for part in text.split(",")]
    found: list[str] = []
    while parts:
        both = meant(", ".join(parts[:2]), known) if len(parts) > 1 else None
        found.append(both or measure_named(field, parts[0], known))
        del parts[: 2 if both else 1]
    return list(dict.fromkeys(found))
