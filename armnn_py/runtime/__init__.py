# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Loading and running networks."""

from armnn_py.runtime.cancel import CancelToken
from armnn_py.runtime.loaded_network import LoadedNetwork
from armnn_py.runtime.runtime import DeviceSpec, Runtime
from armnn_py.runtime.threads import get_num_threads, set_num_threads

__all__ = [
    "CancelToken",
    "DeviceSpec",
    "LoadedNetwork",
    "Runtime",
    "get_num_threads",
    "set_num_threads",
]
