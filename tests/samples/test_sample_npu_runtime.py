# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Sample_Npu under the whole package: placed, compiled, copied to and from, run."""

from __future__ import annotations

import contextlib
import ctypes
import os
import resource
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import armnn_py as ann
from armnn_py.cli.commands.inspect import multiply_adds
from armnn_py.optimizer.options import AS_IT_IS

from .npu_networks import RELU, convolution, device_memory, numbers

BACKENDS = ["Sample_Npu", "CpuRef"]


@pytest.fixture
def make_runtime(
    sample_backend: Callable[[str], Path],
) -> Iterator[Callable[..., ann.Runtime]]:
    folder = sample_backend("sample_npu").parent
    made = []

    def make(**options: Any) -> ann.Runtime:
        made.append(
            ann.Runtime(dynamic_backends_path=folder, backend_options={"Sample_Npu": options})
        )
        return made[-1]

    yield make
    for runtime in made:
        runtime.close()


def mixed() -> ann.Network:
    """Two parts for the device with a layer between them that only CpuRef has."""
    network = ann.Network()
    x = network.add_input("x", ann.TensorInfo((1, 4, 12, 12)))
    y = network.add_activation(convolution(network, x, (4, 8), padding="same"), RELU)
    z = network.add_activation(y, ann.ActivationFunction.TANH)
    z = convolution(network, z, (8, 8), padding="same", seed=4)
    network.add_output("y", network.add_addition(z, y))
    return network


def close(results: dict[str, Any], expected: dict[str, Any]) -> bool:
    return all(
        np.allclose(results[name], wanted, rtol=1e-4, atol=1e-5 * float(np.abs(wanted).max()))
        for name, wanted in expected.items()
    )


def test_network_on_two_backends(make_runtime: Callable[..., ann.Runtime]) -> None:
    inputs = {"x": numbers(1, 4, 12, 12)}
    with ann.load(mixed(), ["CpuRef"]) as reference:
        expected = reference.run(inputs)
    runtime = make_runtime()
    optimized = ann.optimize(mixed(), BACKENDS, runtime=runtime)
    types = [layer.type for layer in optimized.network.layers]
    assert types.count(ann.LayerType.PRE_COMPILED) == 2
    assert ann.LayerType.CONVOLUTION2D not in types
    with runtime.load_network(optimized) as network:
        for _ in range(3):
            assert close(network.run(inputs), expected)


