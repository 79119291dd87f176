# SPDX-License-Identifier: MIT OR Apache-2.0
"""What arguments and options may be, by the names that their declarations give their values: `FLOW...`, `LANE`, `DIR`."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator
from importlib.resources import files
from pathlib import Path
from typing import Literal, NamedTuple

from cwnd import _native
from cwnd.cli.commands.compare import ELSEWHERE
from cwnd.cli.commands.doctor import PARTS
from cwnd.result.lanes import LANES
from cwnd.scenario import keywords
from cwnd.scenario.keywords import DISCIPLINES, QUEUE_FLAGS
from cwnd.stacks.names import stock_algorithms

Kind = Literal["word", "part", "file", "folder", "command"]
#: The documents' figures in claims.toml, which is read without what judges the claims.
EXPERIMENT = re.compile(r'^experiment = "([^"]+)"', re.MULTILINE)
CONTROLS = Path("/proc/sys/net/ipv4/tcp_available_congestion_control")
#: Keys of a scenario that `--axis` sets most, without those of flows.
AXES = (*keywords.AXES, "duration", "link.queue.kind")


class Candidate(NamedTuple):
    """What a word may become."""

    #: A whole word, a part that more follows, or the name of a file, a folder, a command, which the shell completes.
    kind: Kind
    value: str = ""
    help: str = ""


Candidates = Iterable[Candidate]
#: Gives what a word may become, from what it is so far and the words before it.
Source = Callable[[str, list[str]], Candidates]


def words(pairs: Iterable[tuple[str, str] | str], kind: Kind = "word") -> list[Candidate]:
    """Words with their meaning, or without one."""
    return [Candidate(kind, pair) if isinstance(pair, str) else Candidate(kind, *pair) for pair in pairs]


def sets() -> list[tuple[str, str]]:
    """The parameter sets of all algorithms, with what they are."""
    return [(each["name"], each["summary"]) for algorithm in _native.algorithms() for each in algorithm["sets"]]


def in_stacks() -> list[tuple[str, str]]:
    """Flows of the stacks' own algorithms: a name alone is none, so each has its stack."""
    return [
        (f"{name}@stack={stack['name']}", algorithm["summary"])
        for name, algorithm in stock_algorithms().items()
        for stack in algorithm["stacks"]
    ]


def params_of(name: str) -> list[_native.Param]:
    """The parameters of an algorithm, or of the algorithm of a set."""
    for algorithm in _native.algorithms():
        if name == algorithm["name"] or any(each["name"] == name for each in algorithm["sets"]):
            return list(algorithm["params"])
    return []


def flow_keys() -> dict[str, dict[str, object]]:
    """The keys of a flow, with their rows in the schema of a scenario."""
    properties: dict[str, dict[str, object]] = json.loads(_native.scenario_schema())["$defs"]["flow"]["properties"]
    return {name: properties[name] for name in _native.flow_keys() if name not in ELSEWHERE}


def flow(word: str, _before: list[str]) -> Candidates:
    """`NAME[:COUNT][@KEY=VALUE,...]`."""
    name, at, rest = word.partition("@")
    if not at:
        return [] if ":" in word else words([*sets(), *in_stacks()])
    settings = rest.split(",")
    start = word[: len(word) - len(settings[-1])]
    key, equals, _ = settings[-1].partition("=")
    params = {param["name"]: param for param in params_of(name.partition(":")[0])}
    keys = flow_keys()
    if not equals:
        given = {setting.partition("=")[0] for setting in settings[:-1]}
        meanings = {**{name: str(row.get("description", "")) for name, row in keys.items()}}
        meanings |= {name: f"{param['help']} ({param['min']} to {param['max']})" for name, param in params.items()}
        return words([(f"{start}{name}=", text) for name, text in meanings.items() if name not in given], "part")
    if key in params:
        values = params[key]["choices"]
    else:
        row = keys.get(key, {})
        chosen = row.get("enum")
        values = [str(each) for each in chosen] if isinstance(chosen, list) else []
        values = ["true", "false"] if row.get("type") == "boolean" else values
        if key == "stack":
            own = stock_algorithms().get(name.partition(":")[0])
            others = ("tcp", *(stack["name"] for stack in _native.stacks() if stack["takes_ours"]))
            values = [stack["name"] for stack in own["stacks"]] if own else list(others)
    return words(f"{start}{key}={each}" for each in values)


def flow_or_file(word: str, before: list[str]) -> Candidates:
    """`FLOW... | FILE.toml`."""
    yield from flow(word, before)
    if "@" not in word:
        yield Candidate("file")


def settings_of_named(word: str, before: list[str]) -> Candidates:
    """`--param KEY=VALUE` of the algorithm that stands before it, in `--cc` or as an argument."""
    named = next((params for each in reversed(before) if (params := params_of(each.partition(":")[0]))), [])
    key, equals, _ = word.partition("=")
    if not equals:
        return words([(f"{param['name']}=", param["help"]) for param in named], "part")
    return words(f"{key}={value}" for param in named if param["name"] == key for value in param["choices"])


def explained(_word: str, _before: list[str]) -> Candidates:
    """What `cwnd show` explains."""
    others = (*_native.slow_starts(), *_native.hosts(), *_native.stacks(), *stock_algorithms().values())
    return words([*sets(), *((each["name"], each["summary"]) for each in others)])


