# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""RESIZE_NEAREST_NEIGHBOR and RESIZE_BILINEAR with every flag, beside LiteRT."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

import armnn_py as ann


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
