# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The promises of the header to a workload, and the reports of a workload's answers."""

from __future__ import annotations

import logging
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import armnn_py as ann

X = np.arange(-6, 6, dtype=np.float32).reshape(3, 4)


def unary(operation: ann.UnaryOperation, name: str = "the layer") -> ann.Network:
    network = ann.Network("unary")
    x = network.add_input("x", ann.TensorInfo(X.shape))
    network.add_output("y", network.add_elementwise_unary(x, operation, name=name))
    return network


def test_alignment_and_scratch(needs_runtime: ann.Runtime) -> None:
    """Odd sizes and odd addresses: every tensor a kernel sees is aligned, scratch is its own."""
    network = ann.Network()
    x = network.add_input("x", ann.TensorInfo((7,)))
    y, z = x, network.add_constant(np.ones(7, np.float32))
    for _ in range(5):
        y = network.add_addition(y, z)
        z = network.add_addition(y, x)
    network.add_output("y", y)
    network.add_output("z", z)
    base = np.arange(64, dtype=np.float32)
    with ann.load(network, backends=["Needs"], runtime=needs_runtime) as net:
        for start in range(17):
            value = base[start : start + 7]
            a, b = value, np.ones(7, np.float32)
            for _ in range(5):
                a = a + b
                b = a + value
            out = np.empty(40, np.float32)[start : start + 7]
            outputs = net.run({"x": value}, out={"y": out})
            np.testing.assert_array_equal(outputs["y"], a)
            np.testing.assert_array_equal(outputs["z"], b)


def test_consumed_constants(needs_runtime: ann.Runtime) -> None:
    network = ann.Network()
    x = network.add_input("x", ann.TensorInfo(X.shape))
    network.add_output("y", network.add_multiplication(x, X))
    with ann.load(network, backends=["Needs"], runtime=needs_runtime) as net:
        np.testing.assert_array_equal(net.run(X)["y"], X * X)


def test_in_place_results(needs_runtime: ann.Runtime) -> None:
    """A chain that may run in place needs one buffer; a branch keeps its operand."""
    network = ann.Network()
    x = network.add_input("x", ann.TensorInfo(X.shape))
    y = network.add_elementwise_unary(x, ann.UnaryOperation.NEG)
    kept = y
    for _ in range(4):
        y = network.add_elementwise_unary(y, ann.UnaryOperation.NEG)
    network.add_output("sum", network.add_addition(kept, y, backend="CpuRef"))
    network.add_output("y", network.add_elementwise_unary(y, ann.UnaryOperation.NEG))
    with ann.load(network, backends=["Needs", "CpuRef"], runtime=needs_runtime) as net:
        outputs = net.run(X)
        np.testing.assert_array_equal(outputs["sum"], -2 * X)
        np.testing.assert_array_equal(outputs["y"], X)
        assert net.arena_size == 2 * 64


def test_workload_that_is_refused(needs_runtime: ann.Runtime) -> None:
    with pytest.raises(ann.BackendError) as caught:
        ann.load(unary(ann.UnaryOperation.ABS), backends=["Needs"], runtime=needs_runtime)
    text = str(caught.value)
    assert "'Needs'" in text
    assert "'the layer'" in text
    assert "the device fell off the table" in text


def test_layer_that_fails(needs_runtime: ann.Runtime) -> None:
    network = unary(ann.UnaryOperation.EXP)
    with ann.load(network, backends=["Needs"], runtime=needs_runtime) as net:
        with pytest.raises(ann.ExecutionError) as caught:
            net.run(X)
        error = caught.value
        assert (error.layer, error.backend, error.kernel) == ("the layer", "Needs", "needs_exp")
        assert str(error).splitlines()[:2] == [
            "layer 'the layer' (ElementwiseUnary) on backend 'Needs': device lost",
            "  bus error on lane 3",
        ]


def test_layer_that_fails_without_a_word(needs_runtime: ann.Runtime) -> None:
    network = unary(ann.UnaryOperation.LOG)
    with (
        ann.load(network, backends=["Needs"], runtime=needs_runtime) as net,
        pytest.raises(ann.ExecutionError, match="on backend 'Needs': internal"),
    ):
        net.run(X)


def test_lost_device_gets_no_more_work(needs_runtime: ann.Runtime) -> None:
    network = unary(ann.UnaryOperation.RSQRT)
    with ann.load(network, backends=["Needs"], runtime=needs_runtime) as net:
        with pytest.raises(ann.ExecutionError, match="on backend 'Needs': device lost") as caught:
            net.run(X)
        assert caught.value.vendor_code == -1207
        assert "  vendor code: -1207" in str(caught.value).splitlines()
        with pytest.raises(
            ann.ExecutionError, match="the device of backend 'Needs' is lost"
        ) as caught:
            net.run(X)
        assert "Needs: unplugged" in str(caught.value)