def test_many_threads(make_runtime: Callable[..., ann.Runtime]) -> None:
    inputs = [{"x": numbers(1, 4, 12, 12, seed=seed)} for seed in range(4)]
    with ann.load(mixed(), ["CpuRef"]) as reference:
        expected = [reference.run(values) for values in inputs]
    wrong: list[int] = []
    with ann.load(mixed(), BACKENDS, runtime=make_runtime()) as network:

        def work(index: int) -> None:
            for _ in range(10):
                if not close(network.run(inputs[index]), expected[index]):
                    wrong.append(index)

        threads = [threading.Thread(target=work, args=(index,)) for index in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert not wrong


def test_second_runtime_finds_the_parts_in_the_cache(
    make_runtime: Callable[..., ann.Runtime], tmp_path: Path
) -> None:
    inputs = {"x": numbers(1, 4, 12, 12)}
    results = []
    for _ in range(2):
        with ann.load(mixed(), BACKENDS, runtime=make_runtime(cache_dir=str(tmp_path))) as network:
            results.append(network.run(inputs)["y"].tobytes())
        files = {path.name: path.stat().st_mtime_ns for path in tmp_path.iterdir()}
        assert len(files) == 2
        if len(results) == 1:
            first = files
    assert files == first
    assert results[0] == results[1]


@pytest.mark.models
@pytest.mark.parametrize(
    ("model", "shape"), [("resnet50_thin", (1, 224, 224, 3)), ("yolox_tiny", (1, 3, 416, 416))]
)
def test_real_networks(
    make_runtime: Callable[..., ann.Runtime],
    models_folder: Path,
    model: str,
    shape: tuple[int, ...],
) -> None:
    path = models_folder / "open" / f"{model}.onnx"
    image = np.random.default_rng(3).random(shape, dtype=np.float32)
    with ann.load(path, ["CpuRef"]) as reference:
        (name,) = reference.inputs
        expected = reference.run({name: image})
    with ann.load(path, BACKENDS, runtime=make_runtime()) as network:
        assert close(network.run({name: image}), expected)
        assert any(record.backend == "Sample_Npu" for record in network.assignment)


# ---- Weights, counters, facts --------------------------------------------------------------------


def counters(network: ann.LoadedNetwork, runs: int = 1) -> dict[str, float]:
    with network.profile() as profile:
        for _ in range(runs):
            network.run({"x": numbers(1, 4, 12, 12)})
    return dict(profile.counters["Sample_Npu"])


def test_weights_lie_on_the_device_once_from_the_first_run_to_the_end(
    make_runtime: Callable[..., ann.Runtime],
) -> None:
    runtime = make_runtime()
    before = device_memory()
    with ann.load(mixed(), BACKENDS, runtime=runtime) as network:
        assert device_memory() == before
        weights = counters(network)["constant_bytes"]
        # Of both convolutions: weights in blocks of 16 channels, a bias, and zeros to pad with.
        assert weights >= 4 * (2 * 16 * 9 * 6 + 8 + 8)
        assert any(weights <= size < weights + 256 for size in device_memory())
        with ann.load(mixed(), BACKENDS, runtime=runtime) as other:
            assert counters(other)["constant_bytes"] == 2 * weights
        assert counters(network)["constant_bytes"] == weights
        # Each thread has tensors of its own; the weights are there once.
        threads = [threading.Thread(target=counters, args=(network,)) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert counters(network)["constant_bytes"] == weights
    assert device_memory() == before


def test_counters_count_what_the_profile_saw(make_runtime: Callable[..., ann.Runtime]) -> None:
    runtime = make_runtime()
    assert {counter.name for counter in runtime.backends["Sample_Npu"].counters} == {
        "jobs",
        "bytes_in",
        "bytes_out",
        "compiled",
        "cache_hits",
        "constant_bytes",
        "bytes_imported",
    }
    with ann.load(mixed(), BACKENDS, runtime=runtime) as network:
        network.run({"x": numbers(1, 4, 12, 12)})
        once, thrice = counters(network), counters(network, runs=3)
    image, inner = 4 * 4 * 12 * 12, 4 * 8 * 12 * 12
    # In: the input, and what TanH made; out: what TanH reads, and the output.
    assert once["jobs"] == 2
    assert once["bytes_in"] == image + inner
    assert once["bytes_out"] == 2 * inner
    assert once["compiled"] == once["cache_hits"] == 0
    for name in ("jobs", "bytes_in", "bytes_out"):
        assert thrice[name] == 3 * once[name]


def test_counters_of_the_compiler_and_its_cache(
    make_runtime: Callable[..., ann.Runtime], tmp_path: Path
) -> None:
    for hits in (0, 2):
        runtime = make_runtime(cache_dir=str(tmp_path))
        ann.optimize(mixed(), BACKENDS, runtime=runtime)
        backend = runtime.backends["Sample_Npu"]
        values = backend.read_counters()
        assert (values["compiled"], values["cache_hits"]) == (2 - hits, hits)
        assert backend.number_of_cache_files == 2


def test_the_device_tells_itself_and_passes_its_test(
    make_runtime: Callable[..., ann.Runtime],
) -> None:
    backend = make_runtime().backends["Sample_Npu"]
    backend.self_test()
    backend.self_test(level=1)
    assert backend.devices == (
        ann.DeviceDescription("Sample_Npu", "npu0", "Sample", "1", 0),
        ann.DeviceDescription("Sample_Npu:1", "npu1", "Sample", "1", 0),
    )


def test_the_devices_test_tells_a_device_without_memory(
    make_runtime: Callable[..., ann.Runtime],
) -> None:
    """With no file left to open there is no region of device memory."""
    backend = make_runtime().backends["Sample_Npu"]
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    taken = []
    resource.setrlimit(resource.RLIMIT_NOFILE, (64, hard))
    try:
        with contextlib.suppress(OSError):
            for _ in range(64):
                taken.append(os.dup(2))
        with pytest.raises(ann.OutOfMemoryError, match="self_test") as caught:
            backend.self_test()
        assert "no device memory: Too many open files" in str(caught.value)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
        for descriptor in taken:
            os.close(descriptor)
    backend.self_test()


# ---- Options, notices, answers -------------------------------------------------------------------


def test_weights_stay_with_the_host_if_the_model_wants_it(
    make_runtime: Callable[..., ann.Runtime],
) -> None:
    inputs = {"x": numbers(1, 4, 12, 12)}
    with ann.load(mixed(), ["CpuRef"]) as reference:
        expected = reference.run(inputs)
    options = {"Sample_Npu": {"constants_on_device": False}}
    runtime = make_runtime()
    with ann.load(mixed(), BACKENDS, runtime=runtime, model_options=options) as network:
        assert close(network.run(inputs), expected)
        assert counters(network)["constant_bytes"] == 0


def test_the_device_has_room_for_so_many_networks(make_runtime: Callable[..., ann.Runtime]) -> None:
    runtime = make_runtime(max_networks=1)
    first = ann.load(mixed(), BACKENDS, runtime=runtime)
    for _ in range(2):
        with pytest.raises(ann.BackendError) as caught:
            ann.load(mixed(), BACKENDS, runtime=runtime)
        assert "the device has room for 1 networks (option max_networks)" in str(caught.value)
    first.close()
    for _ in range(2):
        ann.load(mixed(), BACKENDS, runtime=runtime).close()


def test_more_room_while_a_network_is_loaded(make_runtime: Callable[..., ann.Runtime]) -> None:
    runtime = make_runtime(max_networks=1)
    with ann.load(mixed(), BACKENDS, runtime=runtime):
        with pytest.raises(ann.BackendError):
            ann.load(mixed(), BACKENDS, runtime=runtime)
        runtime.backends["Sample_Npu"].set_option("max_networks", 2)
        ann.load(mixed(), BACKENDS, runtime=runtime).close()


def test_an_option_of_a_run_and_its_notices(make_runtime: Callable[..., ann.Runtime]) -> None:
    inputs = {"x": numbers(1, 4, 12, 12)}
    with ann.load(mixed(), BACKENDS, runtime=make_runtime()) as network:
        expected = network.run(inputs)
        with network.profile() as profile:
            slow = network.run(inputs, options={"Sample_Npu": {"wait": True}})
            fast = network.run(inputs)
        with network.profile() as stopped, pytest.raises(ann.ExecutionTimeoutError):
            network.run(inputs, timeout=1e-9)
    told = [(event.name, event.id) for event in profile.events if "npu_run" in event.name]
    assert [name for name, _ in told] == [
        "npu_run_step_by_step", "npu_run_done", "npu_run", "npu_run_done",
    ]  # fmt: skip
    assert told[0][1] == told[1][1] != told[2][1] == told[3][1]
    assert [event.name for event in stopped.events if event.name == "npu_run_done"] == []
    for outputs in (slow, fast):
        np.testing.assert_array_equal(outputs["y"], expected["y"])


def test_networks_that_come_and_go_are_in_the_trace(
    make_runtime: Callable[..., ann.Runtime],
) -> None:
    runtime = make_runtime()
    with ann.load(mixed(), BACKENDS, runtime=runtime) as network, network.profile() as profile:
        ann.load(mixed(), BACKENDS, runtime=runtime).close()
    told = [(event.name, event.id) for event in profile.events]
    assert [name for name, _ in told] == ["npu_network_loaded", "npu_network_unloading"]
    assert told[0][1] == told[1][1]


def test_refusals_of_all_layers_come_at_once(make_runtime: Callable[..., ann.Runtime]) -> None:
    network = ann.Network()
    info = ann.TensorInfo((1, 4, 4, 4))
    x, z = network.add_input("x", info), network.add_input("z", info)
    i = network.add_input("i", ann.TensorInfo((1, 4, 4, 4), "int32"))
    wanted = {
        "tanh": "only ReLu and BoundedReLu", "softmax": "no instruction for this layer",
        "integers": "float32", "rows": "along one axis", "product": "only Add",
        "weights": "must be constant", "l2": "only maximum and average", "relu": "None",
    }  # fmt: skip
    for y in (
        network.add_activation(x, ann.ActivationFunction.TANH, name="tanh"),
        network.add_softmax(x, name="softmax"),
        network.add_addition(i, i, name="integers"),
        network.add_addition(x, numbers(4, 4), name="rows"),
        network.add_elementwise_binary(x, z, ann.BinaryOperation.MUL, name="product"),
        network.add_convolution2d(x, z, data_layout=ann.DataLayout.NHWC, name="weights"),
        network.add_pooling2d(
            x, ann.PoolingAlgorithm.L2, 2, data_layout=ann.DataLayout.NHWC, name="l2"
        ),
        network.add_activation(x, RELU, name="relu"),
    ):
        network.add_output(f"{y.name} out", y)
    placed = ann.optimize(network, BACKENDS, runtime=make_runtime(), options=AS_IT_IS)
    reasons = {row.layer: dict(row.refusals).get("Sample_Npu") for row in placed.assignment.layers}
    for layer, words in wanted.items():
        assert words in str(reasons[layer])


class Limits(ctypes.Structure):
    """``npu_limits_t``."""

    _fields_ = (
        ("struct_size", ctypes.c_uint32),
        ("struct_type", ctypes.c_uint32),
        ("max_bindings", ctypes.c_uint32),
        ("channel_block", ctypes.c_uint32),
        ("version_size", ctypes.c_uint32),
        ("reserved", ctypes.c_uint32),
        ("version", ctypes.c_char_p),
    )


def test_a_table_of_its_own(make_runtime: Callable[..., ann.Runtime]) -> None:
    backend = make_runtime().backends["Sample_Npu"]
    address = backend.extension("sample_npu.limits/1")
    assert address is not None
    limits = Limits.from_address(address)
    assert limits.struct_size == ctypes.sizeof(Limits)
    assert (limits.max_bindings, limits.channel_block) == (32, 16)
    assert limits.version == b"sample-npu/1"
    assert backend.extension("sample_npu.limits/2") is None


def test_the_compiler_says_what_there_is_to_do(make_runtime: Callable[..., ann.Runtime]) -> None:
    """Of a compiled part a profile shows operations, and the time that the device should take."""
    network = ann.Network()
    x = network.add_input("x", ann.TensorInfo((1, 4, 12, 12)))
    network.add_output("y", convolution(network, x, (4, 8), padding="same"))
    products = 2 * sum(multiply_adds(layer) or 0 for layer in network.layers)
    runtime = make_runtime()
    with ann.load(network, BACKENDS, runtime=runtime) as net:
        assert net.packed_size > 0
        with net.profile() as profile:
            net.run(numbers(1, 4, 12, 12))
    (part,) = [layer for layer in profile.layers if layer.operations]
    assert products > 0
    assert part.operations == products
    assert part.expected_ns > products // 2
    assert part.gflops is None  # the device worked after the call had returned
    assert "expected ms" in str(profile)
