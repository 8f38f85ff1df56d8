# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Depthwise convolutions with the 1x1 around them as one operator: the bits of the operators alone.

And within the error of float32 sums of what the three windows give in double precision.
"""

from __future__ import annotations

import ctypes
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from .guarded import laid_out, random_like
from .operators import Operators, Separable, epilogue, tensor
from .windows import WEIGHT_ORDERS, Case, convolution, convolved, same, weights_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

FUNCTIONS: dict[str, tuple[float, float, Callable[..., Any]]] = {
    "identity": (0, 0, lambda x: x),
    "clamp": (0, 6, lambda x: np.clip(x, 0, 6)),
    "hard_swish": (1, 0, lambda x: x * np.clip(x + 3, 0, 6) / 6),
    "swish": (1, 0, lambda x: x / (1 + np.exp(-x))),
    "leaky": (0.1, 0, lambda x: np.where(x > 0, x, 0.1 * x)),
}
PARTS = ("expand depthwise project", "expand depthwise", "depthwise project", "depthwise")


@dataclass(frozen=True)
class Block:
    """``window`` is the depthwise convolution, whose channels are as many as its groups."""

    window: Case
    inputs: int = 8
    outputs: int = 12
    parts: str = PARTS[0]
    functions: tuple[str, str, str] = ("clamp", "clamp", "identity")
    residual: str = ""
    how: int = 0
    bias: bool = True
    order: str = "OHWI"

    def cases(self) -> dict[str, Case]:
        """Of the parts, in their order."""
        window = self.window
        wide = window.channels
        around = {
            "expand": Case(window.image, self.inputs, wide, batch=window.batch),
            "depthwise": window,
            "project": Case(window.out_image, wide, self.outputs, batch=window.batch),
        }
        return {part: around[part] for part in self.parts.split()}


def depthwise(image: tuple[int, int], channels: int, **more: Any) -> Case:
    window = {"groups": channels, **same(3), **more}
    return Case(image, channels, channels, **window)


def expected_of(
    block: Block, x: np.ndarray, weights: dict[str, np.ndarray], bias: dict[str, Any], other: Any
) -> np.ndarray:
    y = x.astype(np.float64)
    cases = block.cases()
    for part, case in cases.items():
        y = convolved(case, y, weights[part])
        if bias[part] is not None:
            y = y + bias[part]
        last = part == list(cases)[-1]
        function = FUNCTIONS[block.functions[PARTS[0].split().index(part)]][2]
        if last and block.residual == "first":
            y = y + other
        y = function(y)
        if last and block.residual == "last":
            y = y + other
    return y


def check(
    operators: Operators, isa: str, block: Block, threads: tuple[int, ...] = (1, 2, 3, 4)
) -> None:
    rng = np.random.default_rng(3)
    cases = block.cases()
    last = list(cases)[-1]
    first = cases[next(iter(cases))]
    x = random_like(rng, (first.batch, *first.image, first.channels), block.how)
    out_shape = (first.batch, *cases[last].out_image, cases[last].outputs)
    other = random_like(rng, out_shape, (block.how + 1) % 3) if block.residual else None
    weights, bias, after = {}, {}, {}
    for part, case in cases.items():
        scale = np.float32(1 / np.sqrt(case.size[0] * case.size[1] * case.channels / case.groups))
        weights[part] = weights_of(case, rng, block.order) * scale
        bias[part] = random_like(rng, (case.outputs,), 0) if block.bias else None
        name = block.functions[PARTS[0].split().index(part)]
        a, b, _ = FUNCTIONS[name]
        added = other if part == last else None
        is_last = block.residual == "last"
        after[part] = epilogue(name, a, b, residual=added, residual_last=is_last)
    alone = x
    for part, case in cases.items():
        made = laid_out((case.batch, *case.out_image, case.outputs), 0)
        what = convolution(case, alone, made, weights[part], bias[part], after[part])
        operators.run("depthwise" if part == "depthwise" else "convolution", isa, what)
        alone = made
    exact = expected_of(block, x, weights, bias, other)
    parts = {
        part: convolution(case, x, x, weights[part], bias[part], after[part])
        for part, case in cases.items()
    }
    for count in threads:
        out = laid_out(out_shape, block.how)
        addresses = {part: ctypes.addressof(window) for part, window in parts.items()}
        joined = Separable(input=tensor(x), output=tensor(out), epilogue=after[last], **addresses)
        kernel = operators.run("separable", isa, joined, threads=(count,))
        assert kernel == f"armnn_f32_separable__{isa}"
        largest = np.abs(exact).max()
        np.testing.assert_allclose(out, exact, rtol=1e-5, atol=2e-6 * largest, err_msg=str(block))
        np.testing.assert_array_equal(out, alone, err_msg=f"{count} threads, {block}")
        if block.how != 0:
            out[...] = 5.0
            whole = out.base
            while whole.size == out.size:
                whole = whole.base
            assert (whole == 5.0).all(), "wrote beside its output"


@pytest.mark.parametrize("parts", PARTS)
@pytest.mark.parametrize("channels", [1, 3, 4, 7, 8, 9, 16, 17, 24, 40, 67])
def test_channels(operators: Operators, isa: str, parts: str, channels: int) -> None:
    """Around those of vectors and panels, on all sides."""
    if channels == 1 and "project" not in parts:
        pytest.skip("one group of one channel is a dense convolution")
    check(operators, isa, Block(depthwise((9, 11), channels), 5, 17, parts=parts))
    check(operators, isa, Block(depthwise((6, 7), channels, batch=2), 33, 8, parts=parts, how=1))


WINDOWS = [
    *({**same(k), "strides": (s, s)} for k in (3, 5, 7) for s in (1, 2, 3)),
    {**same(3), "strides": (2, 2), "before": (0, 0), "after": (1, 1)},  # TensorFlow's SAME
    {**same(3), "strides": (2, 2), "before": (1, 1), "after": (0, 0)},
    {**same(5), "strides": (2, 2), "before": (1, 2), "after": (2, 1)},
    {**same(3), "strides": (2, 1)},
    {**same(3), "dilations": (2, 2), "before": (2, 2), "after": (2, 2)},
    {**same(3), "dilations": (3, 1), "before": (0, 1), "after": (5, 2)},
    {"size": (3, 3)},
    {"size": (1, 1)},
    {"size": (1, 5), "before": (0, 2), "after": (0, 2)},
    {"size": (4, 2), "strides": (1, 2), "before": (2, 0), "after": (1, 1)},
    {"size": (1, 1), "strides": (3, 2)},  # rows that no window sees
    {"size": (2, 2), "strides": (5, 4)},
    {**same(3), "before": (4, 3), "after": (5, 4)},  # windows of padding alone
]


@pytest.mark.parametrize("window", WINDOWS, ids=str)
@pytest.mark.parametrize("parts", PARTS[:3])
def test_windows(operators: Operators, isa: str, parts: str, window: dict[str, Any]) -> None:
    for image in ((15, 9), (7, 20), (20, 7)):
        case = depthwise(image, 20, **window)
        check(operators, isa, Block(case, parts=parts, how=2), threads=(1, 3))
        check(operators, isa, Block(replace(case, batch=3), parts=parts), threads=(4,))


@pytest.mark.parametrize("parts", PARTS[:3])
@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.parametrize("residual", ["", "first", "last"])
def test_epilogues(
    operators: Operators, isa: str, parts: str, function: str, residual: str
) -> None:
    for how in range(3):
        functions = (function, "swish", "clamp") if how == 0 else ("clamp", function, function)
        case = depthwise((8, 6), 21, strides=(how % 2 + 1,) * 2)
        block = Block(case, 7, 13, parts, functions, residual, how, bias=how != 1)
        check(operators, isa, block, threads=(1, 4))


@pytest.mark.parametrize("order", WEIGHT_ORDERS)
def test_weights_lie_in_any_order(operators: Operators, isa: str, order: str) -> None:
    check(operators, isa, Block(depthwise((6, 7), 20), order=order), threads=(1,))


def wide_blocks() -> Iterator[Block]:
    """Rows of which few fit the second cache, also one of 4 MiB: some are moved again and again."""
    for stride in (1, 2):
        for size in (3, 5):
            window = {**same(size), "strides": (stride, stride)}
            yield Block(depthwise((23, 100), 160, **window), 4, 5)
            yield Block(depthwise((23, 100), 160, **window), 4, parts=PARTS[1])
        yield Block(depthwise((9, 300), 1000, **same(3), strides=(stride, stride)), 2, 3)
    yield Block(depthwise((21, 64), 200, dilations=(2, 1), before=(2, 1), after=(2, 1)), 3, 4)


@pytest.mark.parametrize("block", list(wide_blocks()), ids=lambda block: str(block.window))
def test_rows_that_are_kept(operators: Operators, isa: str, block: Block) -> None:
    check(operators, isa, block, threads=(2,))


@pytest.mark.parametrize("seed", range(4))
def test_random_blocks(operators: Operators, isa: str, seed: int) -> None:
    rng = np.random.default_rng(seed)

    def any_of(*values: Any) -> Any:
        return values[int(rng.integers(len(values)))]

    for _ in range(12):
        window = Case(
            image=(int(rng.integers(2, 30)), int(rng.integers(4, 30))),
            channels=1,
            outputs=1,
            size=(any_of(1, 3, 3, 5), any_of(2, 3, 3, 5)),
            strides=any_of((1, 1), (1, 1), (2, 2), (1, 2), (3, 1)),
            dilations=any_of((1, 1), (1, 1), (2, 1), (2, 2)),
            before=(any_of(0, 1, 2), any_of(0, 1, 3)),
            after=(any_of(0, 1, 2), any_of(0, 1, 3)),
            batch=any_of(1, 1, 2, 5),
        )
        wide = any_of(2, 6, 8, 12, 30, 48, 72)
        window = replace(window, channels=wide, outputs=wide, groups=wide)
        # Fewer than four pixels are summed in another order by a product alone.
        if min(window.out_image) < 1 or np.prod(window.out_image) < 4:
            continue
        functions = (any_of(*FUNCTIONS), any_of(*FUNCTIONS), any_of(*FUNCTIONS))
        block = Block(
            window,
            inputs=any_of(1, 3, 8, 24),
            outputs=any_of(1, 5, 16, 25),
            parts=any_of(*PARTS[:3]),
            functions=functions,
            residual=any_of("", "first", "last"),
            how=any_of(0, 1, 2),
        )
        check(operators, isa, block, threads=(any_of(1, 2), any_of(3, 4)))
