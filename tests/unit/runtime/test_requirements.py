# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Requirements of a workload on tensors and on the host are met, or refused with a reason."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import armnn_py as ann
from armnn_py._native.channel import TENSORS_OFFSET
from armnn_py._native.memory.guarded_memory import Region
from armnn_py._native.table.dynamic_library import is_readable_behind
from armnn_py.descriptors import StandInDescriptor
from armnn_py.isolation.worker_part import WorkerPart
from armnn_py.runtime.arrays.buffers import make_room, readable_copy

from .kinds import Build

Unary = ann.UnaryOperation
FILE = "Test_Requirements_backend.so"
PAGE = 4096


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory, build_backend: Build) -> Path:
    made = tmp_path_factory.mktemp("requirements")
    build_backend("requirements_backend.c", made / FILE)
    return made


@pytest.fixture(scope="module")
def requirements(folder: Path) -> Iterator[ann.Runtime]:
    with ann.Runtime(folder) as runtime:
        yield runtime


def unary(operation: Unary, shape: tuple[int, ...] = (4,), layers: int = 1) -> ann.Network:
    network = ann.Network("requirements")
    x = network.add_input("x", ann.TensorInfo(shape))
    for number in range(layers):
        x = network.add_elementwise_unary(x, operation, name=f"layer {number}")
    network.add_output("y", x)
    return network


# ---- Bytes behind inputs -------------------------------------------------------------------------


def at_the_end_of_a_page(values: np.ndarray) -> np.ndarray:
    """The same values, an unreadable page behind them."""
    region = Region(values.nbytes, 4, "end", 0)
    KEPT.append(region)
    array = region.view(values.dtype, values.shape)
    array[...] = values
    return array


KEPT: list[Region] = []


def test_a_callers_array_at_the_end_of_memory(requirements: ann.Runtime) -> None:
    """It is copied to where something follows; others are not copied."""
    x = np.arange(-6, 6, dtype=np.float32)
    roomy = np.zeros(PAGE, np.uint8)
    begin = -roomy.ctypes.data % 64
    inside = roomy[begin : begin + x.nbytes].view(np.float32)
    if (inside.ctypes.data + x.nbytes) % PAGE < 17:
        inside = roomy[begin + 64 : begin + 64 + x.nbytes].view(np.float32)
    inside[...] = x
    with ann.load(unary(Unary.ABS, x.shape), ["Requirements"], runtime=requirements) as net:
        for _ in range(2):
            with net.profile() as profile:
                found = net.run(at_the_end_of_a_page(x))["y"]
            np.testing.assert_array_equal(found, abs(x))
            assert (profile.copies, profile.copied_bytes) == (1, x.nbytes)
            with net.profile() as profile:
                found = net.run(inside)["y"]
            np.testing.assert_array_equal(found, abs(x))
            assert profile.copies == 0


def test_a_callers_array_for_an_output(requirements: ann.Runtime) -> None:
    x = np.arange(-6, 6, dtype=np.float32)
    with ann.load(unary(Unary.ABS, x.shape), ["Requirements"], runtime=requirements) as net:
        out = at_the_end_of_a_page(np.zeros(12, np.float32))
        net.run(x, out={"y": out})
        np.testing.assert_array_equal(out, abs(x))


def test_an_output_that_a_layer_reads(requirements: ann.Runtime) -> None:
    """The caller's array of an output is an input of another layer."""
    network = ann.Network("two outputs")
    x = network.add_input("x", ann.TensorInfo((5,)))
    y = network.add_elementwise_unary(x, Unary.ABS)
    network.add_output("y", y)
    network.add_output("z", network.add_elementwise_unary(y, Unary.ABS))
    values = np.array([-1, 2, -3, 4, -5], np.float32)
    with ann.load(network, ["Requirements"], runtime=requirements) as net:
        out = at_the_end_of_a_page(np.zeros(5, np.float32))
        net.run(values, out={"y": out})
        np.testing.assert_array_equal(out, abs(values))


@pytest.mark.parametrize("count", [1, 1023, 1024, 1025, 40000])
def test_constants_and_tensors_in_between(requirements: ann.Runtime, count: int) -> None:
    network = ann.Network("chain")
    x = network.add_input("x", ann.TensorInfo((count,)))
    value = at_the_end_of_a_page(np.linspace(-1, 1, count, dtype=np.float32))
    c = network.add_elementwise_unary(network.add_constant(value), Unary.ABS, name="c")
    for _ in range(3):
        x = network.add_elementwise_unary(x, Unary.ABS)
    network.add_output("y", x)
    network.add_output("c", c)
    values = np.linspace(-2, 3, count, dtype=np.float32)
    options = ann.OptimizerOptions(simplify=False)
    with ann.load(network, ["Requirements"], runtime=requirements, options=options) as net:
        for _ in range(20):
            outputs = net.run(values)
            np.testing.assert_array_equal(outputs["y"], abs(values))
            np.testing.assert_array_equal(outputs["c"], abs(value))


