# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Slices that are replaced at computed places, and caches of which nothing else is written."""

from __future__ import annotations

import ctypes
import mmap
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import armnn_py as ann
from armnn_py.types import DataType, ScatterNdFunction

from .networks import values_of
from .one_layer import TYPES, numbers, run
from .operators import Operators, Scatter, tensor
from .test_typed_operators import draw, laid

if TYPE_CHECKING:
    from collections.abc import Sequence

_PROCESS = ctypes.CDLL(None, use_errno=True)
_PROCESS.mprotect.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
ALL_TYPES: list[Any] = list(TYPES)


def scattered(x: np.ndarray, indices: np.ndarray, updates: np.ndarray) -> np.ndarray:
    """One slice after the other."""
    out = x.copy()
    places = indices.reshape(-1, indices.shape[-1])
    for place, update in zip(places, updates.reshape(len(places), *x.shape[len(places[0]) :]),
                             strict=True):  # fmt: skip
        out[tuple(place)] = update
    return out


# ---- The operator --------------------------------------------------------------------------------


@pytest.mark.parametrize("axes", [(0,), (0, 1), (1, 0), (2,), (3, 1), (0, 1, 2, 3)], ids=str)
@pytest.mark.parametrize("dtype", [np.int8, np.int16, np.float32, np.int64])
@pytest.mark.parametrize("how", range(3))
def test_axes(operators: Operators, isa: str, axes: Sequence[int], dtype: Any, how: int) -> None:
    """Indices are of any dimensions of the output, which lies in any order; the last ones win."""
    shape, count = (3, 4, 5, 6), 300
    rest = [d for d in range(4) if d not in axes]
    order = [*axes, *rest]
    x = draw(1, shape, dtype)
    sides = np.array(shape)[list(axes)]
    indices = (np.random.default_rng(2).random((count, len(axes))) * 2 * sides - sides).astype(
        np.int32
    )
    updates = draw(3, (count, *(shape[d] for d in rest)), dtype)
    expected = scattered(x.transpose(order), indices, updates).transpose(np.argsort(order))
    out, indices, updates = laid(x, how), laid(indices, 0), laid(updates, how)
    what = Scatter(tensor(out), tensor(indices), tensor(updates), tensor(out))
    for place, axis in enumerate(axes):
        what.axes[place] = axis
    assert operators.run("scatter", isa, what) == "armnn_any_scatter"
    np.testing.assert_array_equal(out, expected)


def test_an_index_outside_changes_nothing(operators: Operators, isa: str) -> None:
    out = draw(4, (1, 4, 3), np.float32)
    before = out.copy()
    for bad in (4, -5):
        indices = np.array([[3], [bad]], np.int64)
        updates = np.zeros((2, 1, 3), np.float32)
        what = Scatter(tensor(out), tensor(indices), tensor(updates), tensor(out))
        what.axes[0] = 1
        with pytest.raises(ValueError, match=rf"^index {bad} at place 1 .* dimension 0$"):
            operators.run("scatter", isa, what)
    np.testing.assert_array_equal(out, before)


def test_indices_with_gaps_are_refused(operators: Operators, isa: str) -> None:
    out, updates = draw(5, (4, 3), np.float32), draw(6, (2, 3), np.float32)
    indices = np.zeros((2, 2), np.int32)[:, :1]
    what = Scatter(tensor(out), tensor(indices), tensor(updates), tensor(out))
    assert operators.refuses("scatter", isa, what)


# ---- Layers --------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", ALL_TYPES, ids=lambda dtype: dtype.name)
@pytest.mark.parametrize("index_type", [np.int32, np.int64])
def test_types(runtime: ann.Runtime, dtype: Any, index_type: Any) -> None:
    x, updates = numbers(1, (4, 5, 6), dtype), numbers(2, (2, 3, 6), dtype)
    indices = np.array([[[0, 1], [3, -1], [2, 2]], [[0, 1], [-4, 0], [1, 1]]], index_type)
    y = run(runtime, [x, indices, updates], lambda n, *slots: n.add_scatter_nd(*slots))
    np.testing.assert_array_equal(y, scattered(x, indices, updates))


