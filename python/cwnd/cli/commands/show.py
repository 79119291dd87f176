# SPDX-License-Identifier: MIT OR Apache-2.0
"""`cwnd show`: an algorithm with its parameters, a slow start, a host or a real stack."""

from __future__ import annotations

import json
import re
from typing import Annotated

import typer

from cwnd import _native
from cwnd._internal.input_errors import refused
from cwnd._internal.terminal import Printer
from cwnd.cli.options import Json, Plugins
from cwnd.scenario.algorithms import set_of
from cwnd.stacks import names as stack_names


def command(
    name: Annotated[
        str, typer.Argument(help="An algorithm, one of its parameter sets, a slow start, a host, or a stack.")
    ],
    plugins: Plugins = None,
    as_json: Json = False,
) -> None:
    """Explain an algorithm: its parameters with unit, range, default, help and source, and its inner variables.

    It also explains the values of a flow's `slow_start` (`standard`, `hystart++`, `hystart`, `rfc5681`), `host` (`linux`, `rfc`, `linux-2.6`,
    `freebsd-14`, `ns-2`) and `stack` (`quinn`, `noq`, `smoltcp`, `exec`), and the stacks' own algorithms (`stock-cubic` and so on).
    """
    starts = {start["name"]: start for start in _native.slow_starts()}
    if start := starts.get(name):
        show_slow_start(start, as_json=as_json)
        return
    hosts = {host["name"]: host for host in _native.hosts()}
    if host := hosts.get(name):
        show_host(host, as_json=as_json)
        return
    stacks, stock = stack_names.stacks(), stack_names.stock_algorithms()
    if stack := stacks.get(name):
        stack_names.show_stack(stack, as_json=as_json)
        return
    if own := stock.get(name):
        stack_names.show_stock(own, as_json=as_json)
        return
    ours = set_of(name)
    if ours is None:
        names = [each["name"] for known in _native.algorithms() for each in known["sets"]]
        raise unknown(name, [*names, *starts, *hosts, *stacks, *stock])
    algorithm, parameter_set = ours
    if as_json:
        params = [{**param, "default": parameter_set["params"][param["name"]]} for param in algorithm["params"]]
        document = {**parameter_set, "algorithm": algorithm["name"], "params": params, "inner": algorithm["inner"]}
        print(json.dumps(document))
        return
    printer = Printer()
    printer.paragraph(f"{name}: {parameter_set['summary']}")
    printer.paragraph(
        f"algorithm {algorithm['name']}, recovery {parameter_set['recovery']}, source: {parameter_set['source']}",
        indent=2,
    )
    printer.print("")
    print_params(printer, algorithm["params"], parameter_set["params"])
    if parameter_set["params"].get("slow_start") == "hystart++":
        print_hystart_cost(printer)
    if algorithm["inner"]:
        printer.print("")
        printer.paragraph("inner variables (record.inner, --inner):", indent=2)
    for variable in algorithm["inner"]:
        scaled = variable["scale"] > 1
        unit = variable["unit"] or ("" if scaled else "segments, or a number")
        scale = f"in 1/{variable['scale']} " if scaled else ""
        printer.entry(variable["name"], f"{scale}{unit}", column=27)


def print_params(printer: Printer, params: list[_native.Param], values: dict[str, str]) -> None:
    """Prints parameters with their values. Those that have no effect with the other values come last, with the value that they need."""
    without_effect_by_need: dict[tuple[str, str], list[_native.Param]] = {}
    for param in params:
        if (needs := param["needs"]) and values.get(needs[0]) != needs[1]:
            without_effect_by_need.setdefault((needs[0], needs[1]), []).append(param)
        else:
            print_param(printer, param, values)
    for (name, value), unused in without_effect_by_need.items():
        printer.print("")
        printer.paragraph(f"no effect while {name} is {values.get(name)}; used with {name}={value}:", indent=2)
        for param in unused:
            print_param(printer, param, values)


def print_param(printer: Printer, param: _native.Param, values: dict[str, str]) -> None:
    """Prints one parameter with its value."""
    unit = f" {param['unit']}" if param["unit"] else ""
    allowed = ", ".join(param["choices"]) if param["choices"] else f"{param['min']} to {param['max']}{unit}"
    meaning = param["help"].partition(": ")[2] if param["needs"] else param["help"]
    printer.paragraph(f"{param['name']} = {values[param['name']]}{unit}   ({allowed})", indent=2)
    printer.paragraph(f"{meaning}  [{param['source']}]", indent=6, hang=0)


def show_slow_start(start: _native.SlowStart, *, as_json: bool) -> None:
    """Prints what a slow start is, its settings, and which algorithms can use it."""
    if as_json:
        print(json.dumps(start))
        return
    printer = Printer()
    printer.paragraph(f"{start['name']}: {start['summary']}")
    on = ", ".join(start["algorithms"])
    printer.paragraph(f"a slow start: slow_start={start['name']} with {on}; source: {start['source']}", indent=2)
    printer.print("")
    values = {"slow_start": start["name"], **{param["name"]: param["default"] for param in start["params"]}}
    print_params(printer, start["params"], values)
    if start["name"] == "hystart++":
        print_hystart_cost(printer)
    if not start["params"]:
        printer.paragraph("no settings", indent=2)


def print_hystart_cost(printer: Printer) -> None:
    """Prints what HyStart++ costs where acknowledgements are rare."""
    from cwnd.scenario.hystart import cost_lines

    printer.print("")
    for line in cost_lines():
        printer.paragraph(line, indent=2)


def show_host(host: _native.Host, *, as_json: bool) -> None:
    """Prints what a host gives the keys of a flow, what it leaves alone, and what no key has."""
    if as_json:
        print(json.dumps(host))
        return
    printer = Printer()
    printer.paragraph(f"{host['name']}: {host['summary']}")
    printer.paragraph(
        f"a host: host={host['name']} on any flow; keys that the flow sets itself take precedence", indent=2
    )
    printer.print("")
    for setting in host["settings"]:
        printer.paragraph(f"{setting['key']} = {setting['value'] or setting['words']}", indent=2)
        printer.paragraph(f"[{setting['source']}]", indent=6, hang=0)
    printer.print("")
    printer.paragraph("keys left unchanged:", indent=2)
    for key, reason in host["leaves"]:
        printer.entry(key, reason, column=20)
    if host["lacks"]:
        printer.print("")
        printer.paragraph("not covered by any key:", indent=2)
    for lack in host["lacks"]:
        printer.paragraph(lack, indent=4)


def unknown(name: str, names: list[str]) -> _native.ScenarioError:
    """The error for a name that `cwnd show` does not know; `names` are all that it does."""
    first, *rest = re.split("[@:,=]", name)
    if rest:
        parts = [part for part in (first, *rest) if part in names]
        parts = parts or _native.nearest(first.encode(errors="replace").decode(), names)
        return refused("NAME", name, "a name alone" + (f": {' or '.join(parts)}" if parts else ", without settings"))
    what = "the name of an algorithm, a slow start, a host or a stack"
    if name == "tcp":
        return refused("NAME", name, f"{what}; stack=tcp, the simulator's own TCP, means none")
    is_ours = name.lower() in (each.lower() for each in names)
    if not is_ours and (own := f"stock-{name.lower()}") in names:
        return refused("NAME", name, f"{what} (did you mean {own}?)")
    return refused("NAME", name, what, names)
