# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Models that compute with sizes are converted once, and right for each size: as onnxruntime."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from onnx import helper

import armnn_py as ann

from .size_cases import (
    FLOAT,
    INT32,
    INT64,
    LENGTH,
    MICROSOFT,
    NUMBERS,
    Arrays,
    Case,
    X,
    node,
    real,
    rng,
    words,
)

SIZES = (5, 8, 3, 2, 13, 8, 21)

IMAGE = {"x": (["b", 2, "h", "w"], FLOAT)}


def image(size: int) -> Arrays:
    return {"x": real(1, 2, size, size + 3)}


def of_length(*nodes: Any, **constants: Any) -> Case:
    """A case of nodes that read the number of steps of x, ``n``, as an integer."""
    return Case([*LENGTH, *nodes], X, NUMBERS | constants, words)


def resized(mode: str, kind: str, scale: float = 2.0, **attributes: Any) -> Case:
    if mode == "nearest":
        attributes.setdefault("nearest_mode", "floor")
    resize = node(
        "Resize", "x - k", "y", mode=mode, coordinate_transformation_mode=kind, **attributes
    )
    return Case([resize], IMAGE, {"k": np.float32([1, 1, scale, scale])}, image)


def resized_to(mode: str, kind: str) -> Case:
    nodes = [
        node("Shape", "z", "zs"),
        node("Resize", "x - - zs", "y", mode=mode, coordinate_transformation_mode=kind),
    ]
    inputs = IMAGE | {"z": (["b", 2, "h2", "w2"], FLOAT)}
    return Case(nodes, inputs, {}, lambda n: image(n) | {"z": real(1, 2, 2 * n + 1, n + 3)})


def sampled(mode: str, padding: str, align: int) -> Case:
    sample = node("GridSample", "x g", "y", mode=mode, padding_mode=padding, align_corners=align)
    inputs = IMAGE | {"g": (["b", "p", 3, 2], FLOAT)}
    grid = lambda n: {"g": rng.uniform(-1.3, 1.3, (1, n, 3, 2)).astype(np.float32)}  # noqa: E731
    return Case([sample], inputs, {}, lambda n: image(n) | grid(n), opset=16)


def recurrent(op: str, direction: str, outputs: str, gates: int) -> Case:
    both = 1 + (direction == "bidirectional")
    constants = {"w": real(both, gates * 3, 4), "r": real(both, gates * 3, 3)}
    layer = node(op, "x w r - l h", outputs, hidden_size=3, direction=direction)
    inputs = {
        "x": (["n", "b", 4], FLOAT),
        "l": (["b"], INT32),
        "h": ([both, "b", 3], FLOAT),
    }

    def arrays(size: int) -> Arrays:
        return {
            "x": real(size, 4, 4),
            "l": np.array([size, max(size - 2, 0), 1, 0], np.int32),
            "h": real(both, 4, 3),
        }

    return Case([layer], inputs, constants, arrays)


def indexed(op: str, axis: int) -> Case:
    inputs = {"x": (["b", "n", 4], FLOAT), "i": (["b", "n", 4], INT64)}
    operands = "x i"
    if op == "ScatterElements":
        operands, inputs = "x i u", inputs | {"u": X["x"]}

    def arrays(size: int) -> Arrays:
        count = (2, size, 4)[axis]
        order = np.argsort(rng.random((2, size, 4)), axis)
        places = np.where(rng.random((2, size, 4)) < 0.5, order, order - count)
        return words(size) | {"i": places} | ({"u": real(2, size, 4)} if "u" in inputs else {})

    return Case([node(op, operands, "y", axis=axis)], inputs, {}, arrays)


