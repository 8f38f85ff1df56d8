# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The sliding window of convolutions and pooling: kernel, strides, dilations and pads.

Definitions: ``auto_pad``, ``pads`` and ``ceil_mode`` of the ONNX operators Conv and MaxPool.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from armnn_py.errors import ParseError
from armnn_py.frontends.onnx.emit import Unsupported
from armnn_py.frontends.onnx.node import NodeView

__all__ = ["Window", "window_list"]


def window_list(view: NodeView, name: str, rank: int, default: int) -> tuple[int, ...]:
    """Return an attribute with one positive integer per spatial dimension."""
    values = view.ints(name)
    if values is None:
        return (default,) * rank
    if len(values) != rank:
        raise ParseError(f"attribute '{name}' has {len(values)} values, {rank} expected")
    if min(values) < 1:
        raise ParseError(f"attribute '{name}' is {values}, at least 1 expected")
    return tuple(values)


class Window(NamedTuple):
    """Geometry of a window over an input of known size, per spatial dimension."""

    size: tuple[int, ...]
    kernel: tuple[int, ...]
    stride: tuple[int, ...]
    dilation: tuple[int, ...]
    before: tuple[int, ...]
    after: tuple[int, ...]

    @classmethod
    def of(cls, view: NodeView, kernel: Sequence[int], size: Sequence[int]) -> Window:
        """Read a node's attributes for an input of ``size``."""
        rank = len(size)
        if len(kernel) != rank:
            raise ParseError(f"a kernel of {len(kernel)} dimensions over {rank}")
        stated = view.ints("kernel_shape")
        if stated is not None and tuple(stated) != tuple(kernel):
            raise ParseError(f"attribute 'kernel_shape' is {stated}, weights are {list(kernel)}")
        if min(kernel) < 1:
            raise ParseError(f"a kernel of {list(kernel)} elements")
        stride = window_list(view, "strides", rank, 1)
        dilation = window_list(view, "dilations", rank, 1)
        mode = view.text("auto_pad", "NOTSET") or "NOTSET"
        pads = view.ints("pads") or [0] * (2 * rank)
        if mode == "NOTSET":
            if len(pads) != 2 * rank:
                raise ParseError(f"attribute 'pads' has {len(pads)} values, {2 * rank} expected")
            if min(pads) < 0:
                raise Unsupported("negative pads")
        elif mode == "VALID":
            pads = [0] * (2 * rank)
        elif mode in ("SAME_UPPER", "SAME_LOWER"):
            pads = _same(size, kernel, stride, dilation, is_upper=mode == "SAME_UPPER")
        else:
            raise ParseError(f"attribute 'auto_pad' is '{mode}'")
        window = cls(
            tuple(size), tuple(kernel), stride, dilation, tuple(pads[:rank]), tuple(pads[rank:])
        )
        if any(
            dim + b + a < extent
            for dim, b, a, extent in zip(
                size, window.before, window.after, window.extent, strict=True
            )
        ):
            raise ParseError(
                f"a window of {list(window.extent)} does not fit an input of {list(size)}",
                details=[f"pads: {list(pads)}"],
            )
        return window

    @property
    def extent(self) -> tuple[int, ...]:
        """Elements that the kernel spans, gaps included."""
        return tuple((k - 1) * d + 1 for k, d in zip(self.kernel, self.dilation, strict=True))

    def output_size(self, *, ceil: bool) -> tuple[int, ...]:
        """Return how many positions the window has.

        Rounding up admits a last window that is only partly inside, unless it would start in the
        padding behind the input.
        """
        found = []
        for size, extent, stride, before, after in zip(
            self.size, self.extent, self.stride, self.before, self.after, strict=True
        ):
            span = size + before + after - extent
            count = span // stride + 1
            if ceil and span % stride and count * stride < size + before:
                count += 1
            found.append(count)
        return tuple(found)

    def as_plane(self) -> Window:
        """Return a window over one dimension as one over an image of one row."""
        return self._replace(
            size=(1, *self.size),
            kernel=(1, *self.kernel),
            stride=(1, *self.stride),
            dilation=(1, *self.dilation),
            before=(0, *self.before),
            after=(0, *self.after),
        )

    def descriptor_fields(self) -> dict[str, Any]:
        """Return the fields that all descriptors with a window over a plane share."""
        return {
            "pad_top": self.before[0],
            "pad_left": self.before[1],
            "pad_bottom": self.after[0],
            "pad_right": self.after[1],
            "stride_y": self.stride[0],
            "stride_x": self.stride[1],
            "dilation_y": self.dilation[0],
            "dilation_x": self.dilation[1],
        }


def _same(
    size: Sequence[int],
    kernel: Sequence[int],
    stride: Sequence[int],
    dilation: Sequence[int],
    *,
    is_upper: bool,
) -> list[int]:
    """Return pads that make the output ``ceil(size / stride)``."""
    before, after = [], []
    for dim, k, s, d in zip(size, kernel, stride, dilation, strict=True):
        total = max((-(-dim // s) - 1) * s + (k - 1) * d + 1 - dim, 0)
        small, large = total // 2, total - total // 2
        before.append(small if is_upper else large)
        after.append(large if is_upper else small)
    return before + after
