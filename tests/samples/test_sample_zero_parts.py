# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Concat, Splitter and Reshape in Sample_Zero's memory: tensors inside others, and no copies."""

from __future__ import annotations

import functools
import logging
import random
import re
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import armnn_py as ann
from armnn_py._native.table.tensor_handles import TensorHandle, TensorHandleFactory
from armnn_py.runtime.contexts import plan_choice
from armnn_py.runtime.plan.network_plan import NetworkPlan

from .conftest import REPOSITORY, SAMPLES

RELU = ann.ActivationFunction.RELU
TANH = ann.ActivationFunction.TANH
LINEAR = ann.ActivationFunction.LINEAR
X = np.random.default_rng(5).normal(size=(4, 16)).astype(np.float32)


@pytest.fixture(scope="module")
def runtime(sample_backend: Callable[[str], Path]) -> Iterator[ann.Runtime]:
    with ann.Runtime(sample_backend("sample_zero").parent) as runtime:
        yield runtime


def halves() -> ann.Network:
    """Cut, join, reshape, cut and join again, with layers in between that may work in place."""
    network = ann.Network("halves")
    x = network.add_input("x", ann.TensorInfo(X.shape))
    upper, lower = network.add_split(x, [2, 2], 0, name="cut").outputs
    total = network.add_addition(upper, lower, name="total")
    product = network.add_activation(
        network.add_multiplication(upper, lower, name="product"), RELU, name="relu"
    )
    joined = network.add_concat([total, product], 0, name="join")
    flat = network.add_reshape(joined, (1, 64), name="flat")
    left, right = network.add_split(flat, [48, 16], 1, name="cut again").outputs
    left = network.add_activation(left, TANH, 1.0, 1.0, name="tanh")
    right = network.add_activation(right, RELU, name="relu again")
    network.add_output("y", network.add_concat([right, left], 1, name="join again"))
    return network


def expected(x: np.ndarray) -> np.ndarray:
    upper, lower = x[:2], x[2:]
    flat = np.concatenate([upper + lower, np.maximum(upper * lower, 0)]).reshape(1, 64)
    return np.concatenate([np.maximum(flat[:, 48:], 0), np.tanh(flat[:, :48])], axis=1)


LAYERS = ("cut", "join", "flat", "cut again", "join again")


def test_a_network_of_parts_and_imports_copies_nothing(runtime: ann.Runtime) -> None:
    with ann.load(halves(), ["Sample_Zero"], runtime=runtime) as net:
        assert net.elided == LAYERS
        assert all(row.backend == "Sample_Zero" for row in net.assignment)
        with net.bind() as bound, net.profile() as profile:
            for factor in (1, -2, 3):  # strict runs: what cannot be imported is an error
                bound.inputs["x"][...] = factor * X
                y = bound.run()["y"]
                np.testing.assert_allclose(y, expected(factor * X), rtol=1e-6, atol=1e-7)
    assert (profile.copies, profile.copied_bytes) == (0, 0)
    counters = profile.counters["Sample_Zero"]
    assert counters["zero.bytes_copied"] == 0
    assert counters["zero.bytes_imported"] == 2 * X.nbytes  # once for each: the arrays stay
    assert counters["zero.sub_tensors"] > 0
    # The trace has the kernels and nothing that moves or joins.
    kernels = [event.name for event in profile.events if event.name.startswith("zero_")]
    assert not any("concat" in name or "split" in name or "reshape" in name for name in kernels)
    assert not {"Concat", "Splitter", "Reshape"} & {layer.type for layer in profile.layers}