CASES: dict[str, Case] = {
    "range_between_sizes": Case(
        [
            *LENGTH,
            node("Concat", "past x", "all", axis=1),
            node("Shape", "all", "t"),
            node("Gather", "t one", "m"),
            node("Sub", "m n", "first"),
            node("Range", "first m one", "rows"),
            node("Unsqueeze", "rows axis", "column"),
            node("Range", "zero m one", "columns"),
            node("GreaterOrEqual", "column columns", "sees"),
            node("Cast", "sees", "y", to=FLOAT),
        ],
        X | {"past": (["b", "p", 4], FLOAT)},
        NUMBERS,
        lambda n: words(2) | {"past": real(2, n, 4)},
    ),
    "range_down": of_length(
        node("Range", "n zero minus", "r"), node("Cast", "r", "y", to=FLOAT), minus=np.int64(-2)
    ),
    "sines_of_positions": of_length(
        node("Cast", "n", "f", to=FLOAT),
        node("Range", "start f step", "r"),
        node("Unsqueeze", "r axis", "column"),
        node("Sin", "column", "sine"),
        node("Add", "x sine", "y"),
        start=np.float32(0),
        step=np.float32(1),
    ),
    "fractions_of_a_range": of_length(
        node("Cast", "n", "f", to=FLOAT), node("Range", "start f step", "y"),
        start=np.float32(0), step=np.float32(0.7),
    ),
    "root_of_a_size": of_length(
        node("Cast", "n", "f", to=FLOAT), node("Sqrt", "f", "root"), node("Div", "x root", "y")
    ),
    "mean_and_share": of_length(
        node("Cast", "n", "f", to=FLOAT),
        node("Mul", "f half", "part"),
        node("Sub", "part tenth", "less"),
        node("Max", "less tenth", "most"),
        node("Mul", "x most", "y"),
        half=np.float32(0.5),
        tenth=np.float32(0.1),
    ),
    "half_as_many_rows": of_length(
        node("Cast", "n", "f", to=FLOAT),
        node("Mul", "f half", "part"),
        node("Floor", "part", "whole"),
        node("Cast", "whole", "i", to=INT64),
        node("Unsqueeze", "i zeros", "rows"),
        node("Slice", "x zeros rows axis", "y"),
        half=np.float32(0.5),
        zeros=np.int64([0]),
    ),
    "padded_to_a_multiple": of_length(
        node("Mod", "n eight", "rest"),
        node("Sub", "eight rest", "lacks"),
        node("Unsqueeze", "lacks zeros", "row"),
        node("Concat", "none row last", "pads", axis=0),
        node("Pad", "x pads", "y"),
        eight=np.int64(8),
        zeros=np.int64([0]),
        none=np.int64([0] * 4),
        last=np.int64([0]),
    ),
    "larger_and_product": of_length(
        node("Max", "n four", "m"),
        node("Shape", "x", "all"),
        node("ReduceProd", "all", "product", keepdims=0),
        node("Add", "m product", "sum"),
        node("Cast", "sum", "f", to=FLOAT),
        node("Add", "x f", "y"),
        four=np.int64(4),
    ),
    "one_hot": of_length(
        node("ArgMax", "x", "i", axis=1, keepdims=0), node("OneHot", "i n values", "y"),
        values=np.float32([-1, 2]),
    ),
    "hardmax": Case([node("Hardmax", "x", "y", axis=1)], X, {}, words),
    "grouped_attention": Case(
        [
            *LENGTH,
            node("Shape", "past", "ps"),
            node("Gather", "ps two", "p"),
            node("Add", "n p", "t64"),
            node("Cast", "t64", "t", to=INT32),
            node("Sub", "t64 one", "last"),
            node("Cast", "last", "last32", to=INT32),
            node("Unsqueeze", "last32 zeros", "lasts"),
            node(
                "GroupQueryAttention",
                "x x x past past lasts t cos sin",
                "y key value",
                num_heads=1,
                kv_num_heads=1,
                do_rotary=1,
                domain=MICROSOFT,
            ),
        ],
        {"x": ([1, "n", 16], FLOAT), "past": ([1, 1, "p", 16], FLOAT)},
        NUMBERS
        | {"two": np.int64(2), "zeros": np.int64([0])}
        | {name: real(64, 8) for name in ("cos", "sin")},
        lambda n: {"x": real(1, 1, 16), "past": real(1, 1, n, 16)},
    ),
    "masked_attention": Case(
        [node("MultiHeadAttention", "x x x - l", "y", num_heads=2, domain=MICROSOFT)],
        X | {"l": (["b"], INT32)},
        {},
        lambda n: words(n) | {"l": np.array([n, 1], np.int32)},
    ),
    "rotary": Case(
        [node("RotaryEmbedding", "x first cos sin", "y", domain=MICROSOFT)],
        {"x": (["b", 2, "n", 4], FLOAT), "first": ([1], INT64)},
        {name: real(64, 2) for name in ("cos", "sin")},
        lambda n: {"x": real(2, 2, n, 4), "first": np.int64([3])},
    ),
    "identity_matrix": Case(
        [node("EyeLike", "x", "e", k=1), node("Add", "x e", "y")],
        {"x": (["n", "m"], FLOAT)},
        {},
        lambda n: {"x": real(n, n + 2)},
    ),
    **{
        f"{op}_{axis}": indexed(op, axis)
        for op in ("GatherElements", "ScatterElements")
        for axis in range(3)
    },
    "GatherND": Case(
        [node("GatherND", "x i", "y", batch_dims=1)],
        X | {"i": (["b", "k", 1], INT64)},
        {},
        lambda n: words(n) | {"i": rng.integers(-n, n, (2, n + 1, 1))},
    ),
    "ReverseSequence": Case(
        [node("ReverseSequence", "x l", "y", batch_axis=0, time_axis=1)],
        X | {"l": (["b"], INT64)},
        {},
        lambda n: words(n) | {"l": np.int64([1, n])},
    ),
    "STFT": Case(
        [node("STFT", "x step window", "y")],
        {"x": (["b", "n", 1], FLOAT)},
        {"step": np.int64(4), "window": np.hanning(8).astype(np.float32)},
        lambda n: {"x": real(1, 16 + 3 * n, 1)},
    ),
    **{
        f"resize_{mode}_{kind}": resized(mode, kind)
        for mode, kind in (
            ("linear", "half_pixel"),
            ("linear", "pytorch_half_pixel"),
            ("linear", "align_corners"),
            ("linear", "asymmetric"),
            ("nearest", "asymmetric"),
        )
    },
    "resize_nearest": resized("nearest", "half_pixel", nearest_mode="round_prefer_floor"),
    "resize_by_four": resized("nearest", "half_pixel", 4, nearest_mode="round_prefer_ceil"),
    "resize_to_sizes": resized_to("linear", "half_pixel"),
    "resize_to_corners": resized_to("linear", "align_corners"),
    **{
        f"grid_{mode}_{padding}_{align}": sampled(mode, padding, align)
        for mode, padding, align in (
            ("bilinear", "zeros", 0),
            ("bilinear", "reflection", 1),
            ("nearest", "border", 0),
            ("bicubic", "reflection", 0),
        )
    },
    **{
        f"{op}_{direction}": recurrent(op, direction, "y last", gates)
        for op, gates in (("LSTM", 4), ("GRU", 3))
        for direction in ("forward", "reverse", "bidirectional")
    },
}  # fmt: skip

