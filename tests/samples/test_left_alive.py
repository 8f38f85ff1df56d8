# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""What belongs to a backend goes when it is of no use, not when rings are collected."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

import armnn_py as ann
from armnn_py._native.table.blob import NativeBlob
from armnn_py._native.table.handle_registry import HandleRegistry
from armnn_py.optimizer import connect_backends


@pytest.fixture
def no_collections() -> Iterator[None]:
    gc.collect()
    gc.disable()
    yield
    gc.enable()


def alive(kind: type) -> int:
    return sum(isinstance(one, kind) for one in gc.get_objects())


def small() -> ann.Network:
    network = ann.Network("small")
    x = network.add_input("x", ann.TensorInfo((1, 8, 8, 4)))
    y = network.add_convolution2d(x, np.ones((4, 1, 1, 4), np.float32), name="conv")
    network.add_output("y", network.add_activation(y, ann.ActivationFunction.RELU))
    return network


@pytest.mark.exhaustive
def test_blobs_of_a_network_that_came_to_nothing(
    sample_backend: Callable[[str], Path],
    monkeypatch: pytest.MonkeyPatch,
    no_collections: None,
) -> None:
    def refuse(*_args: object, **_options: object) -> None:
        assert alive(NativeBlob) > before
        raise ann.BackendError("no way")

    monkeypatch.setattr(connect_backends, "connect_memory", refuse)
    before = alive(NativeBlob)
    with ann.Runtime(sample_backend("sample_npu").parent) as runtime:
        for _ in range(2):
            with pytest.raises(ann.BackendError, match="no way"):
                ann.optimize(small(), ["Sample_Npu"], runtime=runtime)
            assert alive(NativeBlob) == before


def test_registries_of_networks_that_are_closed(
    sample_backend: Callable[[str], Path], no_collections: None
) -> None:
    before = alive(HandleRegistry)
    with ann.Runtime(sample_backend("sample_zero").parent) as runtime:
        for _ in range(2):
            with ann.load(small(), ["Sample_Zero", "CpuRef"], runtime=runtime) as net:
                net.run(np.ones((1, 8, 8, 4), np.float32))
                assert alive(HandleRegistry) > before
            assert alive(HandleRegistry) == before
