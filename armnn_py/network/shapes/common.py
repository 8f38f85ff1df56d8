# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Rules that several layers share: broadcasting, axes, windows."""

from __future__ import annotations

import itertools
import operator
from collections.abc import Sequence

from armnn_py.network.shapes.site import Site
from armnn_py.tensors import format_shape


def broadcast(site: Site, *shapes: tuple[int, ...]) -> tuple[int, ...]:
    """Return the shape that shapes broadcast to, by numpy's rule."""
    rank = max(map(len, shapes))
    result = [1] * rank
    for shape in shapes:
        offset = rank - len(shape)
        for index, dim in enumerate(shape):
            known = result[offset + index]
            if dim == known or dim == 1:
                continue
            if known != 1:
                site.fail(
                    f"shapes {' and '.join(map(format_shape, shapes))} do not broadcast: "
                    f"{known} against {dim}",
                    hint="dimensions are compared from the last; each pair is equal or has a 1",
                )
            result[offset + index] = dim
    return tuple(result)


def reduced_axes(site: Site, axes: Sequence[int], rank: int) -> tuple[int, ...]:
    """Return axes counted from the front, in order; no axes mean all."""
    if not axes:
        return tuple(range(rank))
    found = sorted(site.need_axis(operator.index(axis), rank) for axis in axes)
    for first, second in itertools.pairwise(found):
        if first == second:
            site.fail(f"axes {tuple(axes)} name dimension {first} twice")
    return tuple(found)


def window_count(
    site: Site,
    what: str,
    size: int,
    *,
    window: int,
    stride: int,
    dilation: int,
    before: int,
    after: int,
    ceiling: bool = False,
) -> int:
    """Return how often a window fits along one dimension.

    Arm NN's formula, ``(size + pads - dilation * (window - 1) - 1) / stride + 1``, rounded as
    asked. Rounded up, a last window that would start behind the input and its leading padding is
    dropped, as Arm NN and ONNX do.
    """
    extent = dilation * (window - 1) + 1
    room = size + before + after - extent
    if window < 1:
        site.fail(f"the window has {what} 0")
    if room < 0:
        site.fail(
            f"the window covers {extent} along {what}, more than the {size + before + after} "
            "there are with padding",
            hint="pad more, or dilate less",
        )
    if not ceiling:
        return room // stride + 1
    count = -(-room // stride) + 1
    return count - 1 if (count - 1) * stride >= size + before else count
