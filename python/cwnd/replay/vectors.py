# SPDX-License-Identifier: MIT OR Apache-2.0
"""Runs a file of test vectors: hook calls with the windows that they must give (`vectors/README.md`)."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import NoReturn, NotRequired, TypedDict, TypeVar, cast

from cwnd._internal.input_files import MAX_DOCUMENT_BYTES, InputFileError, read_bytes
from cwnd._native import Hooks, algorithms
from cwnd.result.tables import STATES

EVENTS = ("tx_start", "cwnd_restart", "complete_cwr", "loss", "ecn_no_ce", "ecn_is_ce")

# Hooks, then shorthands for what a transport does around them, each with its arguments.
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
# Names of a hook's results in `expect`, besides the connection's fields and the algorithm's inner variables.
RESULTS: dict[str, tuple[str, ...]] = {
    "ssthresh": ("returned",),
    "undo_cwnd": ("returned",),
    "loss": ("returned",),
    "sawtooth": ("mean_cwnd", "round_trips"),
}
T = TypeVar("T")
U32_MAX = 2**32 - 1
RTT_MAX_US = 2**28 - 1


#: Fields of the connection by name.
Fields = Mapping[str, object]


class Call(TypedDict):
    """A call of a case; the hook's arguments are further keys."""

    hook: str
    at_us: NotRequired[int]
    after_us: NotRequired[int]
    before: NotRequired[Fields]
    repeat: NotRequired[int]
    expect: NotRequired[Fields]


class Case(TypedDict):
    """A sequence of calls on a new connection."""

    name: str
    start: NotRequired[Fields]
    calls: list[Call]


class Document(TypedDict):
    """A file of test vectors."""

    cc: str
    start: NotRequired[Fields]
    case: list[Case]


class Outcome(TypedDict):
    """The outcome of a file's calls."""

    calls: int
    #: calls whose result is not the expected one, and the first of them in words
    differences: int
    first: str | None


class VectorError(ValueError):
    """The file does not contain test vectors; the message is one line."""


class Position:
    """A position in a file, for errors: the file, then case and call."""

    def __init__(self, *path: str) -> None:
        self.path = path

    def within(self, *parts: str) -> Position:
        return Position(*self.path, *parts)

    def refuse(self, field: str, value: object, expected: str) -> NoReturn:
        shown = value if isinstance(value, str) else repr(value)
        raise VectorError(f'{", ".join(self.path)}: {field}: "{shown}" is not accepted; expected {expected}')

    def take(
        self, table: Mapping[str, object], field: str, kind: type[T], expected: str, default: T | None = None
    ) -> T:
        """The value of a field, of that type."""
        value = table.get(field, default)
        if value is None:
            raise VectorError(f"{', '.join(self.path)}: {field}: missing; expected {expected}")
        if type(value) is not kind:
            self.refuse(field, value, expected)
        return value

    def only(self, table: Mapping[str, object], known: tuple[str, ...]) -> None:
        for field in table:
            if field not in known:
                raise VectorError(f'{", ".join(self.path)}: unknown field "{field}"; expected {", ".join(known)}')


def replay(path: str | Path, cc: str | None = None) -> Outcome:
    """Runs every case of a file on `cc`, or on the parameter set that the file names.

    Returns `calls`, `differences` (calls whose result is not the expected one), and the `first` difference in words (`None` without
    one).
    """
    document = load(path)
    at = Position(str(path))
    name = cc or document["cc"]
    calls, differences, first = 0, 0, None
    for number, case in enumerate(document["case"], 1):
        case_position = at.within(f"case {number}")
        title = case_position.take(case, "name", str, "the case's name")
        hooks = Hooks(name)
        for start in (document.get("start", {}), case.get("start", {})):
            write(hooks, start, case_position.within("start"))
        hooks.init()
        hooks.fill()
        for index, call in enumerate(case["calls"], 1):
            call_position = case_position.within(f"call {index}")
            for _ in range(call.get("repeat", 1)):
                calls += 1
                wrong = check(call.get("expect", {}), step(hooks, call, call_position), hooks, call_position)
                if wrong:
                    differences += 1
                    first = first or f'case "{title}", call {index}, {call["hook"]}: {", ".join(wrong)}'
    return {"calls": calls, "differences": differences, "first": first}


