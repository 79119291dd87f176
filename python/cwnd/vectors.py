# SPDX-License-Identifier: MIT OR Apache-2.0
"""Running a file of test vectors: hook calls with the windows that they must give (`vectors/README.md`)."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any, NoReturn, TypeVar

from cwnd._native import Hooks, algorithms

STATES = ("open", "disorder", "cwr", "recovery", "loss")
EVENTS = ("tx_start", "cwnd_restart", "complete_cwr", "loss", "ecn_no_ce", "ecn_is_ce")

# Hooks, then the shorthands for what a transport does around them, with the arguments that each takes.
ARGUMENTS: dict[str, tuple[str, ...]] = {
    "cong_avoid": ("acked",),
    "pkts_acked": ("acked", "rtt_us"),
    "ssthresh": (),
    "undo_cwnd": (),
    "set_state": ("state",),
    "cwnd_event": ("event",),
    "in_ack_event": ("flags",),
    "ack": ("acked", "rtt_us"),
    "fill": (),
    "loss": (),
    "rounds": ("count",),
    "sawtooth": ("packets", "losses"),
}
# What a hook's answer is called in `expect`, beside the connection's fields and the algorithm's inner variables.
ANSWERS: dict[str, tuple[str, ...]] = {
    "ssthresh": ("returned",),
    "undo_cwnd": ("returned",),
    "loss": ("returned",),
    "sawtooth": ("mean_cwnd", "round_trips"),
}
T = TypeVar("T")
U32_MAX = 2**32 - 1
RTT_MAX_US = 2**28 - 1


class VectorError(ValueError):
    """A file that is no file of vectors; the message is one line."""


class Place:
    """A spot in a file, for errors: file, then the way down."""

    def __init__(self, *way: str) -> None:
        self.way = way

    def down(self, *more: str) -> Place:
        return Place(*self.way, *more)

    def refuse(self, field: str, value: object, expected: str) -> NoReturn:
        shown = value if isinstance(value, str) else repr(value)
        raise VectorError(f'{", ".join(self.way)}: {field}: "{shown}" is not accepted; expected {expected}')

    def take(self, table: dict[str, Any], field: str, kind: type[T], expected: str, default: T | None = None) -> T:
        """The value of a field, of that type."""
        value = table.get(field, default)
        if value is None:
            raise VectorError(f"{', '.join(self.way)}: {field}: missing; expected {expected}")
        if type(value) is not kind:
            self.refuse(field, value, expected)
        return value

    def only(self, table: dict[str, Any], known: tuple[str, ...]) -> None:
        for field in table:
            if field not in known:
                raise VectorError(f'{", ".join(self.way)}: unknown field "{field}"; expected {", ".join(known)}')


def replay(path: str | Path, cc: str | None = None) -> dict[str, Any]:
    """Runs every case of a file on `cc`, or on the parameter set that the file names.

    Returns `calls`, `differences` (calls that gave anything but what the file expects), and the `first` difference in
    words (None without one).
    """
    document = load(path)
    at = Place(str(path))
    name = cc or document["cc"]
    calls, differences, first = 0, 0, None
    for number, case in enumerate(document["case"], 1):
        here = at.down(f"case {number}")
        title = here.take(case, "name", str, "the case's name")
        hooks = Hooks(name)
        for start in (document.get("start", {}), case.get("start", {})):
            write(hooks, start, here.down("start"))
        hooks.init()
        hooks.fill()
        for index, call in enumerate(case["calls"], 1):
            spot = here.down(f"call {index}")
            for _ in range(call.get("repeat", 1)):
                calls += 1
                wrong = check(call.get("expect", {}), step(hooks, call, spot), hooks, spot)
                if wrong:
                    differences += 1
                    first = first or f'case "{title}", call {index}, {call["hook"]}: {", ".join(wrong)}'
    return {"calls": calls, "differences": differences, "first": first}


def load(path: str | Path) -> dict[str, Any]:
    """The document, its outline checked."""
    at = Place(str(path))
    try:
        document = tomllib.loads(Path(path).read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise VectorError(f"{path}: no TOML: {error}") from None
    at.only(document, ("origin", "cc", "not", "start", "case"))
    at.take(document, "origin", str, "where the figures come from")
    known = [one["name"] for algorithm in algorithms() for one in algorithm["sets"]]
    for field, what in (
        ("cc", "the parameter set that the vectors hold for"),
        ("not", "one that they do not hold for"),
    ):
        if at.take(document, field, str, what) not in known:
            at.refuse(field, document[field], f"the name of a parameter set: {', '.join(known)}")
    at.take(document, "start", dict, "fields of the connection", {})
    for number, case in enumerate(some(document, "case", "at least one [[case]]", at), 1):
        here = at.down(f"case {number}")
        here.only(case, ("name", "start", "calls"))
        here.take(case, "start", dict, "fields of the connection", {})
        for index, call in enumerate(some(case, "calls", "a list of at least one call", here), 1):
            spot = here.down(f"call {index}")
            if type(call) is not dict:
                here.refuse(f"call {index}", call, "a table with a hook")
            hook = spot.take(call, "hook", str, f"one of {', '.join(ARGUMENTS)}")
            if hook not in ARGUMENTS:
                spot.refuse("hook", hook, f"one of {', '.join(ARGUMENTS)}")
            spot.only(call, ("hook", *ARGUMENTS[hook], "at_us", "after_us", "before", "repeat", "expect"))
            if spot.take(call, "repeat", int, "a whole number, 1 or more", 1) < 1:
                spot.refuse("repeat", call["repeat"], "a whole number, 1 or more")
            spot.take(call, "before", dict, "fields of the connection", {})
            spot.take(call, "expect", dict, "what the call must give", {})
    return document


def some(table: dict[str, Any], field: str, expected: str, at: Place) -> list[Any]:
    """A list with something in it."""
    found: list[Any] = at.take(table, field, list, expected)
    return found or at.refuse(field, found, expected)


def write(hooks: Hooks, fields: dict[str, Any], at: Place) -> None:
    """Sets fields of the connection."""
    for field, value in fields.items():
        number = at.take(fields, field, int, "a whole number") if type(value) is not bool else int(value)
        try:
            hooks.set(field, number)
        except KeyError:
            raise VectorError(
                f'{", ".join(at.way)}: unknown field "{field}"; expected {", ".join(Hooks.fields())}'
            ) from None
        except (ValueError, OverflowError):
            at.refuse(field, value, "a value that the connection's field holds")


def step(hooks: Hooks, call: dict[str, Any], at: Place) -> dict[str, float]:
    """Makes one call; what it answered, by name."""
    if "at_us" in call:
        write(hooks, {"now_us": call["at_us"]}, at)
    if "after_us" in call:
        write(hooks, {"now_us": hooks.get("now_us") + at.take(call, "after_us", int, "a whole number")}, at)
    write(hooks, call.get("before", {}), at.down("before"))
    hook = call["hook"]
    arguments = [argument(call, name, at) for name in ARGUMENTS[hook]]
    answer = getattr(hooks, hook)(*arguments)
    if hook not in ANSWERS:
        return {}
    return dict(zip(ANSWERS[hook], answer if type(answer) is tuple else (answer,)))


def argument(call: dict[str, Any], name: str, at: Place) -> int:
    """A hook's argument as the number that the algorithm sees."""
    for field, names in (("state", STATES), ("event", EVENTS)):
        if name == field:
            value = at.take(call, name, str, f"one of {', '.join(names)}")
            return names.index(value) if value in names else at.refuse(name, value, f"one of {', '.join(names)}")
    largest = RTT_MAX_US if name == "rtt_us" else U32_MAX
    number: int = at.take(call, name, int, f"a whole number from 0 to {largest}", 1 if name == "acked" else None)
    return number if 0 <= number <= largest else at.refuse(name, number, f"a whole number from 0 to {largest}")


def check(expected: dict[str, Any], answers: dict[str, float], hooks: Hooks, at: Place) -> list[str]:
    """What differs, in words."""
    wrong = []
    for name, wanted in expected.items():
        bounds = wanted if type(wanted) is list else [wanted, wanted]
        if len(bounds) != 2 or any(type(bound) not in (int, float) for bound in bounds) or bounds[0] > bounds[1]:
            at.refuse(f"expect.{name}", wanted, "a number, or the smallest and the largest that will do")
        try:
            value = answers[name] if name in answers else hooks.get(name)
        except KeyError:
            inner = {one["name"] for algorithm in algorithms() for one in algorithm["inner"]}
            if name not in inner:
                known = ", ".join((*answers, *Hooks.fields(), *sorted(inner)))
                raise VectorError(f'{", ".join(at.way)}: unknown field "expect.{name}"; expected {known}') from None
            wrong.append(f"no {name}")  # another algorithm's variable
            continue
        if not bounds[0] <= value <= bounds[1]:
            wrong.append(f"{name} {value} instead of {wanted}")
    return wrong