def test_room_with_an_end() -> None:
    """Arrays of a page start anywhere in pages; what is behind them shares the last one's."""
    room = make_room((PAGE // 4 - 1,), np.dtype(np.float32), 64, 16)
    taken = [room.take() for _ in range(600)]
    for array, address in taken:
        assert array.ctypes.data == address
        assert address % 64 == 0
        assert is_readable_behind(address, array.nbytes, 16)


def test_constants_are_copied_where_nothing_follows(
    requirements: ann.Runtime, monkeypatch: pytest.MonkeyPatch
) -> None:
    last = at_the_end_of_a_page(np.arange(16, dtype=np.float32))
    copy = readable_copy(last, 64, 16)
    assert copy is not last
    np.testing.assert_array_equal(copy, last)
    assert is_readable_behind(copy.ctypes.data, copy.nbytes, 16)
    assert readable_copy(copy, 64, 16) is copy
    asked = []

    def spy(value: np.ndarray, alignment: int, readable: int) -> np.ndarray:
        asked.append((alignment, readable))
        return readable_copy(value, alignment, readable)

    monkeypatch.setattr("armnn_py.runtime.plan.plan_build.readable_copy", spy)
    network = ann.Network()
    x = network.add_constant(np.ones(3, np.float32))
    network.add_output("y", network.add_elementwise_unary(x, Unary.ABS))
    options = ann.OptimizerOptions(simplify=False)
    with ann.load(network, ["Requirements"], runtime=requirements, options=options):
        assert asked == [(64, 16)]


def test_bound_arrays_have_room_behind_them(requirements: ann.Runtime) -> None:
    with ann.load(unary(Unary.ABS, (1024,)), ["Requirements"], runtime=requirements) as net:
        for _ in range(50):
            with net.bind() as bound:
                bound.inputs["x"][...] = -2
                with net.profile() as profile:
                    assert bound.run()["y"][7] == 2
                assert profile.copies == 0
        with pytest.raises(ann.InvalidArgumentError, match="reads 16 bytes behind its end"):
            net.bind({"x": at_the_end_of_a_page(np.ones(1024, np.float32))})


def test_a_bound_array_is_a_part_of_a_larger_one(requirements: ann.Runtime) -> None:
    whole = np.zeros(3 * PAGE, np.uint8)
    begin = -whole.ctypes.data % PAGE
    x = whole[begin : begin + PAGE].view(np.float32)
    x[...] = -2
    assert not is_readable_behind(x.ctypes.data, x.nbytes, 16)
    with (
        ann.load(unary(Unary.ABS, x.shape), ["Requirements"], runtime=requirements) as net,
        net.bind({"x": x}) as bound,
    ):
        assert (bound.run()["y"] == 2).all()


def test_an_input_of_a_worker_ends_with_a_page(folder: Path) -> None:
    x = np.full((-TENSORS_OFFSET % PAGE or PAGE) // 4, -2, np.float32)
    with (
        ann.Runtime(folder, isolate=["Requirements"]) as runtime,
        ann.load(unary(Unary.ABS, x.shape), ["Requirements"], runtime=runtime) as net,
    ):
        assert (net.run({"x": x})["y"] == 2).all()
        assert not net.last_run.degraded


def test_why_a_worker_makes_no_context(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fault = ann.BackendError("no memory is left there")

    def fail(*_: object) -> None:
        raise fault

    monkeypatch.setattr(WorkerPart, "_bind", fail)
    with (
        ann.Runtime(folder, isolate=["Requirements"]) as runtime,
        ann.load(unary(Unary.ABS), ["Requirements"], runtime=runtime) as net,
    ):
        with pytest.raises(ann.ExecutionError, match="no execution context") as caught:
            net.run({"x": np.ones(4, np.float32)})
        assert caught.value.__cause__ is fault


def test_sub_tensors(requirements: ann.Runtime) -> None:
    """The last of them ends where the caller's array ends."""
    network = ann.Network("split")
    x = network.add_input("x", ann.TensorInfo((2, 64)))
    for part in network.add_split(x, [1, 1], axis=0).outputs:
        network.add_output(f"y{part.index}", network.add_elementwise_unary(part, Unary.ABS))
    values = np.linspace(-1, 1, 128, dtype=np.float32).reshape(2, 64)
    with ann.load(network, ["Requirements", "CpuRef"], runtime=requirements) as net:
        assert net.elided
        outputs = net.run(at_the_end_of_a_page(values))
    np.testing.assert_array_equal(outputs["y0"], abs(values[:1]))
    np.testing.assert_array_equal(outputs["y1"], abs(values[1:]))


# ---- Alignment, constants, in place --------------------------------------------------------------


def test_alignments_of_single_tensors(requirements: ann.Runtime) -> None:
    network = ann.Network("sums")
    x = network.add_input("x", ann.TensorInfo((7,)))
    y = network.add_addition(x, network.add_constant(np.ones(7, np.float32)))
    network.add_output("y", network.add_addition(y, x))
    base = np.arange(600, dtype=np.float32)
    with ann.load(network, ["Requirements"], runtime=requirements) as net:
        for start in range(0, 500, 3):
            value = base[start : start + 7]
            out = np.empty(600, np.float32)[start : start + 7]
            net.run(value, out={"y": out})
            np.testing.assert_array_equal(out, 2 * value + 1)


def test_constants_that_a_tensors_needs_consume(requirements: ann.Runtime) -> None:
    network = ann.Network("product")
    x = network.add_input("x", ann.TensorInfo((4,)))
    w = np.array([1, 2, 3, 4], np.float32)
    network.add_output("y", network.add_multiplication(x, w))
    with ann.load(network, ["Requirements"], runtime=requirements) as net:
        np.testing.assert_array_equal(net.run(w)["y"], w * w)


def butterflies(count: int) -> ann.Network:
    """Layers that each replace a and b by a + b and a - b."""
    network = ann.Network("butterflies")
    info = ann.TensorInfo((16,))
    a = network.add_elementwise_unary(network.add_input("a", info), Unary.NEG)
    b = network.add_elementwise_unary(network.add_input("b", info), Unary.NEG)
    for _ in range(count):
        layer = network.add_layer(
            ann.LayerType.STAND_IN, [a, b], StandInDescriptor(2, 2), output_infos=[info, info]
        )
        a, b = layer.outputs
    network.add_output("y", network.add_elementwise_unary(a, Unary.NEG))
    network.add_output("z", network.add_elementwise_unary(b, Unary.NEG))
    return network


@pytest.mark.parametrize(
    ("defines", "buffers"), [((), 2), (("-DFIRST_ONLY=3",), 3), (("-DFIRST_ONLY=0",), 4)]
)
def test_second_outputs_in_place(
    tmp_path: Path, build_backend: Build, defines: tuple[str, ...], buffers: int
) -> None:
    """Both outputs may take either input: each takes another one."""
    build_backend("requirements_backend.c", tmp_path / FILE, *defines)
    a, b = np.arange(16, dtype=np.float32), np.arange(16, 0, -1, dtype=np.float32)
    with (
        ann.Runtime(tmp_path) as runtime,
        ann.load(butterflies(6), ["Requirements"], runtime=runtime) as net,
    ):
        outputs = net.run({"a": a, "b": b})
        assert net.arena_size == buffers * 64
    for _ in range(6):
        a, b = a + b, a - b
    np.testing.assert_array_equal(outputs["y"], a)
    np.testing.assert_array_equal(outputs["z"], b)


# ---- State ---------------------------------------------------------------------------------------


def test_persistent_bytes(requirements: ann.Runtime) -> None:
    one = np.ones(3, np.float32)
    with ann.load(unary(Unary.SQRT, (3,), layers=2), ["Requirements"], runtime=requirements) as net:
        assert net.persistent_size == 2 * 3 * 4
        assert [float(net.run(one)["y"][2]) for _ in range(4)] == [1, 3, 6, 10]
        net.reset_state()
        assert [float(net.run(one)["y"][0]) for _ in range(3)] == [1, 3, 6]
        with net.bind({"x": one.copy()}) as bound:
            assert [float(bound.run()["y"][1]) for _ in range(3)] == [1, 3, 6]
            bound.reset_state()
            assert float(bound.run()["y"][1]) == 1
        assert float(net.run(one)["y"][0]) == 10


# ---- One call at a time --------------------------------------------------------------------------


def run_in_threads(net: ann.LoadedNetwork, threads: int, runs: int) -> list[str]:
    problems: list[str] = []
    x = np.ones(4, np.float32)

    def work() -> None:
        try:
            for _ in range(runs):
                assert net.run(x)["y"][0] == -1
        except ann.ArmnnError as error:
            problems.append(str(error))

    started = [threading.Thread(target=work) for _ in range(threads)]
    for thread in started:
        thread.start()
    for thread in started:
        thread.join()
    return problems


def test_serial_workloads_never_overlap(requirements: ann.Runtime) -> None:
    with ann.load(unary(Unary.NEG), ["Requirements"], runtime=requirements) as net:
        assert not run_in_threads(net, threads=6, runs=40)


def test_others_do(tmp_path: Path, build_backend: Build) -> None:
    build_backend("requirements_backend.c", tmp_path / FILE, "-DBITS=0")
    with (
        ann.Runtime(tmp_path) as runtime,
        ann.load(unary(Unary.NEG), ["Requirements"], runtime=runtime) as net,
    ):
        problems = run_in_threads(net, threads=6, runs=40)
    assert any("two calls at a time" in problem for problem in problems)


def test_waiting_runs_can_be_stopped(requirements: ann.Runtime) -> None:
    """Deadline and cancel end the wait for another run's call."""
    x = np.ones(4, np.float32)
    first, second = ann.CancelToken(), ann.CancelToken()
    ends: list[type[BaseException]] = []
    with ann.load(unary(Unary.EXP), ["Requirements"], runtime=requirements) as net:

        def work(token: ann.CancelToken) -> None:
            try:
                net.run(x, cancel=token)
            except ann.ArmnnError as error:
                ends.append(type(error))

        holder = threading.Thread(target=work, args=(first,))
        holder.start()
        holder.join(0.2)
        with pytest.raises(ann.ExecutionTimeoutError):
            net.run(x, timeout=0.2)
        waiter = threading.Thread(target=work, args=(second,))
        waiter.start()
        waiter.join(0.2)
        assert waiter.is_alive()
        second.cancel()
        waiter.join()
        assert holder.is_alive()
        first.cancel()
        holder.join()
    assert ends == [ann.ExecutionCancelledError] * 2


# ---- What is shown -------------------------------------------------------------------------------


def test_stated_requirements_are_shown(requirements: ann.Runtime) -> None:
    with ann.load(unary(Unary.ABS), ["Requirements"], runtime=requirements) as net:
        assert net.packed_size == 12345
        with net.profile() as profile:
            for _ in range(3):
                net.run(np.ones(4, np.float32))
    (layer,) = profile.layers
    assert (layer.operations, layer.expected_ns) == (4_000_000, 2_500_000)
    assert layer.gflops == pytest.approx(3 * 4e6 / layer.total_ns)
    (row,) = profile.to_json()["layers"]
    assert (row["operations"], row["expected_us"]) == (4_000_000, 2500)
    head, line = str(profile).splitlines()[:2]
    assert head.split("  ")[-1].strip() == "expected ms"
    assert line.split()[-1] == "2.500"


# ---- What cannot be ------------------------------------------------------------------------------

WRONG = {
    "-DBITS=6": (Unary.NEG, "flags 0x6 have bits that mean nothing: 1, 2"),
    "-DTENSOR_BITS=5": (None, "flags of input 0 0x5 have bits that mean nothing: 2"),
    "-DBEHIND=5000": (Unary.ABS, "asks for 5000 readable bytes behind input 0"),
    "-DODD_ALIGNMENT": (None, "asks for input 1 aligned to 48 bytes"),
    "-DPLACE_OF_INPUT": (None, "states in_place_mask of input 1"),
    "-DBITS_OF_OUTPUT": (None, "states flags of output 0"),
    "-DTENSOR_BITS=1": (None, "claims to have packed input 0, which is not constant"),
    "-DTAG=7": (None, "what it needs of input 0 has tag 0x00000007, 0x414e0015 belongs there"),
    "-DNOWHERE": (None, "3 at 0x40 cannot be read"),
    "-DWITH_STATE": (Unary.SQRT, "asks for 16 persistent bytes and has create_workload_data"),
    "-DMUCH": (Unary.SQRT, f"asks for {2**64 - 1} bytes that persist"),
}


@pytest.mark.parametrize("define", WRONG)
def test_impossible_requirements(tmp_path: Path, build_backend: Build, define: str) -> None:
    operation, words = WRONG[define]
    build_backend("requirements_backend.c", tmp_path / FILE, define)
    if operation is not None:
        network = unary(operation)
    else:
        network = ann.Network("sum")
        x = network.add_input("x", ann.TensorInfo((4,)))
        network.add_output("y", network.add_addition(x, x, name="layer 0"))
    with ann.Runtime(tmp_path) as runtime, pytest.raises(ann.BackendError) as caught:
        ann.load(network, ["Requirements"], runtime=runtime)
    text = str(caught.value)
    assert words in text
    assert "backend 'Requirements'" in text
    assert "layer 'layer 0'" in text
