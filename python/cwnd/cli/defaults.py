# SPDX-License-Identifier: MIT OR Apache-2.0
"""The user's defaults: a file of TOML with a table per command, whose keys are the command's options.

    [compare]
    rate = "40Mbit/s"
    [kernel.trace]
    json = true

The file is `cwnd/defaults.toml` in `$XDG_CONFIG_HOME` (`~/.config`), or the one that `CWND_DEFAULTS` names; an empty `CWND_DEFAULTS`
and `--no-defaults` mean none. What is typed goes before it (docs/adr/0012-one-file-of-defaults.md).
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cwnd._internal import messages
from cwnd._internal.input_errors import refused
from cwnd.result.store import KIND, STUDY, TRACE, kind_of_result
from cwnd.scenario.keywords import DISCIPLINES, QUEUE_FLAGS, SWEPT

if TYPE_CHECKING:
    from typer._click.core import Command, Context, Parameter

#: Names a file of defaults; empty, none.
VARIABLE = "CWND_DEFAULTS"
#: Options that only the command line gives: they replace what is there, or are no setting.
TYPED_ONLY = ("--force", "--help", "--version", "--no-defaults", "--allow-exec")
#: Commands that compare with what is on record, and their options that change no number: the only ones a default may give.
WITHOUT_EFFECT = ("--jobs", "--out", "--quiet", "--verbose")
ON_RECORD = ("fidelity", "reproduce")

Given = Mapping[str, Any]
#: The queue disciplines, as options: one may be given.
QUEUES = [*QUEUE_FLAGS, *DISCIPLINES]
#: Options that a file of a study or a scenario does not go with.
LINK = [*(name for name in SWEPT if name != "seed"), *QUEUES]


def _of_file(given: Given) -> bool:
    return any(text.endswith((".toml", ".json")) for text in given["what"])


def _of_runs(given: Given) -> bool:
    return any(kind_of_result(Path(folder)) != STUDY for folder in given["folders"])


def _of_another(queue: str) -> Callable[[Given], bool]:
    """Whether a queue discipline other than this one is given."""
    return lambda given: any(given.get(other) not in (None, False) for other in QUEUES if other != queue)


def _drawn_again(given: Given) -> bool:
    return given["kind"] is None and [kind_of_result(Path(folder)) in (KIND, TRACE) for folder in given["folders"]] == [
        True
    ]


#: Defaults that do not go with what is given: the commands, the options, and when they are left out. In order: one may follow from another.
LEFT_OUT: tuple[tuple[tuple[str, ...], list[str], Callable[[Given], bool]], ...] = (
    (("compare", "run"), ["threads"], lambda given: given["seeds"] is not None or given["lane"] != "sim"),
    (("compare", "run"), ["seeds"], lambda given: given["pcap"] is not None or given["threads"] is not None),
    (("compare", "run"), ["jobs"], lambda given: given["seeds"] is None),
    (("compare", "run", "sweep", "fidelity"), ["jobs"], lambda given: given["lane"] == "live"),
    (("compare",), ["snap_length"], lambda given: given["pcap"] is None),
    (("compare",), ["live"], lambda given: str(given["lane"]).partition(":")[0] not in ("live", "linux")),
    (("sweep",), ["points"], lambda given: given["out"] is None),
    (("sweep",), ["jobs"], lambda given: given["dask"] is not None),
    (("sweep",), ["dask"], lambda given: given["jobs"] is not None or given["lane"] != "sim"),
    (("sweep",), ["until"], lambda given: given["shard"] is not None),
    (("sweep",), ["most_seeds"], lambda given: given["until"] is None),
    (("sweep",), LINK, _of_file),
    *((("compare", "sweep"), [queue], _of_another(queue)) for queue in reversed(QUEUES)),
    (("compare",), ["lane"], lambda given: given["jobs"] is not None),
    (("diff",), ["strict"], lambda given: not given["fail_if"]),
    (("diff",), ["between"], lambda given: len(given["folders"]) > 1),
    (("plot",), ["kind", "measure", "by"], _of_runs),
    (("plot",), ["width", "format"], _drawn_again),
    (("plot",), ["format"], lambda given: given["out"] is not None),
    (("check",), ["seconds"], lambda given: given["simulations"] is not None),
)

_taken = ""


def file() -> Path | None:
    """The file of defaults, if there is one."""
    named = os.environ.get(VARIABLE)
    if named is None:
        base = Path(os.environ.get("XDG_CONFIG_HOME", ""))
        # A relative path is to be ignored (XDG Base Directory Specification).
        path = (base if base.is_absolute() else Path("~/.config").expanduser()) / "cwnd" / "defaults.toml"
        return path if path.is_file() else None
    if named and not Path(named).is_file():
        raise refused(VARIABLE, named, "a file that exists, or nothing for no defaults")
    return Path(named) if named else None


def default_map(context: Context) -> dict[str, Any] | None:
    """The program's defaults by commands and parameters, as the parser of options takes them; `None` without a file."""
    path = file()
    if path is None:
        return None
    import tomllib

    try:
        document = tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise refused(str(path), str(error), "a TOML document in UTF-8") from None
    return _of_group(context.command, context, document, f"{path}: ")


