# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Networks with their arrays fixed."""

from __future__ import annotations

import gc
import os
import threading
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

import armnn_py as ann

A = np.arange(6, dtype=np.float32).reshape(2, 3)


def adding(shape: tuple[int, ...] = A.shape) -> ann.Network:
    network = ann.Network("adding")
    a = network.add_input("a", ann.TensorInfo(shape))
    b = network.add_input("b", ann.TensorInfo(shape))
    network.add_output("sum", network.add_addition(a, b))
    network.add_output("product", network.add_multiplication(a, b))
    return network


@pytest.fixture
def loaded() -> Iterator[ann.LoadedNetwork]:
    with ann.load(adding(), ["CpuRef"]) as net:
        yield net


def test_arrays_of_its_own(loaded: ann.LoadedNetwork) -> None:
    with loaded.bind() as bound:
        assert list(bound.inputs) == ["a", "b"]
        assert list(bound.outputs) == ["sum", "product"]
        arrays = [*bound.inputs.values(), *bound.outputs.values()]
        assert all(array.ctypes.data % 64 == 0 for array in arrays)
        for factor in range(3):
            bound.inputs["a"][...] = factor * A
            bound.inputs["b"][...] = A + 1
            outputs = bound.run()
            assert outputs["sum"] is bound.outputs["sum"]
            np.testing.assert_array_equal(outputs["sum"], factor * A + A + 1)
            np.testing.assert_array_equal(outputs["product"], factor * A * (A + 1))


def test_given_arrays(loaded: ann.LoadedNetwork) -> None:
    a, b, out = A.copy(), A + 1, np.empty_like(A)
    with loaded.bind([a, b], {"product": out}) as bound:
        assert bound.inputs["a"] is a
        bound.run()
        np.testing.assert_array_equal(out, A * (A + 1))
        a += 3
        np.testing.assert_array_equal(bound.run()["product"], (A + 3) * (A + 1))
        assert bound.outputs["product"] is out


def _slice(array: np.ndarray) -> np.ndarray:
    return np.repeat(array, 2, axis=1)[:, ::2]


def _misaligned(array: np.ndarray) -> np.ndarray:
    raw = np.frombuffer(b"x" + array.tobytes(), np.uint8)
    return raw[1:].view(np.float32).reshape(array.shape)


@pytest.mark.parametrize(
    ("inputs", "outputs", "words"),
    [
        pytest.param([A], None, "has 2 inputs, 1 given", id="count"),
        pytest.param([A, A[:1]], None, "input 'b': dimension 0 is 1", id="shape"),
        pytest.param([A, A.astype(np.int32)], None, "dtype int32 given", id="dtype"),
        pytest.param([_slice(A), A], None, "input 'a': not contiguous", id="strided"),
        pytest.param([A, _misaligned(A)], None, "is not a multiple of 4", id="misaligned"),
        pytest.param(None, {"z": A.copy()}, "no output 'z'", id="name"),
        pytest.param(None, {"sum": A[:1].copy()}, "output 'sum': dimension 0", id="out shape"),
        pytest.param(None, {"sum": _slice(A)}, "output 'sum': the array is not", id="out strided"),
    ],
)
def test_mismatches(loaded: ann.LoadedNetwork, inputs: Any, outputs: Any, words: str) -> None:
    with pytest.raises(ann.InvalidArgumentError) as caught:
        loaded.bind(inputs, outputs)
    assert words in str(caught.value)


def test_overlaps(loaded: ann.LoadedNetwork) -> None:
    a, b = A.copy(), A.copy()
    with pytest.raises(ann.InvalidArgumentError, match="overlaps another output's"):
        loaded.bind(outputs={"sum": a, "product": a})
    with pytest.raises(ann.InvalidArgumentError, match=r"input 'b': its array overlaps .* 'sum'"):
        loaded.bind([a, b], {"sum": b})
    with loaded.bind([a, a]) as bound:  # two inputs may be one
        np.testing.assert_array_equal(bound.run()["sum"], 2 * A)


def test_free_dimensions() -> None:
    def build(infos: Mapping[str, ann.TensorInfo]) -> ann.Network:
        return adding(infos["a"].static_shape)

    free = ann.TensorInfo((None, 3))
    network = ann.Network.from_builder(
        "free", {"a": free, "b": free}, build, {"sum": free, "product": free}
    )
    with ann.load(network, ["CpuRef"]) as net:
        with pytest.raises(ann.InvalidArgumentError, match=r"bind\(\) needs inputs"):
            net.bind()
        with net.bind([A, A]) as two, net.bind([A[:1], A[:1]]) as one:
            np.testing.assert_array_equal(two.run()["sum"], 2 * A)
            np.testing.assert_array_equal(one.run()["sum"], 2 * A[:1])


