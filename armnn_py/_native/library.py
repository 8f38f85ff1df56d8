# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Find and open ``libarmnn_core.so``, and give its functions their types.

The library belongs to the package and must speak exactly the plan ABI that this package was
written for. It is opened once for the life of the process and never closed.
"""

from __future__ import annotations

import ctypes
import functools
import os
import sys
from typing import Any

from armnn_py import environment
from armnn_py._native import abi
from armnn_py._version import __version__
from armnn_py.errors import InternalError

LIBRARY_NAME = "libarmnn_core.so"


def core_path() -> str:
    """Path of the library: the developer's override, or beside this module.

    In an editable install the compiled folder is apart from the sources; the package's search
    path names both.

    Raises
    ------
    InternalError
        If there is no such file; the message lists each path tried.
    """
    override = environment.core_library()
    if override is not None:
        return override
    tried = []
    for folder in sys.modules["armnn_py"].__path__:
        candidate = os.path.join(folder, "_native", "lib", LIBRARY_NAME)  # noqa: PTH118
        if os.path.isfile(candidate):  # noqa: PTH113
            return candidate
        tried.append(f"tried: {candidate}")
    raise InternalError(
        f"the native library '{LIBRARY_NAME}' is not there",
        details=tried,
        hints=["install the package; in a source tree: pip install ."],
    )


class _Core(ctypes.CDLL):
    """A library whose functions get their types when they are first asked for, once."""

    def __getattr__(self, name: str) -> Any:
        if name not in abi.CORE_FUNCTIONS:
            return super().__getattr__(name)
        function = self[name]  # of this call alone, until it has its types: other threads may ask
        function.restype, function.argtypes = abi.CORE_FUNCTIONS[name]
        setattr(self, name, function)
        return function


@functools.cache
def core() -> ctypes.CDLL:
    """The native library, whose functions have their types.

    Raises
    ------
    InternalError
        If the file is missing, cannot be opened, or speaks another plan ABI.
    """
    path = core_path()
    try:
        library = _Core(path, mode=os.RTLD_NOW | os.RTLD_LOCAL)
    except OSError as error:
        raise InternalError(
            f"the native library '{path}' cannot be opened",
            details=[str(error)],
            hints=["reinstall the package"],
        ) from error
    version = library.armnn_core_abi_version()
    if version != abi.ARMNN_CORE_ABI_VERSION:
        raise InternalError(
            f"the native library '{path}' speaks plan ABI {version}, "
            f"this package needs {abi.ARMNN_CORE_ABI_VERSION}",
            hints=["Python files and library come from different builds: reinstall the package"],
        )
    built = library.armnn_core_version().decode()
    if built != __version__:
        raise InternalError(
            f"the native library '{path}' is of version {built}, this package is {__version__}",
            hints=["Python files and library come from different builds: reinstall the package"],
        )
    return library


_other_host: ctypes._Pointer[abi.armnn_host_t] | None = None


def use_host(table: ctypes._Pointer[abi.armnn_host_t]) -> None:
    """Have all backends of this process that are made from now on get another table of services.

    For a process that tests a backend; the table lives as long as the process.
    """
    global _other_host
    _other_host = table


def host_pointer() -> ctypes._Pointer[abi.armnn_host_t]:
    """The table of host services that every backend is created with."""
    return core_host() if _other_host is None else _other_host


@functools.cache
def core_host() -> ctypes._Pointer[abi.armnn_host_t]:
    """The table of the native library's own services."""
    pointer: ctypes._Pointer[abi.armnn_host_t] = core().armnn_core_host()
    return pointer