def test_where_they_lie_is_seen_by_the_import(runtime: ann.Runtime) -> None:
    """One array is not aligned: it is copied, once, and nothing else is."""
    raw = np.zeros(X.nbytes + 128, np.uint8)
    begin = -raw.ctypes.data % 64 + 4
    x = raw[begin : begin + X.nbytes].view(np.float32).reshape(X.shape)
    x[...] = X
    with ann.load(halves(), ["Sample_Zero"], runtime=runtime) as net:
        y = np.zeros((1, 80), np.float32)
        y = y[:, -y.ctypes.data % 64 // 4 :][:, :64]
        with net.profile() as profile:
            net.run(x, out={"y": y})
    np.testing.assert_allclose(y, expected(X), rtol=1e-6, atol=1e-7)
    assert (profile.copies, profile.copied_bytes) == (1, X.nbytes)


def test_no_layer_works_in_place_on_a_part_of_the_callers_array(runtime: ann.Runtime) -> None:
    network = ann.Network()
    x = network.add_input("x", ann.TensorInfo(X.shape))
    upper, lower = network.add_split(x, [2, 2], 0, name="cut").outputs
    for i, slot in enumerate((upper, network.add_reshape(lower, (1, 32), name="flat"))):
        inner = network.add_activation(slot, RELU)
        network.add_output(f"y{i}", network.add_activation(inner, TANH, 1.0, 1.0))
    with ann.load(network, ["Sample_Zero"], runtime=runtime) as net, net.bind() as bound:
        assert net.elided == ("cut", "flat")
        bound.inputs["x"][...] = X
        outputs = bound.run()
        np.testing.assert_array_equal(bound.inputs["x"], X)
    y = np.tanh(np.maximum(X, 0))
    np.testing.assert_allclose(outputs["y0"], y[:2], rtol=1e-6)
    np.testing.assert_allclose(outputs["y1"], y[2:].reshape(1, 32), rtol=1e-6)


def test_imports_live_as_long_as_their_parts(runtime: ann.Runtime) -> None:
    network = ann.Network()
    x = network.add_input("x", ann.TensorInfo(X.shape))
    inner = network.add_activation(x, RELU, backend="CpuRef")
    upper, lower = network.add_split(inner, [2, 2], 0, name="cut").outputs
    y = network.add_activation(upper, TANH, 1.0, 1.0, name="reads the first part")
    for _ in range(4):  # somebody else works in the arena meanwhile
        y = network.add_floor(y, backend="CpuRef")
        y = network.add_activation(y, LINEAR, 3.0, 1.0, backend="CpuRef")
    network.add_output("y", network.add_addition(y, lower, name="reads the second part"))
    with ann.load(network, ["Sample_Zero", "CpuRef"], runtime=runtime) as net:
        assert net.elided == ("cut",)
        y = np.tanh(np.maximum(X[:2], 0))
        for _ in range(4):
            y = 3 * np.floor(y) + 1
        result = net.run(X)["y"]
    np.testing.assert_allclose(result, y + np.maximum(X[2:], 0), rtol=1e-6)


@pytest.mark.parametrize(("width", "elided"), [(16, ("cut",)), (5, ())])
def test_readers_in_host_memory_get_parts_aligned(
    width: int,
    elided: tuple[str, ...],
    sample_backend: Callable[[str], Path],
    tmp_path: Path,
    build_backend: Callable[..., None],
) -> None:
    """The backend "Needs" wants 64 bytes: a part that lies in between is not given to it."""
    build_backend("needs_backend.c", tmp_path / "Test_Needs_backend.so")
    network = ann.Network()
    x = network.add_input("x", ann.TensorInfo((2, width)))
    double = network.add_multiplication(x, x, backend="Sample_Zero")
    cut = network.add_split(double, [1, 1], 0, name="cut", backend="Sample_Zero")
    for i, slot in enumerate(cut.outputs):
        network.add_output(f"y{i}", network.add_addition(slot, slot, backend="Needs"))
    folders = [tmp_path, sample_backend("sample_zero").parent]
    value = np.random.default_rng(1).normal(size=(2, width)).astype(np.float32)
    with (
        ann.Runtime(folders) as runtime,
        ann.load(network, ["Sample_Zero", "Needs"], runtime=runtime) as net,
        net.bind() as bound,
    ):
        assert net.elided == elided
        bound.inputs["x"][...] = value
        outputs = bound.run()
    for i in range(2):
        np.testing.assert_allclose(outputs[f"y{i}"], 2 * value[i : i + 1] ** 2, rtol=1e-6)


def test_the_host_cuts_what_is_exported(runtime: ann.Runtime) -> None:
    network = ann.Network()
    x = network.add_input("x", ann.TensorInfo(X.shape))
    tall = network.add_multiplication(x, x, name="square")
    cut = network.add_split(tall, [1, 3], 0, name="cut", backend="CpuRef")
    for i, slot in enumerate(cut.outputs):
        network.add_output(f"y{i}", network.add_floor(slot, backend="CpuRef"))
    with (
        ann.load(network, ["Sample_Zero", "CpuRef"], runtime=runtime) as net,
        net.bind() as bound,
        net.profile() as profile,
    ):
        assert net.elided == ("cut",)
        bound.inputs["x"][...] = 3 * X
        outputs = bound.run()
    assert profile.copies == 0
    expected = np.floor((3 * X) ** 2)
    np.testing.assert_array_equal(outputs["y0"], expected[:1])
    np.testing.assert_array_equal(outputs["y1"], expected[1:])


def test_parents_come_first_and_go_last(
    runtime: ann.Runtime, monkeypatch: pytest.MonkeyPatch
) -> None:
    parents: dict[int, int] = {}  # of the handles that there are, by address
    told: list[tuple[str, bool]] = []  # manage and allocate, and whether of a part

    def make(real: Callable[..., TensorHandle], parent: int) -> Callable[..., TensorHandle]:
        def wrapped(*arguments: Any, **named: Any) -> TensorHandle:
            handle = real(*arguments, **named)
            parents[handle.address] = arguments[parent].address if parent >= 0 else 0
            assert parents[handle.address] == 0 or parents[handle.address] in parents
            return handle

        return wrapped

    def tell(name: str) -> None:
        real = getattr(TensorHandle, name)

        def wrapped(handle: TensorHandle) -> None:
            told.append((name, parents[handle.address] != 0))
            real(handle)

        monkeypatch.setattr(TensorHandle, name, wrapped)

    def destroy(handle: TensorHandle) -> None:
        assert handle.address not in parents.values(), "something lies in it"
        del parents[handle.address]
        real_destroy(handle)

    real_destroy = TensorHandle.destroy
    factory = TensorHandleFactory
    monkeypatch.setattr(factory, "create", make(factory.create, -1))
    monkeypatch.setattr(factory, "create_sub", make(factory.create_sub, 1))
    monkeypatch.setattr(TensorHandle, "decorate", make(TensorHandle.decorate, 0))
    monkeypatch.setattr(TensorHandle, "destroy", destroy)
    tell("manage")
    tell("allocate")
    seen = 0
    for seed in range(12):
        network = random_tree(seed)
        with ann.load(network, ["Sample_Zero", "CpuRef"], runtime=runtime) as net, net.bind():
            seen += sum(1 for parent in parents.values() if parent)
        assert not parents
    assert seen >= 10
    assert {part for _, part in told} == {False}
    names = [name for name, _ in told]
    assert names.count("manage") == names.count("allocate") > 0


# ---- Factories that make no parts ----------------------------------------------------------------


@pytest.fixture
def odd_backend(tmp_path: Path) -> Callable[[str], Path]:
    """Sample_Zero with another factory of tensors; see the fixture's source."""

    def build(define: str) -> Path:
        compiler = shutil.which("cc")
        assert compiler is not None, "the tests need a C compiler"
        folder = SAMPLES / "sample_zero"
        sources = [path for path in sorted(folder.glob("*.c")) if path.name != "handle_factory.c"]
        flags = ["-std=c11", "-O1", "-Wall", "-Wextra", "-Werror", "-fPIC", "-shared"]
        flags += ["-fvisibility=hidden", f"-D{define}", f"-I{REPOSITORY / 'native/include'}"]
        target = tmp_path / "Sample_Zero_backend.so"
        own = Path(__file__).parent / "zero_of_bad_parts.c"
        subprocess.run(
            [compiler, *flags, f"-I{folder}", *sources, own, "-lm", "-o", target], check=True
        )
        return tmp_path

    return build


@pytest.mark.parametrize(
    ("define", "elided", "said"),
    [
        ("NO_TRAIT", ("flat",), "create_sub_tensor_handle: the backend has no such function"),
        ("SUB_UNSUPPORTED", ("flat",), "layer 'join' is executed: .*: no parts here"),
        ("SUB_FAILS", ("flat",), "layer 'join' is executed: .*the parts are broken"),
        ("NO_PARENT", ("flat",), "get_parent of a sub-tensor does not return the tensor"),
        (
            "DECORATE_UNSUPPORTED",
            ("cut", "join", "cut again", "join again"),
            "layer 'flat' is executed: .*decorate: no other shapes here",
        ),
        (
            "DECORATE_FAILS",
            ("cut", "join", "cut again", "join again"),
            "layer 'flat' is executed: .*the shapes are broken",
        ),
    ],
)
def test_imports_refused_by_a_factory_are_copied(
    define: str,
    elided: tuple[str, ...],
    said: str,
    odd_backend: Callable[[str], Path],
    caplog: pytest.LogCaptureFixture,
) -> None:
    with (
        caplog.at_level(logging.DEBUG, "armnn_py.runtime"),
        ann.Runtime(odd_backend(define)) as runtime,
        ann.load(halves(), ["Sample_Zero"], runtime=runtime) as net,
    ):
        assert net.elided == elided
        np.testing.assert_allclose(net.run(X)["y"], expected(X), rtol=1e-6, atol=1e-7)
    told = [record.getMessage().replace("\n", " ") for record in caplog.records]
    warned = [record.levelno >= logging.WARNING for record in caplog.records]
    assert re.search(said, " ".join(told))
    assert any(warned) == define.endswith(("FAILS", "NO_PARENT")), "a refusal is not a fault"
    assert len(told) == len(set(told)), "once for each layer"


def test_a_factory_that_changes_its_mind_is_an_error(odd_backend: Callable[[str], Path]) -> None:
    network = ann.Network()
    x = network.add_input("x", ann.TensorInfo((2, 16)))
    for i, slot in enumerate(network.add_split(x, [1, 1], 0, name="cut").outputs):
        network.add_output(f"y{i}", network.add_activation(slot, RELU))
    with (
        ann.Runtime(odd_backend("SUB_ONLY_ONCE")) as runtime,
        ann.load(network, ["Sample_Zero"], runtime=runtime) as net,
    ):
        assert net.elided == ("cut",)
        with pytest.raises(ann.BackendError, match="cannot lie in another now") as caught:
            net.run(np.zeros((2, 16), np.float32))
        assert "create_sub_tensor_handle: no parts any more" in str(caught.value)


# ---- Random trees --------------------------------------------------------------------------------


def random_tree(seed: int) -> ann.Network:
    """Concats of splits of reshapes, with layers that may work in place; some of it on CpuRef."""
    rng = random.Random(seed)
    network = ann.Network(f"tree {seed}")
    rows = [rng.randint(1, 4) for _ in range(rng.randint(1, 3))]
    values = [
        network.add_input(f"x{i}", ann.TensorInfo((1, n, 16))).outputs[0]
        for i, n in enumerate(rows)
    ]
    share = rng.choice([0.0, 0.0, 0.2, 0.5])  # of CpuRef
    for _ in range(rng.randint(4, 24)):
        kind = rng.choice(["concat", "concat", "split", "split", "reshape", "add", "mul", "one"])
        source = rng.choice(values[-8:])
        height = source.info.static_shape[1]
        backend = "CpuRef" if rng.random() < share else None
        if kind == "concat" and height < 24:
            others = [rng.choice(values) for _ in range(rng.randint(0, 2))]
            values += network.add_concat([source, *others], 1, backend=backend).outputs
        elif kind == "split" and height > 1:
            at = rng.randint(1, height - 1)
            values += network.add_split(source, [at, height - at], 1, backend=backend).outputs
        elif kind == "reshape":
            flat = network.add_reshape(source, (1, 1, 16 * height), backend=backend).output
            if rng.random() < 0.5:
                flat = network.add_activation(flat, TANH, 1.0, 0.5).output
            values += network.add_reshape(flat, (1, height, 16), backend=backend).outputs
        elif kind in ("add", "mul"):
            same = [value for value in values if value.info.shape == source.info.shape]
            add = network.add_addition if kind == "add" else network.add_multiplication
            values += add(source, rng.choice(same), backend=backend).outputs
        else:
            first = network.add_activation(source, TANH, 1.0, 0.5, backend=backend)
            values += network.add_activation(first, LINEAR, -1.0, 0.25).outputs
    for i, value in enumerate(values):
        if i >= len(rows) and (not value.consumers or rng.random() < 0.2):
            network.add_output(f"y{i}", value)
    return network


@pytest.mark.parametrize("seed", range(60))
def test_random_trees_give_what_cpu_ref_gives(seed: int, runtime: ann.Runtime) -> None:
    network = random_tree(seed)
    rng = np.random.default_rng(seed)
    inputs = {
        name: rng.normal(size=info.static_shape).astype(np.float32)
        for name, info in network.inputs.items()
    }
    with pytest.MonkeyPatch.context() as patch:
        every_layer = functools.partial(NetworkPlan, sub_tensors=False)
        patch.setattr(plan_choice, "NetworkPlan", every_layer)
        with ann.load(network, ["CpuRef"]) as net:
            expected = net.run(inputs)
            assert net.elided == ()
    with ann.load(network, ["Sample_Zero", "CpuRef"], runtime=runtime) as net:
        for _ in range(2):
            outputs = net.run(inputs)
            for name in expected:
                np.testing.assert_allclose(outputs[name], expected[name], 1e-4, 1e-5, err_msg=name)