def test_runs_beside_it_do_not_touch_it(loaded: ann.LoadedNetwork) -> None:
    with loaded.bind([A, A]) as bound, loaded.bind() as other:
        outputs = bound.run()
        loaded.run([5 * A, A])
        other.run()
        np.testing.assert_array_equal(outputs["sum"], 2 * A)


def test_closing(loaded: ann.LoadedNetwork) -> None:
    bound = loaded.bind([A, A])
    assert not bound.closed
    bound.close()
    bound.close()
    assert bound.closed
    with pytest.raises(ann.InvalidArgumentError, match="these bound arrays are closed"):
        bound.run()
    again = loaded.bind([A, A])
    outputs = again.run()
    loaded.close()
    assert again.closed
    with pytest.raises(ann.InvalidArgumentError, match="network 'adding' is closed"):
        again.run()
    with pytest.raises(ann.InvalidArgumentError, match="network 'adding' is closed"):
        loaded.bind()
    np.testing.assert_array_equal(outputs["sum"], 2 * A)  # arrays stay
    again.close()
    loaded.close()
    assert repr(again) == "<BoundNetwork of 'adding' closed>"


def test_dropped_memory_is_returned(loaded: ann.LoadedNetwork) -> None:
    bound = loaded.bind()
    context = bound._context
    del bound
    gc.collect()
    assert loaded.bind()._context is context


def test_runs_beside_it_take_no_lock(loaded: ann.LoadedNetwork) -> None:
    with loaded.bind():
        loaded.run([A, A])
        lease = loaded._pool.take()
        assert lease is not None
        loaded._pool.give_back(lease)


def test_a_run_takes_back_what_was_dropped(loaded: ann.LoadedNetwork) -> None:
    loaded.run([A, A])
    bound = loaded.bind()
    entry = loaded._pool._only
    assert entry is not None
    assert len(entry.kept) == 1
    del bound
    gc.collect()
    loaded.run([A, A])
    assert (entry.kept, entry.gone) == ([], [])
    assert len(entry.idle) == len(entry.made)


def test_stopping(loaded: ann.LoadedNetwork) -> None:
    token = ann.CancelToken()
    token.cancel()
    with loaded.bind([A, A]) as bound:
        with pytest.raises(ann.ExecutionCancelledError):
            bound.run(cancel=token)
        with pytest.raises(ann.ExecutionTimeoutError):
            bound.run(timeout=0)
        with pytest.raises(ann.InvalidArgumentError, match="timeout"):
            bound.run(timeout=-1)
        np.testing.assert_array_equal(bound.run()["sum"], 2 * A)


def test_one_for_each_thread(loaded: ann.LoadedNetwork) -> None:
    local = threading.local()

    def work(factor: int) -> bool:
        if not hasattr(local, "bound"):
            local.bound = loaded.bind()
        local.bound.inputs["a"][...] = factor
        return bool((local.bound.run()["sum"] == factor).all())

    with ThreadPoolExecutor(4) as pool:
        assert all(pool.map(work, range(400)))


def test_busy(loaded: ann.LoadedNetwork) -> None:
    with loaded.bind([A, A]) as bound:
        bound._turns[0] = "of another call"
        for call in (bound.run, bound.close):
            with pytest.raises(ann.InvalidArgumentError, match="that run right now"):
                call()
        bound._turns.clear()


@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
def test_after_a_fork(loaded: ann.LoadedNetwork) -> None:
    with loaded.bind([A, A]) as bound:
        expected = 2 * A
        child = os.fork()
        if child == 0:
            ok = False
            try:
                ok = bool(np.array_equal(bound.run()["sum"], expected))
            finally:
                os._exit(0 if ok else 1)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        np.testing.assert_array_equal(bound.run()["sum"], expected)


def test_profile(loaded: ann.LoadedNetwork) -> None:
    with loaded.bind([A, A]) as bound, loaded.profile() as profile:
        bound.run()
        bound.run()
    assert (profile.runs, profile.copies) == (2, 0)


@pytest.mark.parametrize("drop", [True, False])
def test_interpreter_order(drop: bool) -> None:
    net = ann.load(adding(), ["CpuRef"])
    bound = net.bind([A, A])
    run: Callable[[], Any] = bound.run
    if drop:
        del net
        gc.collect()
    np.testing.assert_array_equal(run()["sum"], 2 * A)
    bound.network.close()
