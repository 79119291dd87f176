# SPDX-License-Identifier: MIT OR Apache-2.0
"""The arguments of the functions that draw: one that a function does not have is refused as a wrong value is."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import wraps
from inspect import Parameter, signature
from typing import ParamSpec, TypeVar

from cwnd._internal.input_errors import refused
from cwnd._internal.keyword_names import keys_of

Arguments = ParamSpec("Arguments")
Drawn = TypeVar("Drawn")


#: Arguments that are texts, or `None`, in every function that has them.
TEXTS = ("x", "y", "measure", "by", "of", "against", "delay", "link", "unit", "width")


def check_type(argument: str, value: object) -> None:
    """Refuses a value of another type than the argument's; what the value means is the function's to say."""
    if value is None:
        return
    if argument in TEXTS and not isinstance(value, str):
        raise refused(argument, value, "a text")
    if argument == "where" and not (isinstance(value, Mapping) and all(isinstance(key, str) for key in value)):
        raise refused(argument, value, "values by the name of a factor or column, such as {'rtt': '40ms'}")
    if argument == "ax":
        from matplotlib.axes import Axes

        if not isinstance(value, Axes):
            raise refused(argument, value, "axes of matplotlib")


def checked(function: Callable[Arguments, Drawn]) -> Callable[Arguments, Drawn]:
    """A function of `cwnd.plot` that answers arguments that it does not have, that are missing, given twice or of another type, with a `ScenarioError`."""
    of = signature(function)
    name = f"cwnd.plot.{function.__name__}"
    named_ones = (Parameter.POSITIONAL_OR_KEYWORD, Parameter.KEYWORD_ONLY)
    by_name = [each.name for each in of.parameters.values() if each.kind in named_ones]
    if any(each.kind is Parameter.VAR_KEYWORD for each in of.parameters.values()):
        by_name += keys_of(function)

    @wraps(function)
    def call(*arguments: Arguments.args, **named: Arguments.kwargs) -> Drawn:
        for argument, value in named.items():
            if argument not in by_name:
                raise refused(argument, value, f"an argument of {name}", by_name)
        try:
            given = dict(of.bind(*arguments, **named).arguments)
        except TypeError as error:
            raise refused(name, arguments[1:], f"its arguments, {', '.join(by_name)}: {error}") from None
        for argument, value in {**given, **given.pop("settings", {})}.items():
            check_type(argument, value)
        return function(*arguments, **named)

    return call
