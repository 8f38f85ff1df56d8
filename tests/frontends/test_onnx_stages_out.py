# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Arrays of the caller for outputs of a network in stages are checked as those of any network."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from onnx import TensorProto, helper, numpy_helper

import armnn_py as ann

FLOAT, INT64, BOOL = TensorProto.FLOAT, TensorProto.INT64, TensorProto.BOOL
SHAPE = (200, 100)  # more than 64 KiB: data, not an operand that decides shapes
n = helper.make_node
value = helper.make_tensor_value_info


def data() -> np.ndarray:
    return np.random.default_rng(0).random(SHAPE).astype(np.float32) - np.float32(0.5)


def model() -> Any:
    """Doubles its input until its largest element is 8 or more; two outputs are the result."""
    body = helper.make_graph(
        [
            n("Add", ["state", "state"], ["next"]),
            n("ReduceMax", ["next"], ["top"], keepdims=0),
            n("Less", ["top", "limit"], ["on"]),
        ],
        "body",
        [value("turn", INT64, []), value("goes", BOOL, []), value("state", FLOAT, SHAPE),
         value("other", FLOAT, SHAPE)],
        [value("on", BOOL, []), value("next", FLOAT, SHAPE), value("next", FLOAT, SHAPE)],
    )  # fmt: skip
    graph = helper.make_graph(
        [
            n("Neg", ["x"], ["negative"]),
            n("Loop", ["", "yes", "x", "x"], ["y", "z"], body=body),
            n("Sub", ["y", "x"], ["less"]),
        ],
        "doubling",
        [value("x", FLOAT, SHAPE)],
        [value(name, FLOAT, SHAPE) for name in ("negative", "y", "z", "less")],
        [numpy_helper.from_array(np.float32(8), "limit"),
         numpy_helper.from_array(np.array(True), "yes")],
    )  # fmt: skip
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


@pytest.fixture(scope="module")
def network() -> Iterator[ann.LoadedNetwork]:
    with ann.load(model(), ["CpuRef"]) as loaded:
        yield loaded


def check(found: dict[str, np.ndarray]) -> None:
    x = data()
    np.testing.assert_array_equal(found["negative"], -x)
    np.testing.assert_array_equal(found["y"], 32 * x)
    np.testing.assert_array_equal(found["z"], 32 * x)
    np.testing.assert_array_equal(found["less"], 31 * x)


def empty() -> np.ndarray:
    return np.empty(SHAPE, np.float32)


@pytest.mark.parametrize(
    ("out", "text"),
    [
        ({"z": [1.0]}, "'z': list given, a numpy array expected"),
        ({"z": np.broadcast_to(np.float32(0), SHAPE)}, "'z': the array is read-only"),
        ({"y": np.asfortranarray(empty())}, "'y': the array is not contiguous"),
        ({"y": np.empty(SHAPE)}, "'y': dtype float64 given, float32 expected"),
        ({"y": np.empty((2, 2, 2), np.float32)}, "'y': 3 dimensions given"),
        ([empty()], "a dict by name expected, list given"),
        (dict.fromkeys(("y", "z"), empty()), "'z': its array overlaps another output's"),
        (dict.fromkeys(("negative", "less"), empty()), "'less': its array overlaps"),
    ],
)
def test_arrays_that_cannot_be_outputs(network: ann.LoadedNetwork, out: Any, text: str) -> None:
    with pytest.raises(ann.InvalidArgumentError, match=text):
        network.run(data(), out=out)


def test_an_output_that_the_network_does_not_have(network: ann.LoadedNetwork) -> None:
    with pytest.raises(ann.UnknownNameError, match="no output 'negativ'"):
        network.run(data(), out={"negativ": empty()})


@pytest.mark.parametrize("name", ["negative", "y", "z", "less"])
def test_an_output_over_an_input(network: ann.LoadedNetwork, name: str) -> None:
    """Later stages read the input as it was."""
    x = data()
    found = network.run(x, out={name: x})
    assert found[name] is x
    check(found)


def test_an_output_over_a_shared_input(network: ann.LoadedNetwork) -> None:
    x = data()
    with pytest.raises(ann.InvalidArgumentError, match="input 'x': its array overlaps"):
        network.run(x, out={"negative": x}, share_inputs=True)


def test_a_timeout_is_that_of_the_whole_network(network: ann.LoadedNetwork) -> None:
    with pytest.raises(ann.ExecutionTimeoutError) as caught:
        network.run(np.zeros(SHAPE, np.float32), timeout=0.25)
    assert str(caught.value).startswith("network 'doubling': not done after 0.25 s: timeout")


@pytest.mark.parametrize("name", ["negative", "y", "z", "less"])
def test_an_output_in_external_memory(network: ann.LoadedNetwork, name: str) -> None:
    target = np.zeros(SHAPE, np.float32)
    with ann.ExternalMemory(address=target.ctypes.data, size=target.nbytes) as memory:
        found = network.run(data(), out={name: memory})
        assert found[name] is memory
    check({**found, name: target})


@pytest.mark.parametrize("name", ["x", "negative", "y", "z", "less"])
def test_external_memory_with_strides(network: ann.LoadedNetwork, name: str) -> None:
    """A loop computes on arrays: on those of the memory, not on buffers for it."""
    wide = np.zeros((SHAPE[0], 2 * SHAPE[1]), np.float32)
    part = wide[:, : SHAPE[1]]
    part[:] = data() if name == "x" else 0
    with ann.ExternalMemory(
        address=wide.ctypes.data, size=wide.nbytes, strides=part.strides
    ) as memory:
        found = network.run(memory) if name == "x" else network.run(data(), out={name: memory})
    check(found if name == "x" else {**found, name: part})
    assert not wide[:, SHAPE[1] :].any()


def test_external_memory_that_waits_for_a_fence(network: ann.LoadedNetwork) -> None:
    fence, ready = os.pipe()
    os.write(ready, b"1")
    x = data()
    try:
        with (
            ann.ExternalMemory(address=x.ctypes.data, size=x.nbytes, ready=fence) as memory,
            pytest.raises(ann.InvalidArgumentError, match="'x': a stage of the network computes"),
        ):
            network.run(memory)
    finally:
        os.close(fence)
        os.close(ready)


def test_outputs_have_memory_of_their_own(network: ann.LoadedNetwork) -> None:
    for found in (network.run(data()), network.run(data(), out={"y": empty()})):
        check(found)
        assert not np.shares_memory(found["y"], found["z"])
        assert not np.shares_memory(found["y"], found["less"])
