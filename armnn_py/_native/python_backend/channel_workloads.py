# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Workloads of a backend in a process of its own: `execute` is C and hands the run over."""

from __future__ import annotations

import functools
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol

from armnn_py._native import abi
from armnn_py._native.channel import execute_function
from armnn_py._native.python_backend.python_objects import item_of, notice, question, table

if TYPE_CHECKING:
    from collections.abc import Callable


class HandedOver(Protocol):
    """A compiled sub-graph whose runs go through channels, one for each execution context.

    Attributes
    ----------
    name
        For people.
    consumed_mask
        Bits of operands whose values the worker has.
    has_state
        Whether a run leaves something for the next.
    """

    name: str
    consumed_mask: int
    has_state: bool

    def open_channel(self) -> int:
        """Address of a new channel."""

    def reset_channel(self, address: int) -> None:
        """Begin a new sequence."""

    def close_channel(self, address: int) -> None:
        """Free it."""


@functools.cache
def channel_functions(destroy: Callable[[Any], None], *, has_state: bool) -> Any:
    """The functions of a workload whose object has the member ``runs``, a `HandedOver`."""
    functions: dict[str, Any] = {
        "destroy": partial(notice, function=destroy),
        "execute": lambda kind: kind(execute_function()),
        "get_requirements": partial(notice, function=_get_requirements),
        "get_kernel_name": partial(notice, function=_get_kernel_name, default=0),
        "create_workload_data": partial(
            question, answer=_create_data, what="create_workload_data", keeps=True
        ),
        "destroy_workload_data": partial(notice, function=_destroy_data),
    }
    if has_state:
        functions["reset_workload_data"] = partial(
            question, answer=_reset_data, what="reset_workload_data", keeps=True
        )
    return table(abi.armnn_workload_api_t, abi.ARMNN_STRUCT_WORKLOAD, functions)


def _get_requirements(pointer: Any, out: Any) -> None:
    out.contents.consumed_mask = item_of(pointer).runs.consumed_mask
    out.contents.tensor_alignment = 1  # tensors are copied to the worker


def _get_kernel_name(pointer: Any) -> int:
    return int(item_of(pointer).name_address)


def _create_data(pointer: Any, _execution_data: Any, out: Any) -> None:
    out[0] = item_of(pointer).runs.open_channel()


def _reset_data(pointer: Any, data: Any) -> None:
    item_of(pointer).runs.reset_channel(int(data))


def _destroy_data(pointer: Any, data: Any) -> None:
    item_of(pointer).runs.close_channel(int(data))