@pytest.mark.parametrize("permutation", [(0, 2, 1, 3), (3, 1, 2, 0)], ids=str)
def test_transposed_input_stays_in_place(
    runtime: ann.Runtime, permutation: tuple[int, ...]
) -> None:
    x = values_of(1, 2, 3, 4, 5)
    turned = x.transpose(permutation)
    indices = np.array([[0, 1], [1, 2]], np.int32)
    updates = values_of(2, 2, *turned.shape[2:])

    def make(network: ann.Network, x: Any, indices: Any, updates: Any) -> Any:
        there = network.add_transpose(x, permutation)
        written = network.add_scatter_nd(there, indices, updates)
        return network.add_transpose(written, tuple(int(d) for d in np.argsort(permutation)))

    y = run(runtime, [x, indices, updates], make)
    expected = scattered(turned, indices, updates).transpose(np.argsort(permutation))
    np.testing.assert_array_equal(y, expected)


def test_one_behind_the_other_and_what_is_computed(runtime: ann.Runtime) -> None:
    """A tensor that is read again is not overwritten."""
    x, updates = values_of(1, 4, 6), values_of(2, 2, 6)
    first, second = np.array([[0], [3]], np.int32), np.array([[3], [1]], np.int32)

    def make(network: ann.Network, x: Any, updates: Any, first: Any, second: Any) -> Any:
        squares = network.add_multiplication(x, x)
        once = network.add_scatter_nd(squares, first, updates)
        twice = network.add_scatter_nd(once, second, updates)
        other = network.add_scatter_nd(squares, second, updates)
        return network.add_addition(twice, network.add_addition(other, squares))

    y = run(runtime, [x, updates, first, second], make)
    twice = scattered(scattered(x * x, first, updates), second, updates)
    other = scattered(x * x, second, updates)
    np.testing.assert_array_equal(y, twice + (other + x * x))


def test_layers_left_to_other_backends(runtime: ann.Runtime) -> None:
    network = ann.Network()
    x, updates = (network.add_input(name, ann.TensorInfo(shape, DataType.FLOAT64)).output
                  for name, shape in (("x", (4, 6)), ("updates", (2, 6))))  # fmt: skip
    places = np.array([[1], [1]], np.int32)
    network.add_output("y", network.add_scatter_nd(x, places, updates, ScatterNdFunction.ADD))
    with pytest.raises(ann.ArmnnError, match="no kernel for float64 with a function but UPDATE"):
        ann.load(network, ["CpuAcc"], runtime=runtime)


UFUNCS = {
    ScatterNdFunction.ADD: np.add,
    ScatterNdFunction.SUB: np.subtract,
    ScatterNdFunction.MUL: np.multiply,
    ScatterNdFunction.MAX: np.maximum,
    ScatterNdFunction.MIN: np.minimum,
}


@pytest.mark.parametrize("function", UFUNCS, ids=lambda function: function.name)
@pytest.mark.parametrize("dtype", [np.float32, np.int32, np.int64])
@pytest.mark.parametrize("depth", [1, 2, 3])
def test_functions(
    runtime: ann.Runtime, function: ScatterNdFunction, dtype: Any, depth: int
) -> None:
    """Each update is joined with what the ones before left; NaN on either side stays."""
    shape, count, rng = (5, 4, 7), 40 if depth == 1 else 300, np.random.default_rng(depth)
    x, updates = draw(1, shape, dtype), draw(2, (count, *shape[depth:]), dtype)
    if dtype == np.float32:
        x[2, 1, 3], updates.reshape(-1)[11] = np.nan, np.nan
    indices = np.stack([rng.integers(-n, n, count) for n in shape[:depth]], 1)
    expected = x.copy()
    with np.errstate(over="ignore"):
        for place, update in zip(indices, updates, strict=True):
            at = tuple(place)
            expected[at] = UFUNCS[function](expected[at], update)

    def make(network: ann.Network, *slots: Any) -> Any:
        return network.add_scatter_nd(*slots, function)

    y = run(runtime, [x, indices, updates], make)
    np.testing.assert_array_equal(y, expected)
    turned = (2, 0, 1)

    def make_turned(network: ann.Network, x: Any, *slots: Any) -> Any:
        there = network.add_transpose(x, tuple(int(d) for d in np.argsort(turned)))
        return network.add_scatter_nd(there, *slots, function)

    y = run(runtime, [np.ascontiguousarray(x.transpose(turned)), indices, updates], make_turned)
    np.testing.assert_array_equal(y, expected)


