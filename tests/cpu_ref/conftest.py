# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The reference backend as a fixture."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import armnn_py as ann
from armnn_py.backends.questions.layer_support import LayerSupport

from .harness import Layers


@pytest.fixture(scope="session")
def cpu_ref() -> Iterator[Layers]:
    with (
        ann.Runtime(enable_dynamic_backends=False) as runtime,
        LayerSupport(runtime.backends["CpuRef"]) as support,
    ):
        yield Layers(runtime, support)
