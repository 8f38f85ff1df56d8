# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Options of one run in C."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING

from armnn_py._native import abi
from armnn_py._native.table.backend_options import build_options

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from armnn_py._native.table.backend_options import OptionDefault, OptionValue

__all__ = ["NativeRunOptions"]


class NativeRunOptions:
    """An array of ``armnn_options_t`` with the memory that it points to.

    Parameters
    ----------
    given
        Values and defaults for each listener of a plan, in its order.

    Attributes
    ----------
    pointer
        For ``armnn_run_t``; valid while this object lives.
    """

    __slots__ = ("_alive", "pointer")

    def __init__(
        self, given: Sequence[tuple[Mapping[str, OptionValue], Mapping[str, OptionDefault]]]
    ) -> None:
        array = (abi.armnn_options_t * max(1, len(given)))()
        self._alive: list[object] = [array]
        for item, (values, defaults) in zip(array, given, strict=False):
            if values:
                options, alive = build_options(values, defaults)
                item.items, item.count = options.items, options.count
                self._alive += [options, alive]
        self.pointer = ctypes.cast(array, ctypes.POINTER(abi.armnn_options_t))