def test_a_saved_network_keeps_the_function(runtime: ann.Runtime, tmp_path: Any) -> None:
    network = ann.Network()
    x = network.add_input("x", ann.TensorInfo((4, 6))).output
    updates = network.add_input("updates", ann.TensorInfo((3, 6))).output
    places = network.add_constant(np.array([[1], [3], [1]], np.int32))
    y = network.add_scatter_nd(x, places, updates, ScatterNdFunction.ADD)
    network.add_output("y", y)
    optimized = ann.optimize(network, ["CpuAcc"], runtime=runtime)
    optimized.save(path := tmp_path / "x.armnnpy", keep_subgraphs=False)
    given = {"x": values_of(1, 4, 6), "updates": values_of(2, 3, 6)}
    expected = given["x"].copy()
    np.add.at(expected, [1, 3, 1], given["updates"])
    with ann.load(path, runtime=runtime) as net:
        np.testing.assert_allclose(net.run(given)["y"], expected, rtol=1e-6)


# ---- Caches --------------------------------------------------------------------------------------

TIME, WIDTH = 8, mmap.PAGESIZE // 4  # a row is a page


class Cache:
    """Rows that are pages, which may be written or not."""

    def __init__(self, heads: int = 2) -> None:
        self._memory = mmap.mmap(-1, heads * TIME * mmap.PAGESIZE)
        shape = (1, heads, TIME, WIDTH)
        self.array = np.frombuffer(self._memory, np.float32).reshape(shape)
        self.array[...] = values_of(3, *shape)

    def allow(self, rows: Sequence[int] | None) -> None:
        """Let these rows be written, of all heads; None: all of them."""
        array = self.array
        for head in range(array.shape[1]):
            for row in range(TIME):
                may = rows is None or row in rows
                access = mmap.PROT_READ | (mmap.PROT_WRITE if may else 0)
                address = array[0, head, row].ctypes.data
                assert _PROCESS.mprotect(address, mmap.PAGESIZE, access) == 0


def writing(form: str, heads: int = 2) -> ann.Network:
    """``past`` with a row replaced is ``present``; what reads it is ``sums``."""
    network = ann.Network()
    shape = (1, heads, TIME, WIDTH)
    past = network.add_input("past", ann.TensorInfo(shape)).output
    row = network.add_input("row", ann.TensorInfo((1, heads, 1, WIDTH))).output
    at = network.add_input("at", ann.TensorInfo((heads, 3), DataType.SIGNED32)).output
    if form == "scatter":
        updates = network.add_reshape(row, (heads, WIDTH))
        present = network.add_scatter_nd(past, at, updates)
    elif form == "flat":  # as ScatterElements comes here: by the numbers of elements
        flat = network.add_reshape(past, (heads * TIME * WIDTH,))
        steps = np.arange(WIDTH, dtype=np.int32).reshape(1, WIDTH)
        strides = np.array([[0, TIME * WIDTH, WIDTH]], np.int32)
        begin = network.add_reduce(
            network.add_multiplication(at, strides), ann.ReduceOperation.SUM, axes=[1]
        )
        places = network.add_reshape(network.add_addition(begin, steps), (heads * WIDTH, 1))
        updates = network.add_reshape(row, (heads * WIDTH,))
        whole = network.add_scatter_nd(flat, places, updates)
        present = network.add_reshape(whole, shape)
    else:  # between slices, at row 5
        before = network.add_slice(past, (0, 0, 0, 0), (1, heads, 5, WIDTH))
        behind = network.add_slice(past, (0, 0, 6, 0), (1, heads, TIME - 6, WIDTH))
        present = network.add_concat([before, row, behind], 2)
    network.add_output("present", present)
    network.add_output("sums", network.add_batch_mat_mul(row, present, transpose_y=True))
    return network


def fed(heads: int, row: int, seed: int) -> dict[str, np.ndarray]:
    at = np.array([[0, head, row] for head in range(heads)], np.int32)
    return {"row": values_of(seed, 1, heads, 1, WIDTH), "at": at}


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("form", ["scatter", "slices"])
def test_only_the_row_is_written(runtime: ann.Runtime, form: str, threads: int) -> None:
    """Writing to any other row ends the process."""
    cache, heads = Cache(), 2
    with ann.load(writing(form), ["CpuAcc"], runtime=runtime, threads=threads) as net:
        given = {"past": cache.array, **fed(heads, 0, 1)}
        with net.bind(given, {"present": cache.array}) as bound:
            for step, row in enumerate([5, 2, 7] if form == "scatter" else [5, 5]):
                new = fed(heads, row, step)
                expected = cache.array.copy()
                expected[:, :, row] = new["row"][:, :, 0]
                for name, value in new.items():
                    bound.inputs[name][...] = value
                cache.allow([row])
                outputs = bound.run()
                cache.allow(None)
                assert outputs["present"] is cache.array
                np.testing.assert_array_equal(cache.array, expected)
                sums = new["row"].astype(np.float64) @ expected.swapaxes(2, 3)
                np.testing.assert_allclose(outputs["sums"], sums, rtol=1e-5, atol=1e-3)


