# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Numbers that kernels may get wrong, and a runtime for each instruction set."""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Iterator

import numpy as np
import pytest

import armnn_py as ann
from tests.cpu_acc.instruction_sets import ISAS

__all__ = ["ENGINES", "SPECIAL", "engine_of"]

SPECIAL = np.array(
    [
        np.nan, np.inf, -np.inf, 0.0, -0.0, 1e-45, -1e-45, 2e-38, -2e-38, 3.4e38, -3.4e38,
        1, -1, 0.5, -0.5, 2, -2, 1.5, 2.5, -1.5, -2.5, 0.9999999, 3, -3, 7, 30, -30, 89, -89,
        104, -104, 1e10, -1e10,
    ],
    np.float32,
)  # fmt: skip

#: CpuRef, and the instruction sets of CpuAcc that this processor runs.
ENGINES = tuple(dict.fromkeys(("CpuRef", *ISAS, "portable")))


@contextlib.contextmanager
def engine_of(name: str) -> Iterator[tuple[ann.Runtime, list[str]]]:
    """Give a runtime and the backends of one of `ENGINES`; skip where CpuAcc lacks it."""
    is_ref = name == "CpuRef"
    options = {} if is_ref else {"CpuAcc": {"isa": name}}
    backends = ["CpuRef"] if is_ref else ["CpuAcc", "CpuRef"]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ann.BackendSkippedWarning)
        runtime = ann.Runtime(enable_dynamic_backends=not is_ref, backend_options=options)
    with runtime:
        if not set(backends) <= set(runtime.backends):
            pytest.skip(f"no {name} here")
        yield runtime, backends
