# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Facts about the native library for ``armnn-py doctor``."""

from __future__ import annotations

import ctypes

from msgspec import Struct

from armnn_py._native import abi
from armnn_py._native.library import core, host_pointer

_CPU_PREFIXES = ("ARMNN_CPU_X86_", "ARMNN_CPU_ARM_")


class StructSize(Struct, frozen=True):
    """Size of one structure as the library states it and as Python's mirror has it."""

    name: str
    library: int
    python: int

    @property
    def agrees(self) -> bool:
        """Whether both are equal."""
        return self.library == self.python


def core_version() -> str:
    """Return the version that was compiled into the library."""
    text: bytes = core().armnn_core_version()
    return text.decode()


def usable_cpus() -> int:
    """Return how many processors this process may use."""
    count: int = core().armnn_core_usable_cpus()
    return count


def cpu_features() -> int:
    """Return the instruction sets that backends are told about, as bits ``ARMNN_CPU_...``."""
    host = host_pointer().contents
    bits: int = host.cpu_features(host.context)
    return bits


def cpu_feature_names() -> list[str]:
    """Return the instruction sets that backends are told about, in lower case."""
    bits = cpu_features()
    return [
        name.removeprefix(prefix).lower()
        for prefix in _CPU_PREFIXES
        for name, bit in sorted(abi.MACROS.items(), key=lambda item: item[1])
        if name.startswith(prefix) and bits & bit
    ]


def struct_sizes() -> list[StructSize]:
    """Return the tables that the library has filled in, each with its size on both sides."""
    sizes = [
        StructSize(
            "host services",
            int(host_pointer().contents.header.struct_size),
            ctypes.sizeof(abi.armnn_host_t),
        )
    ]
    for index in range(core().armnn_core_static_backend_count()):
        entry = core().armnn_core_static_backend(index).contents
        header = abi.armnn_header_t.from_address(entry.backend_factory())
        sizes.append(
            StructSize(
                f"table of {entry.name.decode()}",
                int(header.struct_size),
                ctypes.sizeof(abi.armnn_backend_api_t),
            )
        )
    return sizes