def test_failure_of_the_reference_backend(runtime: ann.Runtime) -> None:
    network = ann.Network()
    x = network.add_input("x", ann.TensorInfo((4,)))
    indices = network.add_input("i", ann.TensorInfo((2,), ann.DataType.SIGNED32))
    network.add_output("y", network.add_gather(x, indices, name="pick"))
    with ann.load(network, runtime=runtime) as net:
        values = np.arange(4, dtype=np.float32)
        with pytest.raises(ann.ExecutionError, match=r"layer 'pick' .* invalid argument") as caught:
            net.run({"x": values, "i": np.array([0, 9], np.int32)})
        assert "9" in str(caught.value)
        good = net.run({"x": values, "i": np.array([3, 0], np.int32)})
        np.testing.assert_array_equal(good["y"], [3, 0])


def test_lines_of_a_backend_reach_logging(
    needs_runtime: ann.Runtime, caplog: pytest.LogCaptureFixture
) -> None:
    network = unary(ann.UnaryOperation.SIN)
    with (
        caplog.at_level(logging.WARNING, logger="armnn_py"),
        ann.load(network, backends=["Needs"], runtime=needs_runtime) as net,
    ):
        net.run(X)
    assert (
        "armnn_py.native.Needs",
        logging.WARNING,
        "one row was computed",
    ) in caplog.record_tuples


def test_profiles_side_by_side_keep_their_own(needs_runtime: ann.Runtime) -> None:
    network = unary(ann.UnaryOperation.NEG)
    with (
        ann.load(network, backends=["Needs"], runtime=needs_runtime) as one,
        ann.load(network, backends=["Needs"], runtime=needs_runtime) as two,
    ):
        with one.profile() as outer:
            one.run(X)
            with two.profile() as inner, one.profile() as second:
                one.run(X)
                two.run(X)
            two.run(X)
            one.run(X)
        assert (outer.runs, second.runs, inner.runs) == (3, 1, 1)
        assert [layer.calls for layer in outer.layers] == [3]
        assert outer.dropped == inner.dropped == 0


@pytest.mark.parametrize("alignment", [128, 4096])
def test_large_alignments(
    tmp_path: Path, alignment: int, build_backend: Callable[..., None]
) -> None:
    path = tmp_path / "Test_Needs_backend.so"
    build_backend("needs_backend.c", path, f"-DALIGNMENT={alignment}")
    network = ann.Network()
    x = network.add_input("x", ann.TensorInfo((7,)))
    y = network.add_addition(x, np.ones(7, np.float32))
    z = network.add_addition(y, x)
    network.add_output("z", network.add_addition(z, y))
    value = np.arange(7, dtype=np.float32)
    with ann.Runtime(tmp_path) as runtime, ann.load(network, ["Needs"], runtime=runtime) as net:
        np.testing.assert_array_equal(net.run(value)["z"], 3 * value + 2)


@pytest.mark.parametrize("alignment", [3, 48, 8192])
def test_invalid_alignments(
    tmp_path: Path, alignment: int, build_backend: Callable[..., None]
) -> None:
    path = tmp_path / "Test_Needs_backend.so"
    build_backend("needs_backend.c", path, f"-DALIGNMENT={alignment}")
    network = ann.Network()
    x = network.add_input("x", ann.TensorInfo((7,)))
    network.add_output("y", network.add_addition(x, x))
    with ann.Runtime(tmp_path) as runtime, pytest.raises(ann.BackendError) as caught:
        ann.load(network, ["Needs"], runtime=runtime)
    first = str(caught.value).splitlines()[0]
    assert first.startswith("backend 'Needs': a workload asks for ")
    assert first.endswith(f" aligned to {alignment} bytes")


def test_profile_names_layers_and_kernels(needs_runtime: ann.Runtime) -> None:
    network = ann.Network("two")
    x = network.add_input("x", ann.TensorInfo(X.shape))
    y = network.add_elementwise_unary(x, ann.UnaryOperation.NEG, name="first")
    network.add_output("y", network.add_addition(y, y, name="second", backend="CpuRef"))
    with ann.load(network, backends=["Needs"], runtime=needs_runtime) as net:
        net.run(X)
        with net.profile() as profile:
            for _ in range(3):
                net.run(X)
        net.run(X)
    assert profile.runs == 3
    assert [(p.layer, p.backend, p.calls) for p in profile.layers] == [
        ("first", "Needs", 3),
        ("second", "CpuRef", 3),
    ]
    assert profile.layers[0].kernel == "needs_neg"
    assert profile.run_ns >= sum(layer.total_ns for layer in profile.layers)
