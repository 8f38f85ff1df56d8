# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Commands and groups of click whose help rich_click draws; imported only where help is asked for.

rich_click and rich take a third of the time of a short command that writes to a pipe.
"""

from __future__ import annotations

from typing import Any

import click


def _help(command: click.Command, context: click.Context) -> str:
    import rich_click

    context.color = True  # whether it has colours is rich's decision: click is to keep them
    settings: dict[str, Any] = {
        "name": command.name,
        "params": command.params,
        "help": command.help,
        "epilog": command.epilog,
        "context_settings": command.context_settings,
    }
    drawn: rich_click.RichCommand
    if isinstance(command, click.Group):
        names = command.list_commands(context)
        found = {name: command.get_command(context, name) for name in names}
        members = {name: member for name, member in found.items() if member is not None}
        drawn = rich_click.RichGroup(commands=members, **settings)
        drawn.list_commands = command.list_commands  # type: ignore[method-assign]
    else:
        drawn = rich_click.RichCommand(**settings)
    with rich_click.RichContext(
        drawn,
        parent=context.parent,
        info_name=context.info_name,
        help_option_names=context.help_option_names,
    ) as rich_context:
        return drawn.get_help(rich_context)


class Command(click.Command):
    """A command; see the module."""

    def get_help(self, ctx: click.Context) -> str:
        """Return the help as rich_click draws it."""
        return _help(self, ctx)


class Group(click.Group):
    """A group of commands; see the module."""

    command_class = Command
    group_class = type

    def get_help(self, ctx: click.Context) -> str:
        """Return the help as rich_click draws it."""
        return _help(self, ctx)
