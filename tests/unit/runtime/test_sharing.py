# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Runs that use the caller's memory as it is, and outputs that are views of the network's."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

import armnn_py as ann

A = np.arange(6, dtype=np.float32).reshape(2, 3)


def misaligned(array: np.ndarray) -> np.ndarray:
    raw = np.empty(array.nbytes + 1, np.uint8)
    view = raw[1:].view(array.dtype).reshape(array.shape)
    view[...] = array
    return view


class _Copying:
    """Makes an array when it is asked for one."""

    def __init__(self, array: np.ndarray) -> None:
        self._array = array

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        return self._array.copy()


def doubling(shape: tuple[int, ...] = A.shape) -> ann.Network:
    network = ann.Network("double")
    x = network.add_input("x", ann.TensorInfo(shape))
    network.add_output("y", network.add_addition(x, x))
    return network


@pytest.fixture
def loaded() -> Iterator[ann.LoadedNetwork]:
    with ann.load(doubling(), ["CpuRef"]) as net:
        yield net


def test_shared_inputs(loaded: ann.LoadedNetwork) -> None:
    for value in (A, memoryview(A)):
        outputs = loaded.run({"x": value}, share_inputs=True)
        np.testing.assert_array_equal(outputs["y"], 2 * A)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        pytest.param(np.asfortranarray, "not contiguous", id="Fortran order"),
        pytest.param(lambda a: np.repeat(a, 2, 1)[:, ::2], "not contiguous", id="strided"),
        pytest.param(misaligned, "is not a multiple of 4", id="misaligned"),
        pytest.param(_Copying, "_Copying has no memory of an array", id="protocol"),
    ],
)
def test_no_copies(
    loaded: ann.LoadedNetwork, change: Callable[[np.ndarray], Any], words: str
) -> None:
    value = change(A)
    with pytest.raises(ann.InvalidArgumentError, match="would have to be copied") as caught:
        loaded.run(value, share_inputs=True)
    assert words in str(caught.value)
    assert str(caught.value).startswith("input 'x': ")
    assert caught.value.hints


def test_shared_input_that_is_the_output(loaded: ann.LoadedNetwork) -> None:
    x = A.copy()
    with pytest.raises(ann.InvalidArgumentError, match="input 'x': its array overlaps"):
        loaded.run(x, out={"y": x}, share_inputs=True)


def test_views_are_not_written_again(loaded: ann.LoadedNetwork) -> None:
    kept = [loaded.run(f * A, share_outputs=True)["y"] for f in range(5)]
    for factor, view in enumerate(kept):
        np.testing.assert_array_equal(view, 2 * factor * A)


def test_memory_is_used_again_when_the_views_are_gone(loaded: ann.LoadedNetwork) -> None:
    view = loaded.run(A, share_outputs=True)["y"]
    address = view.ctypes.data
    part = view[1:, 1]  # a view of the view counts, too
    del view
    gc.collect()
    other = loaded.run(3 * A, share_outputs=True)["y"]
    assert other.ctypes.data != address
    np.testing.assert_array_equal(part, 2 * A[1:, 1])
    del part
    gc.collect()
    assert loaded.run(A, share_outputs=True)["y"].ctypes.data == address


def test_views_held_by_others_than_numpy(loaded: ann.LoadedNetwork) -> None:
    held = memoryview(loaded.run(A, share_outputs=True)["y"])
    gc.collect()
    loaded.run(5 * A, share_outputs=True)
    np.testing.assert_array_equal(np.asarray(held), 2 * A)


def test_views_outlive_the_network() -> None:
    """The end of a block is not an error, and the memory of the views is not reused."""
    with ann.load(doubling(), ["CpuRef"]) as net:
        view = net.run(A, share_outputs=True)["y"]
    assert net.closed
    gc.collect()
    begin, end = view.ctypes.data, view.ctypes.data + view.nbytes
    others = [np.full_like(view, np.nan) for _ in range(100)]
    with ann.load(doubling(), ["CpuRef"]) as net:
        others += [net.run(3 * A, share_outputs=True)["y"] for _ in range(10)]
    assert not any(begin <= other.ctypes.data < end for other in others)
    np.testing.assert_array_equal(view, 2 * A)


def test_views_outlive_a_block_that_failed() -> None:
    held = []
    net = ann.load(doubling(), ["CpuRef"])

    def fail() -> None:
        with net:
            held.append(net.run(A, share_outputs=True)["y"])
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    assert net.closed
    gc.collect()
    np.testing.assert_array_equal(held[0], 2 * A)


def test_the_memory_goes_with_the_last_view() -> None:
    with ann.load(doubling(), ["CpuRef"]) as net:
        view = net.run(A, share_outputs=True)["y"]
        memory = view
        while isinstance(memory.base, np.ndarray):
            memory = memory.base
        gone = weakref.ref(memory.base._array)  # type: ignore[union-attr]
        del memory
    gc.collect()
    assert gone() is not None
    del view
    gc.collect()
    assert gone() is None


def test_views_of_threads(loaded: ann.LoadedNetwork) -> None:
    def work(factor: int) -> bool:
        view = loaded.run(factor * A, share_outputs=True)["y"]
        loaded.run(-A)
        return bool(np.array_equal(view, 2 * factor * A))

    with ThreadPoolExecutor(4) as pool:
        assert all(pool.map(work, range(200)))


def test_plans_with_live_views_are_not_evicted() -> None:
    def build(infos: Mapping[str, ann.TensorInfo]) -> ann.Network:
        return doubling(infos["x"].static_shape)

    free = ann.TensorInfo((None, 2))
    network = ann.Network.from_builder("free", {"x": free}, build, {"y": free})
    optimized_for = [np.full((n, 2), n, np.float32) for n in range(1, 5)]
    with ann.Runtime(enable_dynamic_backends=False) as runtime:
        optimized = ann.optimize(network, runtime=runtime)
        with runtime.load_network(optimized, plan_cache_size=1) as net:
            views = [net.run(x, share_outputs=True)["y"] for x in optimized_for]
            for x, view in zip(optimized_for, views, strict=True):
                np.testing.assert_array_equal(view, 2 * x)
            del view
            views.clear()
            gc.collect()
            np.testing.assert_array_equal(net.run(optimized_for[0])["y"], 2 * optimized_for[0])


def test_out_and_shared_outputs(loaded: ann.LoadedNetwork) -> None:
    with pytest.raises(ann.InvalidArgumentError, match="not both"):
        loaded.run(A, out={"y": np.empty_like(A)}, share_outputs=True)


def test_a_failed_run_leaves_no_view(loaded: ann.LoadedNetwork) -> None:
    with pytest.raises(ann.ExecutionTimeoutError):
        loaded.run(A, timeout=0, share_outputs=True)
    np.testing.assert_array_equal(loaded.run(A)["y"], 2 * A)
    loaded.close()


def test_profile_shows_copies() -> None:
    network = ann.Network()
    x = network.add_input("x", ann.TensorInfo((2, 3)))
    network.add_output("y", x)  # an output that no layer writes is copied
    with ann.load(network, ["CpuRef"]) as net, net.profile() as profile:
        net.run(A)
        net.run(A)
    assert (profile.copies, profile.copied_bytes) == (2, 48)
    assert profile.to_json()["copied_bytes"] == 48
    assert "48 bytes copied" in str(profile)
