# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Runs over plain arrays, which take a short way: the same numbers, checks and lifetimes."""

from __future__ import annotations

import gc
import itertools
import weakref

import numpy as np
import pytest

import armnn_py as ann

SHAPE = (2, 3)


def sums() -> ann.Network:
    """x + y and x - y."""
    network = ann.Network("sums")
    x, y = (network.add_input(name, ann.TensorInfo(SHAPE)) for name in "xy")
    network.add_output("sum", network.add_addition(x, y, name="add"))
    network.add_output("difference", network.add_subtraction(x, y))
    return network


def arrays() -> dict[str, np.ndarray]:
    return {name: np.full(SHAPE, size, np.float32) for name, size in (("x", 5), ("y", 2))}


def test_each_way_to_give_inputs() -> None:
    given = arrays()
    readonly = given["x"].copy()
    readonly.flags.writeable = False
    with ann.load(sums(), ["CpuRef"]) as loaded:
        for inputs in (
            given,
            list(given.values()),
            tuple(given.values()),
            {"y": given["y"], "x": given["x"]},
            {**given, "x": readonly},
            {**given, "x": np.repeat(given["x"], 2, 1)[:, ::2]},
            {**given, "x": [[5.0] * 3] * 2} | {"x": memoryview(given["x"])},
        ):
            for _ in range(3):  # the first has no context yet
                outputs = loaded.run(inputs)
                assert list(outputs) == ["sum", "difference"]
                assert (outputs["sum"] == 7).all()
                assert (outputs["difference"] == 3).all()


def test_fresh_outputs_share_nothing() -> None:
    given = arrays()
    with ann.load(sums(), ["CpuRef"]) as loaded:
        made = []
        for number in range(100):
            given["x"][...] = number
            made.append(loaded.run(given))
        kept = [array for outputs in made for array in outputs.values()]
    for number, outputs in enumerate(made):
        assert (outputs["sum"] == number + 2).all()
        assert (outputs["difference"] == number - 2).all()
    places = sorted(array.ctypes.data for array in kept)
    assert all(b - a >= kept[0].nbytes for a, b in itertools.pairwise(places))
    assert all(place % 64 == 0 for place in places)
    assert all(array.flags.writeable and array.flags.c_contiguous for array in kept)


def test_out_for_some_and_for_all() -> None:
    given = arrays()
    with ann.load(sums(), ["CpuRef"]) as loaded:
        loaded.run(given)
        own = np.zeros(SHAPE, np.float32)
        outputs = loaded.run(given, out={"difference": own})
        assert outputs["difference"] is own
        assert (own == 3).all()
        assert (outputs["sum"] == 7).all()
        both = np.zeros((2, *SHAPE), np.float32)
        out = {"difference": both[0], "sum": both[1]}
        assert list(loaded.run(given, out=out)) == ["sum", "difference"]
        assert (both[0] == 3).all()
        assert (both[1] == 7).all()


def test_out_over_an_input_is_computed_as_if_it_were_not() -> None:
    with ann.load(sums(), ["CpuRef"]) as loaded:
        loaded.run(arrays())
        memory = np.full(7, 5, np.float32)
        x, over = memory[:6].reshape(SHAPE), memory[1:].reshape(SHAPE)
        outputs = loaded.run({"x": x, "y": arrays()["y"]}, out={"sum": over})
        assert outputs["sum"] is over
        assert (over == 7).all()
        assert (outputs["difference"] == 3).all()


@pytest.mark.parametrize(
    ("out", "words"),
    [
        ({"product": np.zeros(SHAPE, np.float32)}, "no output 'product'"),
        ({"sum": None}, "NoneType given"),
        ({"sum": np.zeros(SHAPE)}, "dtype float64 given"),
        ({"sum": np.zeros((3, 2), np.float32)}, "dimension 0 is 3, 2 expected"),
        ({"sum": np.zeros((2, 6), np.float32)[:, ::2]}, "not contiguous"),
        ({"sum": np.frombuffer(bytes(24), np.float32).reshape(SHAPE)}, "read-only"),
        (dict.fromkeys(("sum", "difference"), np.zeros(SHAPE, np.float32)), "overlaps another"),
    ],
)
def test_outputs_that_cannot_be(out: dict[str, np.ndarray], words: str) -> None:
    with ann.load(sums(), ["CpuRef"]) as loaded:
        for _ in range(2):
            with pytest.raises(ann.ArmnnError, match=words):
                loaded.run(arrays(), out=out)
            loaded.run(arrays())


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"x": np.zeros(SHAPE)}, "dtype float64 given"),
        ({"x": np.zeros(6, np.float32)}, "1 dimension given"),
        ({"z": np.zeros(SHAPE, np.float32)}, "no input 'z'"),
        ({"x": None}, "None given"),
        ({"x": np.ma.array(np.zeros(SHAPE, np.float32), mask=True)}, "masked array"),
    ],
)
def test_inputs_that_cannot_be(change: dict[str, np.ndarray], words: str) -> None:
    with ann.load(sums(), ["CpuRef"]) as loaded:
        for _ in range(2):
            with pytest.raises(ann.ArmnnError, match=words):
                loaded.run({**arrays(), **change})
            loaded.run(arrays())


def test_inputs_that_leave_their_dict_during_a_run_stay(runtime: ann.Runtime) -> None:
    optimized = ann.optimize(sums(), ["CpuRef"], runtime=runtime, debug=True)
    loaded = runtime.load_network(optimized)
    loaded.run(arrays())
    given = arrays()
    gone = weakref.ref(given["x"])
    seen: list[bool] = []

    def callback(*_: object) -> None:
        given.clear()
        gc.collect()
        seen.append(gone() is not None)

    loaded.register_debug_callback(callback)
    assert (loaded.run(given)["difference"] == 3).all()
    assert seen
    assert all(seen)
    assert gone() is None
