# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The window of a node: ``kernel_shape``, ``strides``, ``dilations``, ``pads`` and ``auto_pad``.

Definitions: these attributes of the ONNX operators Conv and MaxPool.
"""

from __future__ import annotations

from collections.abc import Sequence

from armnn_py.errors import ParseError
from armnn_py.frontends.common.values import Unsupported
from armnn_py.frontends.common.windows import Window, same_pads
from armnn_py.frontends.onnx.convert.node import NodeView


def window_list(view: NodeView, name: str, rank: int, default: int) -> tuple[int, ...]:
    """Return an attribute with one positive integer per spatial dimension."""
    values = view.ints(name)
    if values is None:
        return (default,) * rank
    if len(values) != rank:
        raise ParseError(f"attribute '{name}' has {len(values)} values, expected {rank}")
    if min(values) < 1:
        raise ParseError(f"attribute '{name}' is {values}, expected at least 1")
    return tuple(values)


def window_of(
    view: NodeView, kernel: Sequence[int], size: Sequence[int], *, ceil: bool = False
) -> Window:
    """Read a node's attributes for an input of ``size``.

    With ``ceil``, a window may exceed the padded input by less than a stride; it is cut to it.
    """
    rank = len(size)
    if len(kernel) != rank:
        raise ParseError(
            f"a kernel of {len(kernel)} dimensions does not fit an input with {rank} spatial ones"
        )
    stated = view.ints("kernel_shape")
    if stated is not None and tuple(stated) != tuple(kernel):
        raise ParseError(
            f"attribute 'kernel_shape' is {stated}, but the weights have {list(kernel)}"
        )
    if min(kernel) < 1:
        raise ParseError(f"the kernel has sizes {list(kernel)}, expected at least 1")
    stride = window_list(view, "strides", rank, 1)
    dilation = window_list(view, "dilations", rank, 1)
    mode = view.text("auto_pad", "NOTSET") or "NOTSET"
    pads = view.ints("pads") or [0] * (2 * rank)
    if mode == "NOTSET":
        if len(pads) != 2 * rank:
            raise ParseError(f"attribute 'pads' has {len(pads)} values, expected {2 * rank}")
        if min(pads) < 0:
            raise Unsupported("negative pads")
    elif mode == "VALID":
        pads = [0] * (2 * rank)
    elif mode in ("SAME_UPPER", "SAME_LOWER"):
        pads = same_pads(size, kernel, stride, dilation, is_upper=mode == "SAME_UPPER")
    else:
        raise ParseError(f"attribute 'auto_pad' is '{mode}', which is unknown")
    window = Window(
        tuple(size), tuple(kernel), stride, dilation, tuple(pads[:rank]), tuple(pads[rank:])
    )
    window = window.cut_to_padded() if ceil else window
    if not window.fits:
        raise ParseError(
            f"a window of {list(window.extent)} does not fit an input of {list(size)}",
            details=[f"pads: {list(pads)}"],
        )
    return window