def _of_group(group: Command, context: Context, table: dict[str, Any], where: str) -> dict[str, Any]:
    commands: dict[str, Command] = vars(group)["commands"]
    found = {}
    for name, options in table.items():
        command = commands.get(name)
        if command is None:
            raise refused(f"{where}command", name, "a command", commands)
        if not isinstance(options, dict):
            raise refused(f"{where}{name}", options, f"a table: [{name}], and below it options of cwnd {name}")
        read = _of_group if "commands" in vars(command) else _of_command
        found[name] = read(command, context, options, f"{where}{name}.")
    return found


def _of_command(command: Command, context: Context, table: dict[str, Any], where: str) -> dict[str, Any]:
    name = command.name
    options = {}
    for parameter in command.get_params(context):
        long = next((option for option in parameter.opts if option.startswith("--")), None)
        if parameter.param_type_name == "option" and long is not None:
            options[long] = parameter
    allowed = [option for option in options if option not in TYPED_ONLY]
    if name in ON_RECORD:
        allowed = [option for option in allowed if option in WITHOUT_EFFECT]
    found = {}
    for key, value in table.items():
        if f"--{key}" not in allowed:
            expected = f"an option of cwnd {name} without its dashes"
            if f"--{key}" in TYPED_ONLY:
                expected = f"it on the command line only; here {expected}"
            elif f"--{key}" in options:
                expected = "an option that changes no verdict"
            raise refused(f"{where}{key}", key, expected, [option.removeprefix("--") for option in allowed])
        parameter = options[f"--{key}"]
        found[str(parameter.name)] = _value(parameter, value, f"{where}{key}")
    return found


def _value(parameter: Parameter, value: object, where: str) -> object:
    """A value as the command line would give it."""
    is_text = isinstance(value, str | int | float) and not isinstance(value, bool)
    if getattr(parameter, "is_flag", False):
        if not isinstance(value, bool):
            raise refused(where, value, "true or false")
        return value
    if parameter.multiple:
        values = [value] if is_text else value
        if not isinstance(values, list) or not all(isinstance(each, str) for each in values):
            raise refused(where, value, "a text, or a list of texts")
        return values
    if not is_text:
        raise refused(where, value, "a text or a number")
    return str(value)


def is_default(context: Context, name: str | None) -> bool:
    """Whether a parameter's value is the user's default."""
    source = context.get_parameter_source(name or "")
    return source is not None and source.name == "DEFAULT_MAP"


def settle(context: Context) -> None:
    """Leaves out defaults that do not go with what is given, and says which are taken (`-v`)."""
    global _taken
    given = context.params
    parameters = context.command.get_params(context)
    left_out: set[str | None] = set()
    for commands, names, is_out in LEFT_OUT:
        if context.info_name not in commands:
            continue
        for parameter in parameters:
            name = parameter.name
            if name in names and is_default(context, name) and is_out(given):
                given[name] = parameter.default
                left_out.add(name)
    taken = [
        (parameter.opts[-1], given.get(parameter.name or ""))
        for parameter in parameters
        if is_default(context, parameter.name) and parameter.name not in left_out
    ]
    if taken:
        shown = ", ".join(option if value in (True, None) else f"{option} {_shown(value)}" for option, value in taken)
        _taken = f"{file()}: {shown}"
        messages.detail(f"defaults of {_taken}")


def _shown(value: object) -> str:
    return " ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)


def hint() -> str:
    """What an error adds where the user's defaults are in effect: the fault may lie in them."""
    return f" (with the defaults of {_taken}; --no-defaults leaves them out)" if _taken else ""