def load(path: str | Path) -> Document:
    """The document of a file, with its structure checked."""
    at = Position(str(path))
    try:
        document = tomllib.loads(read_bytes(path, MAX_DOCUMENT_BYTES).decode())
    except InputFileError as error:
        raise VectorError(f"{path}: expected {error}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise VectorError(f"{path}: no TOML: {error}") from None
    at.only(document, ("origin", "cc", "not", "start", "case"))
    at.take(document, "origin", str, "the source of the numbers")
    known = [parameter_set["name"] for algorithm in algorithms() for parameter_set in algorithm["sets"]]
    for field, expected in (
        ("cc", "the parameter set that the vectors hold for"),
        ("not", "one that they do not hold for"),
    ):
        if at.take(document, field, str, expected) not in known:
            at.refuse(field, document[field], f"the name of a parameter set: {', '.join(known)}")
    at.take(document, "start", dict, "fields of the connection", {})
    for number, case in enumerate(non_empty(document, "case", "at least one [[case]]", at), 1):
        case_position = at.within(f"case {number}")
        case_position.only(case, ("name", "start", "calls"))
        case_position.take(case, "start", dict, "fields of the connection", {})
        for index, call in enumerate(non_empty(case, "calls", "a list of at least one call", case_position), 1):
            call_position = case_position.within(f"call {index}")
            if type(call) is not dict:
                case_position.refuse(f"call {index}", call, "a table with a hook")
            hook = call_position.take(call, "hook", str, f"one of {', '.join(ARGUMENTS)}")
            if hook not in ARGUMENTS:
                call_position.refuse("hook", hook, f"one of {', '.join(ARGUMENTS)}")
            call_position.only(call, ("hook", *ARGUMENTS[hook], "at_us", "after_us", "before", "repeat", "expect"))
            if call_position.take(call, "repeat", int, "a whole number, 1 or more", 1) < 1:
                call_position.refuse("repeat", call["repeat"], "a whole number, 1 or more")
            call_position.take(call, "before", dict, "fields of the connection", {})
            call_position.take(call, "expect", dict, "what the call must give", {})
    return cast("Document", document)


def non_empty(table: Mapping[str, object], field: str, expected: str, at: Position) -> list[dict[str, object]]:
    """A list with at least one element."""
    values: list[dict[str, object]] = at.take(table, field, list, expected)
    return values or at.refuse(field, values, expected)


def write(hooks: Hooks, fields: Fields, at: Position) -> None:
    """Sets fields of the connection."""
    for field, value in fields.items():
        number = at.take(fields, field, int, "a whole number") if type(value) is not bool else int(value)
        try:
            hooks.set(field, number)
        except KeyError:
            raise VectorError(
                f'{", ".join(at.path)}: unknown field "{field}"; expected {", ".join(Hooks.fields())}'
            ) from None
        except (ValueError, OverflowError):
            at.refuse(field, value, "a value that the connection's field holds")


def step(hooks: Hooks, call: Call, at: Position) -> dict[str, float]:
    """Makes one call; returns its results by name."""
    if "at_us" in call:
        write(hooks, {"now_us": call["at_us"]}, at)
    if "after_us" in call:
        write(hooks, {"now_us": hooks.get("now_us") + at.take(call, "after_us", int, "a whole number")}, at)
    write(hooks, call.get("before", {}), at.within("before"))
    hook = call["hook"]
    arguments = [argument(call, name, at) for name in ARGUMENTS[hook]]
    result = getattr(hooks, hook)(*arguments)
    if hook not in RESULTS:
        return {}
    return dict(zip(RESULTS[hook], result if type(result) is tuple else (result,)))


def argument(call: Call, name: str, at: Position) -> int:
    """A hook's argument as the number that the algorithm sees."""
    for field, names in (("state", STATES), ("event", EVENTS)):
        if name == field:
            value = at.take(call, name, str, f"one of {', '.join(names)}")
            return names.index(value) if value in names else at.refuse(name, value, f"one of {', '.join(names)}")
    largest = RTT_MAX_US if name == "rtt_us" else U32_MAX
    number: int = at.take(call, name, int, f"a whole number from 0 to {largest}", 1 if name == "acked" else None)
    return number if 0 <= number <= largest else at.refuse(name, number, f"a whole number from 0 to {largest}")


def check(expected: Fields, results: dict[str, float], hooks: Hooks, at: Position) -> list[str]:
    """The differences, as texts."""
    wrong = []
    for name, wanted in expected.items():
        given = wanted if type(wanted) is list else [wanted, wanted]
        bounds = [bound for bound in given if isinstance(bound, int | float) and not isinstance(bound, bool)]
        if len(given) != 2 or len(bounds) != 2 or bounds[0] > bounds[1]:
            at.refuse(f"expect.{name}", wanted, "a number, or the smallest and the largest accepted")
        try:
            value = results[name] if name in results else hooks.get(name)
        except KeyError:
            inner = {variable["name"] for algorithm in algorithms() for variable in algorithm["inner"]}
            if name not in inner:
                known = ", ".join((*results, *Hooks.fields(), *sorted(inner)))
                raise VectorError(f'{", ".join(at.path)}: unknown field "expect.{name}"; expected {known}') from None
            wrong.append(f"no {name}")  # another algorithm's variable
            continue
        if not bounds[0] <= value <= bounds[1]:
            wrong.append(f"{name} {value} instead of {wanted}")
    return wrong