@pytest.mark.parametrize("form", ["scatter", "slices"])
def test_the_same_by_run_and_without_aliasing(runtime: ann.Runtime, form: str) -> None:
    cache, other = Cache(), Cache()
    given = fed(2, 5, 7)
    with ann.load(writing(form), ["CpuAcc"], runtime=runtime) as net:
        before = cache.array.copy()
        cache.allow([5])
        ours = net.run({"past": cache.array, **given}, out={"present": cache.array},
                       share_inputs=True)  # fmt: skip
        cache.allow(None)
        other.allow([])  # an input alone is read
        theirs = net.run({"past": other.array, **given})
        assert (before == other.array).all()
        for name, value in theirs.items():
            np.testing.assert_array_equal(ours[name], value)
        assert ours["present"] is cache.array


def test_a_saved_network_writes_in_place(runtime: ann.Runtime, tmp_path: Any) -> None:
    cache = Cache()
    path = tmp_path / "x.armnnpy"
    optimized = ann.optimize(writing("scatter"), ["CpuAcc"], runtime=runtime)
    optimized.save(path, keep_subgraphs=False)
    with ann.load(path, runtime=runtime) as net:
        given = {"past": cache.array, **fed(2, 4, 1)}
        cache.allow([4])
        net.run(given, out={"present": cache.array}, share_inputs=True)
        cache.allow(None)
        np.testing.assert_array_equal(cache.array[:, :, 4], given["row"][:, :, 0])


def test_an_index_outside_leaves_the_cache(runtime: ann.Runtime) -> None:
    cache = Cache()
    with ann.load(writing("scatter"), ["CpuAcc"], runtime=runtime) as net:
        given = {"past": cache.array, **fed(2, TIME, 1)}
        cache.allow([])
        with pytest.raises(ann.ExecutionError, match="index 8 at place 2"):
            net.run(given, out={"present": cache.array}, share_inputs=True)
        cache.allow(None)


def reading_late() -> ann.Network:
    """The past is read when the present is there."""
    network = ann.Network()
    past = network.add_input("past", ann.TensorInfo((4, 6))).output
    row = network.add_input("row", ann.TensorInfo((1, 6))).output
    present = network.add_scatter_nd(past, np.array([[2]], np.int32), row)
    network.add_output("present", present)
    network.add_output("difference", network.add_subtraction(present, past))
    return network


def test_an_input_that_is_read_later_is_copied(runtime: ann.Runtime) -> None:
    past, row = values_of(1, 4, 6), values_of(2, 1, 6)
    present = past.copy()
    present[2] = row
    difference = present - past
    with ann.load(reading_late(), ["CpuAcc"], runtime=runtime) as net:
        with pytest.raises(ann.InvalidArgumentError, match="input 'past': its array overlaps"):
            net.bind({"past": past, "row": row}, {"present": past})
        outputs = net.run({"past": past, "row": row}, out={"present": past})
        np.testing.assert_array_equal(past, present)
        np.testing.assert_array_equal(outputs["difference"], difference)


def test_two_inputs_in_one_output(runtime: ann.Runtime) -> None:
    """They are one array: then what the second is before is not known any more."""
    network = ann.Network()
    slots = [network.add_input(name, ann.TensorInfo((4, 6))).output for name in ("x", "y")]
    row = network.add_input("row", ann.TensorInfo((1, 6))).output
    place = np.array([[2]], np.int32)
    total = network.add_addition(slots[1], slots[1])
    network.add_output("total", total)
    network.add_output("written", network.add_scatter_nd(slots[0], place, row))
    cache, row_value = values_of(1, 4, 6), values_of(2, 1, 6)
    with (
        ann.load(network, ["CpuAcc"], runtime=runtime) as net,
        pytest.raises(ann.InvalidArgumentError, match="overlaps"),
    ):
        net.bind({"x": cache, "y": cache, "row": row_value}, {"written": cache})
