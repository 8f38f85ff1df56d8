# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The reference backend as a fixture, from a file of its own or from the core library."""

from __future__ import annotations

import ctypes
import os

import pytest

from .harness import Backend, ChunkedHost, Layers

_HOST = ChunkedHost()


@pytest.fixture(scope="session")
def cpu_ref() -> Layers:
    """CpuRef; the variable ``CPU_REF_LIBRARY`` names a ``.so`` to test in place of the core's."""
    path = os.environ.get("CPU_REF_LIBRARY")
    host = ctypes.pointer(_HOST.table)
    if path is not None:
        return Layers(Backend.from_file(path), Backend.from_file(path, host))
    from armnn_py._native.library import core

    library = core()
    return Layers(Backend.from_core(library, "CpuRef"), Backend.from_core(library, "CpuRef", host))