def figures(_word: str, _before: list[str]) -> Candidates:
    """Documents and their figures."""
    from cwnd.reproduce.list_of_papers import DOCUMENTS

    for document in DOCUMENTS:
        text = (files("cwnd.papers") / document / "claims.toml").read_text(encoding="utf-8")
        yield from words([document, *dict.fromkeys(EXPERIMENT.findall(text))])


def axis(word: str, _before: list[str]) -> Candidates:
    """`KEY=VALUES`."""
    if word.startswith("link.queue.kind="):
        start = word[: max(word.rfind(","), word.rfind("=")) + 1]
        return words(f"{start}{name}" for name in ("droptail", *DISCIPLINES, *QUEUE_FLAGS.values()))
    return [] if "=" in word else words([f"{key}=" for key in AXES], "part")


def presets(_word: str, _before: list[str]) -> Candidates:
    """Presets of background traffic."""
    return words(dict.fromkeys(_presets(json.loads(_native.scenario_schema())["$defs"]["traffic"])))


def _presets(schema: object) -> Iterator[str]:
    if isinstance(schema, dict):
        if isinstance(preset := schema.get("preset"), dict):
            yield from preset.get("enum", ())
            return
        schema = list(schema.values())
    if isinstance(schema, list):
        for each in schema:
            yield from _presets(each)


def compared_scenarios(_word: str, _before: list[str]) -> Candidates:
    """Scenarios of `cwnd fidelity` by name, and files."""
    from cwnd.fidelity.scenarios import own_scenarios

    return [*words(own_scenarios()), Candidate("file")]


def sources_of_linux(_word: str, _before: list[str]) -> Candidates:
    """Versions of Linux whose source is installed."""
    from cwnd.linux.sources import usable

    return words([(version, str(path)) for version, path in usable().items()])


def kernels_of_linux(_word: str, _before: list[str]) -> Candidates:
    """Kernels that are built for lane linux."""
    from cwnd.linux.kernels import kernels

    return words([(kernel.name, f"Linux {kernel.release}") for kernel in kernels()])


def in_kernel(prefix: str) -> Source:
    """Names of congestion controls in this machine's kernel."""

    def names(_word: str, _before: list[str]) -> Candidates:
        known = CONTROLS.read_text(encoding="ascii").split() if CONTROLS.exists() else []
        return words(name for name in known if name.startswith(prefix))

    return names


def each_of(pairs: Callable[[], Iterable[tuple[str, str] | str]], kind: Kind = "word") -> Source:
    """Words that depend on nothing."""
    return lambda _word, _before: words(pairs(), kind)


#: Of pictures, whose modules take long to import; a test holds them against these.
PICTURES = ("windows", "throughput", "queue", "cdf", "response", "heatmap", "fairness", "delay-throughput")
PICTURE_WIDTHS = ("column", "page", "slide")
PICTURE_FORMATS = ("png", "svg", "pdf")
FOLDER: Source = lambda _word, _before: [Candidate("folder")]  # noqa: E731
FILE: Source = lambda _word, _before: [Candidate("file")]  # noqa: E731
COMMAND: Source = lambda _word, _before: [Candidate("command")]  # noqa: E731
#: By the name that a declaration gives its values.
BY_METAVAR: dict[str, Source] = {
    "FLOW...": flow,
    "FLOW... | FILE.toml": flow_or_file,
    "LANE": each_of(lambda: LANES),
    "LOSS": each_of(lambda: ("every:", "random:", "gilbert:", "gemodel:", "at:"), "part"),
    "DIR": FOLDER,
    "DIR...": FOLDER,
    "CRATE": FOLDER,
    "A [B]": FOLDER,
    "K=V": settings_of_named,
    "KEY=VALUE": settings_of_named,
    "KEY=VALUES": axis,
    "NAME[:SET]": each_of(sets),
    "PRESET|KEYS": presets,
    "PROMISE": each_of(lambda: _native.contract_promises()),
    "CC": in_kernel(""),
    "[DOCUMENT[/FIGURE]]": figures,
    "KIND": each_of(lambda: PICTURES),
    "WIDTH": each_of(lambda: PICTURE_WIDTHS),
    "FORMAT": each_of(lambda: PICTURE_FORMATS),
    "[VERSION]": sources_of_linux,
    "[PART...]": each_of(lambda: [(name, known.title) for name, known in PARTS.items()]),
    "[SCENARIO]...": compared_scenarios,
    "SHELL": each_of(lambda: ("bash", "zsh", "fish")),
    "COMMAND": COMMAND,
    "COMMAND...": COMMAND,
    "-- COMMAND...": COMMAND,
    "[-- COMMAND…]": COMMAND,
}
#: By command and parameter, where that name says less.
BY_NAME: dict[tuple[str, str], Source] = {
    ("show", "name"): explained,
    ("unload", "name"): in_kernel("cwnd_"),
    ("remove", "name"): kernels_of_linux,
    ("build", "hz"): each_of(lambda: ("100", "250", "1000")),
    ("replay", "cc"): each_of(sets),
    ("reproduce", "cubic"): each_of(lambda: [*sets(), ("none", "no second column")]),
    ("compare", "record_flows"): each_of(lambda: ("all", "none")),
    # Of results that are read first.
    ("diff", "where"): each_of(tuple),
}
