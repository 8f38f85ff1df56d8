# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Tensors of real backends with several readers: mapped once at a time, and let go in time."""

from __future__ import annotations

import gc
import random
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

import armnn_py as ann

from .conftest import REPOSITORY, SAMPLES

RELU = ann.ActivationFunction.RELU
SHAPE = (1, 8, 4, 4)
X = np.random.default_rng(3).normal(size=SHAPE).astype(np.float32)


@pytest.fixture(scope="module")
def windows(
    sample_backend: Callable[[str], Path], tmp_path_factory: pytest.TempPathFactory
) -> Callable[..., ann.Runtime]:
    """A runtime over Sample_Npu and Sample_Zero with windows; see the source beside this file."""

    def start(*defines: str) -> ann.Runtime:
        compiler = shutil.which("cc")
        assert compiler is not None, "the tests need a C compiler"
        target = tmp_path_factory.mktemp("windows")
        folder = SAMPLES / "sample_zero"
        sources = [path for path in sorted(folder.glob("*.c")) if path.name != "handles.c"]
        flags = ["-std=c11", "-O1", "-Wall", "-Wextra", "-Werror", "-fPIC", "-shared"]
        flags += ["-fvisibility=hidden", f"-I{REPOSITORY / 'native/include'}", f"-I{folder}"]
        flags += [f"-D{define}" for define in defines]
        own = Path(__file__).parent / "zero_with_windows.c"
        subprocess.run(
            [compiler, *flags, *sources, own, "-lm", "-o", target / "Sample_Zero_backend.so"],
            check=True,
        )
        shutil.copy(sample_backend("sample_npu"), target)
        return ann.Runtime(target)

    return start


def random_network(seed: int) -> tuple[ann.Network, dict[str, np.ndarray]]:
    """Layers on backends by chance, tensors with readers on several of them; and its numbers."""
    choose = random.Random(seed)
    network = ann.Network(f"seed {seed}")
    pool = [(network.add_input("x", ann.TensorInfo(SHAPE)).output, X)]
    for i in range(12):
        backend = choose.choice(["Sample_Zero", "Sample_Npu", "CpuRef"])
        (x, x_value), (y, y_value) = (choose.choice(pool[-4:]) for _ in range(2))
        kind = choose.randrange(3)
        if kind == 0:
            layer = network.add_activation(x, RELU, name=f"l{i}", backend=backend)
            value = np.maximum(x_value, 0)
        elif kind == 1:
            layer = network.add_addition(x, y, name=f"l{i}", backend=backend)
            value = x_value + y_value
        else:
            flat = network.add_reshape(x, (1, 16, 8), name=f"q{i}")
            layer = network.add_reshape(flat, SHAPE, name=f"l{i}")
            value = x_value
        pool.append((layer.output, value))
    wanted = {}
    for i, (slot, value) in enumerate(pool[1:]):
        if not slot.consumers:
            network.add_output(f"y{i}", slot)
            wanted[f"y{i}"] = value
    return network, wanted


@pytest.mark.parametrize(
    "defines", [("PAD=0",), ("PAD=64",), ("PAD=0", "NO_COPIES"), ("PAD=64", "NO_COPIES")]
)
def test_windows_open_once_and_rows_are_found(
    defines: tuple[str, ...], windows: Callable[..., ann.Runtime]
) -> None:
    with windows(*defines) as runtime:
        for seed in range(12):
            network, wanted = random_network(seed)
            with ann.load(network, ["CpuRef"], runtime=runtime) as net:
                with net.profile() as profile:
                    outputs = [net.run(X), net.run(X)]
                    with net.bind() as bound:  # inner tensors may be copied there, too
                        bound.inputs["x"][...] = X
                        outputs += [dict(bound.run()), dict(bound.run())]
                for given in outputs:
                    for name, value in wanted.items():
                        np.testing.assert_allclose(given[name], value, rtol=1e-6, atol=1e-6)
                if "Sample_Zero" in profile.counters:
                    assert profile.counters["Sample_Zero"]["zero.mapped_now"] == 0


# ---- Imports -------------------------------------------------------------------------------------


@pytest.fixture
def zero(sample_backend: Callable[[str], Path]) -> Iterator[ann.LoadedNetwork]:
    network = ann.Network("net")
    x = network.add_input("x", ann.TensorInfo(SHAPE))
    network.add_output("y", network.add_activation(x, RELU, name="relu"))
    with (
        ann.Runtime(sample_backend("sample_zero").parent) as runtime,
        ann.load(network, ["Sample_Zero"], runtime=runtime) as net,
    ):
        yield net


def imported_now(net: ann.LoadedNetwork) -> float:
    with net.profile() as profile:
        pass
    return profile.counters["Sample_Zero"]["zero.imported_now"]


def aligned() -> np.ndarray:
    raw = np.zeros(X.nbytes + 64, np.uint8)
    begin = -raw.ctypes.data % 64
    array = raw[begin : begin + X.nbytes].view(np.float32).reshape(SHAPE)
    array[...] = X
    return array


def test_after_a_run_the_backend_has_nothing_of_the_callers(zero: ann.LoadedNetwork) -> None:
    for share in (False, True):
        with zero.profile() as profile:
            zero.run(aligned(), out={"y": aligned()}, share_inputs=share)
            zero.run(aligned(), share_outputs=True)
        assert profile.copies == 0
        assert imported_now(zero) == 0


def test_bound_arrays_stay_imported_until_they_are_closed(zero: ann.LoadedNetwork) -> None:
    with zero.bind() as bound:
        for _ in range(2):
            bound.run()
            assert imported_now(zero) == 2
    assert imported_now(zero) == 0


def test_bound_arrays_that_were_dropped_are_held_until_the_backend_let_go(
    zero: ann.LoadedNetwork,
) -> None:
    bound = zero.bind()
    bound.run()
    del bound
    gc.collect()
    with zero.profile() as profile:
        np.testing.assert_array_equal(zero.run(aligned())["y"], np.maximum(X, 0))
    assert profile.copies == 0
    assert imported_now(zero) == 0
