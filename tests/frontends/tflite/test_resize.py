# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""RESIZE_NEAREST_NEIGHBOR and RESIZE_BILINEAR with every flag, beside LiteRT."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

import armnn_py as ann
from tests.frontends.exact_resize import Line, resized


def resize(
    builder: Any, name: str, sides: tuple[int, int], size: tuple[int, int], **flags: bool
) -> tuple[bytes, dict[str, np.ndarray]]:
    kind = {"RESIZE_BILINEAR": "ResizeBilinearOptions"}
    x = np.arange(sides[0] * sides[1] * 2, dtype=np.float32).reshape(1, *sides, 2)
    place = builder.tensor("x", x.shape)
    target = builder.constant("size", np.int32(size))
    y = builder.tensor("y", ())
    options = (kind.get(name, "ResizeNearestNeighborOptions"), flags)
    builder.op(name, [place, target], [y], options, version=3)
    builder.ends([place], [y])
    return builder.data(), {"x": x}


@pytest.mark.parametrize("align", [False, True])
@pytest.mark.parametrize("half", [False, True])
@pytest.mark.parametrize("name", ["RESIZE_NEAREST_NEIGHBOR", "RESIZE_BILINEAR"])
def test_small_sizes(engines: Any, new_builder: Any, name: str, half: bool, align: bool) -> None:
    if name == "RESIZE_BILINEAR" and half and align:
        pytest.skip("LiteRT refuses it")
    flags = {"alignCorners": align, "halfPixelCenters": half}
    for size in itertools.product((1, 2, 3, 5, 6, 10), (1, 4, 7)):
        data, fed = resize(new_builder(), name, (5, 4), size, **flags)
        expected = engines.theirs(data, fed)["y"]
        np.testing.assert_allclose(engines.ours(data, fed)["y"], expected, rtol=1e-5, atol=1e-5)


def test_bilinear_with_both_flags_is_refused(engines: Any, new_builder: Any) -> None:
    flags = {"alignCorners": True, "halfPixelCenters": True}
    data, fed = resize(new_builder(), "RESIZE_BILINEAR", (5, 4), (3, 2), **flags)
    with pytest.raises((RuntimeError, ValueError)):
        engines.theirs(data, fed)
    with pytest.raises(ann.ParseError, match="'align_corners' and 'half_pixel_centers' are both"):
        ann.import_model(data)


#: Levels between LiteRT's answer and the exact one. Its positions of int8 and int16 have 10 bits
#: behind the point; an error grows with the place. Of uint8 it rounds halves up.
LITERT_STEPS = {"int8": 2, "uint8": 1, "int16": 2**16 // 2**7}
SIDES = [(5, 4), (1, 7), (8, 8), (3, 1)]
SIZES = [(1, 1), (2, 3), (5, 4), (10, 8), (7, 13), (24, 16)]


@pytest.mark.parametrize("kind", LITERT_STEPS)
@pytest.mark.parametrize(("half", "align"), [(False, False), (True, False), (False, True)])
def test_levels_between_pixels(
    engines: Any, new_builder: Any, half: bool, align: bool, kind: str
) -> None:
    """The level that is nearest to the exact number; of two that are as near, either."""
    dtype, numbers = np.dtype(kind), np.random.default_rng(6)
    ends, mode = (
        np.iinfo(dtype),
        "align_corners" if align else "half_pixel" if half else "asymmetric",
    )
    for sides, size in itertools.product(SIDES, SIZES):
        x = numbers.integers(ends.min, ends.max + 1, (1, *sides, 2)).astype(dtype)
        builder = new_builder()
        form = (dtype, 0.1, 0 if kind == "int16" else 3)
        place, y = builder.tensor("x", x.shape, *form), builder.tensor("y", (), *form)
        options = ("ResizeBilinearOptions", {"alignCorners": align, "halfPixelCenters": half})
        target = builder.constant("size", np.int32(size))
        builder.op("RESIZE_BILINEAR", [place, target], [y], options, version=3)
        builder.ends([place], [y])
        data = builder.data()
        lines = [Line(*one) for one in zip(sides, size, strict=True)]
        exact = np.float64(
            resized(x, {1 + i: one.weights("linear", mode) for i, one in enumerate(lines)})
        )
        found = engines.ours(data, {"x": x})["y"]
        assert np.abs(found - exact).max() <= 0.5 + (5e-3 if kind == "int16" else 1e-4)
        theirs = engines.theirs(data, {"x": x})["y"]
        assert np.abs(theirs - exact).max() <= LITERT_STEPS[kind] + 0.5


@pytest.mark.parametrize("kind", LITERT_STEPS)
@pytest.mark.parametrize("flags", [*itertools.product((False, True), repeat=2)])
def test_levels_of_the_nearest_pixel(
    engines: Any, new_builder: Any, flags: tuple[bool, bool], kind: str
) -> None:
    dtype, numbers = np.dtype(kind), np.random.default_rng(6)
    for sides, size in itertools.product(SIDES, SIZES):
        x = numbers.integers(-50, 50, (1, *sides, 2)).astype(dtype)
        builder = new_builder()
        form = (dtype, 0.1, 0)
        place, y = builder.tensor("x", x.shape, *form), builder.tensor("y", (), *form)
        fields = {"alignCorners": flags[0], "halfPixelCenters": flags[1]}
        target = builder.constant("size", np.int32(size))
        options = ("ResizeNearestNeighborOptions", fields)
        builder.op("RESIZE_NEAREST_NEIGHBOR", [place, target], [y], options, version=3)
        builder.ends([place], [y])
        data = builder.data()
        wanted = engines.theirs(data, {"x": x})["y"]
        np.testing.assert_array_equal(engines.ours(data, {"x": x})["y"], wanted)
