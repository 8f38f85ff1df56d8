# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Loading and running networks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from armnn_py.later import names_of
from armnn_py.runtime.cancel import CancelToken
from armnn_py.runtime.runtime import DeviceSpec, Runtime
from armnn_py.runtime.threads import get_num_threads, set_num_threads

if TYPE_CHECKING:
    from armnn_py.runtime.loaded_network import LoadedNetwork

__all__ = [
    "CancelToken",
    "DeviceSpec",
    "LoadedNetwork",
    "Runtime",
    "get_num_threads",
    "set_num_threads",
]

# A program that only asks for backends runs no network.
__getattr__ = names_of("armnn_py.runtime", {"armnn_py.runtime.loaded_network": ("LoadedNetwork",)})
