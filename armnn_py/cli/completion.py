# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Offers of a shell at Tab, beyond names of commands and options."""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Callable
from typing import TypeAlias

import click
from click.shell_completion import CompletionItem

#: By this environment variable a shell asks for its script, and at each Tab for completions.
VARIABLE = "_ARMNN_PY_COMPLETE"

Completer: TypeAlias = Callable[[click.Context, click.Parameter, str], list[CompletionItem]]


def offer(kind: str) -> Completer:
    """Return the item by which the shell itself completes a ``"file"`` or a ``"dir"``."""
    return lambda _context, _parameter, begun: [CompletionItem(begun, type=kind)]


def offer_backends(
    context: click.Context, _parameter: click.Parameter, begun: str
) -> list[CompletionItem]:
    """Offer the ids of the backends that are there; nothing where they cannot be loaded."""
    with contextlib.suppress(Exception), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with context.obj.runtime() as runtime:
            ids = runtime.backends.all_ids if ":" in begun else runtime.backends.by_preference
            return [CompletionItem(one) for one in ids if one.startswith(begun)]
    return []
