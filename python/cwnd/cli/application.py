# SPDX-License-Identifier: MIT OR Apache-2.0
"""What all commands have in common: `-q` and `-v`, the user's defaults, and a hint where a command's name is unknown."""

from __future__ import annotations

from collections.abc import Callable, MutableMapping
from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar

import typer
from typer.core import TyperCommand, TyperGroup, TyperOption

from cwnd._internal import messages
from cwnd._internal.input_errors import refused
from cwnd._internal.messages import Level
from cwnd._native import nearest
from cwnd.cli import defaults
from cwnd.cli.help_panels import MOST_COLUMNS, write_commands, write_options

if TYPE_CHECKING:
    from typer._click.core import Command as ClickCommand
    from typer._click.core import Context, Parameter
    from typer._click.formatting import HelpFormatter

Function = TypeVar("Function", bound=Callable[..., object])


@cache
def common_options() -> list[TyperOption]:
    """The options of every command."""
    quiet = TyperOption(
        param_decls=["quiet", "-q", "--quiet"],
        is_flag=True,
        default=False,
        expose_value=False,
        callback=choose,
        help="Print only the result, warnings and errors; no progress, no notes.",
    )
    verbose = TyperOption(
        param_decls=["verbose", "-v", "--verbose"],
        is_flag=True,
        default=False,
        expose_value=False,
        callback=choose,
        help="Print details on standard error: seeds, threads, defaults, the time of each phase.",
    )
    return [quiet, verbose]


def choose(context: typer.Context, parameter: typer.CallbackParam, wanted: bool) -> bool:
    """Takes `-q` or `-v`, before the command's name or after it; what is typed goes before the user's defaults."""
    if not wanted or context.resilient_parsing:
        return wanted
    root = context.find_root().ensure_object(dict)
    is_typed = not defaults.is_default(context, str(parameter.name))
    if is_typed and root.get("typed", parameter.name) != parameter.name:
        raise refused("--quiet", "--verbose", "one of the two")
    if is_typed or "typed" not in root:
        messages.choose(Level.QUIET if parameter.name == "quiet" else Level.VERBOSE)
    if is_typed:
        root["typed"] = parameter.name
    return wanted


class WithCommonOptions:
    """What declares the options of every command."""

    params: list[Parameter]
    context_settings: MutableMapping[str, object]

    def get_params(self, ctx: Context) -> list[Parameter]:
        """The parameters, and before the help the options that all commands have."""
        *own, help_option = super().get_params(ctx)  # type: ignore[misc]
        # Where options may stand among the words of another program's command line, they are that program's.
        takes_command = any(parameter.name == "command" for parameter in self.params)
        if takes_command and self.context_settings.get("allow_interspersed_args", True):
            return [*own, help_option]
        return [*own, *common_options(), help_option]


class Command(WithCommonOptions, TyperCommand):
    """A command with the options that all have."""

    def format_options(self, ctx: Context, formatter: HelpFormatter) -> None:
        """Writes arguments and options in panels."""
        write_options(self, ctx, formatter)

    def invoke(self, ctx: Context) -> object:
        """Runs the command with the defaults that suit what is given."""
        defaults.settle(ctx)
        return super().invoke(ctx)


class Group(WithCommonOptions, TyperGroup):
    """A command that has commands, with the options that all have."""

    def format_options(self, ctx: Context, formatter: HelpFormatter) -> None:
        """Writes the commands in panels, then the options."""
        write_commands(self.commands, formatter, is_program=ctx.parent is None)
        write_options(self, ctx, formatter)

    def resolve_command(self, ctx: Context, args: list[str]) -> tuple[str | None, ClickCommand | None, list[str]]:
        """The command of this name; refuses an unknown one with the nearest names, those of groups in this one among them."""
        name = args[0]
        if self.get_command(ctx, name) is None and not name.startswith("-") and not ctx.resilient_parsing:
            inner = {
                command: f"{group} {command}"
                for group, commands in self.commands.items()
                if isinstance(commands, TyperGroup)
                for command in commands.commands
            }
            own = [each for each, command in self.commands.items() if not command.hidden]
            near = nearest(name, own) or [inner[command] for command in nearest(name, list(inner))]
            offer = f" (did you mean {' or '.join(near)}?)" if near else f": {', '.join(own)}"
            raise refused("COMMAND", name, f"a command{offer}")
        return super().resolve_command(ctx, args)


class Application(typer.Typer):
    """The program, or a group of its commands."""

    def __init__(self, help: str) -> None:
        super().__init__(
            cls=Group,
            add_completion=False,
            rich_markup_mode=None,
            pretty_exceptions_enable=False,
            help=help,
            context_settings={"max_content_width": MOST_COLUMNS},
        )

    def command(
        self,
        name: str | None = None,
        *,
        cls: type[TyperCommand] | None = Command,
        **settings: Any,  # noqa: ANN401 -- as typer has them
    ) -> Callable[[Function], Function]:
        """Declares a command."""
        return super().command(name, cls=cls, **settings)
