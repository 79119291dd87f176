# SPDX-License-Identifier: MIT OR Apache-2.0
"""`cwnd algorithms` and `cwnd show`: what there is, and what its parameters are."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from cwnd import _native
from cwnd.options import Json, Plugins
from cwnd.refused import refused


def algorithms(plugins: Plugins = None, as_json: Json = False) -> None:
    """List the algorithms and their parameter sets."""
    known = _native.algorithms()
    if as_json:
        print(json.dumps(known))
        return
    width = max(len(one["name"]) for algorithm in known for one in algorithm["sets"])
    for algorithm in known:
        print(f"{algorithm['name']}: {algorithm['summary']}")
        for one in algorithm["sets"]:
            print(f"  {one['name']:{width}}  {one['summary']} ({one['source']})")


def show(
    name: Annotated[str, typer.Argument(help="An algorithm, one of its parameter sets, or a slow start.")],
    plugins: Plugins = None,
    as_json: Json = False,
) -> None:
    """Explain an algorithm: its parameters with unit, range, default, help and source, and its inner variables.

    `standard`, `hystart++`, `hystart` and `rfc5681` explain the slow starts that a flow's `slow_start` chooses.
    """
    starts = {start["name"]: start for start in _native.slow_starts()}
    if start := starts.get(name):
        show_slow_start(start, as_json=as_json)
        return
    algorithm, one = find("NAME", name, more=list(starts))
    if as_json:
        params = [{**param, "default": one["params"][param["name"]]} for param in algorithm["params"]]
        document = {**one, "algorithm": algorithm["name"], "params": params, "inner": algorithm["inner"]}
        print(json.dumps(document))
        return
    print(f"{name}: {one['summary']}")
    print(f"  algorithm {algorithm['name']}, recovery {one['recovery']}, source: {one['source']}\n")
    print_params(algorithm["params"], one["params"])
    if algorithm["inner"]:
        print("\n  inner variables (record.inner, --inner):")
    for variable in algorithm["inner"]:
        scaled = variable["scale"] > 1
        unit = variable["unit"] or ("" if scaled else "segments, or a number")
        scale = f"in 1/{variable['scale']} " if scaled else ""
        print(f"  {variable['name']:24} {scale}{unit}".rstrip())


def print_params(params: list[_native.Param], values: dict[str, str]) -> None:
    """Parameters with their values; those that the other values leave without effect come last, with what they need."""
    idle: dict[tuple[str, str], list[_native.Param]] = {}
    for param in params:
        if (needs := param["needs"]) and values.get(needs[0]) != needs[1]:
            idle.setdefault(needs, []).append(param)
        else:
            print_param(param, values)
    for (name, value), without_effect in idle.items():
        print(f"\n  without effect while {name} is {values.get(name)}; with {name}={value}:")
        for param in without_effect:
            print_param(param, values)


def print_param(param: _native.Param, values: dict[str, str]) -> None:
    """One parameter with its value."""
    unit = f" {param['unit']}" if param["unit"] else ""
    allowed = ", ".join(param["choices"]) if param["choices"] else f"{param['min']} to {param['max']}{unit}"
    print(f"  {param['name']} = {values[param['name']]}{unit}   ({allowed})")
    print(f"      {param['help'] if not param['needs'] else param['help'].partition(': ')[2]}  [{param['source']}]")


def show_slow_start(start: _native.SlowStart, *, as_json: bool) -> None:
    """What a slow start is, its settings, and which algorithms can have it."""
    if as_json:
        print(json.dumps(start))
        return
    print(f"{start['name']}: {start['summary']}")
    print(
        f"  a slow start: slow_start={start['name']} of {', '.join(start['algorithms'])}; source: {start['source']}\n"
    )
    values = {"slow_start": start["name"], **{param["name"]: param["default"] for param in start["params"]}}
    print_params(start["params"], values)
    if not start["params"]:
        print("  no settings of its own")


def find(field: str, name: str, more: list[str] | None = None) -> tuple[_native.Algorithm, _native.Set]:
    """The algorithm and parameter set called `name`; without one the program ends, offering the nearest, of `more` too."""
    known = _native.algorithms()
    for algorithm in known:
        for one in algorithm["sets"]:
            if one["name"] == name:
                return algorithm, one
    names = [one["name"] for algorithm in known for one in algorithm["sets"]] + (more or [])
    raise refused(field, name, "the name of an algorithm", names)


def add(app: typer.Typer) -> None:
    """Adds the commands to the program."""
    app.command()(algorithms)
    app.command()(show)