#: Sizes decide more than shapes: each gets a conversion of its own.
CONVERTED_ANEW = ("fractions_of_a_range", "half_as_many_rows")


@pytest.mark.parametrize("backends", [["CpuRef"], ["CpuAcc", "CpuRef"]])
@pytest.mark.parametrize("name", CASES)
def test_sizes_as_values_agree_with_onnxruntime(
    models: Any, conversions: list[Any], name: str, backends: list[str]
) -> None:
    case = CASES[name]
    outputs = ["y", "last"] if "last" in case.nodes[-1].output else ["y"]
    model = models.build(case.nodes, case.inputs, outputs, case.constants, opset=case.opset)
    model.opset_import.append(helper.make_opsetid(MICROSOFT, 1))
    with ann.load(models.save(model), backends) as network:
        for size in SIZES:
            arrays = case.arrays(size)
            expected = models.theirs(model, arrays)
            for output, array in network.run(arrays).items():
                assert array.shape == expected[output].shape
                np.testing.assert_allclose(array, expected[output], rtol=1e-4, atol=1e-5)
    # Beside that of load: sizes of 1 and 2 may decide something.
    assert len(conversions) > 2 if name in CONVERTED_ANEW else len(conversions) <= 2


@pytest.mark.parametrize("kind", ["half_pixel", "asymmetric"])
@pytest.mark.parametrize("mode", ["linear", "nearest"])
def test_a_half_of_odd_sizes_is_read_by_the_stated_scale(models: Any, mode: str, kind: str) -> None:
    """2 of 5 elements: they are 2 apart, not 2.5, as the Resize layer would read them."""
    case = resized(mode, kind, 0.5)
    model = models.build(case.nodes, case.inputs, ["y"], case.constants, opset=18)
    with ann.load(models.save(model), ["CpuRef"]) as network:
        for size in (8, 6, 5, 7, 10, 11, 16):
            arrays = case.arrays(size)
            expected = models.theirs(model, arrays)["y"]
            np.testing.assert_allclose(network.run(arrays)["y"], expected, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("length", [20, 2000])
def test_a_long_chain_of_functions_of_a_size_is_right(models: Any, length: int) -> None:
    chain = [node("Cast", "n", "f0", to=FLOAT)]
    chain += [node("Cos", f"f{k}", f"f{k + 1}") for k in range(length)]
    case = of_length(*chain, node("Mul", f"x f{length}", "y"))
    model = models.build(case.nodes, case.inputs, ["y"], case.constants, opset=case.opset)
    with ann.load(models.save(model), ["CpuRef"]) as network:
        for size in (5, 8):
            arrays = words(size)
            expected = models.theirs(model, arrays)["y"]
            np.testing.assert_allclose(network.run(arrays)["y"], expected, rtol=1e-4, atol=1e-5)
